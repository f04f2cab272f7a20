"""PTX and machine code of a kernel as lines, each with the op of Tile IR that it was made of.

Nothing is guessed: an op has the lines that stand behind its `.loc` directive in PTX of a copy that
locates each op at its own number, and those behind its mark in what nvdisasm prints of that.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import tileir
from tileir.commands.launch_options import named_as_written
from tileir.formats.forks import not_forking
from tileir.ir.locations import SourceLocation
from tileir.messages.missing_packages import compiling
from tileir.resources.machine_code import functions
from tileir.tools import nvidia

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode

DIRECTIVE = re.compile(r"\s*\.(loc|file)\s")
"""A line that locates others, and is not shown."""

MARK = re.compile(r'\s*//## File "([^"]*)", line (\d{1,9})')
"""A line of nvdisasm that locates those behind it."""

INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*$")
"""The address of an instruction, and the instruction."""

Listing = dict[str, list[Any]]
"""``lines``, and ``ops``: the number of the op that each line is made of, -1 for none."""


class Located:
    """A kernel of a module, compiled for a GPU with each op located at its number.

    `first` is the number of the kernel's first op. Raises what `tileir.compile` does.
    """

    def __init__(self, bytecode: Bytecode, symbol: str, target: str, first: int) -> None:
        with compiling(), not_forking:
            from tileir.codegen.advise.numbered import Original
        with compiling(), named_as_written():
            original = Original(bytecode, [symbol])
            copy = original.copy()
            self._count = len(copy.ops)
            # What is of no op has a number behind all: LLVM marks no line 0, and what is before
            # such code would seem to have it.
            for function in original.chosen(copy.module):
                if isinstance(function.location, SourceLocation):
                    function.location = replace(function.location, line=self._count + 1)
            compiled = tileir.compile(copy.module, target, symbols=[symbol], lineinfo=True)
        self.target, self.first = target, first
        self.text = compiled.ptx or ""

    def ptx(self) -> Listing:
        """Return the PTX, as `tileir compile --emit ptx` writes it."""
        with not_forking:
            from tileir.codegen.emulator.ptx.locations import source_lines
        places = source_lines(self.text)
        rows = [
            (line, self._op(places.get(number, "")) if line.strip() else -1)
            for number, line in enumerate(self.text.rstrip("\n").split("\n"), 1)
            if not DIRECTIVE.match(line)
        ]
        return _listing(rows)

    def sass(self, entry: str) -> Listing:
        """Return the machine code of an entry that ptxas makes; ToolError without NVIDIA's tools.

        The entry has the name that it has in PTX.
        """
        with not_forking:
            from tileir.codegen.cubins import assembled
        cubin = assembled(self.text, self.target, lines=True)
        printed = nvidia.disassemble(cubin, lines=True).decode("utf-8", "replace")
        rows, op = [], -1
        for line in functions(printed).get(entry, "").split("\n"):
            if mark := MARK.match(line):
                op = self._op(f"{mark[1]}:{mark[2]}")
            elif found := INSTRUCTION.match(line):
                rows.append((f"{found[1]}  {found[2]}", op))
            elif line.startswith(".L"):
                rows.append((line, -1))
        return _listing(rows)

    def _op(self, place: str) -> int:
        with not_forking:
            from tileir.codegen.advise.instructions import number_at
        number = number_at(place) if place else None
        return -1 if number is None or number >= self._count else self.first + number


def _listing(rows: list[tuple[str, int]]) -> Listing:
    return {"lines": [line for line, _ in rows], "ops": [op for _, op in rows]}
