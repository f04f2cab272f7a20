"""The walk: each node of the Construct tree becomes types and fields of the mirror.

`layout` has one rule for each kind of leaf and node and refuses what it does not know, so a new
kind of node cannot be left out of the mirror by accident.
"""

from __future__ import annotations

from functools import singledispatchmethod

from construct import Construct

from tileir.formats.attributes import ATTRIBUTE, DICTIONARY, ListedInt, ScalarBits
from tileir.formats.container import HEADER, PREVIEW_BIT, TAG_SINCE, VersionPair, VersionTag
from tileir.formats.debug import DEBUG, DEBUG_RECORD, FixedList
from tileir.formats.functions import (
    BODY,
    EXTERN_IMPL,
    FORM_SINCE,
    FUNCTION,
    IMPLEMENTATION,
    KERNEL,
    PRIVATE,
    FunctionFlags,
)
from tileir.formats.leaves import (
    Bool,
    Bytes,
    Const,
    EnumValue,
    Fixed,
    FlagWord,
    Index,
    SignedVarInt,
    SizedBytes,
    VarInt,
)
from tileir.formats.limits import MAX_TAG
from tileir.formats.nodes import Counted, Flag, Record, Sized, UntilEnd, Variant
from tileir.formats.ops import BY_OPCODE
from tileir.formats.ops.preview import SCRATCH
from tileir.formats.ops.spec import Op
from tileir.formats.ops.wire import BLOCK, OP, Regions, Repeat
from tileir.formats.sections import GLOBAL, PRODUCER
from tileir.formats.table import Table
from tileir.formats.types import TYPE, Extension
from tileir.formats.version import SUPPORTED

from . import primitives
from .docs import VARIANT_DOCS, describe, of_field
from .gates import available, cases_of, condition, either, number, options
from .names import identifier, named

RECORDS = {
    id(node): (name, doc)
    for node, name, doc in (
        (HEADER, "header", "The first bytes of the file."),
        (GLOBAL, "global_record", "A variable of the module."),
        (PRODUCER, "producer", "Who wrote the file."),
        (DEBUG, "debug_section", "Where functions and ops come from in source."),
        (FUNCTION, "function", "A kernel; in preview files also an extern function."),
        (BLOCK, "block", "The types of its arguments, then its ops."),
        (DICTIONARY.subcon, "dictionary_entry", "An attribute and its name."),
        (EXTERN_IMPL, "implementation", "What an implementation of an extern function implements."),
        (SCRATCH, "scratch_request", "Shared memory that an implementation needs."),
    )
}
"""Records have no names of their own in the tree."""

VARIANTS = {
    id(node): names
    for node, names in (
        (OP, ("op", "opcode", "mnemonic")),
        (TYPE, ("type_record", "type_tag", "kind")),
        (ATTRIBUTE, ("attribute", "attribute_tag", "kind")),
        (DEBUG_RECORD, ("debug_record", "debug_tag", "kind")),
    )
}
"""Name of the type, of the enum of its tags, and of the field that shows the tag by name."""


