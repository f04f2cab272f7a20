"""The reader of PTX text: declarations, and instructions with their lines.

It reads what LLVM's NVPTX target and our inline assembly write, not all of PTX.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from tileir.codegen.emulator.errors import emulation_error
from tileir.errors import EmulationError

from .types import TYPES, WIDEST, width

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_LOCATION = re.compile(r"^\s*\.(?:loc|file)\s.*$", re.MULTILINE)
"""Directives with the source locations of the instructions that follow."""
UNDEFINED = "emulator.undefined"
"""Opcode in place of LLVM's comment that a register is undefined."""

_UNDEFINED = re.compile(r"//\s*implicit-def:\s*(%\w+)")
_INSTRUCTION = re.compile(r"(?:@(!?)([%\w$]+)\s+)?([a-z][\w.:]*)\s*(.*)", re.S)
_VARIABLE = re.compile(
    r"(?:\.(?:visible|extern|weak|common)\s+)*\.(global|const|shared|local|param)\s+"
    r"(?:\.align\s+(\d{1,9})\s+)?\.(\w+)\s+(?:\.ptr\s+(?:\.(?:global|shared|const|local)\s+)?"
    r"(?:\.align\s+\d+\s+)?)?([%\w$]+)(\[\d{0,15}\])?\s*(?:=\s*(.*))?",
    re.S,
)
_REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+(.*)", re.S)
_REGISTER = re.compile(r"[%\w$]+(?:<\d{1,9}>)?")
"""One register, or as many as the number says, numbered from 0."""
_EXTENTS = re.compile(r"\d{1,9}(?:\s*,\s*\d{1,9}){0,2}")


@dataclass(frozen=True, slots=True)
class Variable:
    """A declaration of memory: space, type of an element, number of elements."""

    name: str
    space: str
    kind: str
    count: int
    align: int
    initial: str = ""
    line: int = 0

    @property
    def size(self) -> int:
        """Bytes; 0 for an array whose size is part of the launch."""
        return width(self.kind) * self.count


@dataclass(frozen=True, slots=True)
class Statement:
    """An instruction, or a label if `opcode` is empty."""

    line: int
    text: str
    opcode: str = ""
    operands: tuple[str, ...] = ()
    guard: str = ""
    negated: bool = False
    scope: tuple[int, ...] = ()


@dataclass(slots=True)
class PtxEntry:
    """A kernel: parameters, registers by scope, its own variables, statements in order."""

    name: str
    parameters: list[Variable]
    threads: tuple[int, int, int] | None
    cluster: tuple[int, int, int] | None
    counts_clusters: bool
    """Whether the launch grid counts clusters, not blocks."""
    most_registers: int | None = None
    """The most registers of a thread, if the text says so."""
    resident: int = 1
    """How many blocks an SM holds at least."""
    registers: dict[int, dict[str, str]] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    tables: dict[str, list[str]] = field(default_factory=dict)


@dataclass(slots=True)
class Text:
    """A whole PTX file."""

    variables: list[Variable]
    entries: dict[str, PtxEntry]


def read(ptx: str) -> Text:
    """Return the declarations and kernels of a PTX file; EmulationError if it cannot be read."""
    plain = _UNDEFINED.sub(rf"{UNDEFINED} \1;", ptx)
    plain = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), plain)
    plain = _LOCATION.sub("", plain)
    text = Text([], {})
    position = 0
    heads = re.compile(r"\.entry\s+([\w$]+)\s*\(")
    while head := heads.search(plain, position):
        line = _line(plain, position)
        text.variables += _module_variables(plain[position : head.start()], line)
        closing = _after(plain, ")", head)
        opening = _after(plain, "{", head, closing)
        end = _closing_brace(plain, opening)
        pieces = _numbered(plain[head.end() : closing], ",", _line(plain, head.end()))
        parameters = [_variable(piece, line) for line, piece in pieces if piece.strip()]
        directives, line = plain[closing:opening], _line(plain, closing)
        entry = PtxEntry(
            head[1],
            parameters,
            _extents(".reqntid", directives, line),
            _extents(".reqnctapercluster", directives, line),
            ".blocksareclusters" in directives,
            (_extents(".maxnreg", directives, line) or (None,))[0],
            (_extents(".minnctapersm", directives, line) or (1,))[0],
        )
        _Body(entry, _line(plain, opening)).read(plain[opening + 1 : end])
        text.entries[entry.name] = entry
        position = end + 1
    text.variables += _module_variables(plain[position:], _line(plain, position))
    return text


def _line(plain: str, position: int) -> int:
    return plain.count("\n", 0, position) + 1


def _wrong(message: str, line: int, piece: str) -> EmulationError:
    """Return the error of a piece of the text, of which it shows the first line."""
    return emulation_error("syntax", message, line=line, text=piece.partition("\n")[0])


def _after(plain: str, mark: str, head: re.Match[str], start: int = 0) -> int:
    """Return the position of the first mark after the head of a kernel, or after `start`."""
    position = plain.find(mark, max(start, head.end()))
    if position < 0:
        raise _wrong(f"no {mark} follows", _line(plain, head.start()), head[0])
    return position


def _closing_brace(plain: str, opening: int) -> int:
    depth = 0
    for brace in re.compile(r"[{}]").finditer(plain, opening):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.start()
    raise _wrong("a brace is not closed", _line(plain, opening), "")


