"""One element of a tile, computed inside the loop that wants it.

The ops between the stored tiles and the loop are walked with a stack of our own (a kernel may chain
thousands), and every value is computed once at each position.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from llvmlite import ir

from tileir.ir import Op, Value

from ..scalar.constants import constant
from ..scalar.elementwise import ELEMENTWISE, emit
from ..scalar.types import from_memory, llvm_type
from .position import Position

if TYPE_CHECKING:
    from .lower import BlockLowering

_Key = tuple[int, int]


class Evaluator:
    """The elements that one iteration of a loop nest needs."""

    def __init__(self, lowering: BlockLowering, position: Position) -> None:
        self._lowering = lowering
        self._position = position
        self._known: dict[_Key, ir.Value] = {}

    def element(self, value: Value) -> ir.Value:
        """The element of the tile at the position of the nest."""
        wanted = (value, self._position)
        stack = [wanted]
        while stack:
            current, position = stack[-1]
            key = _key(stack[-1])
            if key in self._known:
                stack.pop()
                continue
            result = self._leaf(current, position)
            if result is None:
                needs = _needs(current.owner, position)
                missing = [need for need in needs if _key(need) not in self._known]
                if missing:
                    stack += missing
                    continue
                arguments = [self._known[_key(need)] for need in needs]
                result = self._combine(current.owner, arguments)
            self._known[key] = result
            stack.pop()
        return self._known[_key(wanted)]

    def compute(self, op: Op) -> ir.Value:
        """The element of an element-wise op's result, from its operands."""
        return self._combine(op, [self.element(value) for value in op.operand_list()])

    def _leaf(self, value: Value, position: Position) -> ir.Value | None:
        """The element of a tile that is not computed from others here."""
        lowering = self._lowering
        if id(value) in lowering.singles:
            return lowering.singles[id(value)]
        if id(value) in lowering.direct:
            return lowering.direct[id(value)].element_at(position)
        if value in lowering.storage:
            return lowering.load_element(value, position)
        op = value.owner
        if op.name == "constant":
            return self._constant(op, position)
        if op.name == "iota":
            return _narrowed(lowering.builder, position.linear, llvm_type(value.type.element))
        return None

    def _constant(self, op: Op, position: Position) -> ir.Value:
        value = op.attributes["value"]
        if value.is_splat:
            return constant(op.result.type.element, value.bits())
        builder, element = self._lowering.builder, op.result.type.element
        table, stored = self._lowering.table(op)
        address = builder.gep(table, [position.linear], inbounds=True, source_etype=stored)
        return from_memory(builder, builder.load(address, typ=stored), element)

    def _combine(self, op: Op, arguments: Sequence[ir.Value]) -> ir.Value:
        if op.name in ELEMENTWISE:
            return emit(self._lowering.builder, op, list(arguments))
        return arguments[0]


def _needs(op: Op, position: Position) -> list[tuple[Value, Position]]:
    """Which elements the op's result at the position is computed from."""
    if op.name in ("broadcast", "reshape", "permute"):
        source = op.operands["source"]
        shape = source.type.shape
        if op.name == "permute":
            return [(source, position.permute(tuple(op.attributes["permutation"])))]
        derive = position.broadcast if op.name == "broadcast" else position.reshape
        return [(source, derive(shape))]
    return [(value, position) for value in op.operand_list()]


def _key(need: tuple[Value, Position]) -> _Key:
    return id(need[0]), id(need[1])


def _narrowed(builder: ir.IRBuilder, number: ir.Value, target: ir.Type) -> ir.Value:
    return number if number.type == target else builder.trunc(number, target)
