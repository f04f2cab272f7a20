"""Elements that nobody has written: those of a tile beyond the edge of its tensor, without padding.

Tile IR leaves them unspecified, and those that a mask leaves out. They may be loaded and computed
with as long as nothing comes of it: they must not be stored, nor reduced or multiplied together
with elements that are specified. Each element of a tile is traced back to the loads that it is made
of, op by op, where that can be done without running anything twice; what loops carry is taken to be
specified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import cast

from llvmlite import ir

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.evaluate import Evaluator
from tileir.codegen.host.lowering.inline import INLINE
from tileir.codegen.host.lowering.loops import nest
from tileir.codegen.host.lowering.position import ZERO, Position
from tileir.codegen.host.lowering.rows import is_inline
from tileir.codegen.host.lowering.window import Window
from tileir.ir import Op, Value
from tileir.types import GatherScatterView, Tile

PROBLEM = "uses an element beyond the edge of a tensor, loaded without padding"

MAX_OPS = 100
"""Chains of more ops than this between load and use are taken to be specified."""

_FOLDS, _PRODUCTS = ("reduce", "scan"), ("mmaf", "mmaf_scaled", "mmai")
_STORES = {
    "atomic_cas_tko": ("cmp", "val"),
    "atomic_red_view_tko": ("value",),
    "atomic_rmw_tko": ("arg",),
    "store_ptr_tko": ("value",),
    "store_view_tko": ("tile",),
}
"""Op that writes to memory -> the operands that it writes."""

_Known = dict[tuple[int, int], tuple[Position, ir.Value | None]]
"""Ids of a value and a position -> the position, which is kept alive, and what is known there."""

Finding = tuple[ir.Value, Position]
"""Whether an element is used that is unspecified, and where in the operand."""


class Unspecified:
    """The uses of such elements by one kernel's ops."""

    def __init__(self, lowering: Lowering) -> None:
        self._lowering = lowering
        self._reached: dict[int, int] = {}
        """Value that may have such elements -> the most ops between it and the loads."""
        for op in lowering.kernel.walk():
            self._reach(op)

    def _reach(self, op: Op) -> None:
        if _is_source(op):
            self._reached[id(op.results[0])] = 0
        elif is_inline(op) or op.name in (*_FOLDS, *_PRODUCTS):
            below = [self._reached[id(v)] for v in op.operand_list() if id(v) in self._reached]
            if below and max(below) < MAX_OPS:
                self._reached.update((id(result), max(below) + 1) for result in op.results)

    def uses(self, op: Op) -> Iterator[Finding]:
        """Emit the loops that look for such uses by an op; code inside runs for each element."""
        if op.name in _STORES:
            for slot in _STORES[op.name]:
                if id(op.operands[slot]) in self._reached:
                    yield from self._stored(op, op.operands[slot])
        elif op.name in _FOLDS:
            for value in op.operands["operands"]:
                yield from self._along(value, op.attributes["dim"])
        elif op.name in _PRODUCTS:
            yield from self._along(op.operands["lhs"], -1, first=True)
            yield from self._along(op.operands["rhs"], -2, first=True)

    def _stored(self, op: Op, value: Value) -> Iterator[Finding]:
        builder = self._lowering.builder
        if "view" in op.operands:
            with Window(self._lowering, op).elements(True) as position:
                yield self._missing(value, position), position
            return
        with nest(builder, value.type.shape) as position:
            wrong = self._missing(value, position)
            if op.operands.get("mask") is not None:
                mask = Evaluator(self._lowering, position).element(op.operands["mask"])
                wrong = builder.and_(wrong, mask)
            yield wrong, position

    def _along(self, value: Value, dim: int, first: bool = False) -> Iterator[Finding]:
        """Find elements along a dimension that are unspecified where the first one there is not.

        With `first`, only the first row is looked at: where rows beyond an edge are not used, it is
        one that is.
        """
        if id(value) not in self._reached:
            return
        builder, shape = self._lowering.builder, value.type.shape
        dim %= len(shape)
        walked = [n if d == dim or not first else 1 for d, n in enumerate(shape)]
        with nest(builder, shape, walked) as position:
            indices = list(position.indices)
            indices[dim] = ZERO
            start = Position(builder, shape, indices)
            specified = builder.not_(self._missing(value, start))
            yield builder.and_(specified, self._missing(value, position)), position

    def _missing(self, value: Value, position: Position) -> ir.Value:
        """Whether an element is unspecified."""
        found = self._specified(value, position, {})
        one = ir.Constant(ir.IntType(1), 1)
        return self._lowering.builder.xor(one if found is None else found, one)

    def _specified(self, value: Value, position: Position, known: _Known) -> ir.Value | None:
        """Return whether an element is specified; None if it always is."""
        key = id(value), id(position)
        if id(value) not in self._reached:
            return None
        if key not in known:
            op = cast(Op, value.owner)
            known[key] = position, self._of(op)(op, position, known)
        return known[key][1]

    def _of(self, op: Op) -> Callable[..., ir.Value | None]:
        if _is_source(op):
            return self._loaded
        if op.name == "select":
            return self._selected
        return self._folded if op.name in (*_FOLDS, *_PRODUCTS) else self._computed

    def _loaded(self, op: Op, position: Position, known: _Known) -> ir.Value | None:
        builder = self._lowering.builder
        if op.name == "load_ptr_tko":
            return Evaluator(self._lowering, position).element(op.operands["mask"])
        window, inside = Window(self._lowering, op), ir.Constant(ir.IntType(1), 1)
        for index, limit in zip(position.indices, window.limits, strict=True):
            inside = builder.and_(inside, builder.icmp_unsigned("<", index, limit))
        return inside

    def _computed(self, op: Op, position: Position, known: _Known) -> ir.Value | None:
        needs: Sequence[tuple[Value, Position]] = [(v, position) for v in op.operand_list()]
        if op.name in INLINE:
            needs = INLINE[op.name].needs(self._lowering, op, position)
        return self._all(self._specified(*need, known) for need in needs)

    def _selected(self, op: Op, position: Position, known: _Known) -> ir.Value | None:
        slots = ("cond", "val_if_true", "val_if_false")
        condition, *values = (self._specified(op.operands[s], position, known) for s in slots)
        if values == [None, None]:
            return condition
        builder, one = self._lowering.builder, ir.Constant(ir.IntType(1), 1)
        chosen = Evaluator(self._lowering, position).element(op.operands["cond"])
        taken = builder.select(chosen, *(one if each is None else each for each in values))
        return self._all([condition, taken])

    def _folded(self, op: Op, position: Position, known: _Known) -> ir.Value | None:
        """What is made of many elements is as specified as the first of them."""
        builder = self._lowering.builder
        needs: list[tuple[Value, Position]] = []
        if op.name in _FOLDS:
            for value in op.operands["operands"]:
                indices, shape = list(position.indices), value.type.shape
                if op.name == "reduce":
                    indices.insert(op.attributes["dim"], ZERO)
                needs.append((value, Position(builder, shape, indices)))
        else:
            *batch, row, column = position.indices
            for slot, own in (("lhs", (row, ZERO)), ("rhs", (ZERO, column))):
                value = op.operands[slot]
                needs.append((value, Position(builder, value.type.shape, [*batch, *own])))
            needs.append((op.operands["acc"], position))
        return self._all(self._specified(*need, known) for need in needs)

    def _all(self, parts: Iterator[ir.Value | None] | list[ir.Value | None]) -> ir.Value | None:
        whole = None
        for part in parts:
            if part is not None:
                whole = part if whole is None else self._lowering.builder.and_(whole, part)
        return whole


def _is_source(op: Op) -> bool:
    """Whether an op loads elements that may be unspecified."""
    if op.name == "load_view_tko":
        view = op.operands["view"].type
        return view.padding is None and not isinstance(view, GatherScatterView)
    if op.name != "load_ptr_tko" or not isinstance(op.results[0].type, Tile):
        return False
    return op.operands["mask"] is not None and op.operands["paddingValue"] is None
