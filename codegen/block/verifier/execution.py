"""Accesses of shared memory are in order: found by running a few iterations of each loop.

This knows nothing of how barriers are placed or memory is allocated. It follows control for as many
iterations as it takes to use every slot of a ring again, with real slots, real groups of copies,
and real bytes; both sides of a branch are followed, and joined. It asks at each access

  * whether all threads have done the accesses before it to the same bytes, or a barrier is between;
  * whether what is read has been stored, or has arrived, and nothing else was stored there since.

Before memory is allocated, every area has bytes of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from tileir.codegen.block.areas import AREAS, LIVE_THROUGHOUT, area_bytes, behind, slot_layout
from tileir.codegen.block.async_rows import PRODUCT_NAMES
from tileir.codegen.block.control_edges import LOOPS
from tileir.codegen.block.op_facts import (
    ARRIVALS,
    ASYNC_PROXY,
    ASYNC_READS,
    COMMITS,
    COPIES,
    ENDS,
    FOR_ALL,
    accessed,
    exchanged,
)
from tileir.codegen.block.op_rules import TRUTH
from tileir.codegen.block.types import Frag, Shared, Turn
from tileir.codegen.layouts.linear_layout import rank
from tileir.ir import Block, Body, Op, Value

from .role_slots import METHODS, RoleSlots, Slots, trips, uses_slots

_APART = 1 << 40
"""Bytes between areas that have no offsets yet."""

Piece = tuple[Value, int]
"""A tile of an area, and the number of its slot."""


@dataclass(frozen=True, slots=True)
class _Access:
    op: Op
    writes: bool
    start: int
    end: int
    how: object
    """What says which thread accesses which of the bytes; None if nothing does."""


@dataclass(slots=True)
class _State:
    """What is known at an op: accesses since the last barrier, and what the bytes hold."""

    open: set[_Access] = field(default_factory=set)
    held: dict[Piece, frozenset[int | None]] = field(default_factory=dict)
    """The parts that memory holds; None is a whole tile."""
    copied: list[tuple[Op, Piece]] = field(default_factory=list)
    """Copies that are in no group yet."""
    groups: int = 0
    """How many groups of copies there have been."""
    products: int = 0
    """How many products have been started."""
    reading: dict[int | Op, tuple[_Access, ...]] = field(default_factory=dict)
    """Number of a product under way, or a store_tensor -> its reads of shared memory, which no
    barrier ends."""
    adding: dict[Value, int] = field(default_factory=dict)
    """Flight of an accumulator -> the number of the last product that adds to it, 0 if none has."""
    unseen: dict[Piece, bool] = field(default_factory=dict)
    """What has been written, but not for the async proxy: whether the writers have fenced it."""
    values: dict[Value, Any] = field(default_factory=dict)
    """Turn -> number of the slot; flight -> number of the group, its copies, and their tiles;
    constant i1 -> whether it is true."""

    def copy(self) -> _State:
        """Return a state that changes by itself."""
        return replace(
            self,
            open=set(self.open),
            held=dict(self.held),
            copied=list(self.copied),
            reading=dict(self.reading),
            adding=dict(self.adding),
            unseen=dict(self.unseen),
            values=dict(self.values),
        )


def execution_problems(body: Body) -> Iterator[tuple[Op, str]]:
    """Yield the accesses of shared memory that are out of order."""
    run = _Run(body)
    run.block(body.block, _State())
    yield from run.problems


class _Run:
    """One run of a body. `_exits` has, for each loop, the states at a `continue` and a `break`."""

    def __init__(self, body: Body) -> None:
        self.problems: dict[tuple[Op, str], None] = {}
        self._starts: dict[Op, int] = {}
        self._slot_layouts: dict[Op, tuple[Sequence[int], int]] = {}
        self._exits: list[tuple[list[tuple[_State, Op]], list[tuple[_State, Op]]]] = []
        areas = [op for op in body.walk() if op.name in AREAS]
        for number, op in enumerate(areas):
            offset = op.attributes["offset"]
            self._starts[op] = (number + 1) * _APART if offset is None else offset
        self._variables: list[tuple[int, int]] = []
        self._slots = RoleSlots()
        for op in areas:
            if op.name in LIVE_THROUGHOUT:
                start, end = self._starts[op], self._starts[op] + area_bytes(op)
                self._variable(op, start, end)
                self._variables.append((start, end))

    def block(self, block: Block, state: _State | None) -> _State | None:
        """Run a block; return the state at its end, None if control leaves before."""
        for op in block.ops:
            if state is None:
                return None
            state = self._op(op, state)
        return state

    def _op(self, op: Op, state: _State) -> _State | None:
        """Run an op; return the state behind it, None if control does not go on there."""
        if op.name == "barrier":
            state.open = {each for reads in state.reading.values() for each in reads}
            state.unseen = {piece: False for piece, fenced in state.unseen.items() if not fenced}
        elif op.name == "fence_proxy":
            state.unseen = dict.fromkeys(state.unseen, True)
        elif op.name == "first_turn":
            state.values[op.result] = 0
        elif op.name == "advance":
            turn = state.values.get(op.operands["turn"], 0)
            state.values[op.result] = (turn + 1) % cast(Turn, op.result.type).slots
        elif op.name in COMMITS:
            state.groups += 1
            tiles = tuple(behind(each)[0] for each in op.operands["tiles"])
            state.values[op.result] = state.groups, tuple(state.copied), tiles
            state.copied = []
        elif op.name in ARRIVALS:
            self._wait(op, state)
        elif op.name == "store_tensor":
            state.reading[op] = self._accesses(op, state)
        elif op.name in ASYNC_READS:
            self._start(op, state)
        elif op.name == "constant" and op.result.type == TRUTH:
            state.values[op.result] = any(op.attributes["value"].data)
        elif op.name == "mma_init":
            state.adding[op.result] = 0
        elif op.name in ENDS:
            self._finish(op, state)
        elif op.name == "wait_stores":
            self._wait_stores(op, state)
        elif op.name == "if":
            return self._branch(op, state)
        elif op.name in LOOPS:
            return self._loop(op, state)
        elif op.name == "role":
            self._roles(op, state)
        elif op.name in METHODS:
            self._slot(op, state)
        elif op.name == "continue":
            self._exits[-1][0].append((state, op))
            return None
        elif op.name == "break":
            self._exits[-1][1].append((state, op))
            return None
        elif op.name == "return":
            if any(isinstance(each, Op) for each in state.reading):
                self._problem(op, "a tensor copy may still read shared memory when the block ends")
            return None
        else:
            self._accesses(op, state)
        return state

    def _wait(self, op: Op, state: _State) -> None:
        """The copies of a group have arrived, each thread's own."""
        slot = state.values.get(op.operands["turn"], 0)
        number, arrived, tiles = state.values.get(op.operands["flight"], (0, (), ()))
        if state.groups - number < op.attributes.get("pending", 0):
            self._problem(op, "the group that is awaited may stay under way")
        rings = tuple(behind(ring)[0] for ring in op.operands["rings"])
        if tiles and tiles != rings:
            self._problem(op, "the tiles that arrive are of other rings")
        pieces = [(ring, slot) for ring in rings]
        for copy, piece in arrived:
            if piece not in pieces:
                self._problem(op, "the turn is not that of the slot that was filled")
            if op.name in FOR_ALL:
                continue
            start, end = self._range(piece)
            state.open.add(_Access(copy, True, start, end, None))
            state.unseen[piece] = False

    def _roles(self, op: Op, state: _State) -> None:
        """Run all roles at the first one: whoever fills slots, then whoever waits for them."""
        roles = [each for each in op.parent.ops if each.name == "role"]
        if op is not roles[0]:
            return
        before = [each.name for each in op.parent.ops[: op.index]]
        inits = [number for number, name in enumerate(before) if name == "mbarrier_init"]
        if inits and not any(name.endswith("barrier") for name in before[inits[-1] :]):
            self._problem(op, "no barrier stands between this and mbarrier_init")
        roles.sort(key=lambda role: not any(each.name == "commit_slot" for each in role.walk()))
        for role in roles:
            self.block(role.regions[0].block, state.copy())
        if why := self._slots.end():
            self._problem(op, why)

    def _slot(self, op: Op, state: _State) -> None:
        """A role may access a slot, or has done so."""
        predicate = op.operands.get("predicate")
        if predicate is not None and state.values.get(predicate, True) is False:
            return
        turn = state.values.get(op.operands["turn"], 0)
        tiles = op.operands.get("rings") or [behind(tile)[0] for tile in op.operands["tiles"]]
        slots: Slots = frozenset((tile, turn) for tile in tiles)
        if op.name == "commit_slot":
            if {piece for _, piece in state.copied} != slots:
                self._problem(op, "what is committed is not what was copied")
            state.copied = []
        elif op.name == "wait_slot":
            for piece in slots:
                self._hold(piece, None, state)
        elif op.name == "release_slot":
            ranges = [self._range(piece) for piece in slots]
            for reads in state.reading.values():
                if any(
                    each.start < high and low < each.end for each in reads for low, high in ranges
                ):
                    self._problem(op, "a product under way reads the slot that is released")
            for piece in slots:
                state.held.pop(piece, None)
        if why := getattr(self._slots, METHODS[op.name])(op, slots):
            self._problem(op, why)

    def _start(self, op: Op, state: _State) -> None:
        """A product reads its operands from here on."""
        reads = self._accesses(op, state)
        state.products += 1
        state.adding[op.result] = state.products
        state.reading[state.products] = reads

    def _wait_stores(self, op: Op, state: _State) -> None:
        """All tensor copies to global memory have read what they store."""
        memory = {behind(tile)[0] for tile in op.operands["memory"]}
        for key in [each for each in state.reading if isinstance(each, Op)]:
            if behind(key.operands["source"])[0] in memory:
                del state.reading[key]
        self._accesses(op, state)

    def _finish(self, op: Op, state: _State) -> None:
        """All products but the latest ones have read their operands, in this warpgroup."""
        finished = state.products - op.attributes["pending"]
        if op.name == "wait_mma" and state.adding.get(op.operands["flight"], 0) > finished:
            self._problem(op, "the product that is awaited may stay under way")
        for number in [each for each in state.reading if _is_under(each, finished)]:
            del state.reading[number]

    def _accesses(self, op: Op, state: _State) -> tuple[_Access, ...]:
        """Do the accesses of an op; return those that a barrier has to end."""
        found = [
            self._access(op, value, writes, state)
            for value, writes in accessed(op)
            if isinstance(value.type, Shared)
        ]
        return tuple(each for each in found if each is not None)

    def _access(self, op: Op, value: Value, writes: bool, state: _State) -> _Access | None:
        tile, turn = behind(value)
        piece = tile, 0 if turn is None else state.values.get(turn, 0)
        start, end = self._range(piece)
        how = _how(op, value)
        for other in state.open:
            if other.start < end and start < other.end and (writes or other.writes):
                own = how is not None and how == other.how
                if not own or not ((writes and other.writes) or _alone(op)):
                    self._problem(op, f"no barrier stands between this and {other.op.name}")
        if op.name in ASYNC_PROXY and self._is_unseen(start, end, state):
            self._problem(op, "no fence of the writers and barrier stand before this")
        if op.name in COPIES:
            state.copied.append((op, piece))
            self._hold(piece, None, state)
            return None
        access = _Access(op, writes, start, end, how)
        state.open.add(access)
        if writes:
            state.unseen[piece] = False
            self._hold(piece, op.attributes.get("part"), state)
        elif op.name != "wait_stores" and not _holds(state.held.get(piece, frozenset()), op, value):
            self._problem(op, "what is read was not stored, or has been overwritten since")
        return access

    def _hold(self, piece: Piece, part: int | None, state: _State) -> None:
        start, end = self._range(piece)
        for other in list(state.held):
            low, high = self._range(other)
            if low < end and start < high:
                del state.held[other]
        state.held[piece] = frozenset({part})
        self._variable(piece[0].owner, start, end)

    def _variable(self, op: Op, start: int, end: int) -> None:
        """Check that bytes are none of a variable, which is live in the whole kernel."""
        if any(low < end and start < high for low, high in self._variables):
            self._problem(op, "its bytes are those of a variable")

    def _is_unseen(self, start: int, end: int, state: _State) -> bool:
        ranges = map(self._range, state.unseen)
        return any(low < end and start < high for low, high in ranges)

    def _range(self, piece: Piece) -> tuple[int, int]:
        tile, slot = piece
        if tile.owner not in self._slot_layouts:
            self._slot_layouts[tile.owner] = slot_layout(tile.owner)
        begins, size = self._slot_layouts[tile.owner]
        start = self._starts[tile.owner] + slot * size + begins[tile.index]
        return start, start + cast(Shared, tile.type).bytes

    def _problem(self, op: Op, why: str) -> None:
        self.problems[op, why] = None

    # Control flow ---------------------------------------------------------------------------

    def _branch(self, op: Op, state: _State) -> _State | None:
        ends = []
        filled = [region for region in op.regions if uses_slots(region)]
        # Roles that fill and read the same slots make all of the trips, both of them.
        for region in filled or op.regions:
            if not region.blocks:
                ends.append(state.copy())
            for block in region.blocks:
                end = self.block(block, state.copy())
                if end is not None:
                    _assign(end, block.ops[-1].operand_list(), op.results)
                    ends.append(end)
        return _joined(ends)

    def _loop(self, op: Op, state: _State) -> _State | None:
        """Run some iterations; return what is known behind the loop, after any number of them."""
        inits = op.operands["initValues"]
        left = [] if op.name == "loop" else [state.copy()]
        arguments = list(op.regions[0].block.arguments[0 if op.name == "loop" else 1 :])
        results = [] if op.name == "loop" else op.results
        carried, handed = arguments[: len(inits)], arguments[len(inits) + 2 :]
        queue: list[list[Any]] = []
        for each in left:
            _assign(each, inits, op.results)
        if op.name == "pipelined_for":
            state = self._prologue(op, state, handed, queue)
            ahead = len(op.operands["aheadValues"])
            carried, handed = [*carried, *handed[:ahead]], handed[ahead:]
        _assign(state, inits, carried)
        current: _State | None = state
        for _ in range(trips(op)):
            if current is None:
                break
            if queue:
                current.values.update(zip(handed, queue.pop(0), strict=True))
            self._exits.append(([], []))
            self.block(op.regions[0].block, current.copy())
            again, broken = self._exits.pop()
            for each, end in broken:
                _assign(each, end.operand_list(), op.results)
                left.append(each)
            for each, end in again:
                values = list(end.operand_list())
                delayed = [each.values.get(value) for value in values[len(carried) :]]
                _assign(
                    each, (*values[: len(carried)], *values[: len(inits)]), (*carried, *results)
                )
            if op.name == "pipelined_for" and again:
                # All ways through an iteration start the same copies.
                queue.append(delayed)
            current = _joined([each for each, _ in again])
            if current is not None and op.name != "loop":
                left.append(current.copy())
        if any(isinstance(value.type, Turn) for value in op.results):
            # Roles that fill and read the same slots make all of the trips, both of them.
            left = left[-1:]
            _assign(left[0], carried, op.results)
        return _joined(left)

    def _prologue(
        self, op: Op, state: _State, handed: list[Value], queue: list[list[Any]]
    ) -> _State:
        """Run the prologue of a pipelined loop; `queue` gets what is delayed."""
        prologue, ahead = op.regions[1].block, len(op.operands["aheadValues"])
        _assign(state, op.operands["aheadValues"], prologue.arguments[2:])
        for _ in range(op.attributes["ahead"]):
            self.block(prologue, state)
            yielded = list(prologue.ops[-1].operand_list())
            queue.append([state.values.get(value) for value in yielded[ahead:]])
            _assign(state, yielded[:ahead], prologue.arguments[2:])
        _assign(state, prologue.arguments[2:], handed[:ahead])
        return state


