"""Which tiles get memory, and where in the workspace.

A tile is *stored* when it is loaded (later stores must not change it) and when recomputing it would
cost: it flows into more than one loop, or through a broadcast that repeats it. All others are
evaluated inside the loop that consumes them. Tiles of one element are plain LLVM values.

A view load that flows into one loop only, with no store in between, is *deferred* to that loop:
where the tile lies inside its tensor, apart from what the loop writes, the loop reads the tensor.
Which of the two it is turns out at run time; see `memory`.

A buffer is given up after the last loop that reads it, so the workspace of most kernels stays in
the nearest cache.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tileir.formats.ops.spec import NO_MEMORY_EFFECT, PURE, READS, UNDECLARED
from tileir.ir import Op, Value
from tileir.types import Tile

from ..kernel import Kernel
from ..scalar.elementwise import ELEMENTWISE
from ..scalar.types import memory_bytes

ALIGNMENT = 64
LOADS = ("load_view_tko", "load_ptr_tko")
STORES = ("store_view_tko", "store_ptr_tko")

_RESHAPING = ("broadcast", "reshape", "permute")
_ABLE = ("store_view_tko", *ELEMENTWISE)
"""Ops to whose loop a load can be deferred."""

_HARMLESS = {PURE, NO_MEMORY_EFFECT, UNDECLARED, READS}
"""Effects of ops that a load may be moved behind."""

_FOLLOWED = (*_RESHAPING, "assume", *ELEMENTWISE)


@dataclass(slots=True)
class Storage:
    """Where tiles are.

    `offsets`: id of a stored value -> offset of its buffer; `size` of the workspace in bytes;
    `deferred`: id of an op with a loop -> the loads deferred to it; `late`: ids of those loads.
    """

    offsets: dict[int, int] = field(default_factory=dict)
    size: int = 0
    deferred: dict[int, list[Op]] = field(default_factory=dict)
    late: set[int] = field(default_factory=set)

    def __contains__(self, value: Value) -> bool:
        return id(value) in self.offsets


def is_single(value: Value) -> bool:
    """Whether the value is a tile of one element."""
    return isinstance(value.type, Tile) and value.type.size == 1


def plan_storage(kernel: Kernel) -> Storage:
    """Where each tile of the kernel lives."""
    ops = kernel.body.block.ops
    loops, routes = _loops(ops)
    deferred = _deferred(ops, loops, routes)
    return _place(ops, loops, _last_uses(ops, loops), deferred)


def _loops(ops: list[Op]) -> tuple[dict[int, Op], dict[int, set]]:
    """id of an op -> the op, for those that get a loop nest of their own; id of a value -> routes.

    A *route* is a loop, with the shape ops on the way to it: a tile that takes two routes would be
    evaluated at two positions.
    """
    loops = {id(op): op for op in ops if op.name in LOADS + STORES}
    routes: dict[int, set] = {}
    repeated: set[int] = set()
    for op in reversed(ops):
        if op.name in ELEMENTWISE and not is_single(op.result):
            result = id(op.result)
            if len(routes.get(result, ())) > 1 or result in repeated:
                loops[id(op)] = op
        _flow(op, loops, routes, repeated)
    return loops, routes


def _flow(op: Op, loops: dict[int, Op], routes: dict[int, set], repeated: set[int]) -> None:
    """Hand on to the operands which routes they take, and whether one of them repeats them."""
    if id(op) in loops:
        for value in op.operand_list():
            routes.setdefault(id(value), set()).add(id(op))
        return
    if op.name not in _FOLLOWED:
        return
    result = id(op.result)
    onward = routes.get(result, set())
    if op.name in _RESHAPING:
        onward = {(id(op), route) for route in onward}
    again = result in repeated or (op.name == "broadcast" and not is_single(op.operands["source"]))
    for value in op.operand_list():
        routes.setdefault(id(value), set()).update(onward)
        if again:
            repeated.add(id(value))


def _deferred(ops: list[Op], loops: dict[int, Op], routes: dict[int, set]) -> dict[int, list[Op]]:
    """id of an op with a loop -> the loads deferred to it."""
    deferred: dict[int, list[Op]] = {}
    waiting: dict[int, list[Op]] = {}
    for op in ops:
        if op.name == "load_view_tko" and not is_single(op.results[0]):
            taken = routes.get(id(op.results[0]), set())
            if len(taken) == 1:
                waiting.setdefault(_destination(*taken), []).append(op)
        elif id(op) in waiting and op.name in _ABLE:
            deferred[id(op)] = waiting.pop(id(op))
        if op.spec.effects not in _HARMLESS:
            waiting.clear()
    return deferred


def _destination(route: object) -> int:
    """The id of the op at the end of a route."""
    while isinstance(route, tuple):
        route = route[1]
    return route


def _last_uses(ops: list[Op], loops: dict[int, Op]) -> dict[int, int]:
    """id of a value -> place of the last op that reads it, directly or through what is inlined."""
    last: dict[int, int] = {}
    for place in range(len(ops) - 1, -1, -1):
        op = ops[place]
        reaches = place
        if id(op) not in loops and op.name in _FOLLOWED and not is_single(op.result):
            reaches = last.get(id(op.result), place)
        for value in op.operand_list():
            last[id(value)] = max(last.get(id(value), -1), reaches)
    return last


def _place(
    ops: list[Op], loops: dict[int, Op], last: dict[int, int], deferred: dict[int, list[Op]]
) -> Storage:
    """First fit, in program order."""
    late = {id(op) for group in deferred.values() for op in group}
    storage = Storage(deferred=deferred, late=late)
    live: list[tuple[int, int, int]] = []  # (start, stop, last use), by start
    for place, op in enumerate(ops):
        live = [buffer for buffer in live if buffer[2] >= place]
        filled = list(deferred.get(id(op), ()))
        if id(op) in loops and op.name not in STORES and id(op) not in late:
            filled.append(op)
        for each in filled:
            tile = each.results[0].type
            size = -(-tile.size * memory_bytes(tile.element) // ALIGNMENT) * ALIGNMENT
            start = _first_gap(live, size)
            storage.offsets[id(each.results[0])] = start
            storage.size = max(storage.size, start + size)
            live.append((start, start + size, last.get(id(each.results[0]), place)))
            live.sort()
    return storage


def _first_gap(live: list[tuple[int, int, int]], size: int) -> int:
    start = 0
    for begins, stops, _ in live:
        if start + size <= begins:
            break
        start = max(start, stops)
    return start
