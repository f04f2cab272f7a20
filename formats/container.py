"""The file: header, sections in any order, end marker.

    file    = header section* 00
    header  = 7F "TileIR" 00   major:u8 minor:u8   tag:u16
    section = id:u8 (bit 7: aligned)  length  [alignment  padding]  payload

Padding brings the payload to a multiple of `alignment` from the start of the file. The end marker
must be the last byte.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from construct import Construct, Container

from .cursor import UNKNOWN, ByteWriter, Cursor, Path, Slice, spell
from .errors import BuildError, BytecodeError
from .leaves import Const, Fixed, Leaf, VarInt, fill, read_fill
from .nodes import Items, Record, field
from .sections import BY_NAME, BY_NUMBER, END, Section, unknown_section
from .version import LATEST, PREVIEW, SUPPORTED, V13_5, Newer, Version

MAGIC = b"\x7fTileIR\x00"
MLIR_MAGIC = b"ML\xefR"
ALIGNED = 0x80
PREVIEW_BIT = 1
"""The bit of the header's tag that announces public-preview content."""

TAG_SINCE = V13_5
"""First version in which the header's tag has a meaning."""

TEXT_SAMPLE = 64
"""Bytes at the start of a file that are tested for text."""

BLOCK_TEXT = re.compile(rb"^block_module ", re.MULTILINE)
"""What texts have of the IR that compiling makes of kernels."""

TEXT = re.compile(rb"(?:\xef\xbb\xbf)?[\t\n\r -~][\t\n\r -~\x80-\xff]*")
"""The start of a text: hardly any other file has no control characters there."""


def _other_format(data: memoryview | bytes) -> str:
    """Return a hint at the format of a file that is not bytecode."""
    start = bytes(data[:TEXT_SAMPLE])
    if start.startswith(b"\x7fELF"):
        return "it is an ELF file; `tileir tilelib` reads tile libraries"
    if start.startswith(MLIR_MAGIC):
        return "it looks like MLIR bytecode"
    if not TEXT.fullmatch(start):
        return ""
    if BLOCK_TEXT.search(data):
        return "this looks like text of block IR, which bytecode cannot hold"
    return "this looks like text; `tileir as` makes bytecode of it"


def layouts_of(stated: Version) -> Version | None:
    """Return the version by which files of a stated one are laid out, as far as that is known.

    None for one that is not supported: older than all, or between two.
    """
    if stated in SUPPORTED:
        return stated
    return Newer(stated) if stated > LATEST else None


def nothing_read(version: Version, error: BytecodeError) -> BytecodeError:
    """Return the error of a file in which `error` was met, so that nothing of it can be read.

    For a version that is newer than the tables it is one about the version.
    """
    if not version.open:
        return error
    found = f"{version.stated}, in which the tables of {LATEST} do not find what is needed"
    return not_known(found, str(error))


def not_known(found: str, hint: str = "") -> BytecodeError:
    """Return the error of a file of a version that is not known; `found` begins with that."""
    return BytecodeError(
        "version",
        offset=len(MAGIC),
        section="header",
        path="header.version",
        expected=f"version {SUPPORTED[0]} to {LATEST}",
        found=found,
        hint=hint,
    )


def announces_preview(version: Version, tag: int) -> bool:
    """Whether the tag of a header announces public-preview content, as it does in one version."""
    return version.plain == PREVIEW.plain and bool(tag & PREVIEW_BIT)


class Magic(Const):
    """The eight bytes at the start of every file."""

    def read(self, cursor: Cursor, path: Path) -> bytes:
        start = bytes(cursor.data[: len(MAGIC)])
        if start == MAGIC:
            return super().read(cursor, path)
        hint = _other_format(cursor.data)
        found = start.hex(" ") or "an empty file"
        kind = "truncated" if MAGIC.startswith(start) else "bad_magic"
        raise cursor.error(kind, path, expected="7f 54 69 6c 65 49 52 00", found=found, hint=hint)


