"""The layout rule: from the slots of an op to its bytes. It is here and nowhere else.

    opcode   [number of results]   result types   [flags]   attributes   operands   [regions]

* Result types are always present. They are counted when a list of any length is among the op's
  operands or results; single optional operands do not count as one.
* The flag word has a bit for every optional attribute and, where operands are segmented, for every
  optional operand. Bits are numbered by version first, then attributes before operands, then in
  declaration order, so that an addition never renumbers. Files older than the first bit have no
  word.
* Attributes follow in declaration order; a unit attribute is only its bit.
* Operands: if every slot has one value, an index each. With one slot of a variable number of
  values, a count of all operands of the op, then all indices. With more such slots they are
  segmented: each slot separately, a list with its own count, an optional one if its bit is set.
* Regions: their number, then for each the number of blocks; a block is its argument types and its
  ops.
"""

from __future__ import annotations

from dataclasses import replace

from construct import Construct, Container

from tileir.formats.cursor import ByteWriter, Cursor, Path, spell
from tileir.formats.errors import BuildError
from tileir.formats.leaves import EnumValue, FlagWord, Index, VarInt, kept_count
from tileir.formats.nodes import (
    Alternative,
    Counted,
    Flag,
    If,
    Items,
    RowRecord,
    Since,
    Variant,
    Versioned,
)
from tileir.formats.types import TYPE_INDEX
from tileir.formats.version import Version

from . import OPS
from .spec import Attribute, Op, Operand

PREVIEW_OPCODES = range(0x4000, 0x4010)

VALUE = Index("value")
VALUES = Counted(VALUE)


def variable(op: Op) -> list[Operand]:
    """Return the operand slots with a variable number of values."""
    return [slot for slot in op.operands if slot.arity != "one"]


def is_segmented(op: Op) -> bool:
    """Whether each operand slot is separate in the file."""
    return len(variable(op)) > 1


def counts_results(op: Op) -> bool:
    """Whether a count precedes the result types."""
    lists = [slot for slot in op.operands if slot.arity == "many"]
    return bool(lists) or any(slot.arity != "one" for slot in op.results)


def flag_slots(op: Op) -> list[Attribute | Operand]:
    """Return the slots that have a bit of the flag word, in the order of the bits."""
    slots: list[Attribute | Operand] = [slot for slot in op.attributes if slot.optional]
    if is_segmented(op):
        slots += [slot for slot in op.operands if slot.arity == "optional"]
    return sorted(slots, key=lambda slot: slot.since)  # stable: declaration order within a version


class Repeat(Construct):
    """A fixed number of items, without a count in the file."""

    def __init__(self, count: int, subcon: Construct) -> None:
        super().__init__()
        self.count = count
        self.subcon = subcon

    def _parse(self, cursor: Cursor, context, path: Path) -> Items:
        items = Items()
        for index in range(self.count):
            items.append(self.subcon._parse(cursor, context, (path, index)))
        return items

    def _build(self, items, writer: ByteWriter, context, path: Path):
        if len(items) != self.count:
            raise BuildError(f"{spell(path)} has {len(items)} items, not {self.count}")
        for index, item in enumerate(items):
            self.subcon._build(item, writer, context, (path, index))
        return items


class Regions(Construct):
    """The nested regions of an op; their depth is counted."""

    def __init__(self, count: int, region: Construct) -> None:
        super().__init__()
        self.number = VarInt()
        self.count = count
        self.subcon = region

    def _parse(self, cursor: Cursor, context, path: Path) -> Items:
        start = cursor.position
        count = self.number._parse(cursor, context, (path, "count"))
        self.enter(cursor, count, path, start)
        regions = Items()
        regions.wide_count = count
        for index in range(count):  # a loop: consumed by list() it would nest on the C stack
            read = cursor.opaque is None  # else those that would follow have no blocks
            inner = (path, index)
            regions.append(self.subcon._parse(cursor, context, inner) if read else Items())
        cursor.depth["region"] -= 1
        return regions

    def enter(self, cursor: Cursor, count: int, path: Path, start: int) -> None:
        """Go one level deeper; refuse a count, at offset `start`, that is not the op's."""
        if count != self.count:
            raise cursor.error(
                "bad_value",
                (path, "count"),
                offset=start,
                expected=f"{self.count} regions",
                found=str(int(count)),
            )
        cursor.enter("region", path, start)

    def _build(self, regions, writer: ByteWriter, context, path: Path):
        if len(regions) != self.count:
            raise BuildError(f"{spell(path)} has {len(regions)} regions, not {self.count}")
        self.number._build(kept_count(regions, len(regions)), writer, context, (path, "count"))
        for index, region in enumerate(regions):
            self.subcon._build(region, writer, context, (path, index))
        return regions


