"""The reader of PTX text: declarations, and instructions with their lines.

It reads what LLVM's NVPTX target and our inline assembly write, not all of PTX.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from tileir.codegen.emulator.errors import emulation_error

from .types import width

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_LOCATION = re.compile(r"^\s*\.(?:loc|file)\s.*$", re.MULTILINE)
"""Directives with the source locations of the instructions that follow."""
UNDEFINED = "emulator.undefined"
"""Opcode in place of LLVM's comment that a register is undefined."""

_UNDEFINED = re.compile(r"//\s*implicit-def:\s*(%\w+)")
_INSTRUCTION = re.compile(r"(?:@(!?)([%\w$]+)\s+)?([a-z][\w.:]*)\s*(.*)", re.S)
_VARIABLE = re.compile(
    r"(?:\.(?:visible|extern|weak|common)\s+)*\.(global|const|shared|local|param)\s+"
    r"(?:\.align\s+(\d+)\s+)?\.(\w+)\s+(?:\.ptr\s+(?:\.(?:global|shared|const|local)\s+)?"
    r"(?:\.align\s+\d+\s+)?)?([%\w$]+)(\[\d*\])?\s*(?:=\s*(.*))?",
    re.S,
)


@dataclass(frozen=True, slots=True)
class Variable:
    """A declaration of memory: space, type of an element, number of elements."""

    name: str
    space: str
    kind: str
    count: int
    align: int
    initial: str = ""

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
class Entry:
    """A kernel: parameters, registers by scope, its own variables, statements in order."""

    name: str
    parameters: list[Variable]
    threads: tuple[int, int, int] | None
    cluster: tuple[int, int, int] | None
    counts_clusters: bool
    """Whether the launch grid counts clusters, not blocks."""
    registers: dict[int, dict[str, str]] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    tables: dict[str, list[str]] = field(default_factory=dict)


@dataclass(slots=True)
class Text:
    """A whole PTX file."""

    variables: list[Variable]
    entries: dict[str, Entry]


def read(ptx: str) -> Text:
    """Return the declarations and kernels of a PTX file; EmulationError if it cannot be read."""
    plain = _UNDEFINED.sub(rf"{UNDEFINED} \1;", ptx)
    plain = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), plain)
    plain = _LOCATION.sub("", plain)
    text = Text([], {})
    position = 0
    heads = re.compile(r"\.entry\s+([\w$]+)\s*\(")
    while head := heads.search(plain, position):
        text.variables += _module_variables(plain[position : head.start()])
        closing = plain.index(")", head.end())
        opening = plain.index("{", closing)
        end = _closing_brace(plain, opening)
        parameters = [
            _variable(piece, 0) for piece in plain[head.end() : closing].split(",") if piece.strip()
        ]
        directives = plain[closing:opening]
        entry = Entry(
            head[1],
            parameters,
            _extents(".reqntid", directives),
            _extents(".reqnctapercluster", directives),
            ".blocksareclusters" in directives,
        )
        _Body(entry, plain.count("\n", 0, opening) + 1).read(plain[opening + 1 : end])
        text.entries[entry.name] = entry
        position = end + 1
    text.variables += _module_variables(plain[position:])
    return text


def _closing_brace(plain: str, opening: int) -> int:
    depth = 0
    for brace in re.compile(r"[{}]").finditer(plain, opening):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.start()
    raise emulation_error("syntax", "a brace is not closed", line=plain.count("\n", 0, opening) + 1)


def _extents(name: str, directives: str) -> tuple[int, int, int] | None:
    match = re.search(rf"\{name}\s+([\d, ]+)", directives)
    if not match:
        return None
    sizes = [int(size) for size in match[1].split(",")]
    return tuple([*sizes, 1, 1][:3])


def _module_variables(plain: str) -> list[Variable]:
    start = re.compile(
        r"^\s*((?:\.(?:visible|extern|weak|common)\s+)*\.(?:global|const|shared)\b.*)", re.S | re.M
    )
    matches = (start.search(piece) for piece in plain.split(";"))
    return [_variable(match[1], 0) for match in matches if match]


def _variable(piece: str, line: int) -> Variable:
    match = _VARIABLE.fullmatch(piece.strip())
    if not match:
        raise emulation_error("syntax", f"not a declaration: {piece.strip()}", line=line)
    space, align, kind, name, extent, initial = match.groups()
    count = 1 if extent is None else int(extent[1:-1] or 0)
    return Variable(name, space, kind, count, int(align or width(kind)), (initial or "").strip())


class _Body:
    """The statements between the braces of a kernel, with the scopes of their registers."""

    def __init__(self, entry: Entry, line: int) -> None:
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
                self.entry.statements.append(Statement(line, piece))
            else:
                self._statement(line, piece)

    def _statement(self, line: int, piece: str) -> None:
        if piece.startswith(".reg"):
            self._registers(piece)
        elif piece.startswith((".shared", ".local", ".param")):
            self.entry.variables.append(_variable(piece, line))
        elif table := re.fullmatch(r"([\w$]+):\s*\.branchtargets\s+(.*)", piece, re.S):
            self.entry.tables[table[1]] = [name.strip() for name in table[2].split(",")]
        elif not piece.startswith((".pragma", ".callprototype")):
            match = _INSTRUCTION.fullmatch(piece)
            if not match:
                raise emulation_error("syntax", "not an instruction", line=line, text=piece)
            negated, guard, opcode, rest = match.groups()
            text = " ".join(piece.split())
            operands = tuple(split(rest))
            self.entry.statements.append(
                Statement(line, text, opcode, operands, guard or "", bool(negated), self.scope)
            )

    def _registers(self, piece: str) -> None:
        kind, names = re.fullmatch(r"\.reg\s+\.(\w+)\s+(.*)", piece, re.S).groups()
        for name in names.split(","):
            self.entry.registers[self.scope[-1]][name.strip()] = kind


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
