"""Defects of `allocate_memory`, and of who says where in shared memory elements lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.block.accesses import COPIES
from tileir.codegen.block.areas import area_bytes, behind
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Shared
from tileir.codegen.nvptx.passes.allocate_memory import areas_of
from tileir.codegen.nvptx.passes.barrier_pairs import BarrierPairs
from tileir.codegen.nvptx.passes.barrier_walk import Accesses
from tileir.ir import Body, Op, Value

from .defect import EMULATOR, VERIFIER, Site, defect, ops

_ALIGNED = 16


def _placed_areas(body: Body) -> Iterator[Op]:
    for op in ops(body, "alloca", "shared_alloc"):
        if op.attributes["offset"] is not None:
            yield op


def _areas(body: Body) -> Iterator[tuple[Op, Op]]:
    """Yield pairs of areas that have no byte in common; the second is a tile's."""
    areas = list(_placed_areas(body))
    for one, other in combinations(areas, 2):
        spans = sorted((op.attributes["offset"], area_bytes(op)) for op in (one, other))
        apart = spans[0][0] + spans[0][1] <= spans[1][0]
        if apart and "shared_alloc" in (one.name, other.name):
            yield (one, other) if other.name == "shared_alloc" else (other, one)


def _placed(area: Op, offset: int) -> Callable[[], None]:
    return lambda: area.attributes.update(offset=offset)


@defect("an area in the bytes of another", VERIFIER)
def overlap(body: Body) -> Iterator[Site]:
    for one, other in _areas(body):
        yield Site(other, _placed(other, one.attributes["offset"]), _apart(body, one, other))


@defect("an area in the last bytes of another", VERIFIER)
def partial_overlap(body: Body) -> Iterator[Site]:
    for one, other in _areas(body):
        last = (area_bytes(one) - 1) // _ALIGNED * _ALIGNED
        place = one.attributes["offset"] + last
        yield Site(other, _placed(other, place), _apart(body, one, other))


def _apart(body: Body, one: Op, other: Op) -> str:
    """Say if two areas are not live at the same time, and accessed with a barrier between."""
    areas = {area.op: area for area in areas_of(body)}
    unordered = BarrierPairs(body, Accesses(body, Divisibility())).unordered
    together = areas[one].lives_with(areas[other]) or {(one, other), (other, one)} & unordered
    return "" if together else "they are not live at the same time, and a barrier is between"


@defect("an area that is not aligned", VERIFIER)
def misaligned(body: Body) -> Iterator[Site]:
    for area in ops(body, "shared_alloc"):
        yield Site(area, _placed(area, area.attributes["offset"] + 4))


@defect("an area beyond the end", VERIFIER)
def beyond(body: Body) -> Iterator[Site]:
    areas = [
        op for op in ops(body, "alloca", "shared_alloc") if op.attributes["offset"] is not None
    ]
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


def _alike(body: Body, tile: Value) -> str:
    """Say if all elements of a tile are the same."""
    area = behind(tile)[0]
    stores = (op for op in ops(body, "store_shared", *COPIES))
    values = [op for op in stores if behind(op.operands["destination"])[0] is area]
    if all(op.name == "store_shared" and _is_constant(op.operands["value"]) for op in values):
        return "all elements of the tile are the same"
    return ""


def _is_constant(value: Value) -> bool:
    return isinstance(value.owner, Op) and value.owner.name == "constant"


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

                yield Site(op, change, _alike(body, tile))


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
