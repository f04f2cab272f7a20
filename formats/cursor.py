"""Cursors and writers: the bytes that a node parses, and those that it builds.

A `Cursor` reads one window of a file by absolute offsets, so that errors and traces need no
translation. A `ByteWriter` collects bytes from the start that padding counts from. Both have the
two facts that layouts depend on: the bytecode version and, once the Type section is known, the tag
of every type (`type_tags`), because the size of a float attribute depends on its type.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from construct import Construct

from .errors import LONGEST_PATH, BytecodeError, shorten
from .limits import DEFAULT, MAX_VARINT_BYTES, Limits
from .version import Version

Path = str | tuple["Path", str | int]
"""The path of a field: a name, or the path of the record around it and a name or index in that.

Paths are linked, because nesting makes them long and few are ever shown; `spell` gives the text.
"""


def spell(path: Path, below: Path | None = None) -> str:
    """Return a path, or its part below another one, as text such as ``func[0].body[3].lhs``."""
    parts = []
    while isinstance(path, tuple) and path is not below:
        path, part = path
        parts.append(f"[{part}]" if isinstance(part, int) else f".{part}")
    if path is not below:
        parts.append(path)
    return "".join(reversed(parts)).removeprefix("." if below else "")


def brief(path: Path, parts: int = 60) -> str:
    """Return a path as text; only its last parts if it has more than `parts`."""
    below = path
    for _ in range(parts):
        if not isinstance(below, tuple):
            return spell(path).removeprefix("file.")
        below = below[0]
    return f"...{spell(path, below)}"


class Span(NamedTuple):
    """One leaf field of a file: bytes [start, end), the linked path, the kind, and the value.

    `node` is the leaf node that read it, None for bytes that belong to no field.
    """

    start: int
    end: int
    section: str
    place: Path
    kind: str
    value: Any
    node: Any = None

    @property
    def path(self) -> str:
        """The path of the field as text, which is long where nesting is deep."""
        return spell(self.place)


class Oddity(NamedTuple):
    """Something readable that a careful producer does not write."""

    kind: str
    offset: int
    section: str
    place: Path
    message: str

    @property
    def path(self) -> str:
        """Its path as text, which is long where nesting is deep."""
        return spell(self.place).removeprefix("file.")


UNKNOWN = "unknown"
"""The kind of the oddities in files of newer versions that the tables do not explain."""


class Slice(NamedTuple):
    """A span of bytes in the file: its absolute offset and a view of it."""

    offset: int
    data: memoryview | bytes


class Environment(NamedTuple):
    """The facts that a layout may depend on besides the bytes themselves.

    `assumed` is the version to read a file by, whatever its header states.
    """

    version: Version
    type_tags: Sequence[int | None] = ()
    limits: Limits = DEFAULT
    assumed: Version | None = None


class Opaque(NamedTuple):
    """The bytes of a window from the first item on that cannot be read, and why it cannot.

    There are such in files of newer versions than the tables describe: see `Cursor.stop`.
    """

    error: BytecodeError
    raw: Slice

    @property
    def message(self) -> str:
        """What is unknown, and which bytes are opaque for that."""
        start, size = self.raw.offset, len(self.raw.data)
        found = f"expected {self.error.expected}, found {self.error.found}"
        opaque = "1 byte is opaque" if size == 1 else f"{size} bytes are opaque"
        return f"{found}; from 0x{start:x} on {opaque}"


class Cursor:
    """A reading position in `data`, confined to [start, end). Offsets are absolute.

    `opaque` is what of the window could not be read, once a list has ended for that (`stop`).
    `deferred`, if given, lets tables read their entries later: from a node and the offset that
    entries count from, it makes the quick reader of an entry (see `Deferred`).
    """

    __slots__ = (
        "data",
        "deferred",
        "depth",
        "eager",
        "end",
        "environment",
        "opaque",
        "origin",
        "position",
        "section",
        "trace",
        "warnings",
    )

    def __init__(
        self,
        data: memoryview,
        start: int,
        end: int,
        section: str,
        environment: Environment,
        *,
        trace: list[Span] | None = None,
        warnings: list[Oddity] | None = None,
        eager: bool = False,
        deferred: Callable[[Construct, int], Callable] | None = None,
    ) -> None:
        self.data = data
        self.deferred = deferred
        self.position = start
        self.end = end
        self.origin = start
        self.section = section
        self.environment = environment
        self.trace = trace
        self.warnings = warnings
        self.depth: Counter[str] = Counter()
        self.eager = eager
        self.opaque: Opaque | None = None

    @property
    def version(self) -> Version:
        return self.environment.version

    @property
    def left(self) -> int:
        return self.end - self.position

    def take(self, size: int, path: Path) -> memoryview:
        """Read the next `size` bytes, without a copy."""
        start = self.position
        if size > self.end - start:
            raise self.error(
                "truncated", path, expected=f"{size} more bytes", found=f"{self.end - start} left"
            )
        self.position = start + size
        return self.data[start : start + size]

    def varint(self, path: Path) -> tuple[int, int]:
        """Read an unsigned LEB128 number: (all its value bits, its number of bytes)."""
        data, start, end = self.data, self.position, self.end
        value = shift = 0
        for position in range(start, min(end, start + MAX_VARINT_BYTES)):
            byte = data[position]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                self.position = position + 1
                return value, position + 1 - start
            shift += 7
        if end - start < MAX_VARINT_BYTES:
            raise self.error("truncated", path, expected="the rest of a varint", found="the end")
        raise self.error(
            "bad_value", path, expected="a varint of at most 10 bytes", found="a longer one"
        )

    def fits(self, count: int, item_size: int, path: Path, start: int) -> None:
        """Refuse a count of items that does not fit into the bytes left, before any allocation."""
        if count * item_size > self.left:
            raise self.error(
                "limit",
                path,
                offset=start,
                expected=f"at most {self.left // item_size} items in {self.left} bytes",
                found=str(int(count)),
            )

    def enter(self, what: str, path: Path, start: int) -> None:
        """Go one level deeper into nested `what`; leave it with ``depth[what] -= 1``."""
        self.depth[what] += 1
        limit = self.environment.limits.depth(what)
        if self.depth[what] > limit:
            raise self.error(
                "limit",
                path,
                offset=start,
                expected=f"at most {limit} levels of one {what} inside another",
                found="more",
            )

    def error(
        self, kind: str, path: Path, *, expected: str, found: str, hint: str = "", offset: int = -1
    ) -> BytecodeError:
        """Return a located error; the offset is the current position unless given."""
        return BytecodeError(
            kind,
            offset=self.position if offset < 0 else offset,
            section=self.section,
            path=spell(path).removeprefix("file."),
            expected=expected,
            found=found,
            hint=hint,
        )

    def stop(self, error: BytecodeError, start: int) -> int:
        """End a list before its item at `start`, which cannot be read; return the window's end.

        That is how far files of newer versions are read: the item may be of a kind that the tables
        do not know, and nothing says how long it is. So all lists around it in the same window end
        there, too, and the rest of the window is `opaque`. In files of known versions the error is
        raised.
        """
        if not self.version.open:
            raise error
        raw = Slice(start, self.data[start : self.end])
        self.opaque = Opaque(error.with_traceback(None), raw)
        if self.trace is not None:
            trace, own = self.trace, self.section
            while trace and trace[-1].start >= start and trace[-1].section == own:
                trace.pop()
        self.warn_opaque(self.opaque)
        self.position = self.end
        return self.end

    def warn_opaque(self, opaque: Opaque) -> None:
        """Warn of what is unknown, in a file of a newer version."""
        error = opaque.error
        self.warn(UNKNOWN, shorten(error.path, LONGEST_PATH), opaque.message, error.offset)

    def warn(self, kind: str, path: Path, message: str, offset: int) -> None:
        if self.warnings is not None:
            self.warnings.append(Oddity(kind, offset, self.section, path, message))

    def note(self, start: int, path: Path, kind: str, value: object, node: object = None) -> None:
        """Add the leaf that was just read to the trace, if there is one."""
        if self.trace is not None and self.position > start:
            self.trace.append(Span(start, self.position, self.section, path, kind, value, node))

    def window(self, start: int, end: int) -> Cursor:
        """Return a cursor over part of the same file, with the same trace and warnings."""
        inner = Cursor(
            self.data,
            start,
            end,
            self.section,
            self.environment,
            trace=self.trace,
            warnings=self.warnings,
            eager=self.eager,
        )
        inner.depth = self.depth.copy()
        return inner


class ByteWriter:
    """The bytes of a record; padding counts from the first one (a section's payload is aligned)."""

    __slots__ = ("data", "environment")

    def __init__(self, environment: Environment) -> None:
        self.data = bytearray()
        self.environment = environment

    @property
    def version(self) -> Version:
        return self.environment.version

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.data += data

    def inner(self) -> ByteWriter:
        return ByteWriter(self.environment)
