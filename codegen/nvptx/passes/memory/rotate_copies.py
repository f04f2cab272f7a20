"""Operands that threads copy in shared memory, for tensor cores, get several slots.

Tensor cores read some operands only in other rows than those they are loaded in, so each iteration
of a loop copies them (`copy_shared`). With one place for the copy, all threads meet twice in each
iteration: when the copy is made, and when products have read it. With slots that take turns, the
first barrier of an iteration says as well that the products of the one before have been awaited:
two slots are enough for products that are awaited in their iteration. With three, they may stay
under way until the next ones have started (`overlap_products`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, cast

from tileir.codegen.block.areas import alignment, area_bytes
from tileir.codegen.block.control_edges import continues
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Shared, Turn
from tileir.ir import Block, Body, Op

from .allocate_memory import memory_needed

UNDER_WAY, AWAITED = 3, 2
"""The slots for products of the iteration before that are still under way, and for those that are
awaited in their iteration."""


class Beside(NamedTuple):
    """The ring that the loop will have besides: its bytes, its alignment, and what it replaces."""

    bytes: int
    alignment: int
    places: Collection[Op]


def rotate_copies(loop: Op, body: Body, beside: Beside, most: int, room: int) -> None:
    """Give the copies of a `for` so many slots, or as many as fit; two at least, or it stays.

    `room` is the bytes of shared memory that the body may need.
    """
    block = loop.regions[0].block
    copied = [op for op in block.ops if _is_copied(op)]
    if not copied or loop.name != "for" or list(continues(block)) != [block.ops[-1]]:
        return
    unit = max(beside.alignment, *map(alignment, copied))
    size = sum(-(-area_bytes(op) // unit) * unit for op in copied)
    for slots in range(most, AWAITED - 1, -1):
        ring = {loop: (beside.bytes + slots * size, unit)}
        if memory_needed(body, ring, without=[*beside.places, *copied]) <= room:
            _rotate(loop, block, copied, slots)
            return


def _is_copied(op: Op) -> bool:
    return op.name == "shared_alloc" and any(
        use.op.name == "copy_shared" and use.slot == "destination" for use in op.result.uses
    )


def _rotate(loop: Op, block: Block, copied: Collection[Op], slots: int) -> None:
    kinds = [cast(Shared, op.result.type) for op in copied]
    rings = [Shared(kind.element, kind.shape, kind.offsets, slots) for kind in kinds]
    alloc = make("shared_alloc", results=rings, origin=loop)
    first = make(
        "first_turn", {"ring": alloc.results[0]}, results=[Turn(slots, False)], origin=loop
    )
    alloc.insert_before(loop)
    first.insert_before(loop)
    turn = block.add_argument(first.result.type)
    for op, ring in zip(copied, alloc.results, strict=True):
        slot = make(
            "shared_slot", {"ring": ring, "turn": turn}, results=[op.result.type], origin=op
        )
        slot.insert_before(op)
        op.replace_with(slot.result)
    end = block.ops[-1]
    advance = make(
        "advance", {"ring": alloc.results[0], "turn": turn}, results=[turn.type], origin=loop
    )
    advance.insert_before(end)
    end.operands["operands"] = (*end.operands["operands"], advance.result)
    loop.operands["initValues"] = (*loop.operands["initValues"], first.result)
    loop.add_result(turn.type)
