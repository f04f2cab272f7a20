"""The traced decoder: the same walk as `reading`, with traces, warnings and errors.

It makes a span for each leaf if a trace is wanted, a warning for each oddity, and errors with their
path. Generated code reads the usual bytes of each leaf; the schema's own nodes do everything else,
so that oddities, errors and their messages are stated there alone.

A generated function takes a cursor, a position and a path, and returns the value and the position
behind it. That of an arm also takes the position of its tag, and the tag.
"""

from __future__ import annotations

from construct import Construct

from tileir.formats.attributes import ScalarBits
from tileir.formats.cursor import Span
from tileir.formats.errors import BytecodeError
from tileir.formats.leaves import Leaf, SignedVarInt, VarInt
from tileir.formats.nodes import (
    Alternative,
    Counted,
    Flag,
    Items,
    Record,
    RowRecord,
    UntilEnd,
    Variant,
)
from tileir.formats.ops.wire import OpVariant, Regions, Repeat
from tileir.formats.version import Version

from . import runtime
from .generator import Generator
from .layout import Field, is_byte, is_small, layout, stored
from .source import Lines, display


class TracedDecoder(Generator):
    """Nodes with generated functions for one version; `node` returns the one for a schema node."""

    purpose = "traced decoder"

    def __init__(self, version: Version) -> None:
        names = {
            "BytecodeError": BytecodeError,
            "Items": Items,
            "SIGNED": runtime.SIGNED,
            "Span": Span,
            "counted": runtime.counted,
            "ended": runtime.ended,
        }
        super().__init__(version, names)

    def write_function(self, line: Lines, name: str, node: Construct) -> None:
        with line.block(f"def {name}(c, p, path):"):
            self._head(line)
            value = self._value(line, node, "value", "path", {})
            line(f"return {value}, p")

    @staticmethod
    def _head(line: Lines) -> None:
        line("b, e, trace = c.data, c.end, c.trace")

    def write_arm(self, line: Lines, name: str, variant: Variant, arm: Alternative) -> None:
        with line.block(f"def {name}(c, p, path, q, tag):"):
            self._head(line)
            nests = variant.nests if arm.nested else ""
            if nests:
                line("c.position = p")
                line(f"c.enter({nests!r}, path, q)")
            fields = self._fields(line, arm.fields)
            if nests:
                line(f"c.depth[{nests!r}] -= 1")
            if isinstance(variant, OpVariant):
                values = ("tag", "q - c.origin", *fields.values())
                line(f"return ({', '.join(values)}), p")
            elif variant.rows:
                line(f"return ({', '.join(('tag', *fields.values()))},), p")
            else:
                head = {"tag": "tag", "variant": repr(arm.name)}
                line(f"return {display(head | fields)}, p")

    # Fields ---------------------------------------------------------------------------------

    def _fields(self, line: Lines, record: Record) -> dict[str, str]:
        """Write the code that reads a record's fields; return the expressions for them by name."""
        values: dict[str, str] = {}
        for field in layout(record, self.version):
            values[field.name] = self._field(line, field, values)
        return values

    def _field(self, line: Lines, field: Field, values: dict[str, str]) -> str:
        if field.node is None:
            return self.default(field.default)
        if isinstance(field.node, Flag):
            flags = values[field.node.field]
            return "False" if flags in ("None", "0") else f"{flags} & {field.node.mask} != 0"
        path = f"(path, {field.name!r})"
        if not field.tests:
            return self._value(line, field.node, field.name, path, values)
        name = line.fresh(field.name)
        with line.block(f"if {field.condition(values)}:"):
            value = self._value(line, field.node, field.name, path, values)
            line(f"{name} = {value}")
        with line.block("else:"):
            line(f"{name} = None")
        return name

    # Values ---------------------------------------------------------------------------------

    def _value(
        self, line: Lines, node: Construct, stem: str, path: str, values: dict[str, str]
    ) -> str:
        """Write the code that reads a value of any kind; return the expression for it."""
        name = line.fresh(stem)
        match node:
            case Leaf() if is_small(node):
                self._small(line, node, name, path)
            case Repeat():
                line(f"{name} = []")
                for index in range(node.count):
                    inner = f"({path}, {index})"
                    value = self._value(line, node.subcon, stem, inner, values)
                    line(f"{name}.append({value})")
            case Counted():
                count = self._count(line, node.number, path)
                with line.block(f"if {count} * {node.item_size} > e - p:"):
                    line("c.position = p")
                    line(f"c.fits({count}, {node.item_size}, {path}, {count}_at)")
                line(f"{name} = counted({count})")
                self._loop(line, node, name, path, f"for {{}} in range({count}):")
            case UntilEnd():
                line(f"{name} = Items()")
                self._loop(line, node, name, path, "while p < e:")
            case Regions():
                self._regions(line, node, name, path)
            case Variant():
                self._variant(line, node, name, path)
            case Record() if path != "path":
                line(f"{name}, p = {self.function(node)}(c, p, {path})")
            case RowRecord():
                line(f"{name} = {', '.join(self._fields(line, node).values())}")
            case Record():
                line(f"{name} = {display(self._fields(line, node))}")
            case _:
                self._interpreted(line, node, name, path, values)
        return name

    def _interpreted(
        self, line: Lines, node: Construct, name: str, path: str, values: dict[str, str]
    ) -> None:
        """Write the code that reads a node by its own rules."""
        constant = self.functions.constant(type(node).__name__.upper(), self.node(node))
        context = f"{{'type': {values['type']}}}" if isinstance(node, ScalarBits) else "None"
        line("c.position = p")
        line(f"{name} = {constant}._parse(c, {context}, {path})")
        line("p = c.position")

    def _small(self, line: Lines, leaf: Leaf, name: str, path: str) -> None:
        """Write the code that reads a leaf that is usually one byte."""
        constant = self.functions.constant(type(leaf).__name__.upper(), leaf)
        line(f"{name}_at = p")
        plain = self.plain_bytes(leaf)
        if len(plain) == 128 and not is_byte(leaf):
            test = "p < e and b[p] < 128"
        elif len(plain) == 256:
            test = "p < e"
        else:
            test = f"p < e and b[p] in {self.functions.constant('PLAIN', plain)}"
        with line.block(f"if {test}:"):
            signed = isinstance(stored(leaf), SignedVarInt)
            line(f"{name} = SIGNED[b[p]]" if signed else f"{name} = b[p]")
            line("p += 1")
        with line.block("else:"):
            line("c.position = p")
            line(f"{name} = {constant}.read(c, {path})")
            line("p = c.position")
        with line.block("if trace is not None:"):
            span = f"{name}_at, p, c.section, {path}"
            line(f"trace.append(Span({span}, {leaf.kind!r}, {name}, {constant}))")

    def _count(self, line: Lines, number: VarInt, path: str) -> str:
        name = line.fresh("count")
        self._small(line, number, name, f'({path}, "count")')
        return name

    def _loop(self, line: Lines, node: Counted | UntilEnd, name: str, path: str, head: str) -> None:
        """Write the code that appends the items of `node` to the list `name`."""
        item, index = node.subcon, line.fresh("index")
        counted = "{}" in head
        if not counted:
            line(f"{index} = 0")
        with line.block(head.format(index)):
            inner = f"({path}, {index})"
            if node.partial:
                start = line.fresh("start")
                line(f"{start} = p")
                with line.block("try:"):
                    value = self._item(line, item, inner)
                with line.block("except BytecodeError as error:"):
                    line(f"p = c.stop(error, {start})")
                    line(f"{name} = ended({name}, c)")
                    line("break")
            else:
                value = self._item(line, item, inner)
            line(f"{name}.append({value})")
            if isinstance(item, Variant | Record):  # a list inside of it may have ended early
                with line.block("if c.opaque is not None:"):
                    line("break")
            if not counted:
                line(f"{index} += 1")

    def _item(self, line: Lines, item: Construct, path: str) -> str:
        """Write the code that reads an item of a list; return the expression for it."""
        if is_small(item) or isinstance(item, Variant):
            return self._value(line, item, "item", path, {})
        value = line.fresh("item")
        if isinstance(item, Leaf):
            self._interpreted(line, item, value, path, {})
        else:
            line(f"{value}, p = {self.function(item)}(c, p, {path})")
        return value

    def _variant(self, line: Lines, node: Variant, name: str, path: str) -> None:
        arms = self.arms(node)
        constant = self.functions.constant(type(node).__name__.upper(), node)
        tag, inner = line.fresh("tag"), line.fresh("inner")
        line(f"{inner} = {path}")  # one object for all paths below it
        path = inner
        self._small(line, node.number, tag, f"({path}, {node.label!r})")
        line(f"arm = {arms}.get({tag})")
        with line.block("if arm is None:"):
            line("c.position = p")
            line(f"arm = {arms}[{constant}.arm(c, {path}, {tag}_at, {tag}).tag]")
        line(f"{name}, p = arm(c, p, {path}, {tag}_at, {tag})")

    def _regions(self, line: Lines, node: Regions, name: str, path: str) -> None:
        constant = self.functions.constant("REGIONS", node)
        count = self._count(line, node.number, path)
        line("c.position = p")
        line(f"{constant}.enter(c, {count}, {path}, {count}_at)")
        line(f"{name} = counted({count})")
        function = self.function(node.subcon)
        for index in range(node.count):
            region = f"{function}(c, p, ({path}, {index}))"
            line(f"region, p = {region}{' if c.opaque is None else ([], p)' if index else ''}")
            line(f"{name}.append(region)")
        line('c.depth["region"] -= 1')
