"""The analysis that finds the loads of a loop that may be made iterations ahead of their time.

A load may go early if its tile depends on nothing but the number of the iteration and on what was
there before the loop, and if no token orders it after a write inside of the loop. The ops of the
body that compute its indices, its *slice*, are then computed a second time for the iteration ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tileir.codegen.scalar.elementwise import ELEMENTWISE
from tileir.ir import Op, Value
from tileir.types import PartitionView, StridedView, Tile, Token

from .carried_values import carried_arguments, handed_on
from .memory_ops import PLAIN_LOADS, is_weak

MOST_SLICE_OPS = 16
"""The most ops that are computed twice for the sake of one load."""
_CHEAP = {
    *ELEMENTWISE,
    "assume",
    "broadcast",
    "constant",
    "make_partition_view",
    "make_strided_view",
    "make_tensor_view",
    "reshape",
}
UNORDERED = ("join_tokens", "make_token")


@dataclass(frozen=True, slots=True)
class EarlyLoad:
    """A load, the ops of the loop's body that compute its indices, in their order, and the tokens
    from outside of the loop that order it after something."""

    load: Op
    slice: tuple[Op, ...]
    tokens: frozenset[Value]


def early_loads(loop: Op, staged: Callable[[Value], bool]) -> list[EarlyLoad]:
    """The loads of a loop, among those whose tile is `staged`, that may be made early.

    Only `for` loops have such loads: nothing but their last iteration ends them. Loads inside of
    further control flow may not be made at all, so they are none.
    """
    if loop.name != "for":
        return []
    body = _Body(loop)
    return [
        EarlyLoad(op, needed, tokens)
        for op in body.ops
        if op.name == "load_view_tko"
        and isinstance(op.operands["view"].type, PartitionView | StridedView)
        and is_weak(op)
        and staged(op.results[0])
        and (tokens := body.tokens(op)) is not None
        and (needed := body.slice(op)) is not None
    ]


class _Body:
    """The body of a `for`: what each value inside is made of."""

    def __init__(self, loop: Op) -> None:
        block = loop.regions[0].block
        self.ops: Sequence[Op] = block.ops
        self._inside = set(loop.walk()) - {loop}
        self._arguments = block.arguments
        first = zip(loop.operands["initValues"], carried_arguments(loop), strict=True)
        self._carried: dict[Value, list[Value]] = {}
        for value, after in (*first, *handed_on(block, (loop,))):
            self._carried.setdefault(after, []).append(value)

    def slice(self, load: Op) -> tuple[Op, ...] | None:
        """The ops that compute view and indices of a load; None if those may not be done early."""
        found: set[Op] = set()
        stack = [load.operands["view"], *load.operands["index"]]
        while stack:
            value = stack.pop()
            if value is self._arguments[0] or self._from_outside(value):
                continue
            op = value.owner
            if not isinstance(op, Op) or not _repeatable(op):
                return None
            if op not in found:
                found.add(op)
                stack += op.operand_list()
            if len(found) > MOST_SLICE_OPS:
                return None
        return tuple(op for op in self.ops if op in found)

    def tokens(self, load: Op) -> frozenset[Value] | None:
        """Where the order before a load comes from outside of the loop.

        None if it has to come after something inside, in any iteration, that may write. Among weak
        loads order makes no difference.
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
    """Whether an op that has a token as its result writes nothing and keeps no one waiting."""
    return op.name in UNORDERED or (op.name in PLAIN_LOADS and is_weak(op))


def _repeatable(op: Op) -> bool:
    """Whether computing an op twice costs little and changes nothing."""
    tiles = [each.type for each in (*op.operand_list(), *op.results) if isinstance(each.type, Tile)]
    return op.name in _CHEAP and all(tile.size == 1 for tile in tiles)