class OpVariant(Variant):
    """An op, whose opcode selects the row; the record also has its offset in the body."""

    def _parse(self, cursor: Cursor, context, path: Path) -> Container:
        start = cursor.position
        record = super()._parse(cursor, context, path)
        record["op_offset"] = start - cursor.origin
        return record


OP = OpVariant("opcode", "opcode", preview=PREVIEW_OPCODES, rows=True)
BLOCK = RowRecord("arguments" / Counted(TYPE_INDEX), "ops" / Counted(OP, item_size=2, partial=True))
REGION = Counted(BLOCK, item_size=2)


def fields(op: Op) -> list[Construct]:
    """Return the fields after the opcode."""
    made: list[Construct] = ["result_types" / result_types(op)]
    bits = flag_slots(op)
    if bits:
        later = {slot.name: slot.since for slot in bits if slot.since > op.since}
        word = FlagWord(*(slot.name for slot in bits), since=later)
        made.append("flags" / since(bits[0].since, word, op, 0))
    mask = {slot.name: 1 << bit for bit, slot in enumerate(bits)}
    for slot in op.attributes:
        made.append(slot.name / attribute(op, slot, mask))
    if is_segmented(op):
        made += [slot.name / segment(op, slot, mask) for slot in op.operands]
    elif variable(op):
        made.append("all_operands" / VALUES)
    else:
        made += [slot.name / VALUE for slot in op.operands]
    if op.regions:
        made.append("regions" / Regions(len(op.regions), REGION))
    return made


def result_types(op: Op) -> Construct:
    """Return the field of the result types; without a count, their number is the version's."""
    if counts_results(op):
        return Counted(TYPE_INDEX)
    versions = sorted({max(op.since, slot.since) for slot in op.results} | {op.since})
    layouts = [
        (version, Repeat(sum(slot.since <= version for slot in op.results), TYPE_INDEX))
        for version in versions
    ]
    return layouts[0][1] if len(layouts) == 1 else Versioned(*layouts)


def since(version: Version, node: Construct, op: Op, default: object) -> Construct:
    """Return the node, gated if the slot is newer than the op."""
    return node if version <= op.since else Since(version, node, default)


def attribute(op: Op, slot: Attribute, mask: dict[str, int]) -> Construct:
    """Return the field of an attribute slot."""
    if slot.node is None:
        return since(slot.since, Flag("flags", mask[slot.name]), op, False)
    node = If("flags", mask[slot.name], slot.node) if slot.optional else slot.node
    default = slot.default
    if isinstance(slot.node, EnumValue) and isinstance(default, str):
        default = slot.node.enum.by_name[default].value
    return since(slot.since, node, op, default)


def segment(op: Op, slot: Operand, mask: dict[str, int]) -> Construct:
    """Return the field of an operand slot of a segmented op."""
    node: Construct = VALUE
    if slot.arity == "many":
        node = VALUES
    elif slot.arity == "optional":
        node = If("flags", mask[slot.name], VALUE)
    return since(slot.since, node, op, None)


def add(op: Op) -> Alternative:
    """Add the arm of an op to `OP`.

    ValueError for a row whose newer operands would change the layout of the others in old files.
    """
    first = replace(op, operands=tuple(slot for slot in op.operands if slot.since <= op.since))
    lone_list = [slot.arity for slot in first.operands] == ["many"]  # one count in either form
    if first != op and not (is_segmented(op) and (is_segmented(first) or lone_list)):
        raise ValueError(f"{op.mnemonic}: only a segmented op can be given more operands")
    return OP.add(op.mnemonic, op.opcode, op.doc, *fields(op), since=op.since)


for _op in OPS:
    if _op.in_body:
        add(_op)