def _extents(name: str, directives: str, line: int) -> tuple[int, int, int] | None:
    match = re.search(rf"\{name}\b([^.]*)", directives)
    if not match:
        return None
    if not _EXTENTS.fullmatch(match[1].strip()):
        line += directives.count("\n", 0, match.start())
        raise _wrong(f"{name} takes one to three numbers", line, match[0])
    x, y, z, *_ = [*(int(size) for size in match[1].split(",")), 1, 1]
    return x, y, z


def _numbered(plain: str, mark: str, line: int) -> Iterator[tuple[int, str]]:
    """Yield the pieces between marks, each with the line where it starts."""
    for piece in plain.split(mark):
        yield line, piece
        line += piece.count("\n")


def _module_variables(plain: str, line: int) -> list[Variable]:
    start = re.compile(
        r"^\s*((?:\.(?:visible|extern|weak|common)\s+)*\.(?:global|const|shared)\b.*)", re.S | re.M
    )
    found = ((line, piece, start.search(piece)) for line, piece in _numbered(plain, ";", line))
    return [
        _variable(match[1], line + piece.count("\n", 0, match.start(1)))
        for line, piece, match in found
        if match
    ]


def _variable(piece: str, line: int) -> Variable:
    """Read a declaration; `line` is where the piece starts, with the space before it."""
    declared = piece.lstrip()
    line += piece.count("\n", 0, len(piece) - len(declared))
    match = _VARIABLE.fullmatch(declared.rstrip())
    if not match:
        raise _wrong("not a declaration", line, declared)
    space, align, kind, name, extent, initial = match.groups()
    if kind not in TYPES:
        raise _wrong(f"no type of a variable: .{kind}", line, declared)
    alignment = int(align or width(kind))
    if alignment.bit_count() != 1:
        raise _wrong(f"no power of two: {alignment}", line, declared)
    count = 1 if extent is None else int(extent[1:-1] or 0)
    return Variable(name, space, kind, count, alignment, (initial or "").strip(), line)


class _Body:
    """The statements between the braces of a kernel, with the scopes of their registers."""

    def __init__(self, entry: PtxEntry, line: int) -> None:
        self.entry, self.line = entry, line
        self.scope: tuple[int, ...] = (0,)
        self.scopes = 1
        entry.registers[0] = {}

    def read(self, plain: str) -> None:
        """Add everything in the body to the entry."""
        for line, piece in _pieces(plain, self.line):
            if piece == "{":
                self.scope = (*self.scope, self.scopes)
                self.entry.registers[self.scopes] = {}
                self.scopes += 1
            elif piece == "}":
                self.scope = self.scope[:-1]
            elif piece.endswith(":"):
                self.entry.statements.append(Statement(line, piece, scope=self.scope))
            else:
                self._statement(line, piece)

    def _statement(self, line: int, piece: str) -> None:
        if piece.startswith(".reg"):
            self._registers(line, piece)
        elif piece.startswith((".shared", ".local", ".param")):
            self.entry.variables.append(_variable(piece, line))
        elif table := re.fullmatch(r"([\w$]+):\s*\.branchtargets\s+(.*)", piece, re.S):
            self.entry.tables[table[1]] = [name.strip() for name in table[2].split(",")]
        elif not piece.startswith((".pragma", ".callprototype")):
            match = _INSTRUCTION.fullmatch(piece)
            if not match:
                raise _wrong("not an instruction", line, piece)
            negated, guard, opcode, rest = match.groups()
            text = " ".join(piece.split())
            operands = tuple(split(rest))
            self.entry.statements.append(
                Statement(line, text, opcode, operands, guard or "", bool(negated), self.scope)
            )

    def _registers(self, line: int, piece: str) -> None:
        match = _REGISTERS.fullmatch(piece)
        if not match or match[1] not in (*TYPES, WIDEST):
            raise _wrong("not a declaration of registers", line, piece)
        for name in map(str.strip, match[2].split(",")):
            if not _REGISTER.fullmatch(name):
                raise _wrong(f"no name of registers: {name!r}", line, piece)
            self.entry.registers[self.scope[-1]][name] = match[1]


def _pieces(plain: str, line: int) -> Iterator[tuple[int, str]]:
    """Yield statements, labels with their colon, and the braces of scopes, each with its line."""
    ends = [newline.start() for newline in re.finditer("\n", plain)]
    start, depth = 0, 0
    for match in re.finditer(r"[;{}]|:(?=\s)", plain):
        ahead = plain[start : match.start()]
        stripped = ahead.strip()
        number = line + bisect_left(ends, start + len(ahead) - len(ahead.lstrip()))
        mark, after = match[0], match.end()
        if mark == "{" and stripped:
            depth += 1
        elif mark == "}" and depth:
            depth -= 1
        elif mark == ":":
            if re.compile(r"\s*\.branchtargets").match(plain, after):
                continue
            yield number, f"{stripped}:"
            start = after
        else:
            if mark == ";" and stripped:
                yield number, stripped
            elif mark != ";":
                yield line + bisect_left(ends, match.start()), mark
            start = after


def split(text: str) -> list[str]:
    """Split operands at the commas outside of braces, brackets and parentheses."""
    operands, depth, current = [], 0, ""
    for sign in text:
        depth += (sign in "{[(") - (sign in "}])")
        if sign == "," and not depth:
            operands.append(current.strip())
            current = ""
        else:
            current += sign
    return [*operands, current.strip()] if current.strip() else operands