class VersionPair(Leaf):
    """The version: major and minor, a byte each."""

    kind = "version"

    def read(self, cursor: Cursor, path: Path) -> Version:
        start = cursor.position
        stated = Version(*cursor.take(2, path))
        version = cursor.environment.assumed or layouts_of(stated)
        if version is None:
            raise cursor.error(
                "version",
                path,
                offset=start,
                expected=f"version {SUPPORTED[0]} to {LATEST}",
                found=str(stated),
            )
        cursor.environment = cursor.environment._replace(version=version)
        return stated

    def emit(self, value: Version, writer: ByteWriter) -> None:
        writer.write(bytes(value[:2]))


class VersionTag(Leaf):
    """Bits about the whole file: from 13.5 on, bit 0 announces public-preview content."""

    kind = "version tag"
    number = Fixed(2)

    def read(self, cursor: Cursor, path: Path) -> int:
        start = cursor.position
        value = self.number.read(cursor, path)
        others = value & ~PREVIEW_BIT
        if others and cursor.version >= TAG_SINCE and not cursor.version.open:
            raise cursor.error(
                "bad_value",
                path,
                offset=start,
                expected="version tag 0 or 1",
                found=f"{value:#06x}",
            )
        previews = announces_preview(cursor.version, value)
        if previews:
            cursor.environment = cursor.environment._replace(version=cursor.version.previewed)
        if cursor.version.open and others:
            cursor.warn(UNKNOWN, path, f"unknown bits of the version tag: {others:#06x}", start)
        elif value and not previews:
            cursor.warn("version_tag", path, f"version tag is {value:#06x}, not 0", start)
        return value

    def emit(self, value: int, writer: ByteWriter) -> None:
        self.number.emit(value, writer)


HEADER = Record(
    field("magic", Magic(MAGIC), "The same in every file."),
    field("version", VersionPair(), "Selects the layouts of everything that follows."),
    field(
        "tag",
        VersionTag(),
        "Bits about the whole file: from 13.5 on, bit 0 announces public-preview content.",
    ),
)


def version_of(header: Mapping, assumed: Version | None = None) -> Version:
    """Return the version by which the rest of a file with that header is laid out.

    `assumed`, if given, takes the place of the version that the header states.
    """
    version = assumed or layouts_of(header["version"]) or LATEST
    return version.previewed if announces_preview(version, header["tag"]) else version


class SectionId(Leaf):
    """Section number in bits 0 to 6; bit 7 announces an alignment."""

    kind = "section id"
    number = Fixed(1)

    def read(self, cursor: Cursor, path: Path) -> int:
        start = cursor.position
        value = self.number.read(cursor, path)
        number = value & ~ALIGNED
        if value == END.number or number in BY_NUMBER:
            return value
        if number and cursor.version.open:
            text = f"no section {number} is known; its contents are opaque"
            cursor.warn(UNKNOWN, path, text, start)
            return value
        raise cursor.error(
            "unknown_section", path, offset=start, expected="a section id", found=str(number)
        )

    def emit(self, value: int, writer: ByteWriter) -> None:
        self.number.emit(value, writer)


