"""Which tiles are kept in buffers, and which are recomputed where they are used.

An element-wise tile is *kept* when recomputing it would cost more: it flows into several loops, or
is repeated by a broadcast or a loop of the program, and is expensive. All other inline tiles become
part of the loop that consumes them. Tiles of one element are plain LLVM values and not planned
here.

A view load that flows into one loop only, with no store in between, is *deferred* to that loop:
where the tile is inside its tensor and does not overlap what the loop writes, the loop reads the
tensor. Code at run time decides which; see `chapters/memory.py`. Which of the others need no copy
either, `in_place` says.
"""

from __future__ import annotations

from collections.abc import Mapping

from tileir.codegen.host.lowering.chapters.pieces import is_short_slice
from tileir.codegen.host.lowering.inline import INLINE, moves_elements
from tileir.codegen.host.lowering.rows import is_inline, row_of
from tileir.codegen.ops import Family, cost_of, family_of
from tileir.formats.ops.spec import SILENT
from tileir.ir import Op

from .buffers import Fusion
from .in_place import is_plain, read_in_place
from .order import Order
from .tiles import is_single, is_tile

MAX_RECOMPUTED = 4
"""Up to this cost of one element, a tile is recomputed rather than kept."""

MAX_RECOMPUTED_INDICES = 50
"""The same limit for index arithmetic: recomputed in the loop, LLVM makes induction variables of it
and recognises contiguous addresses."""

MAX_FUSED_OPS = 2000
"""The most ops in one loop; LLVM's compile time grows faster than the loop."""

_INDEX_ARITHMETIC = ("addi", "exti", "muli", "offset", "subi")
"""Element-wise ops of index arithmetic."""

Route = tuple[tuple[int, int], ...]
"""How a tile reaches a loop: the shape ops on the way, then the op that has the loop. An op whose
result is a single element counts as one with a loop: it reads the tile when it runs itself."""


def is_folded(op: Op, fusion: Fusion) -> bool:
    """Whether the op has no loop of its own."""
    return is_inline(op) and id(op) not in fusion.kept


def plan_fusion(
    order: Order,
    deferring: bool = True,
    in_place: bool = True,
    by_row: Mapping[int, int] | None = None,
    slices: bool = True,
) -> Fusion:
    """Decide for every op whether its tile is kept, and, if `deferring`, which loads wait.

    `in_place`: whether loops may read tensors several times. `by_row` has the number
    of elements of loads, by their ids, that compute few of their addresses: those are not kept.
    `slices`: whether short slices are.
    """
    fusion, by_row = Fusion(), by_row or {}
    weights, index_tiles = _weights(order), _index_tiles(order)
    routes: dict[int, set[Route]] = {}
    repeated: set[int] = set()
    for op in reversed(order.ops):
        if family_of(op) is Family.ELEMENT_WISE and is_tile(op.result):
            result, weight = id(op.result), weights[id(op.result)]
            taken = routes.get(result, ())
            recomputed = len(taken) > 1 or result in repeated
            size = op.result.type.size
            if taken and all(by_row.get(route[-1][0]) == size for route in taken):
                recomputed = False
            limit = MAX_RECOMPUTED_INDICES if result in index_tiles else MAX_RECOMPUTED
            if weight > MAX_FUSED_OPS or (recomputed and weight > limit):
                fusion.kept.add(id(op))
        elif slices and is_short_slice(op):
            fusion.kept.add(id(op))
        _propagate_routes(op, order, fusion, routes, repeated)
    if deferring:
        _defer(order, fusion, routes)
    if in_place:
        read_in_place(order, fusion, routes)
    return fusion


def _weights(order: Order) -> dict[int, int]:
    """Map the id of an inline tile to the cost of one element of it."""
    weights: dict[int, int] = {}
    for op in order.ops:
        if not is_inline(op) or not is_tile(op.result):
            continue
        below = sum(weights.get(id(value), 0) for value in op.operand_list())
        weight = 1 if below > MAX_FUSED_OPS else below + cost_of(op)
        weights[id(op.result)] = weight
    return weights


def _index_tiles(order: Order) -> set[int]:
    """Return the ids of tiles made of iota, constants and single elements by index arithmetic."""
    index_tiles: set[int] = set()
    for op in order.ops:
        if op.name in _INDEX_ARITHMETIC or op.name in INLINE:
            below = (value for value in op.operand_list() if is_tile(value))
            if is_tile(op.result) and all(id(value) in index_tiles for value in below):
                index_tiles.add(id(op.result))
    return index_tiles


def _propagate_routes(
    op: Op, order: Order, fusion: Fusion, routes: dict[int, set[Route]], repeated: set[int]
) -> None:
    """Add the routes of an op's result to its operands, and note which are read repeatedly."""
    operands = [value for value in op.operand_list() if is_tile(value)]
    for value in operands:
        if order.is_repeated(value, op):
            repeated.add(id(value))
    if not is_folded(op, fusion) or is_single(op.result):
        apart = not is_inline(op) and not row_of(op).together
        for number, value in enumerate(operands):
            routes.setdefault(id(value), set()).add(((id(op), number if apart else 0),))
        return
    result = id(op.result)
    onward = routes.get(result, set())
    moves = moves_elements(op)
    if moves:
        onward = {((id(op), 0), *route) for route in onward}
    recomputed = result in repeated or (moves and INLINE[op.name].repeats(op))
    for value in operands:
        routes.setdefault(id(value), set()).update(onward)
        if recomputed:
            repeated.add(id(value))


def _defer(order: Order, fusion: Fusion, routes: dict[int, set[Route]]) -> None:
    """Defer loads, but none whose tile is permuted: a loop would read its tensor across its rows,
    which lie in the same few sets of the cache where their strides are powers of two.
    """
    waiting: dict[int, list[Op]] = {}
    by_id = {id(op): op for op in order.ops}
    block = None
    for op in order.ops:
        if order.block[id(op)] is not block:
            waiting.clear()
            block = order.block[id(op)]
        if op.name == "load_view_tko" and is_tile(op.results[0]):
            taken = routes.get(id(op.results[0]), set())
            if len(taken) == 1 and is_plain(op):
                ((*moves, (destination, _)),) = taken
                permuted = any(by_id[move].name == "permute" for move, _ in moves)
                if not permuted or _chooses_order(by_id[destination]):
                    waiting.setdefault(destination, []).append(op)
        elif id(op) in waiting and _may_take(op, fusion):
            fusion.deferred_to[id(op)] = waiting.pop(id(op))
            fusion.deferred_loads.update(id(load) for load in fusion.deferred_to[id(op)])
        if op.spec.effects not in SILENT:
            waiting.clear()


def _may_take(op: Op, fusion: Fusion) -> bool:
    """Whether loads may be deferred to the op's loop."""
    if is_inline(op):
        return id(op) in fusion.kept
    return row_of(op).direct and is_plain(op)


def _chooses_order(op: Op) -> bool:
    """Whether the op's loops over an operand run along the rows of what they read."""
    return not is_inline(op) and not row_of(op).together
