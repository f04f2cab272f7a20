"""What roles do in an iteration: who waits for which slot, fills it, reads it, and lets go of it.

Like the schedules of pipelined loops, these are read off the ops of the block IR.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from tileir.codegen.block.areas import behind
from tileir.codegen.block.control_edges import continues, loop_block
from tileir.codegen.block.types import Turn
from tileir.codegen.nvptx.state import KernelState
from tileir.ir import Block, Op, Value

from .loop_schedules import LoopSchedule, Names, barriers, loop_name


def role_schedules(each: KernelState, names: Names) -> list[str]:
    """Return the lines of the schedules of the loops in which roles fill or read slots."""
    numbers = {op: n for n, op in enumerate(barriers(each), 1)}
    return [
        line
        for role, loop in loops_of_roles(each)
        for line in RoleSchedule(role, loop, names, numbers).lines()
    ]


def loops_of_roles(each: KernelState) -> list[tuple[Op, Op]]:
    """Return the loops in which roles fill or read slots, each with its role."""
    return [(role, loop) for role in each.kernel.walk() if role.name == "role"
            for loop in role.walk() if loop.name == "for" and _has_slots(loop)]  # fmt: skip


def _has_slots(loop: Op) -> bool:
    return any(op.name in _SLOTS for op in loop.regions[0].block.ops)


class RoleSchedule(LoopSchedule):
    """Iterations of a role count from the slot that it begins with: i is the turn's number."""

    def __init__(self, role: Op, loop: Op, names: Names, numbers: dict[Op, int]) -> None:
        super().__init__(loop, names, numbers)
        self._role, self._body = role, loop.regions[0].block

    def lines(self) -> Iterator[str]:
        """Yield the head, and the steps of an iteration."""
        name, first, count = (self._role.attributes[it] for it in ("name", "first", "working"))
        whose = f"warps {first} to {first + count - 1}" if count > 1 else f"warp {first}"
        yield f"schedule of {loop_name(self._loop, self._names)}, in role {name}, of {whose}:"
        again = loop_block(self._loop.parent) is not None
        through = ", and on when a loop around starts this one again" if again else ""
        yield f"  iteration i, counted from 0{through}:"
        for step in self.steps(self._body, True):
            yield f"    {step.text}"
        names = {op.name for op in self._body.ops}
        last = "its products are" if "wait_mma_reads" in names else "nothing is"
        last = "copies are" if "commit_slot" in names else last
        yield f"  behind the last iteration: {last} under way"

    def _copies(self, copies: Sequence[Op], body: bool) -> str:
        tiles = [op.operands["destination"] for op in copies]
        return f"describe copies to {self._tiles(tiles, body)}"

    def _step(self, op: Op, body: bool) -> str | None:
        if op.name in _ORDERS:
            return _ORDERS[op.name]
        text = _SLOTS.get(op.name)
        if text is None:
            return super()._step(op, body)
        place = self._slot(op.operands.get("rings") or op.operands["tiles"], op.operands["turn"])
        number = self.number(op.operands["turn"])
        those = f", {_WHOSE[op.name].format(-number)}" if number < 0 else ""
        return f"{text.format(place)}{those}{self._condition(op)}"

    def _tiles(self, tiles: Iterable[Value], body: bool) -> str:
        tiles = list(tiles)
        _, turn = behind(tiles[0])
        if body and turn is not None:
            return self._slot(tiles, turn)
        return super()._tiles(tiles, False)

    def number(self, turn: Value) -> int:
        """Return how many turns one is behind that with which an iteration begins."""
        return _number(turn, self._body)

    def _slot(self, tiles: Iterable[Value], turn: Value) -> str:
        """Return the slot of a turn, of the rings that tiles lie in."""
        slots, number = cast(Turn, turn.type).slots, self.number(turn)
        number %= slots
        which = f"(i+{number})" if number else "i"
        return f"slot {which} mod {slots} of {super()._tiles(tiles, False)}"


def _number(turn: Value, body: Block) -> int:
    """Return how many turns one is behind that with which an iteration begins."""
    number = 0
    while isinstance(turn.owner, Op) and turn.owner.name == "advance":
        turn, number = turn.owner.operands["turn"], number + 1
    if turn.owner is not body:
        return number
    (end,) = continues(body)
    handed = end.operands["operands"][turn.index - 1]
    if handed is turn or handed.owner is not body:
        return number
    return number + _number(handed, body) - 1  # it was that of the iteration before


_SLOTS = {
    "acquire_slot": "acquire {}: wait until all that has read it has released it",
    "commit_slot": "commit {}: the copies to it start",
    "wait_slot": "wait for {}: the copies to it have arrived",
    "release_slot": "release {}",
}
"""Op on a slot -> what it does, with the slot."""
_ORDERS = {
    "order_pass": "pass the turn to start products on to the next warpgroup",
    "order_wait": "wait for the turn of this warpgroup to start products",
}
_WHOSE = {"release_slot": "which i-{} has read", "wait_slot": "that of i-{}"}
"""Op on a slot -> what a slot of an earlier iteration is."""
