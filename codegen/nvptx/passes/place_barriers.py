"""Place barriers: the one author of them.

A barrier goes before an access that collides with an *open* one: one that may be incomplete in
other threads (see `barrier_walk`). It goes there as late as possible, with two exceptions. Behind a
wait for copies that are read, it goes right there, before anything else is started. And where an
access in a loop has to wait for one from before the loop alone, it goes before the loop, once.

Memory is spread as far as there is room, so that areas need no barriers between them, unless fewer
blocks would be resident on an SM. Beyond that, a barrier more has bytes used again:
`allocate_memory` finds the same allocation.

In the end, no barrier is left that orders nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.block.make import make
from tileir.ir import Body, Op

from .allocate_memory import Allocation, allocate, areas_of, overlapping, packed
from .barrier_pairs import BarrierPairs, memory, texts
from .barrier_walk import Access, BarrierWalk, Open, complete
from .memory_accesses import TokenOrder
from .shared_accesses import reads_of

ROOM = 16 << 10
"""Bytes of scratch memory up to which areas get different bytes, to save barriers."""


def place_barriers(
    body: Body, facts: Divisibility, room: int, resident: Sequence[int] = ()
) -> None:
    """Insert the barriers of a body; `room` is the bytes of shared memory that a block may have.

    `resident` are bytes that each of several resident blocks of an SM may have: to save barriers,
    none of them is exceeded that the areas could do with.
    """
    order = TokenOrder(body, facts)
    walk = _Placing(order, body)
    walk.block(body.block, set())
    for op in [op for op in body.walk() if op in walk.places]:
        _insert(op)
    reuse = _Reuse(body, order, room, resident)
    reuse.add_barriers()
    reuse.remove_barriers()
    reuse.name_pairs()


def _insert(op: Op) -> Op:
    made = make("barrier", attributes={"pairs": ()}, origin=op)
    made.insert_before(op)
    return made


class _Placing(BarrierWalk):
    """A walk that finds the ops before which barriers go."""

    def __init__(self, order: TokenOrder, body: Body) -> None:
        super().__init__(order)
        self.places: set[Op] = set()
        self._settled: set[Op] = set()
        self._placing, self._found = True, False
        self._awaited = dict(_awaited(body))

    def op(self, op: Op, open_: Open) -> Open | None:
        """Walk an op, and the barrier before it."""
        if op in self.places:
            complete(open_)
        if awaited := self._awaited.get(op):
            self.meet(op, awaited, open_)
        return super().op(op, open_)

    def meet(self, op: Op, accesses: Iterable[Access], open_: Open) -> None:
        """Place a barrier before an op that has to wait."""
        if any(self.collide(op, first, second) for second in accesses for first, _ in open_):
            self._found = True
            if self._placing:
                self.places.add(op)
                complete(open_)

    def loop(self, op: Op, open_: Open) -> Open | None:
        """Place the barriers that iterations need of each other, then perhaps one before them."""
        if not self._placing:
            return self.trips(op, open_)
        if op not in self._settled:
            self._settled.add(op)
            count = -1
            while count < len(self.places):
                count = len(self.places)
                self.trips(op, set())
        self._placing, self._found = False, False
        behind = self.trips(op, set(open_))
        if self._found:
            self.places.add(op)
            complete(open_)
            behind = self.trips(op, open_)
        self._placing = True
        return behind


def _awaited(body: Body) -> Iterator[tuple[Op, list[Access]]]:
    """Yield the ops behind waits for copies, with the reads of what was waited for."""
    reads: list[Access] = []
    for op in body.walk():
        if op.name == "wait_group":
            reads += [read for tile in op.results for read in reads_of(tile)]
        elif reads:
            yield op, reads
            reads = []


class _Reuse:
    """Barriers that let areas use the same bytes, and those that nothing needs."""

    def __init__(self, body: Body, order: TokenOrder, room: int, resident: Sequence[int]) -> None:
        self._body, self._order = body, order
        self._ops = list(body.walk())
        self._numbers = {op: number for number, op in enumerate(self._ops)}
        self._areas = areas_of(body)
        kept = [area for area in self._areas if area.kept]
        least = min(each.end for each in packed(self._areas))
        spread = min(each.end for each in packed(kept)) + ROOM
        enough = [each for each in resident if each >= least]
        self._most = max(least, min(spread, room, *enough))

    def add_barriers(self) -> None:
        """Insert barriers until the areas need no more memory than they may."""
        while self._allocation().end > self._most:
            places = self._next_places()
            if not places:
                break
            for op in places:
                _insert(op)

    def remove_barriers(self) -> None:
        """Remove barriers that order nothing, and without which no more memory is needed."""
        kept: set[Op] = set()
        while True:
            pairs = self._pairs().pairs
            unneeded = [each for each, found in pairs.items() if not found and each not in kept]
            unneeded += [each for each in self._barriers() if each not in pairs]
            if not unneeded:
                return
            barrier, end = unneeded[-1], self._allocation().end
            behind = barrier.parent.ops[barrier.index + 1]
            barrier.erase()
            if self._allocation().end > max(end, self._most):
                kept.add(_insert(behind))

    def name_pairs(self) -> None:
        """Give each barrier its pairs, and the memory that they are about."""
        found, possible = self._pairs().pairs, None
        for barrier in self._barriers():
            pairs = found[barrier]
            if not pairs:
                possible = possible or self._pairs(everything=True).pairs
                pairs = possible[barrier]
            barrier.attributes["pairs"] = texts(pairs)
            barrier.operands["memory"] = memory(barrier, pairs, self._numbers)

    def _barriers(self) -> list[Op]:
        return [op for op in self._body.walk() if op.name == "barrier"]

    def _allocation(self) -> Allocation:
        return allocate(self._areas, self._walked().unordered)

    def _walked(self) -> BarrierPairs:
        walk = BarrierPairs(self._order)
        walk.walk(self._body)
        return walk

    def _pairs(self, everything: bool = False) -> BarrierPairs:
        """Return the pairs of accesses to the same bytes that each barrier orders."""
        found = self._allocation()
        ops = [area.op for area in self._areas if area.op is not None]
        apart = [(one, other) for one in ops for other in ops if one is not other]
        shared = set(overlapping(self._areas, found, apart))
        walk = BarrierPairs(self._order, lambda one, other: everything or (one, other) in shared)
        walk.walk(self._body)
        return walk

    def _next_places(self) -> list[Op]:
        """Return where barriers have to be so that another area may use bytes again."""
        unordered = self._walked().unordered
        apart = {
            (one.op, other.op)
            for one in self._areas
            for other in self._areas
            if not one.lives_with(other)
        }
        separable = sorted(unordered & apart, key=lambda pair: [*map(self._numbers.get, pair)])
        spread = allocate(self._areas, unordered)
        for number, area in enumerate(self._areas):
            if spread.offsets[number] + area.bytes <= self._most or area.op is None:
                continue
            partners = [pair for pair in separable if area.op in pair]
            if partners:
                into = any(pair[1] is area.op for pair in partners)
                return [self._first_access(area.op if into else partners[0][1])]
        best = min(packed(self._areas), key=lambda each: each.end)
        violated = overlapping(self._areas, best, separable)
        return list(dict.fromkeys(self._first_access(other) for _, other in violated))

    def _first_access(self, area: Op) -> Op:
        """Return the op in the block of an area where it is accessed first."""
        (first,) = {each.first for each in self._areas if each.op is area}
        return self._ops[first]
