"""The pages of `TABLES.md`: each kind of record, then the ops chapter by chapter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tileir.formats.attributes import ATTRIBUTE
from tileir.formats.container import ALIGNED, HEADER
from tileir.formats.debug import DEBUG, DEBUG_RECORD
from tileir.formats.enums import ENUMS
from tileir.formats.functions import EXTERN_IMPL, FUNCTION
from tileir.formats.leaves import FlagWord
from tileir.formats.mirror.docs import before, describe, of_bits, of_slot
from tileir.formats.mirror.gates import options
from tileir.formats.nodes import Flag, Record, Variant
from tileir.formats.ops import BY_NAME, CHAPTERS, OPS
from tileir.formats.ops.assembly import format_of
from tileir.formats.ops.spec import Attribute, Op, Operand, Region, Result
from tileir.formats.ops.wire import OP
from tileir.formats.sections import END, GLOBAL, SECTIONS
from tileir.formats.types import TYPE
from tileir.formats.version import V13_1

from .grid import grid
from .notation import layout, owns_bytes, when
from .rules import AFTER_ATTRIBUTES, AFTER_DEBUG, AFTER_SECTIONS, HEAD, OPS_HEAD

FIELDS = ("field", "layout", "when", "meaning")


def tables() -> str:
    """Return the text of `TABLES.md`."""
    text = "\n".join(line.rstrip() for line in lines())
    apart = re.sub(r"\n*^(#+ .*)\n*", r"\n\n\1\n\n", text, flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", apart).strip() + "\n"


def lines() -> Iterator[str]:
    """Yield all lines, page after page."""
    yield HEAD
    yield "## Header"
    yield from record(HEADER)
    yield from sections()
    yield AFTER_SECTIONS
    yield from variant("Types", TYPE, "A tag, then the fields of the tag.")
    yield from variant("Attributes", ATTRIBUTE, "A tag, then the fields of the tag.")
    yield AFTER_ATTRIBUTES
    yield "## Globals"
    yield from record(GLOBAL)
    yield "## Functions"
    yield from record(FUNCTION)
    yield "## Implementations"
    yield "Of extern functions, in public preview."
    yield from record(EXTERN_IMPL, BY_NAME["preview$extern_impl"])
    yield "## Debug"
    yield from record(DEBUG)
    yield AFTER_DEBUG
    yield from variant("Debug records", DEBUG_RECORD, "A tag, then the fields of the tag.")
    yield from enums()
    yield OPS_HEAD
    yield from index()
    for chapter in CHAPTERS:
        yield from ops_of(chapter)


def sections() -> Iterator[str]:
    """Yield the page of the kinds of section."""
    yield "## Sections"
    rows = [
        (
            s.number,
            s.name,
            layout(s.payload) if s.payload else "nothing, not even a length",
            f"{s.alignment}, required" if s.alignment else "optional" if s is not END else "none",
            "yes" if s.mandatory else "",
            "" if s.since == V13_1 else s.since,
            s.doc,
        )
        for s in sorted((END, *SECTIONS), key=lambda s: s.number)
    ]
    yield f"Bit 7 ({ALIGNED:#x}) of the id byte announces an alignment."
    yield from grid(
        ("id", "section", "payload", "alignment", "must be there", "since", "meaning"), rows
    )


def record(node: Record, op: Op | None = None, opened: Iterable[tuple] = ()) -> Iterator[str]:
    """Yield the table of a record's fields in file order; `opened` are rows before them."""
    yield from grid(FIELDS, [*opened, *(row for row in fields(node, op))])


def fields(node: Record, op: Op | None) -> Iterator[tuple]:
    """Yield a row for each field: name, layout, presence, meaning."""
    base = op.since if op else V13_1
    for field in node.subcons:
        choices = list(options(field.subcon))
        first = choices[0].node
        shown = layout(first) if owns_bytes(first) else "only its bit"
        if isinstance(first, Flag) or owns_bytes(first):
            meaning = field.docs or of_op(field.name, op)
            if isinstance(first, FlagWord):
                others = "No other bits." if first.strict else ""
                meaning = " ".join((of_bits(first, op), others, field.docs))
            if choices[0].since > base and (earlier := before(choices[0])):
                meaning += f" In older files: {earlier}."
            yield f"`{field.name}`", shown, when(choices, base), meaning


