"""Where elements lie in shared memory: the swizzle of the writer is that of the reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from tileir.codegen.block.areas import alignment
from tileir.codegen.block.op_facts import ARRIVALS, COPIES, ENDS, EXCHANGES, accessed, exchanged
from tileir.codegen.block.types import Shared
from tileir.codegen.layouts.linear_layout import combine, rank
from tileir.ir import Body, Op
from tileir.types import Tile


def offset_problems(body: Body) -> Iterator[tuple[Op, str]]:
    """Yield the ops that see shared memory otherwise than it was stored."""
    for op in body.walk():
        for value in op.results:
            if isinstance(value.type, Shared) and len(value.type.offsets) != _bits(value.type):
                yield (
                    op,
                    f"{_bits(value.type)} bits of a tile have {len(value.type.offsets)} offsets",
                )
        yield from (_RULES[op.name](op) if op.name in _RULES else ())


def _collision(op: Op) -> Iterator[tuple[Op, str]]:
    """Check that different elements have different places, but for bits without effect."""
    for value in op.results:
        offsets = [each for each in value.type.offsets if each]
        if rank(offsets) < len(offsets):
            yield op, "two elements have one place"


def _view(op: Op) -> Iterator[tuple[Op, str]]:
    source, result = op.operands["source"].type, cast(Shared, op.result.type)
    offsets = [each for each in source.offsets if each]
    if any(rank([*offsets, each]) > rank(offsets) for each in result.offsets):
        yield op, "the view has offsets that its source lacks"
    if source.slots != result.slots:
        yield op, "a view has as many slots as its source"
    first = combine(source.offsets, op.attributes["first"] or 0)
    if any(first & each for each in result.offsets):
        yield op, "the offset of the first element is one of a view's elements"
    yield from _collision(op)


def _slot(op: Op) -> Iterator[tuple[Op, str]]:
    if op.result.type != op.operands["ring"].type.slot:
        yield op, "a slot has the elements, shape and offsets of its ring"
    copies = (use for use in _users(op) if use.name == "copy_shared")
    if any(copy.operands["destination"] is op.result for copy in copies):
        return  # threads fill it, so nothing is under way
    for use in _users(op):
        touches = any(value is op.result for value, _ in accessed(use))
        if touches and use.name not in (*COPIES, *ENDS):
            yield use, "a slot that is being filled is accessed; only a wait gives its tile"


def _wait(op: Op) -> Iterator[tuple[Op, str]]:
    tiles, rings = op.operands["flight"].type.tiles, op.operands["rings"]
    if not len(tiles) == len(rings) == len(op.results):
        yield op, f"{len(tiles)} tiles of {len(rings)} rings are under way"
        return
    for tile, ring, result in zip(tiles, rings, op.results, strict=True):
        if not tile == ring.type.slot == result.type:
            yield op, "a tile that arrives has not the offsets with which it was copied"


def _alloc(op: Op) -> Iterator[tuple[Op, str]]:
    if len({value.type.slots for value in op.results}) > 1:
        yield op, "tiles of one ring have different numbers of slots"
    yield from _collision(op)
    yield from _aligned(op)
    if cast(Shared, op.result.type).slots == 1:
        return
    for use in (use for value in op.results for use in value.uses):
        if use.slot not in ("ring", "rings") and use.op.name not in ("barrier", *ENDS):
            yield use.op, "a ring is accessed as a whole; only a wait gives its tiles"


def _aligned(op: Op) -> Iterator[tuple[Op, str]]:
    offset, unit = op.attributes["offset"] or 0, alignment(op)
    if offset % unit:
        yield op, f"byte {offset} is no multiple of {unit}"


def _exchange(op: Op) -> Iterator[tuple[Op, str]]:
    tile = cast(Tile, exchanged(op))
    ((place, stored),) = accessed(op)
    memory = cast(Shared, place.type)
    if tile.shape != memory.shape:
        yield op, f"a tile of {tile.shape} and memory for {memory.shape}"
    if not stored and tile.element != memory.element:
        yield op, f"elements of {tile.element} from memory for {memory.element}"
    pieces = sum(1 << bit for bit, offset in enumerate(memory.offsets) if offset == 0)
    part = op.attributes["part"]
    if part is not None and part & ~pieces:
        yield op, f"part {part:#x} has bits with offsets; those of pieces are {pieces:#x}"
    rest = op.operands.get("rest")
    if rest is not None and rest.type != tile:
        yield op, "the rest of a tile has another type than the tile"


def _copy(op: Op) -> Iterator[tuple[Op, str]]:
    source, destination = op.operands["source"].type, op.operands["destination"].type
    if source.shape != destination.shape:
        yield op, f"a tile of {source.shape} and memory for {destination.shape}"
    if source.element != destination.element and not op.attributes["conversion"]:
        yield op, f"elements of {source.element} in memory for {destination.element}"


def _copy_tensor(op: Op) -> Iterator[tuple[Op, str]]:
    loaded, stored = op.operands["view"].type.view.element, op.operands["destination"].type.element
    if (loaded != stored) != (op.attributes["conversion"] is not None):
        yield op, f"elements of {loaded} in memory for {stored}"


def _users(op: Op) -> Iterator[Op]:
    for value in op.results:
        yield from (use.op for use in value.uses)


def _bits(kind: Shared) -> int:
    size = 1
    for extent in kind.shape:
        size *= extent
    return size.bit_length() - 1


_RULES = {
    **dict.fromkeys(ARRIVALS, _wait),
    **dict.fromkeys(EXCHANGES, _exchange),
    "alloca": _aligned,
    "copy_shared": _copy,
    "copy_tensor": _copy_tensor,
    "shared_alloc": _alloc,
    "shared_slot": _slot,
    "shared_view": _view,
}
