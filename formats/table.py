"""The offset table: the layout of the String, Type, Constant and Debug sections.

    count   padding to the index width   offsets   entries, back to back

Entry i spans [offset i, offset i+1), the last one ends with the section. So producers write it.
Readers also accept a gap before the first entry, and entries with bytes left over. Offsets that
decrease or point past the end mean something else in each table, as in NVIDIA's readers: a string
is cut; a type or debug record is malformed, which only matters where it is used; among constants
they are an error. Unlike NVIDIA's readers, we refuse records that overlap, which takes a malformed
one between them, and strings that overlap so much that decoding them would take many times the
memory of the file. A table that we would write differently keeps its offsets and its bytes as
`layout`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from construct import Construct, Container, Subconstruct

from .cursor import ByteWriter, Cursor, Oddity, Opaque, Path, Slice, Span, spell
from .deferred import Deferred
from .errors import BuildError, BytecodeError
from .leaves import FILL, Fixed, Padding, VarInt, kept_count
from .limits import MAX_OVERLAP, MAX_OVERLAPPING
from .nodes import Items, Malformed

NOT_BACK_TO_BACK = "entries are not back to back"


class Layout(NamedTuple):
    """Offsets and entry bytes of a table that is not back to back.

    `entries` are its records, and `sizes` the bytes that each of them takes.
    """

    offsets: tuple[int, ...]
    blob: bytes
    entries: tuple
    sizes: tuple[int, ...]


class Table(Subconstruct):
    """Parses to a Container of `entries` (Items), `pad` and `layout` (None when back to back).

    `index_size` is the size of an offset in bytes. If `tolerant`, an entry that cannot be read is a
    `Malformed` record, because it does not matter unless something refers to it. If `ordered`,
    offsets that decrease or point past the end are an error nevertheless; if `followed`, a table
    without entries must have another byte after its padding.

    If the cursor can defer entries, those of a `tolerant` table whose offsets are in order are
    `Deferred`.
    """

    def __init__(
        self,
        index_size: int,
        subcon: Construct,
        *,
        tolerant: bool = False,
        ordered: bool = False,
        followed: bool = False,
    ) -> None:
        super().__init__(subcon)
        self.entry = subcon
        self.number = VarInt()
        self.pad = Padding(index_size)
        self.index = Fixed(index_size, kind="offset")
        self.index_size = index_size
        self.tolerant = tolerant
        self.ordered = ordered
        self.followed = followed

    def _parse(self, cursor: Cursor, context, path: Path) -> Container:
        """Read the count, the padding, the offsets and the entries; an empty table has no padding.

        A regular table needs no `layout`: its entries lie back to back, in order, and are read to
        their ends. Of any other one, the layout keeps offsets and bytes, so that it can be written
        again as it was.
        """
        start = cursor.position
        count = self.number._parse(cursor, context, (path, "count"))
        cursor.fits(count, self.index_size, (path, "count"), start)
        if count == 0:
            entries = Items()
            entries.wide_count = count
            if (
                self.followed
                and cursor.left <= -(cursor.position - cursor.origin) % self.index_size
            ):
                raise cursor.error(
                    "truncated",
                    path,
                    expected="an entry, or a byte after the padding",
                    found="neither",
                    hint="NVIDIA's readers refuse an empty table at the very end",
                )
            rest = Slice(cursor.position, cursor.take(cursor.left, path))
            cursor.note(rest.offset, (path, "rest"), "unused", rest)
            if bytes(rest.data).strip(bytes((FILL,))):
                cursor.warn("unused", path, f"{len(rest.data)} unused bytes", rest.offset)
            return Container(entries=entries, pad=None, layout=None, rest=rest)
        pad = self.pad._parse(cursor, context, (path, "padding"))
        offsets = self._offsets(cursor, count, path)
        base, size = cursor.position, cursor.left
        deferred = cursor.deferred
        if deferred and self.tolerant and _in_order(offsets, size):
            entries = self._deferred(cursor, deferred, offsets, path)
            return Container(entries=entries, pad=pad, layout=None, rest=None)
        entries = Items()
        entries.wide_count = count
        bounds = self._bounds(offsets, size)
        regular = offsets[0] == 0 and bounds == list(pairwise((*offsets, size)))
        regular &= all(begin <= end <= size for begin, end in bounds)
        shown = range(count)
        if not regular and self.tolerant:
            self._check(cursor, bounds, size, path)
        elif not regular:
            self._check_size(cursor, bounds, size, path)
            if cursor.trace is not None:
                shown = _apart(bounds)
        sizes = []
        for index, (begin, end) in enumerate(bounds):
            proper = begin <= end <= size
            begin = min(begin, size)
            window = cursor.window(base + begin, base + (end if proper else begin))
            if index not in shown:  # another entry has these bytes in the trace
                window.trace = None
            entries.append(self._entry(window, (path, index), proper))
            sizes.append(window.position - base - begin)
            regular &= window.position == window.end
        blob = cursor.take(size, path)
        layout = None
        if not regular:
            cursor.warn("table_layout", path, NOT_BACK_TO_BACK, base)
            layout = Layout(offsets, bytes(blob), tuple(entries), tuple(sizes))
        return Container(entries=entries, pad=pad, layout=layout, rest=None)

    def _deferred(
        self,
        cursor: Cursor,
        deferred: Callable[[Construct, int], Callable],
        offsets: tuple[int, ...],
        path: Path,
    ) -> Deferred:
        """Return the entries, unread; `offsets` count from the position of the cursor."""
        base = cursor.position
        cursor.take(cursor.left, path)
        ends = (*offsets, cursor.position - base)

        def careful(
            index: int, trace: list[Span] | None, warnings: list[Oddity] | None
        ) -> tuple[Any, bool]:
            window = cursor.window(base + ends[index], base + ends[index + 1])
            window.trace, window.warnings = trace, warnings
            entry = self._entry(window, (path, index), True)
            return entry, window.position == window.end

        loose = Oddity("table_layout", base, cursor.section, path, NOT_BACK_TO_BACK)
        return Deferred(ends, deferred(self.entry, base), careful, loose)

    def _offsets(self, cursor: Cursor, count: int, path: Path) -> tuple[int, ...]:
        if cursor.trace is not None:
            return tuple(
                self.index._parse(cursor, None, ((path, "offset"), index)) for index in range(count)
            )
        return struct.unpack(
            f"<{count}{self.index.code}", cursor.take(count * self.index_size, path)
        )

    def _bounds(self, offsets: Sequence[int], size: int) -> list[tuple[int, int]]:
        """Return start and end of each entry; strings are cut (see `_cut`)."""
        bounds = list(pairwise((*offsets, size)))
        return bounds if self.tolerant else [_cut(begin, end, size) for begin, end in bounds]

    def _check(self, cursor: Cursor, bounds: list[tuple[int, int]], size: int, path: Path) -> None:
        """Refuse entries that overlap; if `ordered`, also those that are out of order."""

        def refuse(index: int, found: str):
            where = cursor.position - (len(bounds) - index) * self.index_size
            expected = "an entry of its own inside the section"
            inner = ((path, "offset"), index)
            return cursor.error("bad_offset", inner, offset=where, expected=expected, found=found)

        if self.ordered:
            for index, (begin, end) in enumerate(bounds):
                if not begin <= end <= size:
                    raise refuse(index, f"bytes {begin} to {end} of {size}")
        covered = 0
        for index in sorted(range(len(bounds)), key=bounds.__getitem__):
            begin, end = bounds[index]
            if begin < end <= size:
                if begin < covered:
                    raise refuse(index, f"bytes {begin} to {end}, on top of another entry")
                covered = end

    def _check_size(
        self, cursor: Cursor, bounds: list[tuple[int, int]], size: int, path: Path
    ) -> None:
        """Refuse entries that share their bytes too often to be decoded."""
        most = MAX_OVERLAP * size + MAX_OVERLAPPING
        total = sum(end - begin for begin, end in bounds)
        if total > most:
            raise cursor.error(
                "limit",
                path,
                expected=f"entries of at most {most} bytes altogether in {size} bytes",
                found=f"{total}, as they lie on top of each other",
            )

    def _entry(self, window: Cursor, path: Path, proper: bool):
        """Read an entry, which is `proper` if its offsets are; it is Malformed if that fails."""
        start = window.position
        noted = len(window.trace) if window.trace is not None else 0
        try:
            if not proper:
                raise window.error(
                    "bad_offset",
                    path,
                    expected="an entry inside the section",
                    found="one beyond its end, or one that ends before it begins",
                )
            entry = self.subcon._parse(window, None, path)
            if self.tolerant and window.left and window.version.open:
                raise window.error(
                    "leftover",
                    path,
                    expected="the end of the entry",
                    found=f"bytes: {window.left} more",
                )
        except BytecodeError as error:
            if not self.tolerant:
                raise
            if window.trace is not None:
                del window.trace[noted:]
            window.position = start
            raw = Slice(start, window.take(window.left, path))
            window.note(start, path, "malformed", raw)
            if window.version.open:
                window.warn_opaque(Opaque(error, raw))
            else:
                window.warn("malformed", path, str(error), start)
            return Malformed(
                error.with_traceback(None), raw
            )  # a traceback would keep the frames alive
        return entry

    def _build(self, table: Mapping, writer: ByteWriter, context, path: Path):
        entries, layout = table["entries"], table.get("layout")
        self.number._build(kept_count(entries, len(entries)), writer, context, (path, "count"))
        rest = table.get("rest")
        if not entries:
            writer.write(b"" if rest is None else rest.data)
            return table
        if rest is not None and bytes(rest.data).strip(bytes((FILL,))):
            raise BuildError(
                f"{spell(path)}: {len(rest.data)} bytes after the empty table would be lost"
            )
        self.pad._build(table.get("pad"), writer, context, (path, "padding"))
        offsets, blob = self._extended(entries, layout, writer, path)
        for offset in offsets:
            self.index._build(offset, writer, context, path)
        writer.write(blob)
        return table

    def _extended(self, entries, layout: Layout | None, writer: ByteWriter, path: Path):
        """Return offsets and bytes, with the old ones unchanged if every old entry is."""
        if layout is None:
            return self._back_to_back(entries, writer, path)
        count, size = len(layout.entries), len(layout.blob)
        if self._kept(entries, layout, writer, path):
            added, tail = self._back_to_back(entries[count:], writer, path)
            offsets = [*layout.offsets, *(size + offset for offset in added)]
            blob = layout.blob + tail
            if self._bounds(offsets, len(blob))[:count] == self._bounds(layout.offsets, size):
                return offsets, blob  # otherwise an old entry ran to the end, wherever that was
        if sum(layout.sizes) > MAX_OVERLAP * size:
            raise BuildError(
                f"{spell(path)}: entries share their bytes too often to be written apart"
            )
        return self._back_to_back(entries, writer, path)

    def _kept(self, entries, layout: Layout, writer: ByteWriter, path: Path) -> bool:
        """Whether the entries begin with those of the layout, unedited."""
        if len(entries) < len(layout.entries):
            return False
        bounds = self._bounds(layout.offsets, len(layout.blob))
        for entry, old, size, (begin, _) in zip(
            entries, layout.entries, layout.sizes, bounds, strict=False
        ):
            if entry is not old:
                return False
            if isinstance(entry, Slice | Malformed):  # nothing in them can be edited
                continue
            inner = writer.inner()
            self.subcon._build(entry, inner, None, path)
            if inner.data != layout.blob[begin : begin + size]:
                return False
        return True

    def _back_to_back(self, entries: Items, writer: ByteWriter, path: Path):
        """Return offsets and bytes of entries one after the other, which share no bytes."""
        offsets = []
        inner = writer.inner()
        for index, entry in enumerate(entries):
            offsets.append(len(inner.data))
            if isinstance(entry, Malformed):
                inner.write(entry["raw"].data)
            else:
                self.subcon._build(entry, inner, None, (path, index))
        return offsets, inner.data


def _in_order(offsets: tuple[int, ...], size: int) -> bool:
    """Whether every entry is inside a table of `size` bytes and follows the one before it."""
    return offsets[0] == 0 and offsets[-1] <= size and list(offsets) == sorted(offsets)


def _cut(begin: int, end: int, size: int) -> tuple[int, int]:
    """Cut an entry to the section; if the next one does not follow it, it ends with the section."""
    return min(begin, size), end if begin <= end <= size else size


def _apart(bounds: Sequence[tuple[int, int]]) -> set[int]:
    """Return entries that do not overlap and leave out few bytes, for a trace."""
    chosen: set[int] = set()
    covered = 0
    for index in sorted(range(len(bounds)), key=lambda i: (bounds[i][0], -bounds[i][1])):
        begin, end = bounds[index]
        if covered <= begin < end:
            chosen.add(index)
            covered = end
    return chosen
