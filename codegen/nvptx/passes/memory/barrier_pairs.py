"""What each barrier of a body is for: the pairs of accesses that it alone orders.

A barrier that orders no pair is not needed. Areas that are accessed with no barrier between cannot
share bytes; which ones these are is found on the same walk.

A pair as text: ``1, 2: mma of the iteration before, before copy_async for 2 iterations later``. The
numbers are those of the barrier's operands, the memory of both accesses. Where it is not the same,
but has bytes in common, they are ``1, 2 then 3``. Memory that the barrier does not see is ``area
4``, that of the fifth `shared_alloc` of the body. A pair without numbers accesses memory that
tokens order. Iterations are counted from that of the later access, loops from the barrier: *the
loop* is the one around it, if it is deeper than the access.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from tileir.codegen.block.control_edges import loop_block
from tileir.codegen.block.op_facts import COPIES
from tileir.ir import Block, Body, Op, Value
from tileir.messages.wording import counted
from tileir.types import Token

from .barrier_walk import (
    Access,
    Accesses,
    Acquired,
    BarrierWalk,
    Everything,
    Open,
    Pair,
    is_under_way,
)
from .memory_accesses import MemoryAccess
from .shared_accesses import SharedAccess

Areas = tuple[Op, Op]
Labels = tuple[str, str]
"""The memory of the earlier access of a pair, and that of the later one."""
_PASSED = ", if a loop between makes no trips"
_BEFORE = " of the iteration before"


class BarrierPairs(BarrierWalk):
    """A walk over a whole body that finds the pairs of every barrier.

    All slots of a ring count as one area: a barrier before the loop frees the bytes of those that
    its prologue does not fill, too.
    """

    def __init__(self, body: Body, accesses: Accesses) -> None:
        super().__init__(accesses)
        self.pairs: dict[Op, dict[Pair, None]] = {}
        """Barrier -> the pairs that collide."""
        self.across: dict[Op, dict[Areas, dict[Pair, None]]] = {}
        """Barrier -> areas -> their pairs, which collide if these areas have bytes in common."""
        self.unordered: set[Areas] = set()
        """Pairs of areas: the first may be accessed by some threads when others access the second,
        and one of the accesses writes."""
        self.missing: list[Pair] = []
        """Pairs of accesses with no barrier between."""
        self.block(body.block, set())

    def ordered_by(self, barrier: Op, share: Callable[[Areas], bool]) -> list[Pair]:
        """Return the pairs that a barrier orders; `share` says whether areas share bytes."""
        across = self.across.get(barrier, {}).items()
        return [
            *self.pairs.get(barrier, ()),
            *(pair for areas, pairs in across if share(areas) for pair in pairs),
        ]

    def pass_barrier(self, barrier: Op, open_: Open) -> None:
        """Keep what is open for one more barrier, together with this one."""
        self.pairs.setdefault(barrier, {})
        kept = {
            (access, since if is_under_way(access) else barrier)
            for access, since in open_
            if since is None
        }
        open_.clear()
        open_ |= kept

    def meet(self, op: Op, accesses: Iterable[Access], open_: Open) -> None:
        """Note down the pairs of open accesses and those of an op."""
        for second in accesses:
            for first, since in self.colliding(op, second, open_):
                if since is None:
                    self.missing.append((first, second, op))
                else:
                    self.pairs.setdefault(since, {})[first, second, op] = None
            if isinstance(second, SharedAccess):
                self._meet_areas(op, second, open_)

    def _meet_areas(self, op: Op, second: SharedAccess, open_: Open) -> None:
        """Note down the pairs of open accesses of other areas and one of an op."""
        later, writes = second.tile.owner, second.writes
        for first, since in open_:
            if type(first) is not SharedAccess or not (writes or first.writes):
                continue
            earlier = first.tile.owner
            if earlier is later:
                continue
            if since is None:
                self.unordered.add((earlier, later))
            else:
                across = self.across.setdefault(since, {}).setdefault((earlier, later), {})
                across[first, second, op] = None


def memory(barrier: Op, pairs: Iterable[Pair], numbers: Mapping[Op, int]) -> tuple[Value, ...]:
    """Return the tiles and tokens of pairs that are visible at a barrier, in their order.

    `numbers` numbers the ops of the body.
    """
    found: set[Value] = set()
    for first, second, op in pairs:
        if isinstance(second, SharedAccess):
            found |= {cast(SharedAccess, first).tile, second.tile}
        else:
            found |= {each for each in op.operand_list() if isinstance(each.type, Token)}

    def order(value: Value) -> tuple[int, int]:
        owner = value.owner if isinstance(value.owner, Op) else value.owner.parent_op
        return numbers.get(owner, -1), value.index

    return tuple(sorted((value for value in found if value.is_visible_to(barrier)), key=order))


def _different_areas(first: Access, second: Access) -> Areas | None:
    """Return the areas of two accesses of shared memory one of which writes, if they differ."""
    if not isinstance(first, SharedAccess) or not isinstance(second, SharedAccess):
        return None
    if first.tile.owner is second.tile.owner or not (first.writes or second.writes):
        return None
    return first.tile.owner, second.tile.owner


# Words ------------------------------------------------------------------------------------------


def texts(
    barrier: Op, pairs: Iterable[Pair], memory: Sequence[Value], areas: Sequence[Op]
) -> tuple[str, ...]:
    """Return the pairs of a barrier as text.

    `memory` is what the barrier has for operands; `areas` are the ops of the body that allocate
    shared memory.
    """
    labels = {tile: _area(number, tile) for number, op in enumerate(areas) for tile in op.results}
    labels |= {value: str(number) for number, value in enumerate(memory)}
    always: dict[str, dict[Labels, None]] = {}
    passed: dict[str, dict[Labels, None]] = {}
    for first, second, _ in pairs:
        of = _labels(first, second, labels)
        found = passed if isinstance(first, SharedAccess) and first.passed else always
        found.setdefault(_words(barrier, first, second), {})[of] = None
    for words, of in passed.items():
        if rest := dict.fromkeys(each for each in of if each not in always.get(words, {})):
            always[words + _PASSED] = rest
    return tuple(sorted(f"{_prefix(of)}{words}" for words, of in always.items()))


def _labels(first: Access, second: Access, labels: dict[Value, str]) -> Labels:
    if not isinstance(first, SharedAccess) or not isinstance(second, SharedAccess):
        return "", ""
    return labels[first.tile], labels[second.tile]


def _area(number: int, tile: Value) -> str:
    """Return the label of a tile of the area of that number: ``area 4``, ``area 4#1``."""
    return f"area {number}" + (f"#{tile.index}" if len(tile.owner.results) > 1 else "")


