"""The text of a module in lines, and which ops are on them.

What breaks rules on which its text relies has none. Then, and for files that break, the lines are
an outline: functions and ops by their names, as deep as they are nested.
"""

from __future__ import annotations

from typing import Any

from tileir.bytecode import Bytecode
from tileir.diff.printed import NOWHERE, PrintedModule
from tileir.errors import TileIRError
from tileir.ir import Block, Op
from tileir.messages.texts import printable

from .columns import FUNCTION, LEVELS, OP, Columns, Pool
from .frames import Frames
from .problems import Problem, unprintable

DEEPEST = 40
"""Most levels of indentation of an outline."""


class Lines:
    """The lines of a module, its ops and functions; and why it has no text, if it has none."""

    def __init__(self, bytecode: Bytecode | None, columns: Columns, pool: Pool) -> None:
        self._columns, self._pool = columns, pool
        self.problems: list[Problem] = []
        self.form = "text"
        printed = None
        try:
            printed = None if bytecode is None else PrintedModule(bytecode)
        except TileIRError as error:
            self.problems.append(unprintable(error))
        if printed is None or bytecode is None:
            self.form = "outline"
            self.lines, at = self._outline()
        else:
            self.lines = printed.lines[:-1]
            at = self._printed(printed, bytecode)
        frames = Frames(bytecode)
        self.frames = frames.columns(pool)
        self.ops = self._ops(at, frames)
        self.functions = self._functions(at, bytecode)

    def _outline(self) -> tuple[list[str], dict[int, range]]:
        """Return a line for each function and op, and the lines of each node."""
        nodes, lines, at = self._columns.nodes, [], {}
        open_nodes: list[int] = []
        for node, level in enumerate(nodes["level"]):
            if LEVELS[level] not in (FUNCTION, OP):
                continue
            depth = nodes["depth"][node]
            while open_nodes and nodes["depth"][open_nodes[-1]] >= depth:
                done = open_nodes.pop()
                at[done] = range(at[done].start, len(lines))
            at[node] = range(len(lines), len(lines) + 1)
            open_nodes.append(node)
            lines.append("  " * min(depth - 1, DEEPEST) + self._pool.texts[nodes["text"][node]])
        for done in open_nodes:
            at[done] = range(at[done].start, len(lines))
        return lines, at

    def _printed(self, printed: PrintedModule, bytecode: Bytecode) -> dict[int, range]:
        columns = self._columns
        at = {
            node: printed.lines_of(op)
            for op, node in zip(columns.ops, columns.op_nodes, strict=True)
            if op is not None
        }
        places = columns.functions()
        for function in bytecode.functions:
            node = places.get(function.index)
            if node is not None:
                at[node] = printed.function.get(id(function), NOWHERE)
        return at

    def _ops(self, at: dict[int, range], frames: Frames) -> dict[str, list[Any]]:
        columns, index = self._columns, self._pool.index
        names = ("node", "name", "end", "line", "lines", "function", "location", "frame", "from")
        rows: dict[str, list[Any]] = {name: [] for name in names}
        ends, numbers = columns.ends(), {}
        known = {op: number for number, op in enumerate(columns.ops) if op is not None}
        function = -1
        for number, node in enumerate(columns.functions().values()):
            numbers[node] = number
        for op, node in zip(columns.ops, columns.op_nodes, strict=True):
            lines = at.get(node, NOWHERE)
            function = numbers.get(columns.nodes["parent"][node], function)
            name = op.name if op else self._pool.texts[columns.nodes["text"][node]]
            location = (op.location_text if op else "") or ""
            row = (
                node,
                index(name),
                ends[node],
                lines.start if lines else -1,
                len(lines),
                function,
                index(printable(location)),
                -1 if op is None else frames.of_op(op),
                [] if op is None else _makers(op, known),
            )
            for column, value in zip(rows.values(), row, strict=True):
                column.append(value)
        return rows

    def _functions(self, at: dict[int, range], bytecode: Bytecode | None) -> list[dict[str, Any]]:
        known = {} if bytecode is None else {each.index: each for each in bytecode.functions}
        rows = []
        for number, node in self._columns.functions().items():
            lines, function = at.get(node, NOWHERE), known.get(number)
            location = None if function is None else function.location
            rows.append(
                {
                    "name": self._columns.function_names[number],
                    "node": node,
                    "line": lines.start if lines else -1,
                    "lines": len(lines),
                    "location": None if location is None else printable(str(location)),
                }
            )
        return rows


def _makers(op: Op, known: dict[Op, int]) -> list[int]:
    """Return the numbers of the ops that make an op's operands, each once; -1 for the function."""
    owners = [value.owner for value in op.operand_list()]
    makers = [owner.parent_op if isinstance(owner, Block) else owner for owner in owners]
    return list(dict.fromkeys(known.get(maker, -1) for maker in makers))
