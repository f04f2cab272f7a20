"""What each barrier of a body is for: the pairs of accesses that it alone orders.

A barrier that orders no pair is not needed. Areas that are accessed with no barrier between cannot
share bytes; which ones these are is found on the same walk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import cast

from tileir.ir import Body, Op, Value
from tileir.types import Token

from .barrier_walk import (
    Access,
    Accesses,
    BarrierWalk,
    Open,
    Pair,
    is_under_way,
)
from .shared_accesses import SharedAccess

Areas = tuple[Op, Op]


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
            for first, since in open_:
                if self.collide(op, first, second):
                    if since is None:
                        self.missing.append((first, second, op))
                    else:
                        self.pairs.setdefault(since, {})[first, second, op] = None
                elif areas := _different_areas(first, second):
                    if since is None:
                        self.unordered.add(areas)
                    else:
                        across = self.across.setdefault(since, {}).setdefault(areas, {})
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
