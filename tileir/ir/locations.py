"""Source locations of ops and functions.

An op has a `SourceLocation`, or a `CallSite` if it was inlined. They refer to scopes and files;
bytecode has no other kinds of debug records.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tileir.formats.errors import shorten

SHOWN_CALLS = 4
"""Most steps of a chain of inlined calls that are spelled out."""

SHOWN_NAME = 1000
"""Most characters of a name that are spelled out; very many locations may share a long one."""


def _shown(name: str) -> str:
    return shorten(str(name), SHOWN_NAME)  # which may be of a wrong kind where it is edited


class _Record:
    """The base of all debug records. They are compared by identity, because chains can be long."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    @property
    def innermost(self) -> SourceLocation | None:
        """The source location at the inner end of a chain of calls; None for scopes and files."""
        return None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class File(_Record):
    """A source file."""

    name: str
    directory: str

    def __str__(self) -> str:
        name = _shown(self.name)
        return f"{_shown(self.directory)}/{name}" if self.directory else name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CompileUnit(_Record):
    """A compilation: the file it started from."""

    file: File

    def __str__(self) -> str:
        return f"compile unit {self.file}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Subprogram(_Record):
    """A function in source; `linkage_name` is the kernel's symbol."""

    file: File
    line: int
    name: str
    linkage_name: str
    compile_unit: CompileUnit
    scope_line: int
    declaration: bool = False

    def __str__(self) -> str:
        return f"{_shown(self.name)} at {_shown(self.file.name)}:{self.line}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LexicalBlock(_Record):
    """A nested scope."""

    scope: Scope
    file: File
    line: int
    column: int

    def __str__(self) -> str:
        return f"block at {_shown(self.file.name)}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SourceLocation(_Record):
    """A line and column of a file, both from 1; 0 means unknown."""

    scope: Scope
    filename: str
    line: int
    column: int

    @property
    def innermost(self) -> SourceLocation | None:
        """The location itself."""
        return self

    def __str__(self) -> str:
        return f"{_shown(self.filename)}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CallSite(_Record):
    """A location inlined into another one."""

    callee: SourceLocation | CallSite | None
    caller: SourceLocation | CallSite | None
    _innermost: SourceLocation | None = field(init=False)

    def __post_init__(self) -> None:
        inner = self.callee.innermost if self.callee is not None else None
        object.__setattr__(self, "_innermost", inner)

    @property
    def innermost(self) -> SourceLocation | None:
        """The source location of the inlined op, None if it is unknown."""
        return self._innermost

    def __str__(self) -> str:
        steps, outer = [], self
        while isinstance(outer, CallSite) and len(steps) < SHOWN_CALLS:
            steps.append(str(outer.innermost or "unknown"))
            outer = outer.caller
        inlined = isinstance(outer, CallSite)
        steps.append("..." if inlined else str(outer or "unknown"))
        return ", inlined at ".join(steps)


Scope = Subprogram | LexicalBlock
Location = SourceLocation | CallSite | Subprogram | LexicalBlock | CompileUnit | File
