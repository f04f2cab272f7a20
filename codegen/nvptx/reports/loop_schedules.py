"""The schedule of each loop that works ahead, in a few lines: what an iteration does, in its order.

It is read off the ops of the block IR. Ops that only compute in registers are counted, up to the
next one that waits, orders, copies, accesses memory or multiplies matrices.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, cast

from tileir.codegen.block.accesses import accesses_of
from tileir.codegen.block.areas import behind
from tileir.codegen.block.async_rows import PRODUCT_NAMES
from tileir.codegen.block.control_edges import BRANCHING
from tileir.codegen.block.op_facts import (
    ARRIVALS,
    ASYNC_PROXY,
    COMMITS,
    COPIES,
    ENDS,
    SAME_MEMORY,
    accessed,
)
from tileir.codegen.block.types import Shared
from tileir.codegen.nvptx.passes.memory.shared_accesses import place_of
from tileir.codegen.nvptx.state import KernelState
from tileir.ir import Block, Op, Value
from tileir.messages.wording import counted

_NOTHING = {"advance", "continue", "yield", *COMMITS, *SAME_MEMORY} - {"wait_slot", *ARRIVALS}
"""Ops that a step of a schedule mentions with another one, or that only name things."""
_SHUFFLING = ("convert_layout", "fold", "scan_warp")


class Names(Protocol):
    """The names of values in the text that a schedule is for."""

    def name(self, value: Value) -> str:
        """Return the name of a value."""
        ...

    def op(self, op: Op) -> str:
        """Return an op in a few words."""
        ...


class Step(NamedTuple):
    """A step of a schedule: in words, and the ops that it is."""

    text: str
    ops: Sequence[Op]


def loop_schedules(each: KernelState, names: Names) -> list[str]:
    """Return the lines of the schedules of a kernel's pipelined loops."""
    loops = [op for op in each.kernel.walk() if op.name == "pipelined_for"]
    numbers = {op: n for n, op in enumerate(barriers(each), 1)}
    return [line for loop in loops for line in LoopSchedule(loop, names, numbers).lines()]


def barriers(each: KernelState) -> list[Op]:
    """Return the barriers of a kernel, in the order in which they are numbered."""
    return [op for op in each.kernel.walk() if op.name == "barrier"]


def loop_name(loop: Op, names: Names) -> str:
    """Return the name of a loop's results, or of its counter if there are none."""
    if loop.results:
        return names.name(loop.results[0]).partition("#")[0]
    return f"the {loop.name} at {names.name(loop.regions[0].block.arguments[0])}"


