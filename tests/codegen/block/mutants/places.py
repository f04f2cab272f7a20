"""Defects of `allocate_memory`, and of who says where in shared memory elements lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from tileir.codegen.block.areas import area_bytes
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Shared
from tileir.ir import Body, Op, Value

from .defect import EMULATOR, VERIFIER, Site, defect, ops
from .excuses import areas_apart, elements_alike, folded_together

_ALIGNED = 16


def _placed_areas(body: Body) -> Iterator[Op]:
    for op in ops(body, "alloca", "shared_alloc"):
        if op.attributes["offset"] is not None:
            yield op


def _areas(body: Body) -> Iterator[tuple[Op, Op]]:
    """Yield pairs of areas that have no byte in common; the second is a tile's, if one is."""
    areas = list(_placed_areas(body))
    for one, other in combinations(areas, 2):
        spans = sorted((op.attributes["offset"], area_bytes(op)) for op in (one, other))
        if spans[0][0] + spans[0][1] <= spans[1][0]:
            yield (one, other) if other.name == "shared_alloc" else (other, one)


def _placed(area: Op, offset: int) -> Callable[[], None]:
    return lambda: area.attributes.update(offset=offset)


@defect("an area in the bytes of another", VERIFIER)
def overlap(body: Body) -> Iterator[Site]:
    for one, other in _areas(body):
        place = one.attributes["offset"]
        yield Site(other, _placed(other, place), areas_apart(body, one, other, place))


@defect("an area in the last bytes of another", VERIFIER)
def partial_overlap(body: Body) -> Iterator[Site]:
    for one, other in _areas(body):
        last = (area_bytes(one) - 1) // _ALIGNED * _ALIGNED
        place = one.attributes["offset"] + last
        yield Site(other, _placed(other, place), areas_apart(body, one, other, place))


@defect("an area that is not aligned", VERIFIER)
def misaligned(body: Body) -> Iterator[Site]:
    for area in _placed_areas(body):
        yield Site(area, _placed(area, area.attributes["offset"] + 4))


@defect("an area beyond the end", VERIFIER)
def beyond(body: Body) -> Iterator[Site]:
    areas = list(_placed_areas(body))
    for area in areas[-1:]:
        end = max(op.attributes["offset"] + area_bytes(op) for op in areas)
        yield Site(area, _placed(area, -(-end // 128) * 128))


_ACCESSES = {
    "copy_async": ("destination",),
    "gather_async": ("destination",),
    "insert_slice": ("source",),
    "load_shared": ("source",),
    "load_slice": ("source",),
    "mma": ("lhs", "rhs"),
    "mma_scaled": ("lhs", "rhs"),
    "print_elements": ("source",),
    "store_shared": ("destination",),
}
"""Mnemonic -> its operands in shared memory."""


def _seen_otherwise(
    body: Body, other: Callable[[Shared], tuple[int, ...] | None]
) -> Iterator[Site]:
    """One access sees its tile with other offsets than all others."""
    for op in ops(body, *_ACCESSES):
        for slot in _ACCESSES[op.name]:
            tile = op.operands[slot]
            if isinstance(tile.type, Shared) and (offsets := other(tile.type)):

                def change(
                    op: Op = op, slot: str = slot, tile: Value = tile, offsets=offsets
                ) -> None:
                    kind = replace(tile.type, offsets=offsets)
                    view = make("shared_view", {"source": tile}, results=[kind])
                    view.insert_before(op)
                    op.operands[slot] = view.result

                yield Site(op, change, _excuse(body, op, tile, offsets))


def _excuse(body: Body, op: Op, tile: Value, offsets: Sequence[int]) -> str:
    before = tile.type.offsets
    excuse = elements_alike(body, tile)
    if not excuse and sorted(before) == sorted(offsets):
        moved = [bit for bit, offset in enumerate(offsets) if offset != before[bit]]
        excuse = folded_together(body, op, tile, moved)
    return excuse


@defect("two bits of the swizzle swapped", EMULATOR)
def swapped(body: Body) -> Iterator[Site]:
    def other(kind: Shared) -> tuple[int, ...] | None:
        bits = [bit for bit, offset in enumerate(kind.offsets) if offset]
        if len(bits) < 2:
            return None
        offsets = list(kind.offsets)
        low, high = bits[0], bits[-1]
        offsets[low], offsets[high] = offsets[high], offsets[low]
        return tuple(offsets)

    return _seen_otherwise(body, other)


@defect("swizzle without exclusive or", EMULATOR)
def unswizzled(body: Body) -> Iterator[Site]:
    def other(kind: Shared) -> tuple[int, ...] | None:
        offsets = tuple(1 << each.bit_length() - 1 if each else 0 for each in kind.offsets)
        return offsets if offsets != kind.offsets else None

    return _seen_otherwise(body, other)


@defect("two bits with one offset", VERIFIER)
def collision(body: Body) -> Iterator[Site]:
    def other(kind: Shared) -> tuple[int, ...] | None:
        bits = [bit for bit, offset in enumerate(kind.offsets) if offset]
        if len(bits) < 2:
            return None
        return tuple(
            kind.offsets[bits[0]] if bit == bits[-1] else offset
            for bit, offset in enumerate(kind.offsets)
        )

    return _seen_otherwise(body, other)


@defect("tiles of a wait with other offsets", VERIFIER)
def other_tile(body: Body) -> Iterator[Site]:
    for wait in ops(body, "wait_group"):
        for tile in wait.results:

            def change(tile: Value = tile) -> None:
                tile.type = replace(tile.type, offsets=tile.type.offsets[::-1])

            yield Site(wait, change)


@defect("another part", EMULATOR)
def part(body: Body) -> Iterator[Site]:
    for op in ops(
        body, "insert_slice", "load_shared", "load_slice", "print_elements", "store_shared"
    ):
        slot = "destination" if op.name == "store_shared" else "source"
        bits = [bit for bit, offset in enumerate(op.operands[slot].type.offsets) if not offset]
        if op.attributes["part"] is not None and bits:
            other = op.attributes["part"] ^ 1 << bits[-1]
            yield Site(op, lambda op=op, other=other: op.attributes.update(part=other))


@defect("store_shared dropped", VERIFIER)
def store_dropped(body: Body) -> Iterator[Site]:
    for store in ops(body, "store_shared"):
        yield Site(store, store.erase)
