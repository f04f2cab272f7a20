"""Nodes with parts: records, options, lists, variants. Together with the leaves they are complete.

There are no functions in nodes: every node is an object with plain attributes, so that one tree can
parse, build, and be walked (for a mirror in another schema language, for tables, for a specialised
codec). A node that depends on the version has versions in it, not code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from construct import Construct, Container, Renamed, Struct, Subconstruct

from .cursor import UNKNOWN, ByteWriter, Cursor, Opaque, Path, Slice, spell
from .errors import BuildError, BytecodeError
from .leaves import FlagWord, VarInt, WideInt, WideSlice, kept_count
from .limits import MAX_TAG
from .version import V13_1, Version

UNANNOUNCED = "it is public-preview content, which the header does not announce"
"""The hint of errors about preview content in an ordinary file."""


def field(name: str, node: Construct, doc: str) -> Renamed:
    """Return the field `name` of a record, with the layout `node`; `doc` is its meaning.

    Construct's ``"name" / node * "doc"`` wraps a node twice, so that every walk of the tree would
    have to unwrap it twice. Here one `Renamed` has both.
    """
    return Renamed(node, newname=name, newdocs=doc)


class Items(list):
    """A list that keeps a count which was not written in its shortest form.

    If it ended before an item that cannot be read, `opaque` is the rest of its window.
    """

    __slots__ = ("opaque", "wide_count")


def opaque_of(items: object) -> Opaque | None:
    """Return what follows the items of a list that ended early (`Cursor.stop`); None otherwise."""
    return getattr(items, "opaque", None)


class Record(Struct):
    """Named fields one after the other; parses to a Container, in which absent fields are None.

    When building, a field that announces others (a flag word, the byte before an optional value)
    may be left out or None: its bits are then those of the fields that are present.
    """

    def _parse(self, cursor: Cursor, context, path: Path) -> Container:
        record = Container()
        for field in self.subcons:
            record[field.name] = field.subcon._parse(cursor, record, (path, field.name))
        return record

    def _build(self, record: Mapping, writer: ByteWriter, context, path: Path):
        whole = self.announced(record, writer.version)
        for field in self.subcons:
            inner = (path, field.name)
            field.subcon._build(whole.get(field.name), writer, whole, inner)
        return record

    def announced(self, record: Mapping, version: Version) -> Mapping:
        """Return the record with every missing flag word filled in, for a version."""
        bits: dict[str, int] = {}
        for field in self.subcons:
            node = at_version(field.subcon, version)
            if isinstance(node, FlagWord) and record.get(field.name) is None:
                bits.setdefault(field.name, 0)
            value = record.get(field.name)
            present = bool(value) if isinstance(node, Flag) else value is not None
            while isinstance(node, If | Flag):
                if record.get(node.field) is None:
                    bit = node.mask & -node.mask if present and not isinstance(node, Unless) else 0
                    bits[node.field] = bits.get(node.field, 0) | bit
                node = at_version(node.subcon, version) if isinstance(node, If) else None
        return {**record, **bits} if bits else record


class RowRecord(Record):
    """A record of which bodies have very many, so that the specialised codec keeps it as a row."""


@dataclass(frozen=True, slots=True)
class Each:
    """A default that is a list: `value` once for each item of the record's field `slot`."""

    slot: str
    value: object

    def of(self, record: Mapping) -> list:
        """Return the default list for a record."""
        return [self.value] * len(record[self.slot])


class Since(Subconstruct):
    """A field that exists since a version; in files of older ones it means `default`."""

    def __init__(self, since: Version, subcon: Construct, default: object = None) -> None:
        super().__init__(subcon)
        self.since = since
        self.default = default

    def _parse(self, cursor: Cursor, context, path: Path):
        if cursor.version < self.since:
            return self.default
        return self.subcon._parse(cursor, context, path)

    def _build(self, value, writer: ByteWriter, context, path: Path):
        if writer.version >= self.since:
            self.subcon._build(value, writer, context, path)
        elif not self.says_default(value, context):
            raise BuildError(f"{spell(path)} needs {self.since}, writing {writer.version}")
        return value

    def says_default(self, value, record: Mapping) -> bool:
        """Whether a value of this field is its meaning in versions without the field."""
        if value is None or value == self.default:
            return True
        if isinstance(self.default, Each):
            return list(value) == self.default.of(record)
        return isinstance(self.subcon, FlagWord) and value == 0


def at_version(node: Construct | None, version: Version) -> Construct | None:
    """Return the node without version gates, as a version has it; None if it has none."""
    while isinstance(node, Since | Versioned):
        if isinstance(node, Versioned):
            node = node.at(version)
        else:
            node = node.subcon if version >= node.since else None
    return node