class Walk:
    """The types and enums of the mirror, in the order of the walk."""

    def __init__(self) -> None:
        self.types: dict[str, dict] = {}
        self.enums: dict[str, dict] = {}

    @singledispatchmethod
    def layout(self, node: Construct) -> dict:
        """Return the keys of a field with the layout `node`: its type, its rules."""
        raise TypeError(f"no rule how to mirror {node!r}")

    @layout.register
    def _(self, node: Const) -> dict:
        return {"contents": list(node.data)}

    @layout.register
    def _(self, node: VersionPair) -> dict:
        first, last = SUPPORTED[0], SUPPORTED[-1]
        major = {"id": "major", "type": "u1", "valid": first.major}
        minor = {"id": "minor", "type": "u1", "valid": {"min": first.minor, "max": last.minor}}
        doc = "Bytecode version."
        shown = "{major:dec}.{minor:dec}"
        self.types["version"] = {"-webide-representation": shown, "doc": doc, "seq": [major, minor]}
        return {"type": "version"}

    @layout.register
    def _(self, node: VersionTag) -> dict:
        rule = f"_ <= {PREVIEW_BIT} or version.minor < {TAG_SINCE.minor}"
        return {"type": f"u{node.number.size}", "valid": {"expr": rule}}

    @layout.register
    def _(self, node: VarInt) -> dict:
        return {"type": "varint" if node.bits == 64 else f"varint{node.bits}"}

    @layout.register
    def _(self, node: SignedVarInt) -> dict:
        return {"type": "signed_varint"}

    @layout.register
    def _(self, node: Index) -> dict:
        return {"type": "varint32", "-index-of": node.target}

    @layout.register
    def _(self, node: Fixed) -> dict:
        return {"type": f"{'s' if node.signed else 'u'}{node.size}"}

    @layout.register
    def _(self, node: ListedInt) -> dict:
        most = (1 << 8 * node.size - 1) - 1
        return {"type": f"s{node.size}", "valid": {"min": 1 - most, "max": most - 1}}

    @layout.register
    def _(self, node: Bool) -> dict:
        return {"type": "u1"}

    @layout.register
    def _(self, node: EnumValue) -> dict:
        enum = node.enum
        name = identifier(enum.name)
        self.enums[name] = {
            case.value: named(case.name, "case") | {"doc": describe(case.doc, case.since)}
            for case in enum.cases
        }
        self.types[f"{name}_enum"] = {
            "-webide-representation": "{value}",
            "doc": describe(enum.doc, enum.since),
            "seq": [
                {
                    "id": "number",
                    "type": "varint32",
                    "valid": {"expr": available("_.value", cases_of(enum))},
                }
            ],
            "instances": {"value": {"value": "number.value", "enum": name}},
        }
        return {"type": f"{name}_enum"}

    @layout.register
    def _(self, node: FlagWord) -> dict:
        if isinstance(node.number, Fixed):
            return {"type": "u1"}
        rule = {"valid": {"expr": f"_.value < {1 << len(node.names)}"}} if node.strict else {}
        return {"type": "varint", **rule}

    @layout.register
    def _(self, node: FunctionFlags) -> dict:
        kernel = f"(_ & {KERNEL}) != 0"
        newer = f"(_root.version < {number(FORM_SINCE)} or _ <= {KERNEL | PRIVATE})"
        other = f"_root.preview and (_ & {KERNEL}) == 0 and _ <= {IMPLEMENTATION | PRIVATE}"
        return {"type": "u1", "valid": {"expr": f"({kernel} and {newer}) or ({other})"}}

    @layout.register
    def _(self, node: Extension) -> dict:
        rule = {"valid": {"expr": "_root.preview"}}
        return {**self.layout(node.subcon), "if": "not _io.eof", **rule}

    @layout.register
    def _(self, node: Bytes) -> dict:
        return {"type": "text"}

    @layout.register
    def _(self, node: SizedBytes) -> dict:
        return {"type": "sized_bytes"}

    @layout.register
    def _(self, node: ScalarBits) -> dict:
        name, made = primitives.bits(node)
        self.types.setdefault(name, made)
        width = "integer_width" if node.integer else "float_width"
        type_index = f"{identifier('type')}.value"
        return {"type": f"{name}(_root.types.slots[{type_index}].entry.{width})"}

    @layout.register
    def _(self, node: Table) -> dict:
        entry = self.layout(node.subcon)["type"]
        name, slot = f"{entry}_table", f"{entry}_slot"
        self.types[name] = primitives.table(node.index_size, slot)
        self.types[slot] = primitives.slot(node.index_size, entry)
        return {"type": name}

    @layout.register
    def _(self, node: FixedList) -> dict:
        item = self.layout(node.item)["type"]
        name = f"padded_list_of_{item}"
        doc = f"A count, padding to {node.item.size} bytes, and that many numbers."
        self.types.setdefault(name, {"doc": doc, **primitives.padded_list(item, node.item.size)})
        return {"type": name}

    @layout.register
    def _(self, node: Counted) -> dict:
        item = self.layout(node.subcon)
        role = {"-index-of": item.pop("-index-of")} if "-index-of" in item else {}
        name = f"list_of_{'bounded_' if 'valid' in item else ''}{item['type']}"
        count = {"id": "count", "type": "varint"}
        items = {"id": "items", **item, "repeat": "expr", "repeat-expr": "count.value"}
        self.types.setdefault(name, {"doc": "A count and that many.", "seq": [count, items]})
        return {"type": name, **role}

    @layout.register
    def _(self, node: Repeat) -> dict:
        return {**self.layout(node.subcon), "repeat": "expr", "repeat-expr": node.count}

    @layout.register
    def _(self, node: UntilEnd) -> dict:
        item = self.layout(node.subcon)
        self.types.setdefault(
            f"{item['type']}_stream",
            {
                "doc": "One after the other, to the end.",
                "seq": [{"id": "items", **item, "repeat": "eos"}],
            },
        )
        return {"type": f"{item['type']}_stream"}

    @layout.register
    def _(self, node: Sized) -> dict:
        inner = self.layout(node.subcon)
        name = "function_body" if node.subcon is BODY else f"sized_{inner['type']}"
        self.types[name] = {
            "doc": "The ops of a function, sized so that they can be skipped.",
            "seq": [
                {"id": "length", "type": "varint", "doc": "In bytes."},
                {"id": "window", **inner, "size": "length.value"},
            ],
        }
        return {"type": name}

    @layout.register
    def _(self, node: Regions) -> dict:
        region = self.layout(node.subcon)
        count = {"id": "count", "type": "varint", "valid": {"expr": "_.value == expected"}}
        items = {"id": "items", **region, "repeat": "expr", "repeat-expr": "count.value"}
        doc = "The regions of an op. A region is a list of blocks, in practice one."
        params = [{"id": "expected", "type": "u8", "doc": "How many the op has."}]
        self.types.setdefault("regions", {"doc": doc, "params": params, "seq": [count, items]})
        return {"type": f"regions({node.count})"}

    @layout.register
    def _(self, node: Record) -> dict:
        name, doc = RECORDS[id(node)]
        if name not in self.types:
            made = self.types[name] = {"doc": doc}
            made |= self.record(node)
        return {"type": name}

    @layout.register
    def _(self, node: Variant) -> dict:
        """Return the type of a tag and the fields that it selects; the first use defines it."""
        name, enum, shown = VARIANTS[id(node)]
        if name in self.types:
            return {"type": name}
        made = self.types[name] = {}
        what = "op" if node is OP else "tag"
        arms = node.arms.values()
        self.enums[enum] = {
            arm.tag: named(arm.name, what) | {"doc": describe(arm.doc, arm.since)} for arm in arms
        }
        known = available("_.value", {arm.tag: arm.since for arm in arms})
        rule = f"_.value <= {MAX_TAG}" if node.other else known
        made |= {
            "-webide-representation": f"{{{shown}}}",
            "doc": VARIANT_DOCS[name],
            "seq": [
                {"id": node.label, "type": "varint32", "valid": {"expr": rule}},
                {
                    "id": "fields",
                    "type": {
                        "switch-on": shown,
                        "cases": {
                            f"{enum}::{identifier(arm.name, what)}": self.arm(name, arm)
                            for arm in arms
                            if self.stays(arm.fields)
                        },
                    },
                },
            ],
            "instances": {shown: {"value": f"{node.label}.value", "enum": enum}},
        }
        if node is TYPE:
            made["instances"] |= primitives.widths_of_types()
        return {"type": name}

    def arm(self, variant: str, arm) -> str:
        """Return the type of the fields that a tag selects."""
        name = f"{variant.removesuffix('_record')}_{identifier(arm.name, '').rstrip('_')}"
        row = BY_OPCODE[arm.tag] if variant == "op" else None
        self.types[name] = {"doc": describe(arm.doc, arm.since), **self.record(arm.fields, row)}
        return name

    @staticmethod
    def stays(node: Record) -> bool:
        """Whether a record has any bytes in some version."""
        return any(not isinstance(f.subcon, Repeat) or f.subcon.count for f in node.subcons)

    def record(self, node: Record, row: Op | None = None) -> dict:
        """Add the fields of a record; a flag without bytes becomes an instance."""
        fields = {field.name: field for field in node.subcons}
        seq, instances = [], {}
        for field in node.subcons:
            if isinstance(field.subcon, Repeat) and not field.subcon.count:
                continue
            keys = named(field.name)
            choices = list(options(field.subcon))
            present = either([condition(option, fields) for option in choices])
            doc = {"doc": text} if (text := of_field(field, choices, row)) else {}
            if isinstance(choices[0].node, Flag):
                made = keys.pop("id")
                instances[made] = {**keys, "value": present, **doc}
                continue
            layouts = [self.layout(option.node) for option in choices]
            if any(layout != layouts[0] for layout in layouts):
                raise TypeError(f"{field.name} has layouts that one field cannot have")
            seq.append(keys | layouts[0] | ({"if": present} if present else {}) | doc)
        return {"seq": seq, **({"instances": instances} if instances else {})}