def _holds(parts: frozenset[int | None], op: Op, value: Value) -> bool:
    """Return whether memory that holds these parts of a tile has what an op reads of a value."""
    if None in parts:
        return True
    tile = behind(value)[0]
    if value is tile and op.name in PRODUCT_NAMES:
        # The elements from `first` on: k is the last dimension of lhs, the one before of rhs.
        row = value.type.shape[-1] if value is op.operands["rhs"] else 1
        offsets = cast(Shared, value.type).offsets
        numbers = sum(1 << bit for bit, offset in enumerate(offsets) if not offset)
        return (op.attributes["first"] or 0) * row & numbers in parts
    if value is not tile and op.attributes.get("part") is None:
        # A view does not say which bits of the tile number its parts: it has the one that is there.
        return len(parts) == 1
    return op.attributes.get("part") in parts


def _assign(state: _State, values: Iterable[Value], targets: Iterable[Value]) -> None:
    """Make block arguments or results what values are; all values are read first."""
    pairs = [*zip(values, targets, strict=False)]
    known = [(state.values.get(value), state.adding.get(value)) for value, _ in pairs]
    for (_, target), (value, product) in zip(pairs, known, strict=True):
        state.values[target] = value
        if product is not None:
            state.adding[target] = product


def _joined(states: list[_State]) -> _State | None:
    """Return what is known where several ways meet: memory holds what it does on all of them."""
    if not states:
        return None
    first, *others = states
    products = max(each.products for each in states)
    for each in states:
        _renumber(each, products - each.products)
    for other in others:
        first.open |= other.open
        first.groups = min(first.groups, other.groups)
        for number, reads in other.reading.items():
            first.reading[number] = tuple({*first.reading.get(number, ()), *reads})
        for flight, number in other.adding.items():
            first.adding[flight] = max(number, first.adding.get(flight, 0))
        for piece, fenced in other.unseen.items():
            first.unseen[piece] = fenced and first.unseen.get(piece, True)
        first.copied += [each for each in other.copied if each not in first.copied]
        first.held = {
            piece: parts & other.held[piece]
            for piece, parts in first.held.items()
            if piece in other.held
        }
        first.values = other.values | first.values
    return first


def _is_under(key: int | Op, finished: int) -> bool:
    """Whether it is the number of a product that has been finished."""
    return isinstance(key, int) and key <= finished


def _renumber(state: _State, more: int) -> None:
    """Count products as if there had been more of them before: what matters is their distance from
    the latest one."""
    state.products += more
    state.reading = {
        key + more if isinstance(key, int) else key: reads for key, reads in state.reading.items()
    }
    state.adding = {flight: number and number + more for flight, number in state.adding.items()}


def _how(op: Op, value: Value) -> object:
    """Return what says which thread stores or loads which byte."""
    kind = exchanged(op)
    if kind is None:
        return None
    seen = cast(Shared, value.type).offsets
    offsets = [each for each in seen if each or op.attributes["part"] is None]
    if rank(offsets) < len(offsets):
        return None
    layout = kind.layout if isinstance(kind, Frag) else None
    return behind(value)[0], seen, layout, op.attributes["part"]


def _alone(op: Op) -> bool:
    """Whether no two threads have the same element."""
    kind = exchanged(op)
    return isinstance(kind, Frag) and kind.layout.replicas == 0
