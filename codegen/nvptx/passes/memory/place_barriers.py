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
from tileir.codegen.block.areas import ALLOCATIONS
from tileir.codegen.block.make import make
from tileir.codegen.block.op_facts import ARRIVALS, FOR_ALL
from tileir.gpus import Target
from tileir.ir import Body, Op

from .allocate_memory import Allocation, Area, allocate, areas_of, overlapping, packed
from .barrier_pairs import Areas, BarrierPairs, memory, texts
from .barrier_walk import Access, Accesses, BarrierWalk, Open, Pair, complete
from .shared_accesses import reads_of

ROOM = 16 << 10
"""Bytes of scratch memory up to which areas get different bytes, to save barriers."""
ONE_BY_ONE = 32
"""The most barriers that are placed one by one so that bytes are used again, each where it helps
most. What is needed beyond them is placed at once: so the time stays in proportion to the ops."""


FEW_REGISTERS = 48
"""Registers a thread that kernels with few have: by them, so many blocks of an SM are resident."""


def most_resident(target: Target, threads: int) -> int:
    """Return how many blocks have threads, and few registers, on an SM: at least one."""
    most = min(target.threads_per_sm, target.registers_per_sm // FEW_REGISTERS) // threads
    return max(min(target.blocks_per_sm, most), 1)


def shares_of_residents(target: Target, most: int) -> list[int]:
    """Return the bytes of shared memory of each block if one is resident on an SM, or two, or more,
    up to the most."""
    return [target.shared_of_each(count) for count in range(1, most + 1)]


def place_barriers(
    body: Body, facts: Divisibility, room: int, resident: Sequence[int] = ()
) -> None:
    """Insert the barriers of a body; `room` is the bytes of shared memory that a block may have.

    `resident` are bytes that each of several resident blocks of an SM may have: to save barriers,
    none of them is exceeded that the areas could do with.
    """
    accesses = Accesses(body, facts)
    walk = _Placing(accesses, body)
    walk.block(body.block, set())
    for op in [op for op in body.walk() if op in walk.places]:
        accesses.stops.add(_insert(op))
    areas = areas_of(body)
    if not areas and not walk.places:
        return
    reuse = _Reuse(body, accesses, areas, room, resident)
    reuse.add_barriers()
    reuse.remove_barriers()
    reuse.name_pairs()


def _insert(op: Op) -> Op:
    made = make("barrier", attributes={"pairs": ()}, origin=op)
    made.insert_before(op)
    return made


class _Placing(BarrierWalk):
    """A walk that finds the ops before which barriers go."""

    def __init__(self, accesses: Accesses, body: Body) -> None:
        super().__init__(accesses)
        self.places: set[Op] = set()
        self._settled: set[Op] = set()
        self._placing = True
        self._known_without_placing = dict(self.known)
        self._awaited = dict(_awaited(body))
        self.stops = self.stops | self._awaited.keys()

    def op(self, op: Op, open_: Open) -> Open | None:
        """Walk an op, and the barrier before it."""
        if op in self.places:
            complete(open_)
        if awaited := self._awaited.get(op):
            self.meet(op, awaited, open_)
        return super().op(op, open_)

    def meet(self, op: Op, accesses: Iterable[Access], open_: Open) -> None:
        """Place a barrier before an op that has to wait."""
        if any(found for second in accesses for found in self.colliding(op, second, open_)):
            self.found = True
            if self._placing:
                self._place(op)
                complete(open_)

    def _place(self, op: Op) -> None:
        """Place a barrier before an op; what is known about loops without it is void."""
        self.places.add(op)
        self.known, self._known_without_placing = {}, {}

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
        behind, found = self._trips_without_placing(op, set(open_))
        if found:
            self._place(op)
            complete(open_)
            behind, _ = self._trips_without_placing(op, open_)
        return behind

    def _trips_without_placing(self, loop: Op, open_: Open) -> tuple[Open | None, bool]:
        """Walk a loop as it is; return what is open behind it, and whether an op has to wait."""
        placing, self.known = self.known, self._known_without_placing
        self._placing, self.found = False, False
        behind = self.trips(loop, open_)
        self.known, self._placing = placing, True
        return behind, self.found


def _awaited(body: Body) -> Iterator[tuple[Op, list[Access]]]:
    """Yield the ops behind waits for copies, with the reads of what was waited for."""
    reads: list[Access] = []
    for op in body.walk():
        if op.name in ARRIVALS and op.name not in FOR_ALL:
            reads += [read for tile in op.results for read in reads_of(tile)]
        elif reads:
            yield op, reads
            reads = []


class _Reuse:
    """Barriers that let areas use the same bytes, and those that nothing needs."""

    def __init__(
        self,
        body: Body,
        accesses: Accesses,
        areas: Sequence[Area],
        room: int,
        resident: Sequence[int],
    ) -> None:
        self._body, self._accesses = body, accesses
        self._pairs: BarrierPairs | None = None
        self._allocated: Allocation | None = None
        self._shared: set[Areas] | None = None
        self._ops = list(body.walk())
        self._numbers = {op: number for number, op in enumerate(self._ops)}
        self._areas = areas
        self._of = {area.op: area for area in self._areas if area.op is not None}
        kept = [area for area in self._areas if area.kept]
        least = min(each.end for each in packed(self._areas))
        spread = min(each.end for each in packed(kept)) + ROOM
        enough = [each for each in resident if each >= least]
        self._most = max(least, min(spread, room, *enough))

    def add_barriers(self) -> None:
        """Insert barriers until the areas need no more memory than they may."""
        tried = 0
        while self._allocation.end > self._most:
            tried += 1
            places = self._next_places() if tried <= ONE_BY_ONE else self._places_of_packed()
            if not places:
                break
            for op in places:
                self._insert(op)

    def remove_barriers(self) -> None:
        """Remove barriers that order nothing, and without which no more memory is needed."""
        kept: set[Op] = set()
        while unneeded := [each for each in self._unneeded() if each not in kept]:
            barrier, end = unneeded[-1], self._allocation.end
            behind = barrier.parent.ops[barrier.index + 1]
            barrier.erase()
            self._edited()
            if self._allocation.end > max(end, self._most):
                kept.add(self._insert(behind))

    def name_pairs(self) -> None:
        """Give each barrier its pairs, and the memory that they are about."""
        areas = [op for op in self._body.walk() if op.name in ALLOCATIONS]
        for barrier in self._barriers():
            pairs = self._pairs_of(barrier) or self._walk.ordered_by(barrier, lambda _: True)
            shared = memory(barrier, pairs, self._numbers)
            barrier.operands["memory"] = shared
            barrier.attributes["pairs"] = texts(barrier, pairs, shared, areas)

    def _insert(self, op: Op) -> Op:
        made = _insert(op)
        self._accesses.stops.add(made)
        self._edited()
        return made

    def _edited(self) -> None:
        """Drop what is known about the body as it was."""
        self._pairs = self._allocated = self._shared = None

    @property
    def _walk(self) -> BarrierPairs:
        if self._pairs is None:
            self._pairs = BarrierPairs(self._body, self._accesses)
        return self._pairs

    @property
    def _allocation(self) -> Allocation:
        if self._allocated is None:
            unordered = self._walk.unordered if len(self._areas) > 1 else ()
            self._allocated = allocate(self._areas, unordered)
        return self._allocated

    def _barriers(self) -> list[Op]:
        return [op for op in self._body.walk() if op.name == "barrier"]

    def _unneeded(self) -> list[Op]:
        """Return the barriers that order nothing, those that no thread reaches last."""
        reached = self._walk.pairs
        unneeded = [each for each in reached if not self._pairs_of(each)]
        return unneeded + [each for each in self._barriers() if each not in reached]

    def _pairs_of(self, barrier: Op) -> list[Pair]:
        """Return the pairs of accesses to the same bytes that a barrier orders."""
        return self._walk.ordered_by(barrier, self._overlapping.__contains__)

    @property
    def _overlapping(self) -> set[Areas]:
        if self._shared is None:
            across = {areas for found in self._walk.across.values() for areas in found}
            self._shared = set(overlapping(self._areas, self._allocation, across))
        return self._shared

    def _next_places(self) -> list[Op]:
        """Return where barriers have to be so that another area may use bytes again."""
        separable, spread = self._separable(), self._allocation
        for number, area in enumerate(self._areas):
            if spread.offsets[number] + area.bytes <= self._most or area.op is None:
                continue
            partners = [pair for pair in separable if area.op in pair]
            if partners:
                into = any(pair[1] is area.op for pair in partners)
                return [self._first_access(area.op if into else partners[0][1])]
        return self._places_of_packed()

    def _places_of_packed(self) -> list[Op]:
        """Return where barriers have to be for the areas to lie as close as they can."""
        best = min(packed(self._areas), key=lambda each: each.end)
        violated = overlapping(self._areas, best, self._separable())
        return list(dict.fromkeys(self._first_access(other) for _, other in violated))

    def _separable(self) -> list[Areas]:
        """Return the pairs of areas that only a missing barrier keeps from sharing bytes."""
        pairs = [
            (one, other)
            for one, other in self._walk.unordered
            if not self._of[one].lives_with(self._of[other])
        ]
        return sorted(pairs, key=lambda pair: [*map(self._numbers.get, pair)])

    def _first_access(self, area: Op) -> Op:
        """Return the op in the block of an area where it is accessed first."""
        return self._ops[self._of[area].first]
