"""PTX and machine code of a kernel as lines, each with the op of Tile IR that it was made of.

Nothing is guessed: an op has the lines that stand behind its `.loc` directive in PTX of a copy that
locates each op at its own number, and those behind its mark in what nvdisasm prints of that.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import tileir
from tileir.commands.launch_options import named_as_written
from tileir.formats.forks import not_forking
from tileir.gpus import TARGETS, TILEIRAS, unknown
from tileir.ir.locations import SourceLocation
from tileir.messages.missing_packages import compiling
from tileir.resources.machine_code import functions
from tileir.tools import nvidia

from .cost import cost_of

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode

DIRECTIVE = re.compile(r"\s*\.(loc|file)\s")
"""A line that locates others, and is not shown."""

MARK = re.compile(r'\s*//## File "([^"]*)", line (\d{1,9})')
"""A line of nvdisasm that locates those behind it."""

INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*$")
"""The address of an instruction, and the instruction."""

NO_CODE = -2
"""The op of a line that is no instruction, while lines are read."""

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

    def sass(self, entry: str) -> Code:
        """Return the machine code of an entry that ptxas makes; ToolError without NVIDIA's tools.

        The entry has the name that it has in PTX.
        """
        with not_forking:
            from tileir.codegen.cubins import assembled
        cubin = assembled(self.text, self.target, lines=True)
        return _code(_disassembled(cubin), entry, self._op)

    def _op(self, place: str) -> int:
        with not_forking:
            from tileir.codegen.advise.instructions import number_at
        number = number_at(place) if place else None
        return -1 if number is None or number >= self._count else self.first + number


class Theirs:
    """A module, compiled for a GPU by tileiras with each op located at its number.

    ToolError if tileiras or nvdisasm is not installed or fails, UnsupportedError for a target that
    tileiras does not have. ToolError also if it takes more than so many seconds.
    """

    def __init__(self, bytecode: Bytecode, target: str, seconds: float | None = None) -> None:
        with compiling(), not_forking:
            from tileir.codegen.advise.numbered import Original
        if target not in TARGETS or TARGETS[target].tileiras is None:
            raise unknown(target, TILEIRAS, "target of tileiras")
        copy = Original(bytecode).copy()
        self._count = len(copy.ops)
        built = bytes(copy.module.build())
        self.cubin = nvidia.compile_by_tileiras(
            built, TARGETS[target].gpu, lines=True, seconds=seconds
        )
        self._printed = _disassembled(self.cubin)

    def sass(self, symbol: str) -> Code:
        """Return the machine code of an entry."""
        return _code(self._printed, symbol, self._op)

    def _op(self, place: str) -> int:
        with not_forking:
            from tileir.codegen.advise.instructions import number_at
        number = number_at(place)
        return -1 if number is None or number >= self._count else number


class Code(NamedTuple):
    """Machine code, and what ops cost in it: see `cost_of`."""

    listing: Listing
    cost: dict[str, Any]


def _disassembled(cubin: bytes) -> dict[str, str]:
    """Return the entries of a cubin by name, as nvdisasm prints them with marks of lines."""
    return functions(nvidia.disassemble(cubin, lines=True).decode("utf-8", "replace"))


def _code(entries: dict[str, str], entry: str, op_at: Callable[[str], int]) -> Code:
    """Return the machine code of an entry, of which a function gives the op at "file:line"."""
    part, rows, op = entries.get(entry, ""), list[tuple[str, int]](), -1
    for line in part.split("\n"):
        if mark := MARK.match(line):
            op = op_at(f"{mark[1]}:{mark[2]}")
        elif found := INSTRUCTION.match(line):
            rows.append((f"{found[1]}  {found[2]}", op))
        elif line.startswith(".L"):
            rows.append((line, NO_CODE))
    cost = cost_of(part, [op for _, op in rows if op != NO_CODE])
    return Code(_listing([(line, max(op, -1)) for line, op in rows]), cost)


def _listing(rows: list[tuple[str, int]]) -> Listing:
    return {"lines": [line for line, _ in rows], "ops": [op for _, op in rows]}
