"""One walk over a body that knows at each op which accesses may be incomplete in other threads.

These are the accesses since the last barrier, on whatever path: the *open* ones. Some stay for one
more barrier, together with it: so a walk can tell what that barrier alone has ordered. A copy that
is under way is open from the wait for it on.

What is done where an op has to wait for an open access is for subclasses: place a barrier, or note
down which pairs of accesses a barrier orders.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import cast

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.block import control_edges
from tileir.codegen.block.areas import behind
from tileir.codegen.block.control_edges import LOOPS, Edge
from tileir.codegen.block.op_facts import ARRIVALS, COPIES, FOR_ALL, accessed
from tileir.codegen.block.types import Shared, Turn
from tileir.ir import Block, Body, Op, Value

from . import memory_accesses, shared_accesses
from .memory_accesses import MemoryAccess, TokenOrder
from .shared_accesses import Place, SharedAccess, place_of

_ACQUIRING, _RELEASING = ("acquire", "acq_rel"), ("release", "acq_rel")


@dataclass(frozen=True, slots=True)
class Acquired:
    """One thread has acquired what others released; the block has behind the next barrier."""

    name: str
    around: bool = False


@dataclass(frozen=True, slots=True)
class Everything:
    """An op before which all accesses of memory have to be complete: it releases, or frees.

    Where it gives memory anew, only those of iterations before.
    """

    name: str
    around: bool = False


Access = SharedAccess | MemoryAccess | Acquired | Everything
Open = set[tuple[Access, Op | None]]
"""Accesses, each with the barrier that has been passed since, if any."""
Renaming = tuple[Place | None, Value]
"""A slot that is told by another turn from here on; None if it is none that is known."""
Pair = tuple[Access, Access, Op]
"""An access, a later one, and the op that makes the later one."""


_CONTROL = frozenset(("barrier", "break", "continue", "if", "return", "role", *ARRIVALS, *LOOPS))
"""Ops without accesses that change what is open."""


class Accesses:
    """The accesses of a body's ops, for all walks over it. Barriers may be inserted meanwhile.

    Without `facts`, only accesses of shared memory count.
    """

    def __init__(self, body: Body, facts: Divisibility | None) -> None:
        self.order = TokenOrder(body, facts) if facts is not None else None
        self.of: dict[Op, list[Access]] = {}
        """Op -> its accesses; only ops that have some."""
        self.stops: set[Op] = set()
        """The ops that a walk looks at: those with accesses, and those of control flow."""
        for op in body.walk():
            if found := list(self._of(op)):
                self.of[op] = found
            if found or op.name in _CONTROL:
                self.stops.add(op)

    def _of(self, op: Op) -> Iterator[Access]:
        if self.order is not None:
            semantics = op.attributes.get("memory_ordering_semantics")
            inside = op.name == "alloca" and _in_loop(op)
            if semantics in _RELEASING or op.name == "heap_free" or inside:
                yield Everything(op.name, inside)
            if access := self.order.accesses.get(op):
                yield access
        yield from shared_accesses.shared_accesses(op)


class BarrierWalk:
    """A walk over a body, with the open accesses at each op.

    A loop is walked once for each set of accesses that are open before it, however often a loop
    around it is walked.
    """

    def __init__(self, accesses: Accesses) -> None:
        self.accesses = accesses
        self.stops = accesses.stops
        self.found = False
        """Whether `meet` has found an op that has to wait; for subclasses to set."""
        self.known: dict[tuple[Op, frozenset[tuple[Access, Op | None]]], tuple[Open | None, bool]]
        self.known = {}
        """Loop, and what is open before it -> what is open behind it, and `found` in it."""
        self._loops: list[tuple[Op, list[Open], list[Open]]] = []
        self._renamings: dict[tuple[tuple[Renaming, ...], Op | None], dict[Access, Access]] = {}
        """Turns that an edge defines anew, and the loop that it is of -> access before it -> that
        behind it."""

    def meet(self, op: Op, accesses: Iterable[Access], open_: Open) -> None:
        """Look at the accesses of an op, and at the open ones; a subclass may change these."""

    def pass_barrier(self, barrier: Op, open_: Open) -> None:
        """Pass a barrier: by default, nothing is open any more but copies under way."""
        complete(open_)

    def block(self, block: Block, open_: Open | None) -> Open | None:
        """Walk a block; return what is open at its end, None if control leaves before."""
        for op in block.ops:
            if op in self.stops:
                open_ = self.op(op, cast(Open, open_))
                if open_ is None:
                    break
        return open_

    def op(self, op: Op, open_: Open) -> Open | None:
        """Walk an op; return what is open behind it, None if control does not go on there."""
        if op.name == "barrier":
            self.pass_barrier(op, open_)
        elif op.name in LOOPS:
            return self.loop(op, open_)
        elif op.name == "if":
            return self._if(op, open_)
        elif op.name == "role":
            self.meet(op, self.accesses.of.get(op, ()), open_)
            self.block(op.regions[0].block, set(open_))
        elif op.name in ("continue", "break"):
            self._leave(op, open_)
            return None
        elif op.name == "return":
            return None
        else:
            accesses = self.accesses.of.get(op, ())
            self.meet(op, accesses, open_)
            if op.name in ARRIVALS:
                self._arrive(op, open_)
            self._add(op, accesses, open_)
        return open_

    def colliding(self, op: Op, second: Access, open_: Open) -> Iterator[tuple[Access, Op | None]]:
        """Yield the open accesses between which and one of an op a barrier has to stand."""
        if isinstance(second, SharedAccess):
            tile = second.tile
            for entry in open_:
                first = entry[0]
                if type(first) is not SharedAccess or first.tile is not tile:
                    continue
                if shared_accesses.collide(first, second):
                    yield entry
            return
        for entry in open_:
            if self._collide(op, entry[0], second):
                yield entry

    def _collide(self, op: Op, first: Access, second: MemoryAccess | Acquired | Everything) -> bool:
        if isinstance(second, Everything):
            return isinstance(first, MemoryAccess) and (first.around or not second.around)
        if isinstance(first, Acquired):
            return True
        if not isinstance(first, MemoryAccess) or not isinstance(second, MemoryAccess):
            return False
        if not memory_accesses.collide(first, second) or self.accesses.order is None:
            return False
        return first in self.accesses.order.before(op)

    def trips(self, loop: Op, open_: Open) -> Open | None:
        """Walk a loop until what is open at the start of an iteration stays the same."""
        known, key, found = self.known, (loop, frozenset(open_)), self.found
        if key not in known:
            self.found = False
            known[key] = self._trips(loop, open_), self.found
        behind_, self.found = known[key]
        self.found |= found
        return None if behind_ is None else set(behind_)

    def _trips(self, loop: Op, open_: Open) -> Open | None:
        if loop.name == "pipelined_for":
            start = self._renamed(open_, control_edges.entry(loop))
            prologue = loop.regions[1].block
            for trip in range(loop.attributes["ahead"]):
                if trip:
                    start = self._renamed(start, control_edges.prologue_again(loop), loop)
                start = self.block(prologue, start) or set()
            start = self._renamed(start, control_edges.prologue_end(loop))
        else:
            start = self._renamed(open_, control_edges.entry(loop))
        while True:
            self._loops.append((loop, [], []))
            self.block(loop.regions[0].block, set(start))
            _, again, left = self._loops.pop()
            larger = start.union(*again)
            if larger == start:
                break
            start = larger
        behind_ = set[tuple[Access, Op | None]]().union(*left)
        if loop.name != "loop":
            passed_by = self._renamed(open_, control_edges.left(loop, loop))
            behind_ |= {_passed_by(*entry) for entry in passed_by - behind_}
        elif not left:
            return None
        if loop.name == "pipelined_for":
            # No copy is under way: there was nothing left to copy.
            filled = set(_filled(loop))
            behind_ = {each for each in behind_ if not _is_copy_to(each[0], filled)}
        return behind_

    def loop(self, op: Op, open_: Open) -> Open | None:
        """Walk a loop; return what is open behind it."""
        return self.trips(op, open_)

    def _renamed(self, open_: Open, edge: Edge, loop: Op | None = None) -> Open:
        """Return what is open behind an edge: slots are told by the turns that are known there.

        The turns that are defined anew are not what they were before. `loop` is the one that an
        edge to another iteration is of.
        """
        turns = tuple(
            (place_of(value) if value is not None else None, target)
            for value, target in edge.pairs
            if isinstance(target.type, Turn)
        )
        if not turns and not edge.again:
            return set(open_)
        again = loop if edge.again else None
        known = self._renamings.setdefault((turns, again), {})
        behind_: Open = set()
        for access, barrier in open_:
            found = known.get(access)
            if found is None:
                found = known[access] = _renamed(access, turns, again)
            behind_.add((found, barrier))
        return behind_

    def _add(self, op: Op, accesses: Iterable[Access], open_: Open) -> None:
        for access in accesses:
            # Copies read global memory until the barrier behind the wait for them.
            if isinstance(access, SharedAccess) or (
                isinstance(access, MemoryAccess) and op.name not in COPIES
            ):
                open_.add((access, None))
        if op.attributes.get("memory_ordering_semantics") in _ACQUIRING:
            open_.add((Acquired(op.name), None))

    def _arrive(self, op: Op, open_: Open) -> None:
        """Wait for copies: what they have written in this slot is open from here on."""
        place = place_of(op.operands["turn"])
        tiles = {behind(ring)[0] for ring in op.operands["rings"]}
        for entry in list(open_):
            if not _is_copy_to(entry[0], tiles):
                continue
            access = cast(SharedAccess, entry[0])
            if shared_accesses.same_slot(access, place):
                open_.remove(entry)
                if op.name not in FOR_ALL:  # what this thread has copied
                    open_.add((access._replace(under_way=False, around=None), None))

    def _if(self, op: Op, open_: Open) -> Open | None:
        ends: list[Open] = []
        for region in op.regions:
            if not region.blocks:
                ends.append(set(open_))
            for inner in region.blocks:
                end = self.block(inner, set(open_))
                if end is not None:
                    ends.append(self._renamed(end, control_edges.joined(op, inner.ops[-1])))
        return set[tuple[Access, Op | None]]().union(*ends) if ends else None

    def _leave(self, end: Op, open_: Open) -> None:
        loop, again, left = self._loops[-1]
        if end.name == "continue":
            again.append(self._renamed(open_, control_edges.again(loop, end), loop))
        if end.name == "break" or loop.name != "loop":
            left.append(self._renamed(open_, control_edges.left(loop, end)))


def complete(open_: Open) -> None:
    """Pass a barrier: nothing is open any more but copies that are under way."""
    open_ -= {each for each in open_ if not is_under_way(each[0])}


def _renamed(access: Access, turns: Iterable[Renaming], again: Op | None) -> Access:
    if isinstance(access, SharedAccess):
        if access.place is not None:
            place = _place_behind(access, turns)
            access = access if place == access.place else access._replace(place=place)
        if again is not None and _is_of_later_trip(access, again):
            access = access._replace(around=again)
    elif again is not None and not access.around and not isinstance(access, Everything):
        access = replace(access, around=True)
    return access


def _is_of_later_trip(access: SharedAccess, loop: Op) -> bool:
    """Whether a trip more of a loop makes an access one of an earlier iteration of that loop."""
    if access.block is None or not loop.contains(access.block.parent_op):
        return False
    return access.around is None or (access.around is not loop and loop.contains(access.around))


def _passed_by(access: Access, since: Op | None) -> tuple[Access, Op | None]:
    """Return an open access behind a loop that it is open behind if the loop makes no trips."""
    if isinstance(access, SharedAccess):
        access = access._replace(passed=True)
    return access, since


def _place_behind(access: SharedAccess, turns: Iterable[Renaming]) -> Place | None:
    place, slots = access.place, cast(Shared, access.tile.type).slots
    stale = False
    for passed, target in turns:
        if place is None or cast(Turn, target.type).slots != slots:
            continue
        distance = place.behind(passed, slots) if passed is not None else None
        if distance is not None:
            return Place(target, distance)
        stale |= target is place.origin
    return shared_accesses.UNKNOWN if stale else place


def is_under_way(access: Access) -> bool:
    """Whether an access is a copy that has not been waited for."""
    return isinstance(access, SharedAccess) and access.under_way


def _is_copy_to(access: Access, tiles: set[Value]) -> bool:
    return is_under_way(access) and cast(SharedAccess, access).tile in tiles


def _filled(loop: Op) -> Iterator[Value]:
    """Yield the tiles that asynchronous copies in a loop go to."""
    for op in loop.walk():
        if op.name in COPIES:
            yield from (behind(tile)[0] for tile, _ in accessed(op))


def _in_loop(op: Op) -> bool:
    """Whether an op is in a loop."""
    around = op.parent.parent_op
    while around is not None:
        if around.name in LOOPS:
            return True
        around = around.parent.parent_op
    return False
