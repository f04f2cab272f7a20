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

from tileir.codegen.block.accesses import COPIES
from tileir.codegen.block.areas import area_bytes, behind, slot_layout
from tileir.codegen.block.async_rows import PRODUCT_NAMES
from tileir.codegen.block.control_edges import LOOPS
from tileir.codegen.block.types import Frag, Shared, Turn
from tileir.codegen.layouts.linear_layout import rank
from tileir.ir import Block, Body, Op, Value

_NO_ACCESS = ("advance", "commit_group", "first_turn", "shared_slot", "shared_view")
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
    reading: dict[int, tuple[_Access, ...]] = field(default_factory=dict)
    """Number of a product under way -> its reads of shared memory, which no barrier ends."""
    unseen: dict[Piece, bool] = field(default_factory=dict)
    """What has been written, but not for the async proxy: whether the writers have fenced it."""
    values: dict[Value, Any] = field(default_factory=dict)
    """Turn -> number of the slot; flight -> number of the group, its copies, and their tiles."""

    def copy(self) -> _State:
        """Return a state that changes by itself."""
        return replace(
            self,
            open=set(self.open),
            held=dict(self.held),
            copied=list(self.copied),
            reading=dict(self.reading),
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
        self._slots: dict[Op, tuple[Sequence[int], int]] = {}
        self._exits: list[tuple[list[tuple[_State, Op]], list[tuple[_State, Op]]]] = []
        areas = [
            op for op in body.walk() if op.name in ("shared_alloc", "alloca", "mbarrier_alloc")
        ]
        for number, op in enumerate(areas):
            offset = op.attributes["offset"]
            self._starts[op] = (number + 1) * _APART if offset is None else offset
        self._variables: list[tuple[int, int]] = []
        for op in areas:
            if op.name != "shared_alloc":
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
        elif op.name in ("commit_copies", "commit_group"):
            state.groups += 1
            tiles = tuple(behind(each)[0] for each in op.operands["tiles"])
            state.values[op.result] = state.groups, tuple(state.copied), tiles
            state.copied = []
        elif op.name in ("wait_copies", "wait_group"):
            self._wait(op, state)
        elif op.name == "mma_async":
            self._start(op, state)
        elif op.name == "wait_mma":
            self._finish(op, state)
        elif op.name == "if":
            return self._branch(op, state)
        elif op.name in LOOPS:
            return self._loop(op, state)
        elif op.name == "continue":
            self._exits[-1][0].append((state, op))
            return None
        elif op.name == "break":
            self._exits[-1][1].append((state, op))
            return None
        elif op.name == "return":
            return None
        elif op.name not in _NO_ACCESS:
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
            if op.name == "wait_copies":  # whoever waits sees them, through either proxy
                continue
            start, end = self._range(piece)
            state.open.add(_Access(copy, True, start, end, None))
            state.unseen[piece] = False

    def _start(self, op: Op, state: _State) -> None:
        """A product reads its operands from here on."""
        before = set(state.open)
        self._accesses(op, state)
        state.products += 1
        state.values[op.result] = state.products
        state.reading[state.products] = (*(state.open - before),)

    def _finish(self, op: Op, state: _State) -> None:
        """A product has read its operands."""
        number = state.values.get(op.operands["flight"], 0)
        if state.products - number < op.attributes["pending"]:
            self._problem(op, "the product that is awaited may stay under way")
        for each in state.reading.pop(number, ()):
            state.open.discard(each)
        self._accesses(op, state)

    def _accesses(self, op: Op, state: _State) -> None:
        for slot, operand in op.operands.items():
            for value in operand if isinstance(operand, tuple) else (operand,):
                if value is not None and isinstance(value.type, Shared):
                    self._access(op, value, slot == "destination", state)

    def _access(self, op: Op, value: Value, writes: bool, state: _State) -> None:
        tile, turn = behind(value)
        piece = tile, 0 if turn is None else state.values.get(turn, 0)
        start, end = self._range(piece)
        how = _how(op, value, writes)
        for other in state.open:
            if other.start < end and start < other.end and (writes or other.writes):
                own = how is not None and how == other.how
                if not own or not ((writes and other.writes) or _alone(op, writes)):
                    self._problem(op, f"no barrier stands between this and {other.op.name}")
        if op.name == "copy_tensor" and self._is_unseen(start, end, state):
            self._problem(op, "no fence of the writers before it and barrier stand before this")
        if op.name in COPIES:
            state.copied.append((op, piece))
            self._hold(piece, None, state)
            return
        state.open.add(_Access(op, writes, start, end, how))
        if op.name == "mma_async" and self._is_unseen(start, end, state):
            self._problem(op, "no fence of the writers and barrier stand before this")
        if writes:
            state.unseen[piece] = False
            self._hold(piece, op.attributes.get("part"), state)
        elif op.name != "wait_mma" and not _holds(state.held.get(piece, frozenset()), op, value):
            self._problem(op, "what is read was not stored, or has been overwritten since")

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
        if tile.owner not in self._slots:
            self._slots[tile.owner] = slot_layout(tile.owner)
        begins, size = self._slots[tile.owner]
        start = self._starts[tile.owner] + slot * size + begins[tile.index]
        return start, start + cast(Shared, tile.type).bytes

    def _problem(self, op: Op, why: str) -> None:
        self.problems[op, why] = None

    # Control flow ---------------------------------------------------------------------------

    def _branch(self, op: Op, state: _State) -> _State | None:
        ends = []
        for region in op.regions:
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
        carried, handed = arguments[: len(inits)], arguments[len(inits) + 2 :]
        queue: list[list[Any]] = []
        if op.name == "pipelined_for":
            state = self._prologue(op, state, handed, queue)
            ahead = len(op.operands["aheadValues"])
            carried, handed = [*carried, *handed[:ahead]], handed[ahead:]
        _assign(state, inits, carried)
        current: _State | None = state
        for _ in range(_trips(op)):
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
                _assign(each, values[: len(carried)], carried)
            if op.name == "pipelined_for" and again:
                # All ways through an iteration start the same copies.
                queue.append(delayed)
            current = _joined([each for each, _ in again])
            if current is not None and op.name != "loop":
                left.append(current.copy())
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


def _trips(loop: Op) -> int:
    """Return how many iterations to run: two, or until every slot was used twice."""
    slots = [
        value.type.slots
        for op in loop.walk()
        if op.name in ("wait_copies", "wait_group")
        for value in op.operands["rings"]
    ]
    return max([1, *slots]) + 1


def _assign(state: _State, values: Iterable[Value], targets: Iterable[Value]) -> None:
    """Make block arguments or results what values are; all values are read first."""
    known = [state.values.get(value) for value in values]
    state.values.update(zip(targets, known, strict=False))


def _joined(states: list[_State]) -> _State | None:
    """Return what is known where several ways meet: memory holds what it does on all of them."""
    if not states:
        return None
    first, *others = states
    for other in others:
        first.open |= other.open
        first.groups = min(first.groups, other.groups)
        first.products = min(first.products, other.products)
        first.reading = other.reading | first.reading
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


def _how(op: Op, value: Value, writes: bool) -> object:
    """Return what says which thread stores or loads which byte."""
    if op.name not in ("load_shared", "store_shared"):
        return None
    seen = cast(Shared, value.type).offsets
    offsets = [each for each in seen if each or op.attributes["part"] is None]
    if rank(offsets) < len(offsets):
        return None
    kind = (op.operands["value"] if writes else op.result).type
    layout = kind.layout if isinstance(kind, Frag) else None
    return behind(value)[0], seen, layout, op.attributes["part"]


def _alone(op: Op, writes: bool) -> bool:
    """Whether no two threads have the same element."""
    kind = (op.operands["value"] if writes else op.result).type
    return isinstance(kind, Frag) and kind.layout.replicas == 0
