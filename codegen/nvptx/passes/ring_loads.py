"""Loads that a loop copies asynchronously, iterations ahead, into the slots of a ring.

A load goes through a ring if it may be made early, if only matrix products read its tile, from
shared memory, and if asynchronous copies can make it: unconverted, with zeros beyond the tensor's
edge, or where a mask is false. Those of threads have 4, 8 or 16 bytes each (`tensor_rings` has the
others).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.early_loads import EarlyLoad, loads_in, most_ops
from tileir.codegen.block.areas import ROW_ALIGNMENT, pattern_alignment
from tileir.codegen.block.async_rows import PRODUCT_NAMES
from tileir.codegen.block.make import make
from tileir.codegen.block.op_facts import COPIES, ENDS, SAME_MEMORY
from tileir.codegen.block.types import Flight, Shared, Turn
from tileir.codegen.nvptx.reasons import Reason, Reasons
from tileir.codegen.nvptx.schedule.access_attributes import copy_attributes
from tileir.codegen.nvptx.schedule.async_loads import LEAST_SLOTS, copy_problem, gather_vector
from tileir.codegen.nvptx.schedule.view_facts import streaming
from tileir.codegen.nvptx.state import KernelState
from tileir.codegen.scalar.types import memory_bytes
from tileir.gpus import Target
from tileir.ir import Block, Op, Value
from tileir.types import Token, ValueType

from .memory.allocate_memory import memory_needed
from .memory.rotate_copies import AWAITED, UNDER_WAY, Beside, rotate_copies
from .outer_tokens import outer_token

MOST_STAGES = 5
"""The most slots of a ring; more only make the code before the first iteration longer."""
USUAL_STAGES = 3
"""Slots where memory allows: copies for two iterations in flight, as one may be too late."""
IN_FLIGHT = 64 << 10
"""Bytes in flight that saturate memory: twice an SM's bandwidth (some 40 bytes a nanosecond) times
the latency (some 800 nanoseconds). More slots would lower the number of resident blocks."""
RESIDENT_THREADS = 512
"""Threads resident on one SM, at 128 of its 64 K registers a thread."""


@dataclass(frozen=True, slots=True)
class Copied:
    """A load that becomes asynchronous copies, with the op that stores its tile, and the memory."""

    early: EarlyLoad
    store: Op
    place: Op

    @property
    def tile(self) -> Shared:
        """The tile in shared memory."""
        return cast(Shared, self.place.result.type)

    @property
    def bytes(self) -> int:
        """Bytes in a slot."""
        return -(-self.tile.bytes // self.alignment) * self.alignment

    @property
    def element_bytes(self) -> int:
        """Bytes of an element in memory."""
        return memory_bytes(self.tile.element)

    @property
    def alignment(self) -> int:
        """The alignment of the tile in its slot, in bytes."""
        return max(ROW_ALIGNMENT, pattern_alignment(self.place.result))


class Rings:
    """Chooses the rings of a kernel's loops."""

    def __init__(self, state: KernelState, target: Target) -> None:
        self._state = state
        self._room = target.shared_of_each(state.contract["minnctapersm"])
        variables = any(op.name == "alloca" for op in state.kernel.walk())
        self._problem: Reason | None = None
        """Why the kernel has no rings at all."""
        if not target.has("cp.async"):
            self._problem = Reason("no_cp_async")
        elif variables:  # beside them, nothing says that a source is in global memory
            self._problem = Reason("variables")

    def choose(self, loop: Op, refused: Reasons, by_threads: bool = True) -> RingLoads | None:
        """Return the ring of a loop, None if it has none or a loop inside of it has one.

        Where shared memory is short, the largest tiles are left out. `refused` gets the loads that
        no ring is for, and why. Unless it is to be filled `by_threads`, the ring may have loads
        that these cannot copy.
        """
        facts: Divisibility = self._state.kernel.facts(Divisibility)
        general = self._problem or (
            Reason("inner_ring") if any(op.name in COPIES for op in loop.walk()) else None
        )
        copied: list[Copied] = []
        for load, early in loads_in(loop, pointers=True):
            if isinstance(early, str):
                refused.add(load, Reason(early, most_ops(load)))
            elif general:
                refused.add(load, general)
            elif by_threads and (problem := self.problem(load)):
                refused.add(load, problem)
            elif isinstance(found := self._copied(early), Reason):
                refused.add(load, found)
            else:
                copied.append(found)
        while copied:
            stages, why = self._stages(loop, copied)
            if stages >= LEAST_SLOTS:
                return RingLoads(copied, stages, why, self._state.threads, facts)
            largest = max(copied, key=lambda each: each.bytes)
            refused.add(largest.early.load, Reason("no_room", largest.bytes))
            copied.remove(largest)
        return None

    def rotate(self, loop: Op, ring: RingLoads) -> None:
        """Give what threads copy from a ring, for tensor cores, slots that take turns."""
        size = ring.stages * sum(each.bytes for each in ring.copied)
        unit = max(each.alignment for each in ring.copied)
        beside = Beside(size, unit, [each.place for each in ring.copied])
        most = UNDER_WAY if ring.phased else AWAITED
        rotate_copies(loop, self._state.kernel.body, beside, most, self._room)

    def problem(self, load: Op) -> Reason | None:
        """Return why copies by threads cannot make a load; None if they can."""
        return copy_problem(load, self._state.threads, self._state.kernel.facts(Divisibility))

    def _stages(self, loop: Op, copied: Sequence[Copied]) -> tuple[int, Reason]:
        """Return the number of slots that shared memory has for these tiles, and why so many."""
        size, unit = sum(each.bytes for each in copied), max(each.alignment for each in copied)
        blocks = max(RESIDENT_THREADS // self._state.threads, 1)
        saturating = 1 + -(-IN_FLIGHT // (size * blocks))
        wanted = min(max(saturating, USUAL_STAGES), MOST_STAGES)
        why = Reason("ring_flight", IN_FLIGHT // blocks)
        if wanted != saturating:
            why = Reason("ring_usual" if wanted == USUAL_STAGES else "ring_most")
        places = {each.place for each in copied}
        while wanted >= LEAST_SLOTS:
            ring = {loop: (size * wanted, unit)}
            needed = memory_needed(self._state.kernel.body, ring, without=places)
            if needed <= self._room:
                break
            wanted, why = wanted - 1, Reason("ring_room")
        return wanted, why

    def _copied(self, early: EarlyLoad) -> Copied | Reason:
        """Return how a load's tile is stored, if it is only stored, for matrix products alone."""
        tile = early.load.results[0]
        users = [use.op for use in tile.uses]
        others = [user.name for user in users if user.name != "store_shared"]
        if others or not users:
            return Reason("other_use", others[0]) if others else Reason("unused")
        store = users[0]
        place = store.operands["destination"].owner
        if place.result.type.element != tile.type.element:
            return Reason("converted")
        whole = store.attributes["part"] is None and store.parent is early.load.parent
        if len(users) > 1 or not whole:
            return Reason("pieces")
        if reader := _other_reader(place.result, store):
            return Reason("other_reader", reader.name)
        return Copied(early, store, place)


def _other_reader(place: Value, store: Op) -> Op | None:
    """Return a reader of memory, however it is seen, that is no matrix product."""
    for use in place.uses:
        if use.slot == SAME_MEMORY.get(use.op.name):
            if reader := _other_reader(use.op.result, store):
                return reader
        elif use.op is not store and use.op.name not in _READERS:
            return use.op
    return None


_READERS = (*PRODUCT_NAMES, "copy_shared", *ENDS)
"""What reads a ring: matrix products, and what copies a tile for them."""


class RingLoads:
    """The loads of a loop that fill a ring; see `pipeline_loops.Loads`."""

    reason = Reason("only_products")
    phased = False
    """Whether turns have the phase of an mbarrier."""

    def __init__(
        self,
        copied: Sequence[Copied],
        stages: int,
        why: Reason,
        threads: int,
        facts: Divisibility,
    ) -> None:
        self.copied, self.stages, self.threads, self.facts = copied, stages, threads, facts
        self.depth: Reason = why
        self.made: list[Op] = []
        self.ahead, self.early = stages - 1, [each.early for each in copied]
        self._attributes: list[dict[str, Any]] = []
        self._rings: list[Value] = []
        self._tokens: list[Value | None] = []
        self._next: Value | None = None

    def before(self, loop: Op) -> list[Value]:
        """See `Loads`: the turn of the first slot."""
        if not self.phased:
            loads = [each.load for each in self.early]
            self._attributes = [_attributes_of(load, self.threads, self.facts) for load in loads]
        kinds = [
            Shared(tile.element, tile.shape, tile.offsets, self.stages)
            for tile in (each.tile for each in self.copied)
        ]
        ring = make("shared_alloc", results=kinds, origin=self.copied[0].place)
        self._rings = ring.results
        first = make(
            "first_turn",
            {"ring": ring.result},
            results=[Turn(self.stages, self.phased)],
            origin=loop,
        )
        ring.insert_before(loop)
        first.insert_before(loop)
        self._tokens = [outer_token(each.early, loop) for each in self.copied]
        return [first.result]

    def delayed(self) -> list[ValueType]:
        """See `Loads`: the flight of the copies, and a token for each of them."""
        tiles = tuple(each.tile for each in self.copied)
        return [Flight(tiles), *(Token() for _ in self.copied)]

    def use(self, block: Block, handed: Sequence[Value], delayed: Sequence[Value]) -> Op | None:
        """See `Loads`: wait for the oldest slot, which comes behind the one that is filled next."""
        (turn,), (flight, *tokens) = handed, delayed
        origin = self.copied[0].early.load
        following = self._advance(turn, origin)
        wait = make(
            "wait_group",
            {"flight": flight, "turn": following.result, "rings": tuple(self._rings)},
            {"pending": self.stages - 2},
            [each.tile for each in self.copied],
            origin=origin,
        )
        block.insert(0, following)
        block.insert(1, wait)
        self._replace(wait.results, tokens)
        self._next = following.result
        return wait

    def _replace(self, tiles: Sequence[Value], tokens: Sequence[Value]) -> None:
        """Replace loads and stores by the tiles that were copied."""
        for each, tile, token in zip(self.copied, tiles, tokens, strict=True):
            each.store.erase()
            each.place.replace_with(tile)
            each.early.load.replace_with(None, token)

    def behind(self, loop: Op) -> None:
        """See `Loads`: nothing is left to do."""

    def fill(
        self,
        add: Callable[[Op], None],
        values: dict[Value, Value],
        exists: Value | None,
        handed: Sequence[Value],
    ) -> tuple[list[Value], list[Value]]:
        """See `Loads`."""
        (turn,) = handed
        slots, tokens, self.made = [], [], []
        places = zip(self.copied, self._rings, self._attributes, self._tokens, strict=True)
        for each, ring, attributes, before in places:
            load = each.early.load
            slot = make(
                "shared_slot", {"ring": ring, "turn": turn}, results=[each.tile], origin=load
            )
            add(slot)
            copy = _copy_of(load, attributes, values, slot.result, exists, before)
            add(copy)
            self.made.append(copy)
            slots.append(slot.result)
            tokens.append(copy.result)
        origin = self.copied[0].early.load
        tiles = tuple(each.tile for each in self.copied)
        commit = make(
            "commit_group", {"tiles": tuple(slots)}, results=[Flight(tiles)], origin=origin
        )
        add(commit)
        return [self._turn_behind(turn, add, origin)], [commit.result, *tokens]

    def _turn_behind(self, turn: Value, add: Callable[[Op], None], origin: Op) -> Value:
        """Return the turn behind one that has been filled: in the body, it is known already."""
        if self._next is not None:
            return self._next
        advance = self._advance(turn, origin)
        add(advance)
        return advance.result

    def _advance(self, turn: Value, origin: Op) -> Op:
        operands = {"ring": self._rings[0], "turn": turn}
        return make("advance", operands, results=[turn.type], origin=origin)


def _attributes_of(load: Op, threads: int, facts: Divisibility) -> dict[str, Any]:
    """Return the attributes of the copy that makes a load."""
    if load.name == "load_view_tko":
        return copy_attributes(load, streaming(load, threads, facts), facts)
    along, run = load.attributes["along"], load.attributes["run"]
    return {"vector": gather_vector(load), "along": along, "run": run}


def _copy_of(
    load: Op,
    attributes: Mapping[str, Any],
    values: Mapping[Value, Value],
    slot: Value,
    exists: Value | None,
    token: Value | None,
) -> Op:
    """Return the copy that makes a load into a slot, of the iteration that `values` are of.

    Nothing is copied where `exists` is false.
    """

    def mapped_or_none(value: Value | None) -> Value | None:
        return None if value is None else mapped(value, values)

    operands: dict[str, Any]
    if load.name == "load_view_tko":
        name, index = "copy_async", load.operands["index"]
        view = mapped(load.operands["view"], values)
        operands = {"view": view, "index": tuple(mapped(each, values) for each in index)}
    else:
        name = "gather_async"
        operands = {each: mapped_or_none(load.operands[each]) for each in ("source", "mask")}
    operands |= {"destination": slot, "predicate": exists, "token": token}
    return make(name, operands, dict(attributes), [Token()], origin=load)


def mapped(value: Value, values: Mapping[Value, Value]) -> Value:
    """Return what a value is in the iteration that `values` are of."""
    return values.get(value, value)
