"""Values that take the place of those that are gone: zeros, tokens, views of nothing.

They are made at the start of the function, where all of it sees them, one for each type. A module
is smaller with them: nothing leads to them any more.
"""

from __future__ import annotations

from collections.abc import Sequence

from tileir.builder.editor import Editor
from tileir.bytecode import Function
from tileir.errors import BuildError
from tileir.ir import Op, Value
from tileir.ir.constants import Constant, element_size
from tileir.types import (
    GatherScatterView,
    PartitionView,
    Pointer,
    Scalar,
    StridedView,
    TensorView,
    Tile,
    Token,
    ValueType,
)

PLACES = {
    "constant": 0,
    "make_token": 0,
    "int_to_ptr": 1,
    "trunci": 1,
    "make_tensor_view": 2,
    "make_partition_view": 3,
    "make_strided_view": 3,
    "make_gather_scatter_view": 3,
}
"""Op that makes a stand-in -> its place among them: its operands are parameters or come before."""


def zero(type: Tile) -> Constant:
    """Return the constant of a type of which each bit is 0."""
    return Constant(type, bytes(element_size(type.element)))


def is_zero(constant: Constant) -> bool:
    """Whether each bit of a constant is 0."""
    return not any(constant.data)


def is_stand_in(op: Op) -> bool:
    """Whether an op is as small as ops get: nothing can stand in for it that is smaller."""
    if op.name == "constant":
        value = op.attributes.get("value")
        return isinstance(value, Constant) and is_zero(value)
    return op.name == "make_token"


class StandIns:
    """The stand-ins of a function, of which new ones are made when they are asked for."""

    def __init__(self, function: Function, parameters: Sequence[Value]) -> None:
        self._function = function
        self._block = function.body.block
        self._parameters = parameters
        self._editor: Editor | None = None
        self._front = 0
        self._known: dict[ValueType, Value] = {}
        for op in self._block.ops:
            if op.name not in PLACES:
                break
            self._front += 1
            if is_stand_in(op) or op.name not in ("constant", "trunci"):
                self._known.setdefault(op.results[0].type, op.results[0])

    def of(self, type: ValueType) -> Value:
        """Return a value of a type. BuildError if there is no way to make one."""
        found = self._known.get(type)
        if found is None:
            found = self._known[type] = self._parameter(type) or self._made(type)
        return found

    def _parameter(self, type: ValueType) -> Value | None:
        """Return a parameter that is a pointer of that type; numbers are better made."""
        if not isinstance(type, Tile) or not isinstance(type.element, Pointer):
            return None
        return next((value for value in self._parameters if value.type == type), None)

    def _made(self, type: ValueType) -> Value:
        match type:
            case Token():
                return self._op("make_token")
            case Tile(element=Pointer()):
                return self._op("int_to_ptr", self.of(Tile(Scalar("i64"), type.shape)), result=type)
            case Tile(element=Scalar(name="i4")):
                return self._op("trunci", self.of(Tile(Scalar("i8"), type.shape)), result=type)
            case Tile(element=Scalar()):
                return self._op("constant", zero(type))
            case TensorView():
                base = self.of(Tile(Pointer(type.element, type.attribute)))
                number = Tile(Scalar("i32"))
                shape = [self.of(number) for extent in type.shape if extent is None]
                strides = [self.of(number) for stride in type.strides if stride is None]
                return self._op("make_tensor_view", base, shape, strides, result=type)
            case PartitionView():
                return self._op("make_partition_view", self.of(type.view), result=type)
            case StridedView():
                return self._op("make_strided_view", self.of(type.view), result=type)
            case GatherScatterView():
                return self._op("make_gather_scatter_view", self.of(type.view), result=type)
        raise BuildError(f"nothing stands in for a {type}")

    def _op(self, name: str, *operands: object, **named: object) -> Value:
        """Make an op behind all stand-ins that are there."""
        if self._editor is None:
            self._editor = Editor(self._function)
        ops = self._block.ops
        if self._front:
            self._editor.after(ops[self._front - 1])
        else:
            self._editor.at_start(self._block)
        self._front += 1
        return getattr(self._editor, name)(*operands, **named)

    def settle(self) -> None:
        """Put the stand-ins in an order in which each sees what it uses."""
        if self._editor is not None or self._front:
            ops = list(self._block.ops)
            front = sorted(ops[: self._front], key=lambda op: PLACES[op.name])
            if front != ops[: self._front]:
                self._block.ops = [*front, *ops[self._front :]]
