"""Line information: the source location of each PTX instruction.

LLVM carries locations through its passes, but writes only the innermost one of inlined calls. So
LLVM gets numbers here: a location, with all its callers, is line n of a file that does not exist.
In the PTX, each ``.loc`` with that number is replaced by the directives for the location. An
inlined call takes two directives:

    .loc 1 20 4
    .loc 1 41 4, function_name $L__function0, inlined_at 1 20 4

The second refers to the first by file, line and column: to the nearest one before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from llvmlite import ir

from tileir.codegen.kernel import KernelIR
from tileir.ir import Op
from tileir.ir.locations import CallSite, LexicalBlock, Location, SourceLocation, Subprogram

INLINED_CALLS = (7, 2)
"""The lowest PTX ISA version that has inlined calls."""
MOST_CALLS = 256
"""The most calls inlined into each other; callers further out are dropped."""
LONGEST_PATH = 4096
"""The most characters of a path, as in Linux; of a longer one the end is written."""

_LARGEST = 2**31 - 1
"""The largest line: ptxas has signed 32-bit lines."""
_LOC = re.compile(r"\t\.loc\t1 (\d+) 0\n")
_LABEL = re.compile(r"\$L__(?:tmp|func_begin|func_end)\d+:\n")
_TAIL = re.compile(r'\t\.section\t\.debug_macinfo\t\{\t\}\n|\t\.file\t1 "[^\n]*\n')
_ENTRY = re.compile(r"^\.visible \.entry .*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True, eq=False)
class InlineFrame:
    """A source location in `function`, which was inlined at `caller`: None for the kernel."""

    file: int
    line: int
    column: int
    function: str
    caller: InlineFrame | None

    @property
    def position(self) -> str:
        """File, line and column, as directives spell them."""
        return f"{self.file} {self.line} {self.column}"


class LineTable:
    """The source locations of all kernels of a module.

    `known` says whether there are any, `has_calls` whether some are in inlined calls.
    """

    def __init__(self, kernels: Iterable[KernelIR]) -> None:
        self._files: dict[str, int] = {}
        self._functions: dict[str, int] = {}
        self._known: dict[tuple, InlineFrame] = {}
        self._of: dict[int, tuple[Location, int]] = {}
        self._numbers: dict[InlineFrame, int] = {}
        self._frames: list[InlineFrame] = []
        self._unit: ir.DIValue | None = None
        self._scope: ir.DIValue | Any = None
        self._starts: dict[str, int] = {}
        for kernel in kernels:
            located = [self._number(op.location) for op in kernel.walk()]
            start = self._start(kernel.function.location)
            if start or any(located):
                self._starts[kernel.symbol] = start
        self.known = bool(self._starts)
        self.has_calls = any(frame.caller for frame in self._frames)

    def add(self, kernel: KernelIR, other: str) -> None:
        """Number the locations of a kernel that came from the same function as another one."""
        for op in kernel.walk():
            self._number(op.location)
        if other in self._starts:
            self._starts[kernel.symbol] = self._starts[other]

    def enter(self, function: ir.Function, kernel: KernelIR) -> ir.DIValue | None:
        """Enter a kernel; return its own location, for instructions that belong to no op.

        None if no location in the kernel is known; then its PTX has no line information.
        """
        number = self._starts.get(kernel.symbol)
        self._scope = None if number is None else self._subprogram(function, number)
        return None if number is None else self._position(number)

    def at(self, op: Op) -> ir.DIValue | None:
        """Return the location of an op of the kernel that was entered last; None if unknown."""
        number = self._number(op.location)
        return self._position(number) if number and self._scope else None

    # Numbers for LLVM -------------------------------------------------------------------------

    def _position(self, number: int) -> ir.DIValue:
        return self._scope.parent.add_debug_info(
            "DILocation", {"line": number, "column": 0, "scope": self._scope}
        )

    def _subprogram(self, function: ir.Function, number: int) -> ir.DIValue:
        module = function.module
        file = module.add_debug_info("DIFile", {"filename": "positions", "directory": ""})
        kind = module.add_debug_info("DISubroutineType", {"types": module.add_metadata([])})
        subprogram = module.add_debug_info(
            "DISubprogram",
            {
                "name": function.name,
                "scope": file,
                "file": file,
                "line": number,
                "type": kind,
                "scopeLine": number,
                "unit": self._compile_unit(module, file),
                "spFlags": ir.DIToken("DISPFlagDefinition"),
            },
            is_distinct=True,
        )
        function.set_metadata("dbg", subprogram)
        return subprogram

    def _compile_unit(self, module: ir.Module, file: ir.DIValue) -> ir.DIValue:
        """Return the compile unit of all kernels, which asks for directives without DWARF."""
        if self._unit is None:
            self._unit = module.add_debug_info(
                "DICompileUnit",
                {
                    "language": ir.DIToken("DW_LANG_C99"),
                    "file": file,
                    "producer": "tileir",
                    "isOptimized": True,
                    "runtimeVersion": 0,
                    "emissionKind": ir.DIToken("DebugDirectivesOnly"),
                },
                is_distinct=True,
            )
            module.add_named_metadata("llvm.dbg.cu", self._unit)
            i32 = ir.IntType(32)
            version = [ir.Constant(i32, 2), "Debug Info Version", ir.Constant(i32, 3)]
            module.add_named_metadata("llvm.module.flags", version)
        return self._unit

    # Locations --------------------------------------------------------------------------------

    def _number(self, location: Location | None) -> int:
        """Return the number of a location, from 1; 0 for an unknown one."""
        if location is None:
            return 0
        _, number = self._of.get(id(location), (None, None))
        if number is None:
            frame = None
            for step in reversed(list(_steps(location))):
                position = step.filename, step.line, step.column
                frame = self._frame(position, _subprogram_of(step).name, frame)
            number = self._numbered(frame) if frame else 0
            self._of[id(location)] = location, number  # kept, so that the id stays its own
        return number

    def _start(self, location: Location | None) -> int:
        """Return the number of the line where a kernel's function starts in source."""
        if not isinstance(location, SourceLocation):
            return self._number(location)
        function = _subprogram_of(location)
        if not 0 < function.line <= _LARGEST:
            return self._number(location)
        return self._numbered(self._frame((str(function.file), function.line, 0), "", None))

    def _numbered(self, frame: InlineFrame) -> int:
        number = self._numbers.setdefault(frame, len(self._frames) + 1)
        if number > len(self._frames):
            self._frames.append(frame)
        return number

    def _frame(
        self, position: tuple[str, int, int], function: str, caller: InlineFrame | None
    ) -> InlineFrame:
        name, line, column = position
        file = self._files.setdefault(name, len(self._files) + 1)
        key = file, line, min(column, _LARGEST), function if caller else "", caller
        return self._known.setdefault(key, InlineFrame(*key))

    # Directives in the PTX --------------------------------------------------------------------

    def written(self, ptx: str) -> str:
        """Return the PTX with source locations in place of their numbers."""
        if not self._frames:
            return ptx
        plain = _TAIL.sub("", _LABEL.sub("", ptx))
        starts = [match.start() for match in _ENTRY.finditer(plain)]
        bounds = [0, *starts, len(plain)]
        bodies = [plain[low:high] for low, high in pairwise(bounds)]
        text = "".join(map(self._located, bodies))
        return text + self._tables()

    def _located(self, entry: str) -> str:
        """Return the PTX of one entry with source locations."""
        last: dict[str, InlineFrame] = {}

        def directives(match: re.Match[str]) -> str:
            number = int(match[1])
            return "".join(self._directives(self._frames[number - 1], last)) if number else ""

        return _LOC.sub(directives, entry)

    def _directives(self, frame: InlineFrame, last: dict[str, InlineFrame]) -> Iterator[str]:
        """Return the directives of a frame; `last` maps a position to its latest frame."""
        chain = [frame]
        while (caller := chain[-1].caller) and last.get(caller.position) is not caller:
            chain.append(caller)
        for each in reversed(chain):
            last[each.position] = each
            if each.caller is None:
                yield f"\t.loc\t{each.position}\n"
                continue
            label = self._functions.setdefault(each.function, len(self._functions))
            called = f"function_name $L__function{label}, inlined_at {each.caller.position}"
            yield f"\t.loc\t{each.position}, {called}\n"

    def _tables(self) -> str:
        """Return the table of files, and the names of inlined functions."""
        files = [f'\t.file\t{number} "{_spelled(name)}"\n' for name, number in self._files.items()]
        if not self._functions:
            return "".join(files)
        names = [
            f"$L__function{number}:\n.b8 {','.join(map(str, [*_bytes(name), 0]))}\n"
            for name, number in self._functions.items()
        ]
        return "".join([*files, "\t.section\t.debug_str\n\t{\n", *names, "\t}\n"])


def _steps(location: Location) -> Iterator[SourceLocation]:
    """Return the known source locations, innermost first, then where each was inlined."""
    waiting, steps = [location], 0
    for _ in range(4 * MOST_CALLS):  # records may share parts, and so be longer than they are large
        if not waiting or steps > MOST_CALLS:
            return
        item = waiting.pop()
        if isinstance(item, CallSite):
            waiting += [item.caller, item.callee]
        elif isinstance(item, SourceLocation) and 0 < item.line <= _LARGEST:
            steps += 1
            yield item


def _subprogram_of(position: SourceLocation) -> Subprogram:
    scope = position.scope
    while isinstance(scope, LexicalBlock):
        scope = scope.scope
    return scope


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape").replace(b"\0", b"?")


def _spelled(path: str) -> str:
    """Return a path as ptxas reads it: printable ASCII without quotes, other bytes as in a URL.

    It crashes on empty paths, and on those of more than some thousand characters.
    """
    data = path.encode("utf-8", "surrogateescape").replace(b"\\", b"/")
    spelled = "".join(
        chr(byte) if 32 <= byte < 127 and byte != ord('"') else f"%{byte:02X}" for byte in data
    )
    return spelled[-LONGEST_PATH:] or "<unknown>"
