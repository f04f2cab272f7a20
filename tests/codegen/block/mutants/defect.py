"""A class of defects, and the sites at which a kernel can have one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tileir.codegen.block.make import make
from tileir.codegen.block.types import Turn
from tileir.ir import Block, Body, Op, Value

VERIFIER, EMULATOR = "verifier", "emulator"
IN_RINGS, AT_THE_END = "pipeline_loops", "allocate_memory"
"""Stages behind which defects are made: what comes later has to cope with them."""


@dataclass(frozen=True)
class Site:
    """Where a kernel can have a defect.

    `excuse` says why it makes no difference there; it is empty if it has to be noticed.
    """

    op: Op
    change: Callable[[], Any]
    excuse: str = ""


Sites = Callable[[Body], Iterator[Site]]


@dataclass(frozen=True)
class Defect:
    """A class of defects: its name, the stage behind which it is made, and who notices it."""

    name: str
    after: str
    noticed_by: str
    sites: Sites


DEFECTS: dict[str, Defect] = {}
"""Every class by its name."""


def defect(name: str, noticed_by: str, after: str = AT_THE_END) -> Callable[[Sites], Sites]:
    """Make the decorated function the sites of a class."""

    def add(sites: Sites) -> Sites:
        assert name not in DEFECTS
        DEFECTS[name] = Defect(name, after, noticed_by, sites)
        return sites

    return add


class Loop:
    """The parts of a pipelined loop."""

    def __init__(self, op: Op) -> None:
        self.op = op
        self.body, self.prologue = (region.block for region in op.regions)
        inits, ahead = len(op.operands["initValues"]), len(op.operands["aheadValues"])
        arguments = list(self.body.arguments)
        self.index, self.index_ahead, self.exists = arguments[0], *arguments[1 + inits : 3 + inits]
        self.handed = arguments[3 + inits : 3 + inits + ahead]
        self.delayed = arguments[3 + inits + ahead :]
        self.ends = list(_continues(self.body))

    def set_handed(self, end: Op, place: int, value: Value) -> None:
        """Have an end of an iteration hand on another value, counted from the last one."""
        values = list(end.operands["operands"])
        values[place] = value
        end.operands["operands"] = tuple(values)

    @property
    def turns(self) -> Iterator[tuple[Op, int, Value]]:
        """The turns that are handed on: the op that does, the number from the end, the turn."""
        for end in (*self.ends, self.prologue.ops[-1]):
            values = end.operands["operands"]
            for number, value in enumerate(values):
                if isinstance(value.type, Turn):
                    yield end, number - len(values), value


def loops(body: Body) -> Iterator[Loop]:
    """Yield the pipelined loops of a body."""
    for op in body.walk():
        if op.name == "pipelined_for":
            yield Loop(op)


def ops(body: Body, *names: str) -> Iterator[Op]:
    """Yield the ops with one of these names."""
    return (op for op in body.walk() if op.name in names)


def advanced(ring: Value, turn: Value, before: Op) -> Value:
    """Insert an `advance` before an op; return the turn."""
    made = make("advance", {"ring": ring, "turn": turn}, results=[turn.type], origin=before)
    made.insert_before(before)
    return made.result


def _continues(block: Block) -> Iterator[Op]:
    for op in block.ops:
        if op.name == "continue":
            yield op
        elif op.name == "if":
            for region in op.regions:
                for inner in region.blocks:
                    yield from _continues(inner)
