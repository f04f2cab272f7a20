"""Replace reductions and scans by folds within warps, and by what brings elements across warps.

A reduction folds the bits of the coordinate along its dimension one by one. Bits of registers and
lanes are folded where they are. For bits of warps, partial results are converted to a layout in
which every thread has those of all warps in registers, and folded there. If the body commutes, or
selects one of its operands, bits are taken in the order registers, lanes, warps. Otherwise they are
taken from the lowest to the highest: then only neighbours are combined, in their order, and the
body need not commute.

The layout of a scan has the lowest bits of its dimension in registers, the next in lanes, the rest
in warps (`linear_layout.for_scan`). The last thread of each warp stores its sum for the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from tileir.codegen.analysis.reorderable_reductions import commutes
from tileir.codegen.analysis.selecting_reductions import chooses, is_selection_by_number
from tileir.codegen.block.types import Frag, Shared
from tileir.codegen.layouts.linear_layout import LinearLayout, combine, dim_bits
from tileir.codegen.layouts.warp_conversions import images_without
from tileir.ir import Op, Value
from tileir.types import Tile

from .expand_prints import expand_print
from .expand_slices import add, expand_extract, expand_insert, replace_results, tile_of


def expand_reduce(op: Op) -> None:
    """Replace reduce; the results are in every thread that took part."""
    values = list(op.operands["operands"])
    low, count = dim_bits(values[0].type.shape, op.attributes["dim"])
    if not count:
        shape = _without(values[0].type.shape, op.attributes["dim"])
        replace_results(op, [_reshaped(op, value, shape) for value in values])
        return
    reduction = _Reduction(op, values)
    order = [1 << bit for bit in range(low, low + count)]
    if not reduction.ordered or chooses(op):
        layout = _layout(values[0])
        kinds = (layout.register, layout.lane, layout.warp)
        order = [base for kind in kinds for base in order if base in kind]
    while order:
        together = reduction.foldable(order)
        if not together:
            reduction.gather(order)
            together = reduction.foldable(order)
        if not together:
            raise AssertionError(f"a bit of dimension {op.attributes['dim']} is in no thread")
        reduction.fold(together)
        order = [base for base in order if base not in together]
    replace_results(op, reduction.values)


class _Reduction:
    """A reduction on its way. Bases are those of the operands; `_kept` are the bits of these whose
    numbers the partial results still have, in order."""

    def __init__(self, op: Op, values: list[Value]) -> None:
        self._op, self.values = op, values
        self._kept = list(range(values[0].type.size.bit_length() - 1))
        self._dim = op.attributes["dim"]
        self.ordered = not (commutes(op) or is_selection_by_number(op))

    @property
    def _layout(self) -> LinearLayout:
        return _layout(self.values[0])

    def _base(self, base: int) -> int:
        """Return the base in the partial results of one of the operands."""
        return 1 << self._kept.index(base.bit_length() - 1)

    def foldable(self, order: Sequence[int]) -> list[int]:
        """Return the first of the bases that are registers or lanes."""
        here = {*self._layout.register, *self._layout.lane}
        found = []
        for base in order:
            if self._base(base) not in here:
                break
            found.append(base)
        return found

    def gather(self, order: Sequence[int]) -> None:
        """Convert to a layout that has the first of the bases, of warps so far, in registers."""
        layout, gathered = self._layout, []
        for base in map(self._base, order):
            if base not in layout.warp:
                break
            gathered.append(base)
        target = replace(
            layout,
            register=(*gathered, *layout.register),
            warp=tuple(0 if base in gathered else base for base in layout.warp),
        )
        for number, value in enumerate(self.values):
            kind = Frag(value.type.element, value.type.shape, layout=target)
            made = add(self._op, "convert_layout", {"source": value}, [kind])
            self.values[number] = made.result

    def fold(self, bases: Sequence[int]) -> None:
        """Fold bits of registers and lanes, in this order."""
        shape = self.values[0].type.shape
        low, count = dim_bits(shape, self._dim)
        over = [self._base(base) for base in bases]
        shape = list(shape)
        shape[self._dim] >>= len(over)
        if count == len(over):
            shape = _without(shape, self._dim)
        layout = self._layout.without(sum(over))
        layout = layout.compose(images_without(layout.bits, sum(over)))
        attributes = {
            "dim": self._dim,
            "over": tuple(base.bit_length() - 1 - low for base in over),
            "ordered": self.ordered,
        }
        made = add(
            self._op,
            "fold",
            {"operands": tuple(self.values)},
            [tile_of(value.type, shape, layout) for value in self.values],
            attributes,
            [self._op.regions[0].clone()],
        )
        self.values = list(made.results)
        self._kept = [bit for bit in self._kept if 1 << bit not in bases]


def expand_scan(op: Op) -> None:
    """Replace scan; the results are in the layout of the operands."""
    operands, dim = op.operands["operands"], op.attributes["dim"]
    kind = operands[0].type
    if kind.shape[dim] == 1:
        replace_results(op, operands)
        return
    low, count = dim_bits(kind.shape, dim)
    along, layout = (1 << count) - 1 << low, _layout(operands[0])
    own = sum(base for base in layout.register if base & along)
    shape = list(kind.shape)
    shape[dim] >>= own.bit_count()
    images = images_without(layout.bits, own)
    sums = layout.without(own).compose(images)
    attributes = {"dim": dim, "reverse": op.attributes["reverse"]}
    within = add(
        op,
        "scan_warp",
        {"operands": operands},
        [
            *(value.type for value in operands),
            *(tile_of(value.type, shape, sums) for value in operands),
        ],
        attributes,
        [op.regions[0].clone()],
    )
    values, totals = within.results[: len(operands)], within.results[len(operands) :]
    if own == along:
        replace_results(op, values)
        return
    along = combine(images, along)
    warps = [base for base in sums.warp if base & along]
    across = add(
        op,
        "scan_across",
        {
            "operands": tuple(within.results),
            "warps": _sums_of_warps(op, totals, along, warps) if warps else (),
        },
        [value.type for value in operands],
        attributes,
        [op.regions[0].clone()],
    )
    replace_results(op, across.results)


def _sums_of_warps(
    op: Op, totals: Sequence[Value], along: int, warps: Sequence[int]
) -> tuple[Value, ...]:
    """Store the sums of whole warps, which their last lanes have; load those of all warps."""
    layout, shape = _layout(totals[0]), totals[0].type.shape
    lanes = along & ~sum(warps)
    rest = [1 << bit for bit in range(layout.bits) if not along >> bit & 1]
    order = [*warps, *rest]
    places = [1 << order.index(1 << bit) if 1 << bit in order else 0 for bit in range(layout.bits)]
    part = None
    if lanes:
        part = 0 if op.attributes["reverse"] else lanes
    fewer = list(shape)
    fewer[op.attributes["dim"]] = 1 << len(warps)
    kept = layout.without(along)
    kept = replace(kept, register=(*warps, *kept.register))
    kept = kept.compose(images_without(layout.bits, lanes))
    allocated = []
    for value in totals:
        memory = Shared(value.type.element, shape, tuple(places))
        allocated.append(add(op, "shared_alloc", {}, [memory]).result)
    for value, place in zip(totals, allocated, strict=True):
        add(op, "store_shared", {"value": value, "destination": place}, (), {"part": part})
    loaded = []
    for value, place in zip(totals, allocated, strict=True):
        if lanes:
            seen = Shared(value.type.element, tuple(fewer), tuple(each for each in places if each))
            place = add(op, "shared_view", {"source": place}, [seen]).result
        kind = tile_of(value.type, fewer, kept)
        loaded.append(add(op, "load_shared", {"source": place}, [kind]).result)
    return tuple(loaded)


def _without(shape: Sequence[int], dim: int) -> list[int]:
    return [extent for number, extent in enumerate(shape) if number != dim]


def _reshaped(op: Op, value: Value, shape: Sequence[int]) -> Value:
    kind = Tile(value.type.element, tuple(shape))
    if kind.size > 1:
        kind = tile_of(value.type, shape, _layout(value))
    return add(op, "reshape", {"source": value}, [kind]).result


def _layout(value: Value) -> LinearLayout:
    """Return the layout of a tile of several elements."""
    return cast(Frag, value.type).layout


EXPANSIONS: dict[str, Callable[[Op], None]] = {
    "extract": expand_extract,
    "insert": expand_insert,
    "print_tko": expand_print,
    "reduce": expand_reduce,
    "scan": expand_scan,
}
"""Mnemonic of an op of Tile IR -> what replaces it by ops of the block IR."""
