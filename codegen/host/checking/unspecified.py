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

from . import not_finite

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
            lhs, rhs = op.operands["lhs"], op.operands["rhs"]
            yield from self._multiplied(lhs, rhs, -1)
            yield from self._multiplied(rhs, lhs, -2)

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

    def _along(self, value: Value, dim: int) -> Iterator[Finding]:
        """Find elements along a dimension that are unspecified where the first one there is not."""
        if id(value) not in self._reached:
            return
        with nest(self._lowering.builder, value.type.shape) as position:
            yield self._mixed(value, position, dim), position

    def _multiplied(self, value: Value, other: Value, dim: int) -> Iterator[Finding]:
        """Find elements that a product sums up along `dim`, unless they are multiplied by zero.

        Only the first row of lhs is looked at, or the first column of rhs: where those beyond an
        edge are not used, it is one that is.
        """
        if id(value) not in self._reached:
            return
        builder, shape = self._lowering.builder, value.type.shape
        dim, across = len(shape) + dim, len(shape) - 3 - dim
        walked = [1 if d == across else extent for d, extent in enumerate(shape)]
        with nest(builder, shape, walked) as position:
            indices = list(position.indices)
            indices[dim], indices[across] = indices[across], indices[dim]
            facing = Position(builder, other.type.shape, indices)
            factor = Evaluator(self._lowering, facing).element(other)
            zero = builder.not_(self._missing(other, facing))
            zero = builder.and_(zero, _is_zero(builder, other, factor))
            wrong = builder.and_(self._mixed(value, position, dim), builder.not_(zero))
            yield wrong, position

    def _mixed(self, value: Value, position: Position, dim: int) -> ir.Value:
        """Whether an element is unspecified, and the first one along a dimension is not."""
        builder, indices = self._lowering.builder, list(position.indices)
        indices[dim] = ZERO
        specified = builder.not_(self._missing(value, Position(builder, value.type.shape, indices)))
        return builder.and_(specified, self._missing(value, position))

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
        parts = [self._specified(*need, known) for need in needs]
        whole = self._all(parts)
        if whole is None or op.name not in _ABSORBING:
            return whole
        at, builder = Evaluator(self._lowering, position), self._lowering.builder
        for value, part in zip(op.operand_list(), parts, strict=True):
            absorbs = _ABSORBING[op.name](builder, value, at.element(value))
            whole = builder.or_(whole, self._all([absorbs, part]))
        return whole

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


def _is_infinite(builder: ir.IRBuilder, value: Value, element: ir.Value) -> ir.Value:
    return not_finite.is_infinite(builder, not_finite.double(builder, value, element))


def _is_zero(builder: ir.IRBuilder, value: Value, element: ir.Value) -> ir.Value:
    if isinstance(element.type, ir.IntType) and not not_finite.is_float(value):
        return builder.icmp_unsigned("==", element, ir.Constant(element.type, 0))
    number = not_finite.double(builder, value, element)
    return builder.fcmp_ordered("==", number, ir.Constant(number.type, 0.0))


_ABSORBING: dict[str, Callable[[ir.IRBuilder, Value, ir.Value], ir.Value]] = {
    "addf": _is_infinite,
    "andi": _is_zero,
    "fma": _is_infinite,
    "mulf": _is_zero,
    "muli": _is_zero,
    "subf": _is_infinite,
}
"""Op -> whether one operand decides the result, which is how masks are written: scores beyond the
edge get minus infinity added to them. It would be wrong only if what is there were not finite."""


def _is_source(op: Op) -> bool:
    """Whether an op loads elements that may be unspecified."""
    if op.name == "load_view_tko":
        view = op.operands["view"].type
        return view.padding is None and not isinstance(view, GatherScatterView)
    if op.name != "load_ptr_tko" or not isinstance(op.results[0].type, Tile):
        return False
    return op.operands["mask"] is not None and op.operands["paddingValue"] is None