def _prefix(labels: Iterable[Labels]) -> str:
    """Return the memory of accesses that are the same in words: ``0, 1: ``."""
    same = _listed(first for first, second in labels if first == second)
    others = [(first, second) for first, second in labels if first != second]
    parts = [same] if same else []
    if others:
        parts.append(" then ".join(_listed(each) for each in zip(*others, strict=True)))
    return f"{', '.join(parts)}: " if parts else ""


def _listed(labels: Iterable[str]) -> str:
    return ", ".join(sorted({*labels} - {""}, key=lambda label: (len(label), label)))


def _words(barrier: Op, first: Access, second: Access) -> str:
    before = _iteration(barrier, first)
    earlier = f"{first.name}{before}," if before else first.name
    if isinstance(first, Acquired):
        earlier = f"acquire of {earlier}"
    later = f"{second.name}{_later(barrier, second, _comes_around(barrier, first))}"
    if isinstance(second, Everything) and second.name not in ("alloca", "heap_free"):
        later = f"release of {later}"
    end = ", in the same bytes" if _different_areas(first, second) else ""
    return f"{earlier} before {later}{end}"


def _iteration(barrier: Op, access: Access) -> str:
    """Return where an access before a barrier is, and in which iteration, seen from there."""
    around = _comes_around(barrier, access)
    if not isinstance(access, SharedAccess | MemoryAccess):
        return _BEFORE if around else ""
    here = loop_block(barrier.parent)
    ahead = _ahead(access.block)
    if _is_copy(access) and here is not None and ahead and access.block in _blocks(here.parent_op):
        if around:
            return " for the iteration before"
        return f" for this iteration, started {counted(ahead, 'iteration')} ahead"
    if _is_outside(access.block, here):
        return " outside of the loop"
    direct = here is not None and barrier.parent is here
    iteration = (_BEFORE if direct else " of an earlier iteration") if around else ""
    if access.block is here:
        return iteration
    return f" in a loop{iteration}" if around else f" in {_place(access.block, 'an earlier loop')}"


def _later(barrier: Op, access: Access, around: bool) -> str:
    """Return where an access behind a barrier is, and for which iteration."""
    if not isinstance(access, SharedAccess | MemoryAccess):
        return ""
    here = loop_block(barrier.parent)
    ahead = _ahead(access.block)
    if access.block is here:
        return f" for {counted(ahead, 'iteration')} later" if _is_copy(access) and ahead else ""
    if _is_outside(access.block, here):
        return " outside of the loop"
    return f" in {_place(access.block, 'a loop' if around else 'a later loop')}"


def _comes_around(barrier: Op, access: Access) -> bool:
    """Whether an access is of an earlier iteration of a loop that the barrier is in."""
    if isinstance(access, SharedAccess):
        return access.around is not None and access.around.contains(barrier)
    return access.around and loop_block(barrier.parent) is not None


def _is_copy(access: SharedAccess | MemoryAccess) -> bool:
    return access.name in COPIES


def _is_outside(block: Block | None, here: Block | None) -> bool:
    """Whether the barrier is in a loop that is in a block of loops, and deeper."""
    return here is not None and block is not here and (block is None or block.contains(here))


def _place(block: Block | None, loop: str) -> str:
    prologue = block is not None and block is not block.parent_op.regions[0].block
    return f"the prologue of {loop}" if prologue else loop


def _ahead(block: Block | None) -> int:
    """Return how many iterations ahead the loop of a block starts copies, 0 if it does not."""
    return 0 if block is None else block.parent_op.attributes.get("ahead", 0)


def _blocks(loop: Op) -> list[Block]:
    return [region.block for region in loop.regions]
