"""What a node parses from and builds into.

A `Cursor` walks one window of a file and knows the absolute offset of every byte, so errors and
traces never need translating. A `Writer` collects bytes and knows where its padding counts from.
Both carry the two facts that layouts depend on: the bytecode version and, once the Type section
is known, the tag of every type (`type_tags`), because the size of a float attribute follows from
its type.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from .errors import BytecodeError
from .limits import MAX_VARINT_BYTES
from .version import Version


class Span(NamedTuple):
    """One leaf field as found in a file: bytes [start, end), what it is, and its value.

    `node` is the leaf node that read it, None for bytes that no field owns.
    """

    start: int
    end: int
    section: str
    path: str
    kind: str
    value: object
    node: object = None


class Oddity(NamedTuple):
    """Something readable that no careful producer writes."""

    kind: str
    offset: int
    section: str
    path: str
    message: str


class Slice(NamedTuple):
    """A run of bytes left where it is in the file: its absolute offset and a view of it."""

    offset: int
    data: memoryview | bytes


class Environment(NamedTuple):
    """What a layout may depend on besides the bytes themselves."""

    version: Version
    type_tags: Sequence[int | None] = ()


class Cursor:
    """A reading position in `data`, confined to [start, end). Offsets are absolute."""

    __slots__ = (
        "data",
        "depth",
        "eager",
        "end",
        "environment",
        "origin",
        "position",
        "section",
        "trace",
        "warnings",
    )  # fmt: skip

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
    ) -> None:
        self.data = data
        self.position = start
        self.end = end
        self.origin = start
        self.section = section
        self.environment = environment
        self.trace = trace
        self.warnings = warnings
        self.depth: Counter[str] = Counter()
        self.eager = eager

    @property
    def version(self) -> Version:
        return self.environment.version

    @property
    def left(self) -> int:
        return self.end - self.position

    def take(self, size: int, path: str) -> memoryview:
        """The next `size` bytes, in place."""
        start = self.position
        if size > self.end - start:
            raise self.error(
                "truncated", path, expected=f"{size} more bytes", found=f"{self.end - start} left"
            )
        self.position = start + size
        return self.data[start : start + size]

    def varint(self, path: str) -> tuple[int, int]:
        """An unsigned LEB128 number as (all its value bits, number of bytes it took)."""
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

    def fits(self, count: int, item_size: int, path: str, start: int) -> None:
        """Refuse a count of items that the bytes left cannot hold, before anything is allocated."""
        if count * item_size > self.left:
            raise self.error(
                "limit",
                path,
                offset=start,
                expected=f"at most {self.left // item_size} items in {self.left} bytes",
                found=str(int(count)),
            )

    def enter(self, what: str, limit: int, path: str, start: int) -> None:
        """One level deeper into nested `what`; leave with ``depth[what] -= 1``."""
        self.depth[what] += 1
        if self.depth[what] > limit:
            raise self.error(
                "limit",
                path,
                offset=start,
                expected=f"at most {limit} levels of one {what} inside another",
                found="more",
            )

    def error(
        self, kind: str, path: str, *, expected: str, found: str, hint: str = "", offset: int = -1
    ) -> BytecodeError:
        """A located error; the offset is the current position unless given."""
        return BytecodeError(
            kind,
            offset=self.position if offset < 0 else offset,
            section=self.section,
            path=path.removeprefix("file."),
            expected=expected,
            found=found,
            hint=hint,
        )

    def warn(self, kind: str, path: str, message: str, offset: int) -> None:
        if self.warnings is not None:
            path = path.removeprefix("file.")
            self.warnings.append(Oddity(kind, offset, self.section, path, message))

    def note(self, start: int, path: str, kind: str, value: object, node: object = None) -> None:
        """Record the leaf that was just read, when a trace is wanted."""
        if self.trace is not None and self.position > start:
            self.trace.append(Span(start, self.position, self.section, path, kind, value, node))

    def window(self, start: int, end: int) -> Cursor:
        """A cursor over part of the same file, sharing trace and warnings."""
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


class Writer:
    """Bytes being built. Padding counts from the first byte (a section's payload is aligned)."""

    __slots__ = ("data", "environment")

    def __init__(self, environment: Environment) -> None:
        self.data = bytearray()
        self.environment = environment

    @property
    def version(self) -> Version:
        return self.environment.version

    def write(self, data: bytes) -> None:
        self.data += data

    def inner(self) -> Writer:
        return Writer(self.environment)
