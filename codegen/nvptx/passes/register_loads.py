"""Loads that a loop makes one iteration ahead, into registers.

This is for loops with barriers or stores, which ptxas moves no load across: the loads of the next
iteration have to come before them. A load may be made ahead if the analysis `early_loads` says so
and no write is ordered before it. A tile that is loaded in several layouts is not: it would take
the registers of all of them, although the first load brings it to the cache for the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from tileir.codegen.analysis.early_loads import MAX_SLICE_OPS, EarlyLoad, loads_in
from tileir.codegen.analysis.memory_ops import is_plain_load, is_weak
from tileir.codegen.block.async_rows import PRODUCT_NAMES
from tileir.codegen.block.types import Frag
from tileir.codegen.nvptx.reasons import Reason, Reasons
from tileir.codegen.ops import Family, family_of
from tileir.ir import Block, Op, Value
from tileir.types import ValueType

from .outer_tokens import outer_token
from .unroll_loops import BYTES_IN_FLIGHT, loaded_bytes, plain_problem

_COSTLY = (*PRODUCT_NAMES, "pipelined_for")
"""What needs the registers of a loop that loads could be made ahead into. Products of warpgroups
need them for accumulators alone: what they leave is for loads."""
_ASYNC = "mma_async"
_WORD = 4


class RegisterLoads:
    """The loads of a loop that are made ahead into registers; see `pipeline_loops.Loads`."""

    ahead = 1

    reason, depth = Reason("barriers_delay"), None

    def __init__(self, early: Sequence[EarlyLoad]) -> None:
        self.early = early
        self.made: list[Op] = []
        self._tokens: list[Value | None] = []

    @classmethod
    def choose(cls, loop: Op, refused: Reasons, spare: Callable[[], int]) -> RegisterLoads | None:
        """Return the loads that a `for` makes ahead; None if that does not pay.

        `refused` gets the others, and why. `spare` returns the registers that a thread has beyond
        those it needs.
        """
        general = _loop_problem(loop)
        chosen, room = [], BYTES_IN_FLIGHT
        if general is None and any(op.name == _ASYNC for op in loop.walk()):
            room = min(room, _WORD * spare())
            general = Reason("costly", _ASYNC) if room <= 0 else None
        loads = list(loads_in(loop))
        places = Counter(_place(load) for load, early in loads if not isinstance(early, str))
        for load, early in loads:
            if isinstance(early, str):
                refused.add(load, Reason(early, MAX_SLICE_OPS))
            elif problem := general or _load_problem(early, room, places[_place(load)]):
                refused.add(load, problem)
            else:
                chosen.append(early)
                room -= loaded_bytes(load.results[0])
        return cls(chosen) if chosen else None

    def before(self, loop: Op) -> list[Value]:
        """See `Loads`: nothing is handed on."""
        self._tokens = [outer_token(each, loop) for each in self.early]
        return []

    def behind(self, loop: Op) -> None:
        """See `Loads`: nothing."""

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
        self.made = []
        for each, token in zip(self.early, self._tokens, strict=True):
            load = each.load.clone(values)
            load.operands["predicate"], load.operands["token"] = exists, token
            add(load)
            self.made.append(load)
            made += load.results
        return [], made


def _place(load: Op) -> tuple[Value, ...]:
    """Return what says which tile of which view is loaded."""
    return load.operands["view"], *load.operands["index"]


def _loop_problem(loop: Op) -> Reason | None:
    """Return why no load of a loop goes ahead."""
    for op in list(loop.walk())[1:]:
        if family_of(op) is Family.LOOP or (op.name in _COSTLY and op.name != _ASYNC):
            return Reason("costly", op.name)
    return Reason("plain") if plain_problem(loop) is None else None


def _load_problem(early: EarlyLoad, room: int, times: int) -> Reason | None:
    """Return why a load does not go ahead, of a tile that is loaded so many `times`.

    `room` is the bytes that a thread may still load.
    """
    if not isinstance(early.load.results[0].type, Frag):
        return Reason("single")
    if times > 1:
        return Reason("layouts")
    if loaded_bytes(early.load.results[0]) > room:
        return Reason("many_bytes", BYTES_IN_FLIGHT - room)
    before = all(_nothing_before(token) for token in early.tokens)
    return None if before else Reason("write_before")


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
