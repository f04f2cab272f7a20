"""The pipeline of each loop that works ahead: what each role does in an iteration, in its order.

The steps are those of the schedules that `tileir compile --emit stages` prints. A step has the
slots that it fills, waits for, reads or releases: the ring, and how many turns its slot is behind
that of iteration i. `of` says the same of what it waits for if that is no slot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from tileir.codegen.block.areas import behind
from tileir.codegen.block.async_rows import PRODUCT_NAMES
from tileir.codegen.block.op_facts import ARRIVALS, COPIES, ENDS
from tileir.codegen.block.types import Shared, Turn
from tileir.codegen.nvptx.reports.loop_schedules import LoopSchedule, Step, barriers
from tileir.codegen.nvptx.reports.role_schedules import RoleSchedule, loops_of_roles
from tileir.codegen.nvptx.state import KernelState
from tileir.ir import Op, Value

from .gallery import Gallery, Row

KINDS = {
    **dict.fromkeys(COPIES, "copy"),
    **dict.fromkeys(ARRIVALS, "wait"),
    **dict.fromkeys(PRODUCT_NAMES, "product"),
    **dict.fromkeys(ENDS, "end"),
    "wait_slot": "wait",
    "wait_mma_reads": "end",
    "acquire_slot": "acquire",
    "commit_slot": "commit",
    "release_slot": "release",
    "barrier": "barrier",
    "order_pass": "order",
    "order_wait": "order",
}
"""Op of a step -> the kind of the step; all others compute, or access memory."""


def loops(each: KernelState, gallery: Gallery) -> list[Row]:
    """Return the pipelines of a kernel: of each loop in Tile IR the roles that have a part."""
    names = _Letters(each)
    numbers = {op: number for number, op in enumerate(barriers(each), 1)}
    found: dict[int | None, Row] = {}

    def add(loop: Op, part: Row) -> None:
        number = gallery.number_of(loop)
        row = found.setdefault(number, {"op": number, "rings": [], "roles": []})
        row["roles"].append(part)

    for op in each.kernel.walk():
        if op.name == "pipelined_for":
            schedule = LoopSchedule(op, names, numbers)
            body, prologue = (region.block for region in op.regions)
            steps = _Steps(schedule, gallery, names)
            part = {"name": None, "warps": None, "working": None, "first": None, "registers": None}
            before = steps.rows(schedule.steps(prologue, False), False)
            part |= {"ahead": op.attributes["ahead"], "before": before}
            add(op, part | {"steps": steps.rows(schedule.steps(body, True), True)})
    for role, loop in loops_of_roles(each):
        schedule = RoleSchedule(role, loop, names, numbers)
        steps = _Steps(schedule, gallery, names)
        keys = ("warps", "working", "first", "registers")
        part = {"name": role.attributes["name"], **{key: role.attributes[key] for key in keys}}
        inside = schedule.steps(loop.regions[0].block, True)
        add(loop, part | {"ahead": 0, "before": [], "steps": steps.rows(inside, True)})
    rows = list(found.values())
    for row in rows:
        row["rings"] = names.rings(row, gallery)
    return rows


class _Letters:
    """Names for the text of steps: rings have letters, in the order in which they are allocated."""

    def __init__(self, each: KernelState) -> None:
        tiles = [tile for op in each.kernel.walk() if op.name == "shared_alloc"
                 for tile in op.results]  # fmt: skip
        self.tiles = [tile for tile in tiles if cast(Shared, tile.type).slots > 1]

    def name(self, value: Value) -> str:
        """Return the letter of a ring; other values are tiles in shared memory, or predicates."""
        if value in self.tiles:
            number = self.tiles.index(value)
            return chr(ord("A") + number) if number < 26 else f"A{number}"
        if isinstance(value.type, Shared):
            return "shared memory"
        return "its predicate is true"

    def op(self, op: Op) -> str:
        """Return the name of an op."""
        return op.name

    def rings(self, row: Row, gallery: Gallery) -> list[Row]:
        """Return the rings that the steps of a row use."""
        used = {
            slot["ring"]
            for role in row["roles"]
            for step in (*role["before"], *role["steps"])
            for slot in step["slots"]
        }
        return [
            {"name": self.name(tile), "memory": gallery.order(cast(Shared, tile.type))}
            for tile in self.tiles
            if self.name(tile) in used
        ]


class _Steps:
    """The steps of one loop as rows."""

    def __init__(self, schedule: LoopSchedule, gallery: Gallery, names: _Letters) -> None:
        self._schedule, self._gallery, self._names = schedule, gallery, names

    def rows(self, steps: Iterator[Step], body: bool) -> list[Row]:
        """Return rows of steps in the body of the loop, or before it."""
        return [
            {
                "kind": KINDS.get(step.ops[0].name, "compute"),
                "text": step.text,
                "ops": self._numbers(step.ops),
                "slots": self._slots(step.ops, body),
                "of": -1 if step.ops[0].name == "wait_mma_reads" else 0,
            }
            for step in steps
        ]

    def _numbers(self, ops: Sequence[Op]) -> list[int]:
        """Return the numbers of the ops of Tile IR that a step comes from."""
        found = [number for op in ops if (number := self._gallery.number_of(op)) is not None]
        return list(dict.fromkeys(found))

    def _slots(self, ops: Sequence[Op], body: bool) -> list[Row]:
        """Return the slots of rings that a step is about."""
        found = []
        for op in ops:
            for tile in _touched(op):
                ring, turn = behind(tile)
                turn = op.operands.get("turn", turn)
                if ring not in self._names.tiles or turn is None:
                    continue
                row = {"ring": self._names.name(ring), "turn": 0}
                if body:
                    row["turn"] = self._turn(op, turn)
                if row not in found:
                    found.append(row)
        return found

    def _turn(self, op: Op, turn: Value) -> int:
        """Return how many turns one is behind that of iteration i.

        Modulo the slots of a ring, that is known; only copies are for later iterations.
        """
        slots, number = cast(Turn, turn.type).slots, self._schedule.number(turn)
        if isinstance(self._schedule, RoleSchedule):
            return number
        number %= slots
        return number if op.name in COPIES or not number else number - slots


def _touched(op: Op) -> Iterator[Value]:
    """Yield the tiles in shared memory that an op names."""
    for operand in (*op.operands.values(), *op.results):
        for value in operand if isinstance(operand, tuple) else (operand,):
            if value is not None and isinstance(value.type, Shared):
                yield value