class Versioned(Construct):
    """A field whose layout changed: the last layout whose version is not newer than the file's.

    None as a layout means that the field is absent.
    """

    def __init__(self, *layouts: tuple[Version, Construct | None]) -> None:
        super().__init__()
        self.layouts = layouts

    def at(self, version: Version) -> Construct | None:
        latest = None
        for since, layout in self.layouts:
            if version >= since:
                latest = layout
        return latest

    def _parse(self, cursor: Cursor, context, path: Path):
        layout = self.at(cursor.version)
        return None if layout is None else layout._parse(cursor, context, path)

    def _build(self, value, writer: ByteWriter, context, path: Path):
        layout = self.at(writer.version)
        if layout is not None:
            layout._build(value, writer, context, path)
        elif value is not None:
            raise BuildError(f"{spell(path)} is given, which {writer.version} does not have")
        return value


class If(Subconstruct):
    """A field that is present if an earlier field of the record has one of the bits of `mask`."""

    def __init__(self, field: str, mask: int, subcon: Construct) -> None:
        super().__init__(subcon)
        self.field = field
        self.mask = mask

    def holds(self, record: Mapping) -> bool:
        return bool((record.get(self.field) or 0) & self.mask)

    def _parse(self, cursor: Cursor, context, path: Path):
        return self.subcon._parse(cursor, context, path) if self.holds(context) else None

    def _build(self, value, writer: ByteWriter, context, path: Path):
        if self.holds(context):
            self.subcon._build(value, writer, context, path)
        elif value is not None:
            text = f"is given but the bit of {self.field} that announces it is 0"
            raise BuildError(f"{spell(path)} {text}")
        return value


class Unless(If):
    """A field that is present if an earlier field of the record has none of the bits of `mask`."""

    def holds(self, record: Mapping) -> bool:
        return not super().holds(record)


class Flag(Construct):
    """A field without bytes, whose value is a bit of an earlier flag word."""

    def __init__(self, field: str, mask: int) -> None:
        super().__init__()
        self.field = field
        self.mask = mask

    def _parse(self, cursor: Cursor, context, path: Path) -> bool:
        return bool((context.get(self.field) or 0) & self.mask)

    def _build(self, value, writer: ByteWriter, context, path: Path):
        if bool(value) != bool((context.get(self.field) or 0) & self.mask):
            raise BuildError(f"{spell(path)} is {value!r}, which is not what {self.field} says")
        return value


class Counted(Subconstruct):
    """A count and that many items. The count is compared with the bytes left before the loop.

    If it is `partial`, an item that cannot be read ends the list in files of newer versions, as it
    does any list that this one is in (`Cursor.stop`).
    """

    def __init__(self, subcon: Construct, item_size: int = 1, *, partial: bool = False) -> None:
        super().__init__(subcon)
        self.item_size = item_size
        self.partial = partial
        self.number = VarInt()

    def _parse(self, cursor: Cursor, context, path: Path) -> Items:
        start = cursor.position
        count = self.number._parse(cursor, context, (path, "count"))
        cursor.fits(count, self.item_size, path, start)
        items = Items()
        if isinstance(count, WideInt):
            items.wide_count = count
        for index in range(count):
            if not _appended(items, self, cursor, context, (path, index)):
                break
        return items

    def _build(self, items, writer: ByteWriter, context, path: Path):
        self.number._build(kept_count(items, len(items)), writer, context, (path, "count"))
        for index, item in enumerate(items):
            self.subcon._build(item, writer, context, (path, index))
        return items


def _appended(items: Items, of: Counted | UntilEnd, cursor: Cursor, context, path: Path) -> bool:
    """Read the next item of a list; returns whether one may follow."""
    start = cursor.position
    try:
        items.append(of.subcon._parse(cursor, context, path))
    except BytecodeError as error:
        if not of.partial:
            raise
        cursor.stop(error, start)
        items.opaque = cursor.opaque
    return cursor.opaque is None


class UntilEnd(Subconstruct):
    """Items up to the last byte of the window; of a newer version, the ones that can be read."""

    partial = True

    def _parse(self, cursor: Cursor, context, path: Path) -> Items:
        items = Items()
        while cursor.position < cursor.end:
            _appended(items, self, cursor, context, (path, len(items)))
        return items

    def _build(self, items, writer: ByteWriter, context, path: Path):
        for index, item in enumerate(items):
            self.subcon._build(item, writer, context, (path, index))
        return items


class Sized(Subconstruct):
    """A length and a window of that size that `subcon` fills.

    Function bodies stay a `Slice` until their ops are wanted, unless the cursor is `eager`, as it
    is for inspect. Builds from either form.
    """

    def __init__(self, subcon: Construct) -> None:
        super().__init__(subcon)
        self.number = VarInt()

    def _parse(self, cursor: Cursor, context, path: Path):
        size = self.number._parse(cursor, context, (path, "length"))
        start = cursor.position
        data = cursor.take(size, path)
        if not cursor.eager:
            wide = isinstance(size, WideInt)
            return WideSlice(start, data, size) if wide else Slice(start, data)
        value = self.subcon._parse(cursor.window(start, start + size), context, path)
        value.wide_count = size
        return value

    def _build(self, value, writer: ByteWriter, context, path: Path):
        if isinstance(value, Slice):
            data = value.data
        else:
            inner = writer.inner()
            self.subcon._build(value, inner, context, path)
            data = inner.data
        self.number._build(kept_count(value, len(data)), writer, context, (path, "length"))
        writer.write(data)
        return value