def of_op(name: str, op: Op | None) -> str:
    """Return the meaning of an op's field."""
    if op is None:
        return ""
    if name == "result_types":
        return " ".join(slot(result) for result in op.results) or "Empty: no results."
    if name == "all_operands":
        return " ".join(slot(operand) for operand in op.operands)
    if name == "regions":
        return " ".join(region(item) for item in op.regions)
    made = of_slot(name, op)
    attribute = next((item for item in op.attributes if item.name == name), None)
    return made + allowed(attribute) if attribute else made


def slot(item: Result | Operand) -> str:
    """Return a slot in a list of slots."""
    number = {"one": "", "many": ", any number", "optional": ", may be absent"}[item.arity]
    since = f", {item.since}+" if item.since > V13_1 else ""
    return f"`{item.name}`{number}{since}: {item.doc or 'the result.'}"


def allowed(item: Attribute) -> str:
    """Return the cases of its enum that an attribute may have, if not all."""
    return f" One of {', '.join(item.allowed)}." if item.allowed else ""


def region(item: Region) -> str:
    """Return a region, its arguments and its terminators."""
    ends = f" Ends with {' or '.join(item.terminators)}." if item.terminators else ""
    empty = " May have no block." if item.may_be_empty else ""
    return f"`{item.name}`: {item.doc} Arguments: {item.arguments}.{ends}{empty}"


def variant(title: str, node: Variant, opening: str) -> Iterator[str]:
    """Yield the page of the records that a tag selects."""
    yield f"## {title}"
    yield opening
    arms = node.arms.values()
    plain = [arm for arm in arms if not any(owns_bytes(f.subcon) for f in arm.fields.subcons)]
    rows = [(arm.tag, arm.name, "" if arm.since == V13_1 else arm.since, arm.doc) for arm in arms]
    yield from grid(("tag", "name", "since", "meaning"), rows)
    if node.other:
        yield f"Any other tag up to 255 is read as {node.other}."
    if plain:
        yield f"Without fields: {', '.join(arm.name for arm in plain)}."
    for arm in arms:
        if arm not in plain:
            yield ""
            yield f"**{arm.name}**, tag {arm.tag}"
            yield from record(arm.fields)


def enums() -> Iterator[str]:
    """Yield a table for each enum."""
    yield "## Enums"
    yield "Each is a varint."
    for enum in ENUMS:
        yield ""
        yield f"### {enum.name}"
        yield describe(enum.doc, enum.since)
        rows = [
            (case.value, case.name, "" if case.since == V13_1 else case.since, case.doc)
            for case in enum.cases
        ]
        yield from grid(("value", "name", "since", "meaning"), rows)


def title_of(chapter) -> str:
    """Return the title of a chapter: the first words of its module's docstring."""
    name = chapter.__name__.rpartition(".")[2].replace("_", " ")
    return name.capitalize()


def index() -> Iterator[str]:
    """Yield the table of all ops by number."""
    where = {op.opcode: chapter for chapter in CHAPTERS for op in chapter.OPS}
    rows = []
    for op in OPS:
        title = title_of(where[op.opcode])
        link = f"[{title}](#{title.lower().replace(' ', '-')}-ops)"
        since = "" if op.since == V13_1 else op.since
        rows.append((op.opcode, f"{op.opcode:#04x}", op.mnemonic, since, link))
    yield from grid(("number", "hex", "op", "since", "chapter"), rows)


def ops_of(chapter) -> Iterator[str]:
    """Yield the ops of a chapter, each with its fields in file order."""
    yield f"## {title_of(chapter)} ops"
    yield from chapter.__doc__.strip().splitlines()
    for op in sorted(chapter.OPS, key=lambda op: op.mnemonic):
        yield ""
        since = "" if op.since == V13_1 else f", since {op.since}"
        yield f"### {op.mnemonic}"
        yield f"{op.opcode} (`{op.opcode:#04x}`){since}. {' '.join(op.doc.split())}"
        if not op.in_body:
            yield "Has a number but no record in a body: it is a section, or part of one."
            continue
        if format_of(op):
            yield f"As text: `{op.mnemonic}{format_of(op)}`"
        yield from record(OP.by_name[op.mnemonic].fields, op)