class SectionList(Construct):
    """Sections up to and including the end marker; payloads stay slices of the file.

    Each section is a Container of id, name, offset (of the id), length, alignment, padding and
    payload.
    """

    identity = SectionId()
    number = VarInt()

    def _parse(self, cursor: Cursor, context, path: Path) -> Items:
        sections = Items()
        while True:
            inner = (path, len(sections))
            start = cursor.position
            if not cursor.left:
                raise cursor.error(
                    "truncated", inner, expected="a section or the end marker", found="the end"
                )
            identity = self.identity._parse(cursor, context, (inner, "id"))
            if identity == END.number:
                break
            sections.append(self._section(cursor, identity, start, inner))
        if cursor.left:
            raise cursor.error(
                "leftover",
                path,
                expected="the end of the file after the end marker",
                found=f"bytes: {cursor.left} more",
            )
        self._check_present(cursor, sections, path)
        for index, (before, after) in enumerate(pairwise(sections), 1):
            kinds = BY_NAME.get(before["name"]), BY_NAME.get(after["name"])
            if kinds[0] and kinds[1] and kinds[0].rank > kinds[1].rank:
                text = f"{after['name']} after {before['name']}, which no producer writes"
                cursor.warn("section_order", (path, index), text, after["payload"].offset)
        return sections

    def _section(self, cursor: Cursor, identity: int, start: int, path: Path) -> Container:
        """Read a section behind its identity byte, which is at `start`; its payload stays bytes."""
        number = identity & ~ALIGNED
        kind = BY_NUMBER.get(number) or unknown_section(number)
        length = self.number._parse(cursor, None, (path, "length"))
        alignment = padding = None
        if identity & ALIGNED:
            where = cursor.position
            alignment = self.number._parse(cursor, None, (path, "alignment"))
            self._check_alignment(cursor, kind, alignment, where, path)
            where = cursor.position
            padding = read_fill(cursor, -where % alignment, (path, "padding"))
            cursor.note(where, (path, "padding"), "padding", padding)
        elif kind.alignment:
            raise cursor.error(
                "alignment",
                path,
                offset=start,
                expected=f"the {kind.name} section to be aligned to {kind.alignment}",
                found="no alignment",
            )
        payload = cursor.position
        if length > cursor.left:
            raise cursor.error(
                "truncated",
                (path, "length"),
                offset=start,
                expected=f"{int(length)} bytes of {kind.name} section",
                found=f"{cursor.left} left",
            )
        return Container(
            id=identity,
            name=kind.name,
            offset=start,
            length=length,
            alignment=alignment,
            padding=padding,
            payload=Slice(payload, cursor.take(length, path)),
        )

    @staticmethod
    def _check_alignment(cursor, kind: Section, alignment: int, where: int, path: Path) -> None:
        power_of_two = alignment > 0 and alignment & (alignment - 1) == 0
        if power_of_two and (not kind.alignment or alignment % kind.alignment == 0):
            if alignment != kind.alignment:
                enough = f"{kind.alignment} is enough" if kind.alignment else "none is needed"
                text = f"{kind.name} is aligned to {int(alignment)}, {enough}"
                cursor.warn("alignment", (path, "alignment"), text, where)
            return
        least = f", at least {kind.alignment}" if kind.alignment else ""
        raise cursor.error(
            "alignment",
            (path, "alignment"),
            offset=where,
            expected=f"a power of two{least}",
            found=str(int(alignment)),
        )

    @staticmethod
    def _check_present(cursor: Cursor, sections: Items, path: Path) -> None:
        names = [section["name"] for section in sections]
        for kind in BY_NAME.values():
            if kind.mandatory and kind.name not in names:
                raise cursor.error(
                    "missing_section", path, expected=f"a {kind.name} section", found="none"
                )
            if names.count(kind.name) > 1:
                first = names.index(kind.name)
                where, text = sections[first]["payload"], f"{kind.name} twice; the last counts"
                cursor.warn("duplicate_section", (path, first), text, where.offset)

    def _build(self, sections, writer: ByteWriter, context, path: Path):
        for index, section in enumerate(sections):
            inner = (path, index)
            data = section["payload"].data
            self.identity._build(section["id"], writer, context, (inner, "id"))
            length = section.get("length")
            length = length if length == len(data) else len(data)
            self.number._build(length, writer, context, (inner, "length"))
            if section["id"] & ALIGNED:
                alignment = section["alignment"]
                self.number._build(alignment, writer, context, (inner, "alignment"))
                size = -len(writer.data) % alignment
                writer.write(fill(size, section.get("padding")))
            elif section.get("alignment") is not None:
                raise BuildError(f"{spell(inner)}: an alignment needs bit 7 of the id")
            writer.write(data)
        self.identity._build(END.number, writer, context, (path, "end"))
        return sections


FILE = Record(
    field("header", HEADER, "Twelve bytes."),
    field("sections", SectionList(), "In any order; of several of one kind the last counts."),
)
