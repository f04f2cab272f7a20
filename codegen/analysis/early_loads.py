"""Prefetch analysis: the loads of a loop that may be issued some iterations early.

A load may be early if its tile depends only on the loop's counter and on values from outside of the
loop, and if no token orders it after a write inside the loop. The ops of the body that compute its
indices, its *slice*, are then computed a second time for the later iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tileir.codegen.ops import Family, family_of
from tileir.ir import Block, Op, Value
from tileir.types import PartitionView, StridedView, Tile, Token

from .carried_values import carried_arguments, handed_on
from .memory_ops import is_plain_load, is_weak

MAX_SLICE_OPS = 16
"""The most ops that are computed twice for the sake of one load."""
MAX_POINTER_OPS = 48
"""The most ops that are computed for another iteration for the sake of a load through pointers."""
_CHEAP = {Family.ELEMENT_WISE, Family.GENERATOR, Family.RENUMBERING, Family.VIEW}


@dataclass(frozen=True, slots=True)
class EarlyLoad:
    """A load that may be issued early.

    `slice`: the ops of the loop's body that compute its indices, in program order; `tokens`: those
    from outside the loop that it is ordered after.
    """

    load: Op
    slice: tuple[Op, ...]
    tokens: frozenset[Value]


def early_loads(loop: Op, staged: Callable[[Value], bool]) -> list[EarlyLoad]:
    """Return the loads of a loop, among those whose tile is `staged`, that may be early."""
    if family_of(loop) is not Family.LOOP:
        return []
    return [
        found
        for load, found in loads_in(loop)
        if isinstance(found, EarlyLoad) and staged(load.results[0])
    ]


def loads_in(loop: Op, pointers: bool = False) -> Iterator[tuple[Op, EarlyLoad | str]]:
    """Yield the plain loads of a loop, less those of nested loops: as early loads, or with the id
    of the reason why they are none. Those through pointers may be early only if `pointers` says so.

    Only `for` loops have early loads, as they have no early exit. Loads in nested control flow may
    not be executed at all, so they are excluded.
    """
    body = _Body(loop) if loop.name == "for" else None
    for op in _of_iteration(loop.regions[0].block):
        if is_plain_load(op):
            yield op, _early(op, loop, body, pointers)


def _of_iteration(block: Block) -> Iterator[Op]:
    """Yield the ops of a block, and of branches in it."""
    for op in block.ops:
        yield op
        if family_of(op) is Family.BRANCH:
            for region in op.regions:
                for inner in region.blocks:
                    yield from _of_iteration(inner)


def most_ops(load: Op) -> int:
    """Return the most ops that are computed for another iteration for the sake of a load."""
    return MAX_SLICE_OPS if "view" in load.operands else MAX_POINTER_OPS


def _early(load: Op, loop: Op, body: _Body | None, pointers: bool) -> EarlyLoad | str:
    if body is None:
        return "early_exit"
    if load.parent is not loop.regions[0].block:
        return "conditional"
    view = load.operands.get("view")
    through_view = view is not None and isinstance(view.type, PartitionView | StridedView)
    if not through_view and not (pointers and view is None):
        return "through_pointers"
    if not is_weak(load):
        return "ordered"
    tokens = body.tokens(load)
    if tokens is None:
        return "after_write"
    needed = body.slice(load)
    return needed if isinstance(needed, str) else EarlyLoad(load, needed, tokens)


class _Body:
    """The body of a `for`, with what each value inside depends on."""

    def __init__(self, loop: Op) -> None:
        block = loop.regions[0].block
        self.ops: Sequence[Op] = block.ops
        self._inside = set(loop.walk()) - {loop}
        self._arguments = block.arguments
        first = zip(loop.operands["initValues"], carried_arguments(loop), strict=True)
        self._carried: dict[Value, list[Value]] = {}
        for value, after in (*first, *handed_on(block, (loop,))):
            self._carried.setdefault(after, []).append(value)

    def slice(self, load: Op) -> tuple[Op, ...] | str:
        """Return the ops that compute view and indices of a load, or why they cannot be early.

        Instead of these it may have pointers and a mask: then the slice has tiles of many elements,
        which are not computed twice, but for the later iteration instead.
        """
        needed_ops: set[Op] = set()
        slots = (load.operands.get(slot) for slot in ("view", "source", "mask"))
        stack = [value for value in slots if value is not None]
        stack += load.operands.get("index", ())
        most = most_ops(load)
        while stack:
            value = stack.pop()
            if value is self._arguments[0] or self._from_outside(value):
                continue
            op = value.owner
            if not isinstance(op, Op) or not _repeatable(op, most > MAX_SLICE_OPS):
                return "computed_index"
            if op not in needed_ops:
                needed_ops.add(op)
                stack += op.operand_list()
            if len(needed_ops) > most:
                return "long_index"
        if any(_is_spread(op) and not _only_for(load, op, needed_ops) for op in needed_ops):
            return "shared_pointers"
        return tuple(op for op in self.ops if op in needed_ops)

    def tokens(self, load: Op) -> frozenset[Value] | None:
        """Return the tokens from outside the loop that a load is ordered after.

        None if it is ordered after an op inside the loop, in any iteration, that may write. The
        order among weak loads makes no difference.
        """
        token = load.operands["token"]
        stack, seen = [] if token is None else [token], set()
        while stack:
            value = stack.pop()
            if value in seen:
                continue
            seen.add(value)
            if value in self._carried:
                stack += self._carried[value]
            elif not self._from_outside(value):
                if not _passes(value.owner):
                    return None
                stack += [
                    each for each in value.owner.operand_list() if isinstance(each.type, Token)
                ]
        return frozenset(value for value in seen if self._from_outside(value))

    def _from_outside(self, value: Value) -> bool:
        if isinstance(value.owner, Op):
            return value.owner not in self._inside
        return value not in self._arguments


def _passes(op: Op) -> bool:
    """Whether an op that yields a token writes nothing and waits for nothing."""
    return family_of(op) is Family.TOKEN or (is_plain_load(op) and is_weak(op))


def _repeatable(op: Op, spread: bool) -> bool:
    """Whether computing an op for another iteration is cheap and has no effects; of tiles of many
    elements if they may be `spread`."""
    return family_of(op) in _CHEAP and (spread or not _is_spread(op))


def _is_spread(op: Op) -> bool:
    """Whether an op has to do with tiles of more than one element."""
    tiles = [each.type for each in (*op.operand_list(), *op.results) if isinstance(each.type, Tile)]
    return any(tile.size > 1 for tile in tiles)


def _only_for(load: Op, op: Op, needed: set[Op]) -> bool:
    """Whether only a load, and other ops that it needs, use the results of an op."""
    return all(use.op is load or use.op in needed for value in op.results for use in value.uses)