@dataclass(frozen=True, slots=True)
class Alternative:
    """One arm of a `Variant`: a tag number, its name, and the fields that follow.

    `nested`: the variant itself is among the fields.
    """

    name: str
    tag: int
    since: Version
    doc: str
    fields: Record
    nested: bool = False


def reaches(node: Construct, target: Construct) -> bool:
    """Whether `target` is among the parts of `node`."""
    parts = [*getattr(node, "subcons", ()), getattr(node, "subcon", None)]
    return any(part is target or (part is not None and reaches(part, target)) for part in parts)


class Variant(Construct):
    """A tag and the fields it selects. The record starts with `tag` and `variant`, its name.

    `what` describes the tag in words, and `label` is its name in a path. Arms are added after
    creation, so that types, attributes and ops can contain themselves. `nests` names the limit on
    that; the arm `other` is for every tag up to 255 that has none.
    """

    def __init__(
        self,
        what: str,
        label: str = "tag",
        *,
        nests: str = "",
        preview: range | tuple[range, ...] = (),
        other: str = "",
        rows: bool = False,
    ) -> None:
        super().__init__()
        self.what = what
        self.label = label
        self.number = Tag(what)
        self.nests = nests
        self.preview = (preview,) if isinstance(preview, range) else preview
        self.other = other
        self.rows = rows
        self.arms: dict[int, Alternative] = {}
        self.by_name: dict[str, Alternative] = {}

    def add(
        self, name: str, tag: int, doc: str, *fields: Construct, since: Version = V13_1
    ) -> Alternative:
        record = Record(*fields)
        arm = Alternative(name, tag, since, doc, record, reaches(record, self))
        if tag in self.arms or name in self.by_name:
            raise ValueError(f"{self.what} {tag} ({name}) is described twice")
        self.arms[tag] = self.by_name[name] = arm
        return arm

    def _parse(self, cursor: Cursor, context, path: Path) -> Container:
        start = cursor.position
        tag = self.number._parse(cursor, context, (path, self.label))
        arm = self.arm(cursor, path, start, tag)
        record = Container(tag=tag, variant=arm.name)
        counted = self.nests and arm.nested
        if counted:
            cursor.enter(self.nests, path, start)
        record.update(arm.fields._parse(cursor, record, path))
        if counted:
            cursor.depth[self.nests] -= 1
        return record

    def arm(self, cursor: Cursor, path: Path, start: int, tag: int) -> Alternative:
        """Return the arm that a tag selects; `start` is the offset of the tag."""
        arm = self.arms.get(tag) or self._otherwise(cursor, path, start, tag)
        if arm.since > cursor.version and arm.since.preview:
            raise self._preview(cursor, path, start, tag, UNANNOUNCED)
        if arm.since > cursor.version:
            raise cursor.error(
                "not_available",
                (path, self.label),
                offset=start,
                expected=f"{self.what}s of version {cursor.version}",
                found=f"{arm.name}, which needs {arm.since}",
            )
        return arm

    def _otherwise(self, cursor: Cursor, path: Path, start: int, tag: int) -> Alternative:
        if any(tag in numbers for numbers in self.preview):
            hint = "this is reserved for preview content, of which no layout is known"
            raise self._preview(cursor, path, start, tag, hint)
        if self.other and tag <= MAX_TAG:
            kind = UNKNOWN if cursor.version.open else "unknown_tag"
            cursor.warn(kind, path, f"unknown {self.what} {int(tag)}", start)
            return self.by_name[self.other]
        raise cursor.error(
            f"unknown_{self.label}",
            (path, self.label),
            offset=start,
            expected=f"a known {self.what}",
            found=str(int(tag)),
        )

    def _preview(self, cursor: Cursor, path: Path, start: int, tag: int, hint: str):
        return cursor.error(
            "preview",
            (path, self.label),
            offset=start,
            expected=f"a public {self.what}",
            found=f"public-preview {self.what} {int(tag)}",
            hint=hint,
        )

    def _build(self, record: Mapping, writer: ByteWriter, context, path: Path):
        arm = self.by_name.get(record["variant"])
        if arm is None:
            raise BuildError(f"{spell(path)}: there is no {self.what} {record['variant']!r}")
        if arm.since > writer.version:
            raise BuildError(
                f"{spell(path)}: {arm.name} needs {arm.since}, writing {writer.version}"
            )
        self.number._build(record.get("tag", arm.tag), writer, context, (path, self.label))
        arm.fields._build(record, writer, context, path)
        return record


class Tag(VarInt):
    """The number that selects the arm of a variant."""

    def __init__(self, what: str) -> None:
        super().__init__(bits=32)
        self.kind = what


class Malformed(Container):
    """A table entry that cannot be read. It is only an error when something refers to it."""

    def __init__(self, error: BytecodeError, raw: Slice) -> None:
        super().__init__(variant="malformed", raw=raw)
        self["error"] = error
