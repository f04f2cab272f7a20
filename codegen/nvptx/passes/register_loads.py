"""Loads that a loop makes one iteration ahead, into registers.

This is for loops with barriers or stores, which ptxas moves no load across: the loads of the next
iteration have to come before them. A load may be made ahead if the analysis `early_loads` says so
and no write is ordered before it. A tile that is loaded in several layouts is not: it would take
the registers of all of them, although the first load brings it to the cache for the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from tileir.codegen.analysis.early_loads import EarlyLoad, early_loads
from tileir.codegen.analysis.memory_ops import is_plain_load, is_weak
from tileir.codegen.block.types import Frag
from tileir.codegen.ops import Family, family_of
from tileir.ir import Block, Op, Value
from tileir.types import ValueType

from .outer_tokens import outer_token
from .unroll_loops import BYTES_IN_FLIGHT, is_plain, loaded_bytes

_COSTLY = ("mma", "mma_scaled", "pipelined_for")


class RegisterLoads:
    """The loads of a loop that are made ahead into registers; see `pipeline_loops.Loads`."""

    ahead = 1

    def __init__(self, early: Sequence[EarlyLoad]) -> None:
        self.early = early
        self._tokens: list[Value | None] = []

    @classmethod
    def choose(cls, loop: Op) -> RegisterLoads | None:
        """Return the loads that a `for` makes ahead; None if that does not pay."""
        inside = list(loop.walk())[1:]
        costly = any(family_of(op) is Family.LOOP or op.name in _COSTLY for op in inside)
        if costly or is_plain(loop):
            return None
        chosen, room = [], BYTES_IN_FLIGHT
        early = early_loads(loop, lambda tile: isinstance(tile.type, Frag))
        places = Counter(_place(each.load) for each in early)
        for each in early:
            if places[_place(each.load)] > 1:
                continue
            size = loaded_bytes(each.load.result)
            if size <= room and all(_nothing_before(token) for token in each.tokens):
                chosen.append(each)
                room -= size
        return cls(chosen) if chosen else None

    def before(self, loop: Op) -> list[Value]:
        """See `Loads`: nothing is handed on."""
        self._tokens = [outer_token(each, loop) for each in self.early]
        return []

    def delayed(self) -> list[ValueType]:
        """See `Loads`: the tiles and tokens of the loads."""
        return [value.type for each in self.early for value in each.load.results]

    def use(self, block: Block, handed: Sequence[Value], delayed: Sequence[Value]) -> Op | None:
        """See `Loads`."""
        values = iter(delayed)
        for each in self.early:
            each.load.replace_with(*(next(values) for _ in each.load.results))

    def fill(
        self,
        add: Callable[[Op], None],
        values: dict[Value, Value],
        exists: Value | None,
        handed: Sequence[Value],
    ) -> tuple[list[Value], list[Value]]:
        """See `Loads`."""
        made: list[Value] = []
        for each, token in zip(self.early, self._tokens, strict=True):
            load = each.load.clone(values)
            load.operands["predicate"], load.operands["token"] = exists, token
            add(load)
            made += load.results
        return [], made


def _place(load: Op) -> tuple[Value, ...]:
    """Return what says which tile of which view is loaded."""
    return load.operands["view"], *load.operands["index"]


def _nothing_before(token: Value) -> bool:
    """Whether no write is ordered before a token."""
    op = token.owner
    if not isinstance(op, Op):
        return False
    if is_plain_load(op):
        before = [op.operands["token"]] if is_weak(op) else [token]
    elif family_of(op) is Family.TOKEN:
        before = list(op.operand_list())
    else:
        return False
    return token not in before and all(_nothing_before(each) for each in before if each is not None)
