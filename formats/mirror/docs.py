"""The docs of the mirror's types and fields.

They come from the tree and from the rows of the op table; added are the facts that the tree has as
attributes of nodes: the target of an index, the meaning of flag bits, the first version of a field,
and the meaning of its absence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from construct import Renamed

from tileir.formats.leaves import EnumValue, FlagWord, Index
from tileir.formats.ops.spec import Each, Op, Operand
from tileir.formats.ops.wire import flag_slots
from tileir.formats.version import V13_1, Version

from .gates import Option

VARIANT_DOCS = {
    "op": (
        "An op: its opcode selects the fields. Result types first, then flags, attributes,\n"
        "operands and regions.\n\n"
        "Operands are value numbers. The parameters of the function are 0, 1, ...; the results of\n"
        "an op take the next numbers, after those in its regions are given back: a block numbers\n"
        "its arguments, then its ops, from where its op stands. (Kaitai cannot count across\n"
        "siblings, so numbers are not resolved here.)"
    ),
    "type_record": (
        "A type: its tag selects the fields. Element types have none; others name types by index, "
        "in any order."
    ),
    "attribute": "A value known when the module is written; its tag selects the fields.",
    "debug_record": (
        "A record of the Debug section. References to records are 1-based, 0 is unknown. Tags "
        "without a name stand for an unknown location."
    ),
}


def describe(doc: str, since: Version = V13_1) -> str:
    """Return a doc as one text, with the version if that is not the first."""
    text = " ".join(doc.split())
    return text if since == V13_1 else f"{text} Since {since}."


def of_field(field: Renamed, choices: Sequence[Option], row: Op | None) -> str:
    """Return the doc of a field; `row` is its op, `choices` are its options."""
    parts = [field.docs or (of_slot(field.name, row) if row else "")]
    node = choices[0].node
    if isinstance(node, FlagWord):
        parts.append(of_bits(node, row))
    if isinstance(node, Index) and node.target != "value":
        parts.append(f"Index of a {node.target}.")
    since = min(option.since for option in choices)
    until = None if any(option.until is None for option in choices) else choices[-1].until
    if since > V13_1 and not (row and since <= row.since):
        earlier = before(choices[0])
        parts.append(f"Since {since}; before, {earlier}." if earlier else f"Since {since}.")
    if until is not None:
        parts.append(f"Not in {until} and later.")
    return " ".join(part for part in parts if part)


def before(option: Option) -> str:
    """Return the meaning of a field in files of versions that lack it; empty if it has none."""
    default, node = option.default, option.node
    if default is None:
        return ""
    if isinstance(default, Each):
        value = int(default.value) if isinstance(default.value, bool) else default.value
        return f"{value} for each of `{default.slot}`"
    if isinstance(node, EnumValue):
        return node.enum.by_value[default].name
    return str(int(default))


def of_slot(name: str, row: Op) -> str:
    """Return the doc of an op's field, from the row's slots."""
    if name == "result_types":
        names = listed(result.name for result in row.results)
        return f"Of {names}." if names else "None, so that the count is 0."
    if name == "flags":
        return "A bit for everything that may be absent."
    if name == "all_operands":
        return f"In order: {listed(label(slot) for slot in row.operands)}."
    if name == "regions":
        return " ".join(f"`{region.name}`: {region.doc}" for region in row.regions)
    slot = next(slot for slot in (*row.attributes, *row.operands) if slot.name == name)
    return " ".join(slot.doc.split())


def label(slot: Operand) -> str:
    """Return a slot's name, and its number of values if that is not one."""
    number = {"one": "", "many": " (any number)", "optional": " (may be absent)"}
    return slot.name + number[slot.arity]


def listed(names: Iterable[str]) -> str:
    """Return names as one text, separated by commas."""
    return ", ".join(names)


def of_bits(node: FlagWord, row: Op | None) -> str:
    """Return the meaning of each bit, with its version if that is later than the word's."""
    since = [slot.since for slot in flag_slots(row)] if row else [V13_1] * len(node.names)
    first = min(since)
    named = [
        f"bit {bit} {name}" + (f" ({version})" if version > first else "")
        for bit, (name, version) in enumerate(zip(node.names, since, strict=True))
    ]
    text = "; ".join(named)
    return f"{text[0].upper()}{text[1:]}."
