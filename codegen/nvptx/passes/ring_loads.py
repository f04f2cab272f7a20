"""Loads that a loop copies asynchronously, iterations ahead, into the slots of a ring.

A load goes through a ring if it may be made early, if only matrix products read its tile, from
shared memory, and if asynchronous copies can make it: of 4, 8 or 16 bytes each, unconverted, with
zeros beyond the tensor's edge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.early_loads import EarlyLoad, early_loads
from tileir.codegen.block.make import make
from tileir.codegen.block.placement import ALIGNMENT
from tileir.codegen.block.types import Flight, Shared, Turn
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.nvptx.machine.async_copy import COPY_BYTES
from tileir.codegen.nvptx.schedule.access_attributes import copy_attributes
from tileir.codegen.nvptx.schedule.view_facts import streaming, vector_of
from tileir.codegen.nvptx.state import KernelState
from tileir.codegen.scalar.constants import padding_bits
from tileir.codegen.scalar.types import is_packed, memory_bytes
from tileir.gpus import Target
from tileir.ir import Block, Op, Value
from tileir.types import Token, ValueType

from .allocate_memory import memory_needed
from .outer_tokens import outer_token

MOST_STAGES = 5
"""The most slots of a ring; more only make the code before the first iteration longer."""
USUAL_STAGES = 3
"""Slots where memory allows: copies for two iterations in flight, as one may be too late."""
LEAST_STAGES = 2
"""The fewest slots of a ring: one is read while the other is filled."""
IN_FLIGHT = 64 << 10
"""Bytes in flight that saturate memory: twice an SM's bandwidth (some 40 bytes a nanosecond) times
the latency (some 800 nanoseconds). More slots would lower the number of resident blocks."""
RESIDENT_THREADS = 512
"""Threads resident on one SM, at 128 of its 64 K registers a thread."""
MOST_COPIES = 64
"""The most copies of a thread for one tile."""


@dataclass(frozen=True, slots=True)
class _Copied:
    """A load that becomes asynchronous copies, with the op that stores its tile, and the memory."""

    early: EarlyLoad
    store: Op
    place: Op
    threads: LinearLayout
    """Which thread copies which elements."""

    @property
    def tile(self) -> Shared:
        """The tile in shared memory."""
        return self.place.result.type

    @property
    def bytes(self) -> int:
        """Bytes in a slot."""
        return -(-self.tile.bytes // ALIGNMENT) * ALIGNMENT


class Rings:
    """Chooses the rings of a kernel's loops."""

    def __init__(self, state: KernelState, target: Target) -> None:
        self._state = state
        self._room = target.shared_of_each(state.contract["minnctapersm"])
        self._looked_into: set[Op] = set()
        variables = any(op.name == "alloca" for op in state.kernel.walk())
        # Beside variables in shared memory, nothing says that a source is in global memory.
        self._copies = target.has("cp.async") and not variables

    def choose(self, loop: Op) -> RingLoads | None:
        """Return the ring of a loop, None if it has none or a loop inside of it has one.

        Where shared memory is short, the largest tiles are left out.
        """
        if not self._copies or any(op.name == "copy_async" for op in loop.walk()):
            return None
        facts: Divisibility = self._state.kernel.facts(Divisibility)
        copied = [
            copied
            for early in early_loads(loop, lambda tile: True)
            if self._can_be_copied(early.load, facts) and (copied := self._copied(early, facts))
        ]
        while copied:
            if (stages := self._stages(loop, copied)) >= LEAST_STAGES:
                return RingLoads(copied, stages, facts)
            copied.remove(max(copied, key=lambda each: each.bytes))
        return None

    def _stages(self, loop: Op, copied: Sequence[_Copied]) -> int:
        """Return the number of slots that shared memory has for these tiles."""
        size = sum(each.bytes for each in copied)
        blocks = max(RESIDENT_THREADS // self._state.threads, 1)
        wanted = min(max(1 + -(-IN_FLIGHT // (size * blocks)), USUAL_STAGES), MOST_STAGES)
        places = {each.place for each in copied}
        while wanted >= LEAST_STAGES:
            needed = memory_needed(self._state.kernel.body, {loop: size * wanted}, without=places)
            if needed <= self._room:
                break
            wanted -= 1
        return wanted

    def _can_be_copied(self, load: Op, facts: Divisibility) -> bool:
        """Whether asynchronous copies can make a load."""
        view = load.operands["view"].type
        element, vector = view.view.element, vector_of(load, facts)
        copies = prod(view.tile) // vector // self._state.threads
        return (
            not is_packed(element)
            and not padding_bits(element, view.padding)
            and memory_bytes(element) * vector in COPY_BYTES
            and copies <= MOST_COPIES
        )

    def _copied(self, early: EarlyLoad, facts: Divisibility) -> _Copied | None:
        """Return how a load's tile is stored, if it is only stored, for matrix products alone."""
        tile = early.load.results[0]
        stores = [use.op for use in tile.uses]
        if [store.name for store in stores] != ["store_shared"]:
            return None
        (store,) = stores
        place = store.operands["destination"].owner
        as_it_is = place.result.type.element == tile.type.element
        whole = store.attributes["part"] is None and store.parent is early.load.parent
        if not as_it_is or not whole or not _only_multiplied(place.result, store):
            return None
        return _Copied(early, store, place, streaming(early.load, self._state.threads, facts))


def _only_multiplied(place: Value, store: Op) -> bool:
    """Whether memory, however it is seen, has only matrix products for readers."""
    for use in place.uses:
        if use.op.name == "shared_view":
            if not _only_multiplied(use.op.result, store):
                return False
        elif use.op is not store and use.op.name not in ("mma", "mma_scaled"):
            return False
    return True


class RingLoads:
    """The loads of a loop that fill a ring; see `pipeline_loops.Loads`."""

    def __init__(self, copied: Sequence[_Copied], stages: int, facts: Divisibility) -> None:
        self._copied, self._stages = copied, stages
        self.ahead, self.early = stages - 1, [each.early for each in copied]
        self._attributes = [
            copy_attributes(each.early.load, each.threads, facts) for each in copied
        ]
        self._rings: list[Value] = []
        self._tokens: list[Value | None] = []
        self._next: Value | None = None

    def before(self, loop: Op) -> list[Value]:
        """See `Loads`: the turn of the first slot."""
        kinds = [
            Shared(tile.element, tile.shape, tile.offsets, self._stages)
            for tile in (each.tile for each in self._copied)
        ]
        ring = make("shared_alloc", results=kinds, origin=self._copied[0].place)
        self._rings = ring.results
        first = make("first_turn", {"ring": ring.result}, results=[Turn(self._stages)], origin=loop)
        ring.insert_before(loop)
        first.insert_before(loop)
        self._tokens = [outer_token(each.early, loop) for each in self._copied]
        return [first.result]

    def delayed(self) -> list[ValueType]:
        """See `Loads`: the flight of the copies, and a token for each of them."""
        tiles = tuple(each.tile for each in self._copied)
        return [Flight(tiles), *(Token() for _ in self._copied)]

    def use(self, block: Block, handed: Sequence[Value], delayed: Sequence[Value]) -> Op | None:
        """See `Loads`: wait for the oldest slot, which comes behind the one that is filled next."""
        (turn,), (flight, *tokens) = handed, delayed
        origin = self._copied[0].early.load
        following = self._advance(turn, origin)
        wait = make(
            "wait_group",
            {"flight": flight, "turn": following.result, "rings": tuple(self._rings)},
            {"pending": self._stages - 2},
            [each.tile for each in self._copied],
            origin=origin,
        )
        block.insert(0, following)
        block.insert(1, wait)
        for each, tile, token in zip(self._copied, wait.results, tokens, strict=True):
            each.store.erase()
            each.place.replace_with(tile)
            each.early.load.replace_with(None, token)
        self._next = following.result
        return wait

    def fill(
        self,
        add: Callable[[Op], None],
        values: dict[Value, Value],
        exists: Value | None,
        handed: Sequence[Value],
    ) -> tuple[list[Value], list[Value]]:
        """See `Loads`."""
        (turn,) = handed
        slots, tokens = [], []
        places = zip(self._copied, self._rings, self._attributes, self._tokens, strict=True)
        for each, ring, attributes, before in places:
            load = each.early.load
            slot = make(
                "shared_slot", {"ring": ring, "turn": turn}, results=[each.tile], origin=load
            )
            add(slot)
            copy = make(
                "copy_async",
                {
                    "view": _mapped(load.operands["view"], values),
                    "index": tuple(_mapped(index, values) for index in load.operands["index"]),
                    "destination": slot.result,
                    "predicate": exists,
                    "token": before,
                },
                attributes,
                [Token()],
                origin=load,
            )
            add(copy)
            slots.append(slot.result)
            tokens.append(copy.result)
        origin = self._copied[0].early.load
        tiles = tuple(each.tile for each in self._copied)
        commit = make(
            "commit_group", {"tiles": tuple(slots)}, results=[Flight(tiles)], origin=origin
        )
        add(commit)
        following = self._next
        if following is None:
            advance = self._advance(turn, origin)
            add(advance)
            following = advance.result
        return [following], [commit.result, *tokens]

    def _advance(self, turn: Value, origin: Op) -> Op:
        operands = {"ring": self._rings[0], "turn": turn}
        return make("advance", operands, results=[turn.type], origin=origin)


def _mapped(value: Value, values: dict[Value, Value]) -> Value:
    return values.get(value, value)
