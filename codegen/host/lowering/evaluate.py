"""Computes one element of a tile inside the loop that uses it.

The ops between the kept tiles and the loop are walked with an explicit stack (a kernel may chain
thousands), and every value is computed once at each position.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import cast

from llvmlite import ir

from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value

from .block import Lowering
from .inline import INLINE, Need
from .loops import nest
from .position import Position

_Key = tuple[int, int]


class Evaluator:
    """The elements that one iteration of a loop nest needs."""

    def __init__(self, lowering: Lowering, position: Position) -> None:
        self._lowering = lowering
        self._position = position
        self._known: dict[_Key, ir.Value] = {}

    def element(self, value: Value) -> ir.Value:
        """Emit the element of the tile at the position of the nest."""
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
                owner = cast(Op, current.owner)  # an argument of a block is a leaf
                needs = self._needs(owner, position)
                missing = [need for need in needs if _key(need) not in self._known]
                if missing:
                    stack += missing
                    continue
                arguments = [self._known[_key(need)] for need in needs]
                result = self._combine(owner, position, arguments)
            self._known[key] = result
            stack.pop()
        return self._known[_key(wanted)]

    def compute(self, op: Op) -> ir.Value:
        """Emit the element of an inline op's result from its operands."""
        arguments = [self.element(value) for value in op.operand_list()]
        return self._lowering.emit(op, arguments, self._position)

    def _leaf(self, value: Value, position: Position) -> ir.Value | None:
        """Return an element that is a value or in memory; None if it is computed from others."""
        lowering = self._lowering
        if id(value) in lowering.singles:
            return lowering.singles[id(value)]
        if id(value) in lowering.direct:
            return lowering.direct[id(value)].load(position)
        if value in lowering.storage:
            return lowering.load_element(value, position)
        return None

    def _needs(self, op: Op, position: Position) -> Sequence[Need]:
        """Return the elements that the op's result at the position is computed from."""
        if op.name in INLINE:
            return INLINE[op.name].needs(self._lowering, op, position)
        return [(value, position) for value in op.operand_list()]

    def _combine(self, op: Op, position: Position, arguments: list[ir.Value]) -> ir.Value:
        if op.name in INLINE:
            return INLINE[op.name].combine(self._lowering, op, position, arguments)
        return self._lowering.emit(op, arguments, position)


Elements = Callable[[tuple[int, ...], int], AbstractContextManager[Position]]
"""Makes the loops over all elements of a shape; it is told the bytes of an element, too."""


def fill(lowering: Lowering, value: Value, offset: int, elements: Elements | None = None) -> None:
    """Compute a tile into the buffer at an offset, unless it is there already.

    `elements` makes the loops, by default plain ones.
    """
    source = value
    while source not in lowering.storage and isinstance(source.owner, Op):
        if source.owner.name != "assume":
            break
        source = source.owner.operands["value"]
    if lowering.storage.offsets.get(id(source)) == offset and id(source) not in lowering.direct:
        return
    element = value.type.element
    shape = value.type.shape
    if elements is None:
        nested = nest(lowering.builder, shape)
    else:
        nested = elements(shape, memory_bytes(element))
    with lowering.writing(offset), nested as position:
        lowering.store_at(offset, position, Evaluator(lowering, position).element(value), element)


def _key(need: Need) -> _Key:
    return id(need[0]), id(need[1])
