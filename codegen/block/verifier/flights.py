"""Flights are linear: on each path, one is consumed exactly once, by a wait or by handing it on."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.block.control_edges import LOOPS
from tileir.codegen.block.types import Flight
from tileir.ir import Block, Body, Op, Value


def flight_problems(body: Body) -> Iterator[tuple[Op, str]]:
    """Yield the ops at which a flight has not been consumed exactly once."""
    for op in body.walk():
        for value in op.results:
            if isinstance(value.type, Flight):
                yield from _consumption(op.parent, value, op.index + 1)
        for region in op.regions:
            for block in region.blocks:
                for value in block.arguments:
                    if isinstance(value.type, Flight):
                        yield from _consumption(block, value, 0)


def _consumption(block: Block, value: Value, start: int) -> Iterator[tuple[Op, str]]:
    ends: list[tuple[Op, int]] = []
    _count(block, value, start, {0}, ends, outermost=True)
    for end, count in ends:
        if count == 0:
            yield end, "a flight that is made before is not awaited, nor handed on"
        elif count > 1:
            yield end, "a flight that is made before has been consumed more than once"


def _count(
    block: Block,
    value: Value,
    start: int,
    counts: set[int],
    ends: list[tuple[Op, int]],
    outermost: bool = False,
) -> set[int]:
    """Return how often a flight may have been consumed at the end of a block, by other paths.

    `ends` collects the ops at which control leaves, with the times that it has been until then.
    """
    for op in block.ops[start:]:
        uses = len(list(op.uses_of(value)))
        counts = {min(count + uses, 2) for count in counts}
        if op.name in LOOPS:
            inside = any(use.value is value for each in op.walk() for use in each.uses_of(value))
            if inside and not uses:
                # A loop may run any number of times.
                counts = {2}
        elif op.name == "if":
            sides: set[int] = set()
            for region in op.regions:
                for inner in region.blocks:
                    sides |= _count(inner, value, 0, counts, ends)
                if not region.blocks:
                    sides |= counts
            counts = sides
        elif op.spec.terminator and (outermost or op.name != "yield"):
            ends += [(op, count) for count in sorted(counts)]
            return set()
    return counts