class LoopSchedule:
    """The schedule of one pipelined loop; `numbers` are those of the kernel's barriers."""

    def __init__(self, loop: Op, names: Names, numbers: dict[Op, int]) -> None:
        self._loop, self._names, self._numbers = loop, names, numbers
        self._ahead = loop.attributes.get("ahead", 0)

    def lines(self) -> Iterator[str]:
        """Yield the head, what the prologue does, and the steps of an iteration."""
        body, prologue = (region.block for region in self._loop.regions)
        yield f"schedule of {loop_name(self._loop, self._names)}, the same for all warps:"
        first = "; ".join(step.text for step in self.steps(prologue, False))
        few = "iteration" if self._ahead == 1 else counted(self._ahead, "iteration")
        yield f"  before it, for the first {few}: {first}"
        yield "  iteration i, counted from 0:"
        for step in self.steps(body, True):
            yield f"    {step.text}"
        products = any(op.name == "wait_mma_reads" for op in body.ops)
        last = "its products are" if products else "nothing is"
        yield f"  behind the last iteration: {last} under way"

    def steps(self, block: Block, body: bool) -> Iterator[Step]:
        """Yield the steps of a block, which is the body or the prologue."""
        computed: list[Op] = []
        copies: list[Op] = []
        for op in block.ops:
            if op.name in _NOTHING:
                continue
            if op.name in COPIES:
                copies.append(op)
                continue
            step = self._step(op, body)
            if step is None and not copies:
                computed.append(op)
                continue
            yield from self._of_copies(copies, body)
            yield from _computed(computed)
            copies, computed = [], [op] if step is None else []
            if step is not None:
                yield Step(step, [op])
        yield from self._of_copies(copies, body)
        yield from _computed(computed)

    def _of_copies(self, copies: Sequence[Op], body: bool) -> Iterator[Step]:
        """Yield the step of copies that are started one after the other."""
        if copies:
            yield Step(self._copies(copies, body), copies)

    def _copies(self, copies: Sequence[Op], body: bool) -> str:
        commits = [use.op for use in copies[0].operands["destination"].uses]
        made = (op for op in (*commits, copies[0]) if "predicate" in op.operands)
        condition = self._condition(next(made))
        slots = [op.operands["destination"] for op in copies]
        of = f" of i+{self._ahead}" if body else ""
        return f"start copies{of} to {self._tiles(slots, body)}{condition}"

    def _step(self, op: Op, body: bool) -> str | None:
        """Return an op that is a step of its own in words; None for one that only computes."""
        if op.name in ARRIVALS:
            stay = op.attributes.get("pending", 0)
            those = f"; those of {counted(stay, 'later iteration')} stay under way" if stay else ""
            return f"wait for the copies of i to {self._tiles(op.results, body)}{those}"
        if op.name == "barrier":
            return f"barrier {self._numbers[op]}"
        if op.name in PRODUCT_NAMES:
            operands = (op.operands[slot] for slot in ("lhs", "rhs"))
            read = [value for value in operands if isinstance(value.type, Shared)]
            start = "start " if op.name in ASYNC_PROXY else ""
            return f"{start}{self._names.op(op)}{k_range(op)}{self._reads(read)}"
        if op.name == "wait_mma_reads":
            stay = counted(op.attributes["pending"], "product")
            freed = op.operands["memory"]
            may = f": {self._tiles(freed, body)} may be filled" if freed else ""
            return f"wait until {stay} of i, and no earlier one, may be under way{may}"
        if op.name in ENDS:
            return f"wait for {self._names.op(op.operands['flight'].owner)}"
        if accesses_of(op) is not None:
            condition = self._condition(op)
            of = f" for i+{self._ahead}" if body and condition else ""
            return f"{self._names.op(op)}{of}{condition}"
        if shared := dict(accessed(op)):
            way = "to" if any(shared.values()) else "from"
            return f"{self._names.op(op)} {way} {self._tiles([*shared], False)}"
        return self._names.op(op) if op.name in BRANCHING else None

    def number(self, turn: Value) -> int:
        """Return how many turns one is behind that which iteration i reads."""
        return self._ahead + place_of(turn).number

    def _condition(self, op: Op) -> str:
        """Return whether an op is for an iteration that may not be there."""
        exists = op.operands.get("predicate")
        return "" if exists is None else f", if {self._names.name(exists)}"

    def _reads(self, tiles: Sequence[Value]) -> str:
        return f", reads {self._tiles(tiles, False)}" if tiles else ""

    def _tiles(self, tiles: Iterable[Value], body: bool) -> str:
        """Return the names of the memory that tiles lie in, and in the body which slot it is."""
        found = [behind(tile) for tile in tiles]
        names = ", ".join(dict.fromkeys(self._names.name(tile) for tile, _ in found))
        ring, turn = found[0]
        slots = cast(Shared, ring.type).slots
        if not body or turn is None:
            return names
        number = self.number(turn) % slots
        return f"slot {f'(i+{number})' if number else 'i'} mod {slots} of {names}"


def _computed(ops: Sequence[Op]) -> Iterator[Step]:
    """Yield the step of ops that only compute."""
    if ops:
        shuffles = " and by shuffles" if any(op.name in _SHUFFLING for op in ops) else ""
        yield Step(f"{counted(len(ops), 'op')} in registers{shuffles}", ops)


def k_range(op: Op) -> str:
    """Return ``, k = 0 to 15 of 128`` for a product that is a part of one along k; else nothing."""
    first, end = op.attributes["first"], op.attributes["end"]
    if first is None and end is None:
        return ""
    extent = op.operands["lhs"].type.shape[-1]
    return f", k = {first or 0} to {(end or extent) - 1} of {extent}"
