"""What each barrier of a body is for: the pairs of accesses that it alone orders.

A barrier that orders no pair is not needed. Areas that are accessed with no barrier between cannot
share bytes; which ones these are is found on the same walk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import cast

from tileir.ir import Body, Op, Value
from tileir.types import Token

from .barrier_walk import Access, Acquired, BarrierWalk, Everything, Open, is_under_way
from .memory_accesses import TokenOrder
from .shared_accesses import SharedAccess

Pair = tuple[Access, Access, Op]
"""An access, a later one, and the op that makes the later one."""


class BarrierPairs(BarrierWalk):
    """A walk that finds the pairs of every barrier.

    `share` says whether two areas have bytes in common.
    """

    def __init__(self, order: TokenOrder, share: Callable[[Op, Op], bool] | None = None) -> None:
        super().__init__(order)
        self._share = share or _nothing_shared
        self.pairs: dict[Op, dict[Pair, None]] = {}
        self._unordered: set[tuple[Op, Op]] = set()
        self.missing: list[Pair] = []
        """Pairs of accesses with no barrier between."""

    @property
    def unordered(self) -> frozenset[tuple[Op, Op]]:
        """Pairs of areas: the first may be accessed by some threads when others access the second,
        and one of the accesses writes."""
        return frozenset(self._unordered)

    def walk(self, body: Body) -> None:
        """Walk a whole body."""
        self.block(body.block, set())

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
                areas = _different_areas(first, second)
                wanted = self.collide(op, first, second) or (areas and self._share(*areas))
                if since is None and areas:
                    self._unordered.add(areas)
                if wanted and since is None:
                    self.missing.append((first, second, op))
                elif wanted and since is not None:
                    self.pairs.setdefault(since, {})[first, second, op] = None


def texts(pairs: Iterable[Pair]) -> tuple[str, ...]:
    """Return the pairs of a barrier as text, each one once."""
    return tuple(sorted({_text(first, second) for first, second, _ in pairs}))


def memory(barrier: Op, pairs: Iterable[Pair]) -> tuple[Value, ...]:
    """Return the tiles and tokens of pairs that are visible at a barrier."""
    found: dict[Value, None] = {}
    for first, second, op in pairs:
        if isinstance(second, SharedAccess):
            found[cast(SharedAccess, first).tile] = found[second.tile] = None
        else:
            found |= {each: None for each in op.operand_list() if isinstance(each.type, Token)}
    return tuple(value for value in found if value.is_visible_to(barrier))


def _text(first: Access, second: Access) -> str:
    before = f"{first.name} of the iteration before," if first.around else first.name
    if isinstance(first, Acquired):
        before = f"acquire of {before}"
    name = f"release of {second.name}" if _releases(second) else second.name
    end = ", in the same bytes" if _different_areas(first, second) else ""
    return f"{before} before {name}{end}"


def _releases(access: Access) -> bool:
    return isinstance(access, Everything) and access.name not in ("alloca", "heap_free")


def _different_areas(first: Access, second: Access) -> tuple[Op, Op] | None:
    """Return the areas of two accesses of shared memory one of which writes, if they differ."""
    if not isinstance(first, SharedAccess) or not isinstance(second, SharedAccess):
        return None
    if first.tile.owner is second.tile.owner or not (first.writes or second.writes):
        return None
    return first.tile.owner, second.tile.owner


def _nothing_shared(one: Op, other: Op) -> bool:
    return False
