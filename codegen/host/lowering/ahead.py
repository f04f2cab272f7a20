"""What a load will read the next time: in the next iteration of a loop, or the next tile block.

A row is read within a few hundred cycles and then computed on while memory has nothing to do; the
CPU cannot know where the next row starts. So the loops that compute on a loaded tile prefetch the
tile that the same op loads next into the second level of the cache, each of them some of its lines.
A prefetch of a wrong address does no harm.

Where the next tile is, is found by computing the indices of the load once more, from a loop's
counter that is a step further or from the number of the next block along x.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from llvmlite import ir

from tileir.codegen.analysis.narrow_folds import rounds_narrowly
from tileir.codegen.host.planning.tiles import is_single, is_tile
from tileir.codegen.ops import cost_of
from tileir.codegen.scalar.types import BYTE, OPAQUE, memory_bytes
from tileir.ir import Block, Op, Value
from tileir.types import Element

from .block import Lowering
from .evaluate import Evaluator
from .inline import is_inline, moves_elements
from .loops import chunk_elements, chunks, nest
from .pointer_rows import row_dimension
from .position import INDEX, ZERO, Position
from .prefetch import LINE, prefetch_line
from .window import Window

CHUNK = 4 * LINE
"""Bytes that a loop goes through between prefetches."""

MIN_BYTES, MAX_BYTES = 1 << 10, 1 << 16
"""Bytes of tiles that are prefetched: the second level of a cache holds several of them."""

MAX_LOOPS = 4
"""The most loops among which lines are divided."""

BUSY = 12
"""Simple operations on an element from which on a loop takes as long as memory does: memory gives a
line, which is a vector, in about so many cycles. A faster loop would wait for its prefetches."""


class Ahead:
    """The windows that the loads of tiles which a loop reads will have next."""

    def __init__(self, lowering: Lowering, op: Op, inner: int | None) -> None:
        """Find the loads that the operands of an op are computed from, element by element.

        `inner` is the dimension along which its loop reads neighbours.
        """
        self._lowering = lowering
        self._windows: list[tuple[Window | _Pointers, int, int]] = []
        for load in () if lowering.looks_at_elements else _loads(lowering, op):
            users = _users(lowering, load)
            share = min(len(users), MAX_LOOPS)
            if op not in users[:share]:
                continue
            window = _window_ahead(lowering, load)
            if window is not None and window.inner == inner:
                self._windows.append((window, users.index(op), share))

    def __bool__(self) -> bool:
        """Whether there is anything to prefetch."""
        return bool(self._windows)

    def prefetch(self, position: Position, count: int) -> None:
        """Emit prefetches for `count` neighbours of the element at a position.

        They are this loop's share of the lines.
        """
        builder = self._lowering.builder
        for window, first, share in self._windows:
            address = window.unchecked_address(position)
            size = count * memory_bytes(window.element)
            for offset in range(first * LINE, size, share * LINE):
                line = builder.gep(address, [ir.Constant(INDEX, offset)], source_etype=BYTE)
                prefetch_line(builder, line)


@contextmanager
def elements(lowering: Lowering, op: Op, shape: tuple[int, ...], size: int) -> Iterator[Position]:
    """Code inside runs for every element of a tile; its loop prefetches what the op's tiles need.

    `size` is the bytes of an element that is written.
    """
    builder, inner = lowering.builder, len(shape) - 1
    ahead = Ahead(lowering, op, inner)
    if not ahead:
        with nest(builder, shape) as position:
            yield position
        return
    count = min(shape[inner], CHUNK // size)
    with chunks(builder, shape, inner, count) as first:
        ahead.prefetch(first, count)
        with chunk_elements(builder, first, inner, count) as (_, position):
            yield position


def _loads(lowering: Lowering, op: Op) -> list[Op]:
    """Return the loads whose elements an op reads, place by place, beside it in a block."""
    if op not in lowering.loads_of:
        lowering.loads_of[op] = [*_found_loads(lowering, op)]
    return lowering.loads_of[op]


def _found_loads(lowering: Lowering, op: Op) -> Iterator[Op]:
    stack, seen = [*op.operand_list()], set()
    while stack:
        value = stack.pop()
        owner = value.owner
        if id(value) in seen or not is_tile(value) or not isinstance(owner, Op):
            continue
        seen.add(id(value))
        if owner.name in ("load_view_tko", "load_ptr_tko"):
            fits = MIN_BYTES <= value.type.size * memory_bytes(value.type.element) <= MAX_BYTES
            if fits and owner.parent is op.parent:
                yield owner
        elif value not in lowering.storage and is_inline(owner) and not moves_elements(owner):
            stack += owner.operand_list()


def _users(lowering: Lowering, load: Op) -> list[Op]:
    """Return the ops whose loops read what is loaded, in order: the busiest one if it has time."""
    users = [
        op
        for op in _loop_ops(lowering, load.parent)
        if load in _loads(lowering, op) and _may_prefetch(lowering, op, load)
    ]
    work = {op: _work(lowering, op) for op in users}
    busiest = max(users, key=work.__getitem__, default=None)
    return users if busiest is None or work[busiest] < BUSY else [busiest]


def _work(lowering: Lowering, op: Op) -> int:
    """Return the simple operations that the op's loop computes an element with."""
    total = cost_of(op) if is_inline(op) else 0
    for value in _computed(lowering, op):
        total += cost_of(value.owner)
    return total


