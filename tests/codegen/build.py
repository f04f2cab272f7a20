"""Small modules put together by hand, from rows of the op table, for tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tileir.attributes import Hints
from tileir.formats.ops import BY_NAME
from tileir.formats.ops.spec import Each
from tileir.formats.version import LATEST, Version
from tileir.ir import Block, Body, Op, Value
from tileir.ir.constants import Constant, element_size
from tileir.launch.attributes import NONE, LaunchAttributes
from tileir.types import (
    FunctionType,
    PartitionView,
    Pointer,
    Scalar,
    TensorView,
    Tile,
    Token,
    Type,
)

TOKEN = Token()


def tile(text: str) -> Tile:
    """The tile type spelled as ``"4x8xf32"``, ``"i32"`` or ``"8xptr<f32>"``."""
    sizes, element = re.fullmatch(r"((?:\d+x)*)(.*)", text).groups()
    shape = tuple(int(size) for size in sizes.split("x")[:-1])
    inner = re.fullmatch(r"ptr<(.*)>", element)
    return Tile(Pointer(Scalar(inner[1])) if inner else Scalar(element), shape)


def tensor(element: str, shape: Sequence[int | None], strides: Sequence[int | None]) -> TensorView:
    """A tensor view type."""
    return TensorView(Scalar(element), tuple(shape), tuple(strides))


@dataclass
class Function:
    """What the verifier and the code generators ask of a function."""

    name: str
    body: Body
    private: bool = False
    argument_attributes: tuple = ()
    hints: Hints = field(default_factory=lambda: Hints({}))
    location: None = None

    @property
    def type(self) -> FunctionType:
        """Its signature."""
        return self.body.type

    def op_locations(self) -> list:
        """Nothing is known of its source."""
        return []


@dataclass
class Module:
    """What the verifier and the code generators ask of a module."""

    functions: list[Function]
    globals: list = field(default_factory=list)
    producer: None = None
    version: Version = LATEST
    newer: bool = False
    launch_attributes: LaunchAttributes = NONE
    tag: int = 0
    text: None = None


class Kernel:
    """An entry under construction."""

    def __init__(self, name: str, *parameters: str) -> None:
        self.name = name
        self._numbers = 0
        self.block = Block()
        types = tuple(tile(text) for text in parameters)
        for index, kind in enumerate(types):
            self.block.arguments.append(self._value(kind, self.block, index))
        self.parameters = self.block.arguments
        self.type = FunctionType(types, ())

    def op(
        self, name: str, *operands: Any, results: Sequence[Type | str] = (), **attributes: Any
    ) -> Any:
        """Append an op; its operands in the order of the slots. Returns its result or results."""
        spec = BY_NAME[name]
        slots: dict[str, Any] = {}
        for place, slot in enumerate(spec.operands):
            missing = () if slot.arity == "many" else None
            slots[slot.name] = operands[place] if place < len(operands) else missing
        values = {slot.name: slot.default for slot in spec.attributes} | attributes
        for slot, value in values.items():
            if isinstance(value, Each):
                values[slot] = (value.value,) * len(slots[value.slot])
        op = Op(spec, slots, values, offset=100 + len(self.block.ops))
        for index, kind in enumerate(results):
            named = TOKEN if kind == "token" else None
            resolved = named or (tile(kind) if isinstance(kind, str) else kind)
            op.results.append(self._value(resolved, op, index))
        self.block.ops.append(op)
        return op.results[0] if len(op.results) == 1 else op.results

    def _value(self, kind: Type, owner: Block | Op, index: int) -> Value:
        self._numbers += 1
        return Value(kind, owner, index, self._numbers - 1)

    def constant(self, kind: str, *bits: int) -> Value:
        """A constant from bit patterns: one for all elements, or one each."""
        resolved = tile(kind)
        width = element_size(resolved.element)
        data = b"".join(pattern.to_bytes(width, "little") for pattern in bits)
        return self.op("constant", results=[resolved], value=Constant(resolved, data))

    def view(
        self, base: Value, shape: Sequence[int | None], tiles: Sequence[int], *,
        strides: Sequence[int | None] | None = None, dynamic: Sequence[Value] = (),
        dynamic_strides: Sequence[Value] = (), padding: str | None = None,
        dim_map: Sequence[int] | None = None,
    ) -> Value:  # fmt: skip
        """A partition view of memory at `base`, row-major unless strides are given."""
        if strides is None:
            strides = [int(np.prod(shape[d + 1 :])) for d in range(len(shape))]
        kind = tensor(base.type.element.pointee.name, shape, strides)
        whole = self.op(
            "make_tensor_view", base, tuple(dynamic), tuple(dynamic_strides), results=[kind]
        )
        order = tuple(range(len(shape)) if dim_map is None else dim_map)
        cut = PartitionView(tuple(tiles), kind, order, padding)
        return self.op("make_partition_view", whole, results=[cut])

    def load(self, view: Value, *index: Value) -> Value:
        """Load a tile of a view."""
        kind = Tile(view.type.view.element, view.type.tile)
        loaded, _ = self.op(
            "load_view_tko", view, index, results=[kind, TOKEN],
            memory_ordering_semantics="weak",
        )  # fmt: skip
        return loaded

    def store(self, value: Value, view: Value, *index: Value) -> None:
        """Store a tile of a view."""
        self.op(
            "store_view_tko", value, view, index, results=[TOKEN],
            memory_ordering_semantics="weak",
        )  # fmt: skip

    def zeros(self, count: int) -> list[Value]:
        """As many scalar i32 zeros."""
        return [self.constant("i32", 0) for _ in range(count)]

    def module(self) -> Module:
        """The finished module, with this entry only."""
        if self.block.parent is None:
            self.op("return")
            Body(self.type, self.block)
        return Module([Function(self.name, self.block.parent)])


def elementwise(name: str, inputs: Sequence[str], result: str, size: int, **attributes: Any):
    """A module that applies one op to arrays of `size` elements, the last argument its result."""
    kernel = Kernel("apply", *(f"ptr<{element}>" for element in (*inputs, result)))
    index = kernel.zeros(1)
    loaded = [
        kernel.load(kernel.view(pointer, [size], [size]), *index)
        for pointer in kernel.parameters[:-1]
    ]
    value = kernel.op(name, *loaded, results=[f"{size}x{result}"], **attributes)
    kernel.store(value, kernel.view(kernel.parameters[-1], [size], [size]), *index)
    return kernel.module()
