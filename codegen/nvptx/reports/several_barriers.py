"""Pairs of accesses of shared memory that more than one barrier stands between, on every path.

No barrier alone orders them, so none has them among its pairs; who reads a kernel still wants to
know. A pair is given to the first of its barriers. What follows from other pairs is left out: that
a tile is written after an earlier write, or read after one that was overwritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from tileir.codegen.nvptx.passes.memory.barrier_pairs import texts
from tileir.codegen.nvptx.passes.memory.barrier_walk import (
    Access,
    Accesses,
    BarrierWalk,
    Open,
    Pair,
    is_under_way,
)
from tileir.codegen.nvptx.passes.memory.shared_accesses import SharedAccess
from tileir.ir import Body, Op


def pairs_of_several(body: Body, areas: Sequence[Op]) -> dict[Op, tuple[str, ...]]:
    """Return for each barrier, as texts, the pairs that a later barrier orders as well."""
    walk = _Several(body)
    return {
        barrier: texts(barrier, pairs, (), areas)
        for barrier, found in walk.found_by.items()
        if (pairs := [pair for pair in found if _plain(pair) not in walk.alone])
    }


class _Several(BarrierWalk):
    """A walk in which accesses stay open until they pass their first barrier once more."""

    def __init__(self, body: Body) -> None:
        super().__init__(Accesses(body, None))
        self.found_by: dict[Op, dict[Pair, None]] = {}
        """First barrier -> the pairs behind it and another one."""
        self.alone: set[tuple[Access, Access, Op]] = set()
        """The pairs with one barrier between, on some path, whatever path that is."""
        self.block(body.block, set())

    def pass_barrier(self, barrier: Op, open_: Open) -> None:
        """Keep what is open, with the first barrier that it has passed."""
        kept: Open = set()
        for access, since in open_:
            if since is None:
                kept.add((access, None if is_under_way(access) else barrier))
            elif since is not barrier and isinstance(access, SharedAccess):
                kept.add((access._replace(several=True), since))
        open_.clear()
        open_ |= kept

    def meet(self, op: Op, accesses: Iterable[Access], open_: Open) -> None:
        """Note the pairs of open accesses and those of an op; a write ends what it comes after."""
        for second in accesses:
            for entry in list(self.colliding(op, second, open_)):
                first, since = entry
                if since is None:
                    continue
                pair = (cast(SharedAccess, first), cast(SharedAccess, second), op)
                if not pair[0].several:
                    self.alone.add(_plain(pair))
                elif not (pair[0].writes and pair[1].writes):
                    self.found_by.setdefault(since, {})[pair] = None
                if pair[1].writes:
                    open_.discard(entry)


def _plain(pair: Pair) -> Pair:
    """Return what is the same of a pair on all paths."""
    first, second, op = pair
    if isinstance(first, SharedAccess):
        first = first._replace(place=None, around=None, passed=False, several=False)
    return first, second, op
