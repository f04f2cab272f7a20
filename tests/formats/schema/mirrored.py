"""The leaves of a file as our reader finds them, and as a Kaitai parser of the mirror does.

Both are dicts from a path to a number or bytes. Paths are those of our traces. In the objects of
the Kaitai parser the same path appears once names that only Kaitai needs are left out, so neither
side knows anything about a particular record.
"""

from __future__ import annotations

import re
from io import BytesIO

from construct import Container

from tests.ksy.tile_ir_bytecode import KaitaiStream, KaitaiStruct, TileIrBytecode
from tileir.formats import codec
from tileir.formats.attributes import ATTRIBUTE, ScalarBits
from tileir.formats.container import version_of
from tileir.formats.cursor import Slice, Span
from tileir.formats.mirror.names import identifier
from tileir.formats.version import Version

MALFORMED = "malformed"

TRANSPARENT = {"items", "fields", "window", "slots", "entry", "data"}
"""Fields of the mirror that are no part of a path."""

HIDDEN = {"raw", "trailing", "idx", "expected"}
"""Fields of the mirror that are no leaves: bytes read again as something else, and parameters."""


def ours(data: bytes) -> dict[str, object]:
    """The leaves as our reader finds them, under the mirror's names; raises BytecodeError."""
    return {mirrored(path): value for path, value in traced(data).items()}


def traced(data: bytes) -> dict[str, object]:
    """The leaves as our reader finds them; raises BytecodeError."""
    view, trace = memoryview(data), []
    file = codec.parse_file(view, trace=trace)
    active = {section["name"]: section["payload"] for section in file["sections"]}
    version = version_of(file["header"])
    tags: list[int | None] = []
    leaves: dict[str, object] = {}
    if "Type" in active:
        types, _ = codec.parse_section(view, "Type", active["Type"], version)
        tags = [entry.get("tag") for entry in types["entries"]]
    for name, payload in active.items():
        record, _ = codec.parse_named(view, name, payload, version, tags, trace=trace)
        leaves |= dict(unlisted(record, name.lower()))
    for span in trace:
        leaves |= dict(leaf(span))
    return leaves


def leaf(span: Span):
    """The leaf of a span, or several where the mirror has more than one."""
    path = span.path.removeprefix("file.")
    if span.kind == "malformed":
        yield path, MALFORMED
    elif span.kind == "unused":
        return
    elif isinstance(span.value, Version):
        yield from ((f"{path}.{name}", number) for name, number in span.value._asdict().items())
    elif isinstance(span.value, Slice):
        yield path, bytes(span.value.data)
    elif span.kind == "padding":
        yield path, span.value or b"\xcb" * (span.end - span.start)
    else:
        yield path, span.value if isinstance(span.value, bytes) else int(span.value)


def unlisted(record: object, path: str):
    """What a record holds that owns no bytes: unit flags, and the pattern of a number attribute."""
    if isinstance(record, list):
        for index, item in enumerate(record):
            yield from unlisted(item, f"{path}[{index}]")
    elif isinstance(record, Container) and "layout" in record:
        yield from unlisted(record["entries"], path)
    elif isinstance(record, Container):
        for name, value in record.items():
            if isinstance(value, bool):
                yield f"{path}.{name}", int(value)
            elif record.get("variant") in NUMBERS and name == "bits":
                yield f"{path}.bits.pattern", int(value)
            else:
                yield from unlisted(value, f"{path}.{name}")


NUMBERS = {
    arm.name
    for arm in ATTRIBUTE.arms.values()
    if any(isinstance(field.subcon, ScalarBits) for field in arm.fields.subcons)
}


def mirrored(path: str) -> str:
    """The path with the names that the mirror gives to its parts."""
    first, *rest = path.split(".")
    return ".".join([first, *(re.sub(r"^\w+", lambda m: identifier(m[0]), part) for part in rest)])


def theirs(data: bytes) -> dict[str, object]:
    """The leaves as the Kaitai parser finds them; raises what such a parser raises."""
    file = TileIrBytecode(KaitaiStream(BytesIO(data)))
    leaves = dict(found(file.header, "header"))
    last = {}
    for index, section in enumerate(file.sections):
        leaves |= dict(found(section, f"sections[{index}]"))
        if not section.is_end:
            last[section.id & 127] = section
    for section in last.values():
        name = section.kind.name.removesuffix("_section")
        leaves |= dict(found(section.payload, name))
    return leaves


def found(node: object, path: str):
    """The leaves below an object of the parser."""
    kind = type(node).__name__
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from found(item, f"{path}[{index}]")
    elif not isinstance(node, KaitaiStruct):
        if node != b"":
            yield path, node
    elif kind in ("Varint", "Varint32", "SignedVarint") or kind.endswith("Enum"):
        yield path, int(node.value)
    elif kind in ("IntegerBits", "FloatBits"):
        yield path, node.byte_value if hasattr(node, "byte_value") else node.number.value
        yield f"{path}.pattern", node.value
    elif kind == "Padding":
        yield from found(node.fill, path)
    elif kind.endswith("Slot"):
        yield from entry(node, path)
    else:
        yield from parts(node, path)


def parts(node: KaitaiStruct, path: str):
    """The leaves of an object with fields, in the order in which it read them."""
    fields = {name: value for name, value in vars(node).items() if name[0] != "_"}
    if hasattr(type(node), "slots"):
        fields["slots"] = node.slots
    if type(node).__name__.startswith("Op"):
        flags = {name for name, value in vars(type(node)).items() if isinstance(value, property)}
        fields |= {name: int(getattr(node, name)) for name in flags - {"mnemonic"}}
    for name, value in fields.items():
        if name not in HIDDEN:
            below = "offset" if name == "offsets" else name
            yield from found(value, path if name in TRANSPARENT else f"{path}.{below}")


def entry(slot: KaitaiStruct, path: str):
    """The leaves of a table's entry; one that cannot be read only matters if something uses it."""
    try:
        below = list(found(slot.entry, path))
    except RecursionError:
        raise
    except Exception:
        below = [(path, MALFORMED)]
    yield from below