def _computed(lowering: Lowering, op: Op) -> Iterator[Value]:
    """Yield the tiles that the op's loop computes, each once."""
    stack, seen = [*op.operand_list()], set()
    while stack:
        value = stack.pop()
        if id(value) in seen or not is_tile(value) or value in lowering.storage:
            continue
        seen.add(id(value))
        if isinstance(value.owner, Op) and is_inline(value.owner):
            yield value
            stack += value.owner.operand_list()


def _loop_ops(lowering: Lowering, block: Block) -> list[Op]:
    """Return the ops of a block that have loops which might prefetch."""
    if block not in lowering.loop_ops:
        lowering.loop_ops[block] = [op for op in block.ops if _has_loop(lowering, op)]
    return lowering.loop_ops[block]


def _has_loop(lowering: Lowering, op: Op) -> bool:
    if op.name in ("continue", "reduce", "store_view_tko"):
        return True
    return is_inline(op) and op.result in lowering.storage


def _may_prefetch(lowering: Lowering, op: Op, load: Op) -> bool:
    """Whether the op's loop may prefetch for a load that it reads.

    A store is only asked to for several rows that it reads from memory itself: of one row the CPU
    knows what comes next.
    """
    if op.name == "reduce":
        return not rounds_narrowly(op)
    if op.name == "store_view_tko":
        kind = load.results[0].type
        several = kind.size > kind.shape[-1]
        fusion = lowering.storage.fusion
        read = [*fusion.deferred_to.get(id(op), ()), *fusion.stored_from.get(id(op), ())]
        return several and load in read
    return True


@dataclass(frozen=True, slots=True)
class _Pointers:
    """Rows of pointers as they are with other single elements."""

    lowering: Lowering
    pointers: Value
    inner: int | None
    singles: dict[int, ir.Value]

    @property
    def element(self) -> Element:
        """The type that they point to."""
        return self.pointers.type.pointee

    def unchecked_address(self, position: Position) -> ir.Value:
        """Emit the address at a position."""
        before, self.lowering.singles = self.lowering.singles, self.singles
        address = Evaluator(self.lowering, position).element(self.pointers)
        self.lowering.singles = before
        return self.lowering.builder.inttoptr(address, OPAQUE)


def _window_ahead(lowering: Lowering, load: Op) -> Window | _Pointers | None:
    """Emit the window of a load the next time; None if it is the same, or not known."""
    is_view = load.name == "load_view_tko"
    needed = _needed(load.operands["index"] if is_view else [load.operands["source"]])
    counter = next(filter(needed.__contains__, map(id, _counters(load, needed))), None)
    if counter is None:
        return None
    with _counted_on(lowering, needed[counter], needed):
        if not is_view:
            pointers, mask = load.operands["source"], load.operands["mask"]
            inner = row_dimension(lowering, pointers, mask)
            return _Pointers(lowering, pointers, inner, lowering.singles)
        window = Window(lowering, load)
    return None if window.sparse is not None or window.is_packed else window


def _needed(values: Iterable[Value]) -> dict[int, Value]:
    """Return what values are computed from by inline ops, themselves included, by id."""
    needed: dict[int, Value] = {}
    stack = [*values]
    while stack:
        value = stack.pop()
        if id(value) not in needed:
            needed[id(value)] = value
            if isinstance(value.owner, Op) and is_inline(value.owner):
                stack += value.owner.operand_list()
    return needed


def _counters(load: Op, needed: dict[int, Value]) -> Iterator[Value]:
    """Yield what counts on around an op: counters of loops, inmost first, then blocks along x."""
    around = load.parent_op
    while around is not None:
        if around.name == "for":
            yield around.regions[0].block.arguments[0]
        around = around.parent_op
    for value in needed.values():
        if isinstance(value.owner, Op) and value.owner.name == "get_tile_block_id":
            yield value.owner.results[0]


@contextmanager
def _counted_on(lowering: Lowering, counter: Value, needed: dict[int, Value]) -> Iterator[None]:
    """Code inside computes the needed values as they are when the counter has counted on."""
    before = lowering.singles
    builder = lowering.builder
    step = ir.Constant(before[id(counter)].type, 1)
    if isinstance(counter.owner, Block):
        step = lowering.single(counter.owner.parent_op.operands["step"])
    changed = [value for value in _depending(counter, needed) if is_single(value)]
    lowering.singles = {**before, id(counter): builder.add(before[id(counter)], step)}
    for value in changed:
        lowering.singles.pop(id(value), None)
    for value in changed:
        shape = value.type.shape
        at = Evaluator(lowering, Position(builder, shape, [ZERO] * len(shape)))
        lowering.singles[id(value)] = at.element(value)
    try:
        yield
    finally:
        lowering.singles = before


def _depending(counter: Value, needed: dict[int, Value]) -> list[Value]:
    """Return the needed values that are computed from the counter, without itself."""
    users: dict[int, list[Value]] = {}
    for value in needed.values():
        if isinstance(value.owner, Op) and is_inline(value.owner):
            for operand in value.owner.operand_list():
                users.setdefault(id(operand), []).append(value)
    found: dict[int, Value] = {}
    stack = [*users.get(id(counter), ())]
    while stack:
        value = stack.pop()
        if id(value) not in found:
            found[id(value)] = value
            stack += users.get(id(value), ())
    return [*found.values()]
