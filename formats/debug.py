"""Debug section: the source locations of functions and ops.

It has three tables. A function's location index (1-based, 0 = no debug information) selects an
entry of `starts`; that is the position in `indices` of the function's own location, followed by
one element for each of its ops in pre-order. Elements of `indices`, and every reference between
records, are 1-based record numbers; 0 means unknown.
"""

from __future__ import annotations

import struct

from construct import Construct, Container

from .attributes import STRING_INDEX
from .cursor import ByteWriter, Cursor, Path
from .leaves import Fixed, FlagWord, Index, Padding, VarInt, kept_count
from .nodes import Items, Record, Since, Variant, field
from .table import Table
from .version import V13_5

RECORD_INDEX = Index("debug record")
LINE = VarInt(32)

DEBUG_RECORD = Variant("debug tag", other="Unknown")

DEBUG_RECORD.add("Unknown", 0, "No location; also what any unassigned tag stands for.")
DEBUG_RECORD.add("DICompileUnit", 1, "A compilation.", field("file", RECORD_INDEX, "Its DIFile."))
DEBUG_RECORD.add(
    "DIFile",
    2,
    "A source file.",
    field("name", STRING_INDEX, "Base name."),
    field("directory", STRING_INDEX, "Its directory."),
)
DEBUG_RECORD.add(
    "DILexicalBlock",
    3,
    "A nested scope inside a subprogram.",
    field("scope", RECORD_INDEX, "The enclosing scope: a block, a subprogram or a file."),
    field("file", RECORD_INDEX, "Its DIFile."),
    field("line", LINE, "1-based."),
    field("column", LINE, "1-based."),
)
DEBUG_RECORD.add(
    "DILoc",
    4,
    "A position in a source file.",
    field("scope", RECORD_INDEX, "The enclosing scope: a block, a subprogram or a file."),
    field("filename", STRING_INDEX, "Path of the source file."),
    field("line", LINE, "1-based."),
    field("column", LINE, "1-based."),
)
DEBUG_RECORD.add(
    "DISubprogram",
    5,
    "A function in source.",
    field("file", RECORD_INDEX, "Its DIFile."),
    field("line", LINE, "1-based."),
    field("name", STRING_INDEX, "The name in source."),
    field("linkage_name", STRING_INDEX, "The name that the linker sees."),
    field("compile_unit", RECORD_INDEX, "Its DICompileUnit."),
    field("scope_line", LINE, "Line at which the body begins."),
    field(
        "flags",
        Since(V13_5, FlagWord("declaration", strict=True), default=0),
        "Whether it is only a declaration.",
    ),
)
DEBUG_RECORD.add(
    "CallSite",
    6,
    "A location inlined into another.",
    field("callee", RECORD_INDEX, "The location in the inlined function."),
    field("caller", RECORD_INDEX, "The location of the call."),
)


class FixedList(Construct):
    """A count, padding to the item size, and that many little-endian integers."""

    def __init__(self, size: int, kind: str) -> None:
        super().__init__()
        self.number = VarInt()
        self.pad = Padding(size)
        self.item = Fixed(size, kind=kind)

    def _parse(self, cursor: Cursor, context, path: Path) -> Container:
        start = cursor.position
        count = self.number._parse(cursor, context, (path, "count"))
        pad = self.pad._parse(cursor, context, (path, "padding"))
        size = self.item.size
        cursor.fits(count, size, (path, "count"), start)
        items = Items()
        items.wide_count = count
        if cursor.trace is None:
            items.extend(
                struct.unpack(f"<{count}{self.item.code}", cursor.take(count * size, path))
            )
        else:
            items.extend(self.item._parse(cursor, context, (path, index)) for index in range(count))
        return Container(elements=items, pad=pad)

    def _build(self, value, writer: ByteWriter, context, path: Path):
        items = value["elements"]
        self.number._build(kept_count(items, len(items)), writer, context, (path, "count"))
        self.pad._build(value.get("pad"), writer, context, (path, "padding"))
        for index, item in enumerate(items):
            self.item._build(item, writer, context, (path, index))
        return value


RECORDS = Table(4, DEBUG_RECORD, tolerant=True, followed=True)

DEBUG = Record(
    field(
        "starts", FixedList(4, "list start"), "The position in `indices` at which each list begins."
    ),
    field("indices", FixedList(8, "debug record"), "The lists, one after the other."),
    field("records", RECORDS, "The records; the first is number 1."),
)
