"""The encoder: records of one version to their canonical bytes.

It is the inverse of `reading`: a run of fields that are one byte each is written at once, and a
flag word that is None is computed from the fields that are present. Anything that cannot be written
so raises `Unusual`; the schema's own nodes then write it or raise the error.

A generated function takes a `ByteWriter` and the record.
"""

from __future__ import annotations

import struct

from construct import Construct

from tileir.formats.attributes import ScalarBits
from tileir.formats.leaves import (
    FILL,
    Bytes,
    Fixed,
    FlagWord,
    Leaf,
    Padding,
    SignedVarInt,
    encode_varint,
)
from tileir.formats.nodes import Alternative, Counted, Flag, Record, RowRecord, UntilEnd, Variant
from tileir.formats.ops.wire import OpVariant, Regions, Repeat
from tileir.formats.types import Extension
from tileir.formats.version import PREVIEW, Version

from . import runtime
from .generator import Generator
from .layout import Field, is_byte, is_small, is_varint, layout, stored
from .source import Lines, display


class Encoder(Generator):
    """Nodes with generated functions for one version; `node` returns the one for a schema node."""

    purpose = "encoder"
    verb = "write"

    def __init__(self, version: Version) -> None:
        names = {
            "Unusual": runtime.Unusual,
            "encode": encode_varint,
            "pack": struct.pack,
            "put_scalar": runtime.put_scalar,
            "put_signed": runtime.put_signed,
            "put_varint": runtime.put_varint,
        }
        super().__init__(version, names)

    def write_function(self, line: Lines, name: str, node: Construct) -> None:
        with line.block(f"def {name}(w, record):"):
            line("out = w.data")
            self._value(line, node, "record", {})

    def write_arm(self, line: Lines, name: str, variant: Variant, arm: Alternative) -> None:
        with line.block(f"def {name}(w, record):"):
            line("out = w.data")
            self._tag(line, variant, arm)
            skipped = 0
            if variant.rows:
                skipped = 2 if isinstance(variant, OpVariant) else 1
            self._fields(line, arm.fields, "record", variant.rows, skipped)

    def selector(self, variant: Variant, arm: Alternative):
        """Return the tag, or the name if records are dicts."""
        return arm.tag if variant.rows else arm.name

    def _tag(self, line: Lines, variant: Variant, arm: Alternative) -> None:
        if not variant.rows:  # the record may say a tag that has no arm of its own
            with line.block(f"if record.get('tag', {arm.tag}) != {arm.tag}:"):
                line("raise Unusual")
        line(f"out += {encode_varint(arm.tag)!r}")

    # Fields ---------------------------------------------------------------------------------

    def _fields(self, line: Lines, node: Record, record: str, rows: bool, skipped: int = 0) -> None:
        fields = layout(node, self.version)
        names = {field.name: line.fresh(field.name) for field in fields}
        if rows:
            line(f"{', '.join(['_'] * skipped + list(names.values()))}, = {record}")
        else:
            for field in fields:
                line(f"{names[field.name]} = {record}.get({field.name!r})")
        self._derive(line, node, fields, names)
        run: list[tuple[str, Leaf]] = []
        for field in fields:
            if field.node is not None and not field.tests and is_small(field.node):
                run.append((names[field.name], field.node))
                continue
            self._run(line, run)
            run = []
            self._field(line, field, names)
        self._run(line, run)

    def _derive(
        self, line: Lines, node: Record, fields: list[Field], names: dict[str, str]
    ) -> None:
        """Write the code for flag words that are None, from the fields that they announce.

        Which those are, and by which bit, the record is asked: with one field given at a time.
        """
        terms: dict[str, list[str]] = {
            field.name: [] for field in fields if isinstance(field.node, FlagWord)
        }
        if not terms:
            return
        for field in fields:
            if field.node is None or field.name in terms:
                continue
            present = f"{names[field.name]} is not None"
            for value, test in ((0, present), (1, f"bool({names[field.name]})")):
                bits = node.announced({field.name: value}, self.version)
                announcing = [(word, bits[word]) for word in terms if bits.get(word)]
                for word, bit in announcing:
                    terms[word].append(f"({test} and {bit})")
                if announcing:
                    break
        for word, bits in terms.items():
            with line.block(f"if {names[word]} is None:"):
                line(f"{names[word]} = {' | '.join(bits) or 0}")

    def _field(self, line: Lines, field: Field, names: dict[str, str]) -> None:
        value = names[field.name]
        if field.node is None:
            self._absent(line, field, names)
        elif isinstance(field.node, Flag):
            flags = names.get(field.node.field)
            with line.block(f"if bool({value}) != bool({flags} & {field.node.mask}):"):
                line("raise Unusual")
        elif not field.tests:
            self._value(line, field.node, value, names)
        else:
            with line.block(f"if {field.condition(names)}:"):
                self._value(line, field.node, value, names)
            with line.block(f"elif {value} is not None:"):
                line("raise Unusual")

    def _absent(self, line: Lines, field: Field, names: dict[str, str]) -> None:
        """Write the check that a field that the version lacks has its default."""
        value = names[field.name]
        test = f"{value} is not None"
        if field.gate is not None:
            gate = self.functions.constant("SINCE", field.gate)
            test += f" and not {gate}.says_default({value}, {display(names)})"
        with line.block(f"if {test}:"):
            line("raise Unusual")

    # Values ---------------------------------------------------------------------------------

    def _run(self, line: Lines, run: list[tuple[str, Leaf]]) -> None:
        """Write the code for a run: all fields at once, or one by one if one has several bytes."""
        if len(run) < 2:
            for value, leaf in run:
                self._small(line, leaf, value)
            return
        for value, leaf in run:
            self._check(line, leaf, value)
        names = [value for value, _ in run]
        if any(isinstance(stored(leaf), SignedVarInt) for _, leaf in run):
            for value, leaf in run:
                self._number(line, leaf, value)
            return
        with line.block(f"if 0 <= {' | '.join(names)} < 128:"):
            line(f"out += bytes(({', '.join(names)}))")
        with line.block("else:"):
            for value, leaf in run:
                self._number(line, leaf, value)

    def _small(self, line: Lines, leaf: Leaf, value: str) -> None:
        self._check(line, leaf, value)
        self._number(line, leaf, value)

    @staticmethod
    def _number(line: Lines, leaf: Leaf, value: str) -> None:
        number = stored(leaf)
        if is_byte(leaf):
            line(f"out.append({value})")
        elif isinstance(number, SignedVarInt):
            line(f"put_signed(out, {value})")
        else:
            with line.block(f"if 0 <= {value} < 128:"):
                line(f"out.append({value})")
            with line.block("else:"):
                line(f"put_varint(out, {value}, {number.bits})")

    def _check(self, line: Lines, leaf: Leaf, value: str) -> None:
        """Write the check that refuses values for which the leaf has an error or a warning."""
        if leaf is stored(leaf):
            return
        plain = self.plain_bytes(leaf)
        if len(plain) == (128 if is_varint(leaf) else 256):
            return
        with line.block(f"if {value} not in {self.functions.constant('PLAIN', plain)}:"):
            line("raise Unusual")

    def _value(self, line: Lines, node: Construct, value: str, names: dict[str, str]) -> None:
        """Write the code for a value of any kind."""
        match node:
            case Extension():
                with line.block(f"if {value} is not None:"):
                    if self.version < PREVIEW:
                        line("raise Unusual")
                    else:
                        self._value(line, node.subcon, value, names)
            case ScalarBits():
                tags = "w.environment.type_tags"
                constant = self.functions.constant("BITS", node)
                line(f"put_scalar({constant}, out, {value}, {tags}, {names['type']})")
            case Padding():
                line(f"out += {bytes((FILL,)) * node.alignment}[:-len(out) % {node.alignment}]")
            case Bytes():
                line(f"out += {value}.data")
            case Fixed() if node.size > 1:
                self._fixed(line, node, [value], value)
            case Leaf() if is_small(node):
                self._small(line, node, value)
            case Repeat():
                self._length(line, value, node.count)
                item = line.fresh("item")
                with line.block(f"for {item} in {value}:"):
                    self._value(line, node.subcon, item, {})
            case Regions():
                self._length(line, value, node.count)
                self._number(line, node.number, f"len({value})")
                with line.block(f"for region in {value}:"):
                    line(f"{self.function(node.subcon)}(w, region)")
            case Counted():
                self._counted(line, node, value)
            case UntilEnd():
                self._loop(line, node.subcon, value)
            case Variant():
                line(self._dispatch(node, value))
            case RowRecord():
                self._fields(line, node, value, True)
            case Record():
                self._fields(line, node, value, False)
            case _:
                constant = self.functions.constant(type(node).__name__.upper(), self.node(node))
                line(f'{constant}._build({value}, w, None, "record")')

    @staticmethod
    def _length(line: Lines, value: str, count: int) -> None:
        with line.block(f"if len({value}) != {count}:"):
            line("raise Unusual")

    @staticmethod
    def _fixed(line: Lines, node: Fixed, values: list[str], listed: str) -> None:
        for refused in node.refused:
            with line.block(f"if {listed} == {refused}:"):
                line("raise Unusual")
        line(f'out += pack("<{node.code}", {", ".join(values)})')

    def _counted(self, line: Lines, node: Counted, value: str) -> None:
        count = line.fresh("count")
        line(f"{count} = len({value})")
        self._number(line, node.number, count)
        item = node.subcon
        if isinstance(item, Fixed) and item.size > 1:
            for refused in item.refused:
                with line.block(f"if {refused} in {value}:"):
                    line("raise Unusual")
            line(f'out += pack(f"<{{{count}}}{item.code}", *{value})')
            return
        self._loop(line, item, value)

    def _loop(self, line: Lines, item: Construct, value: str) -> None:
        name = line.fresh("item")
        with line.block(f"for {name} in {value}:"):
            if isinstance(item, Variant):
                line(self._dispatch(item, name))
            elif is_small(item):
                self._small(line, item, name)
            else:
                line(f"{self.function(item)}(w, {name})")

    def _dispatch(self, node: Variant, value: str) -> str:
        selector = f"{value}[0]" if node.rows else f'{value}["variant"]'
        return f"{self.arms(node)}[{selector}](w, {value})"
