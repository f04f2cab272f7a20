"""The fast decoder: for each node of the schema, a function that reads its usual form.

Four things make it fast. Version gates are decided when the source is written. A run of fields that
are usually one byte each has a single test that none of them is longer (`runs`). There are no
checks for the end of the data: the data is exactly the window, so reading past its end raises, also
after a list that is too long. And rows (ops, attributes, blocks) are tuples, in which a list of
small numbers stays bytes, which are a sequence of numbers too. Anything not usual raises `Unusual`.

A generated function takes the window's numbers (its bytes, or a list of them, which is indexed
faster), the position and a `Reading`, and returns the value and the position behind it. The
function of an arm also takes the position of its tag; that of an op takes the list to which it
appends the row, and returns only the position.
"""

from __future__ import annotations

import struct
from itertools import groupby, pairwise

from construct import Construct

from tileir.formats.attributes import ScalarBits
from tileir.formats.cursor import Slice
from tileir.formats.debug import FixedList
from tileir.formats.leaves import (
    FILL,
    Bool,
    Bytes,
    Fixed,
    Leaf,
    Padding,
    SizedBytes,
    VarInt,
    encode_varint,
)
from tileir.formats.nodes import (
    Alternative,
    Counted,
    Flag,
    Record,
    RowRecord,
    Sized,
    UntilEnd,
    Variant,
)
from tileir.formats.ops.wire import OpVariant, Regions, Repeat
from tileir.formats.table import Table
from tileir.formats.types import Extension
from tileir.formats.version import Version

from . import runtime
from .layout import Field, announcer, is_plain, is_small, layout, stored
from .runs import Run, Runs
from .source import Lines, display


class FastDecoder(Runs):
    """Functions that read records of one version; `reader` returns the one for a node."""

    purpose = "decoder"

    def __init__(self, version: Version) -> None:
        names = {
            "Slice": Slice,
            "Unusual": runtime.Unusual,
            "interpret": runtime.interpret,
            "pairwise": pairwise,
            "scalar": runtime.scalar,
            "ALONE": runtime.ALONE,
            "SIGNED": runtime.SIGNED,
            "SINGLE": runtime.SINGLE,
            "unpack_from": struct.unpack_from,
            "varint": runtime.varint,
            "varints": runtime.varints,
        }
        super().__init__(version, names)
        self._readers: dict[int, str] = {}

    def reader(self, node: Construct):
        """Return the function for a node: (numbers, position, Reading) -> (value, position)."""
        name = self._readers.get(id(node))
        if name is None:
            name = self._readers[id(node)] = self.function(node)
        return self.functions.names[name]

    def write_function(self, line: Lines, name: str, node: Construct) -> None:
        with line.block(f"def {name}(b, p, t):"):
            value = self._value(line, node, "value", {})
            line(f"return {value}, p")

    def write_arm(self, line: Lines, name: str, variant: Variant, arm: Alternative) -> None:
        is_op = isinstance(variant, OpVariant)
        with line.block(f"def {name}(b, {'q, t, rows' if is_op else 'p, t'}):"):
            nests = variant.nests if arm.nested else ""
            self._enter(line, nests)
            start = ("q" if is_op else "p", len(encode_varint(arm.tag)))
            fields = self._fields(line, arm.fields, variant.rows, start)
            self._leave(line, nests)
            if is_op:
                line(f"rows.append(({', '.join((str(arm.tag), 'q', *fields.values()))}))")
                line("return p")
            elif variant.rows:
                line(f"return ({', '.join((str(arm.tag), *fields.values()))},), p")
            else:
                head = {"tag": str(arm.tag), "variant": repr(arm.name)}
                line(f"return {display(head | fields)}, p")

    def _is_byte(self, variant: Variant) -> bool:
        """Whether the tag of a variant is always one byte."""
        return all(tag < 128 for tag, arm in variant.arms.items() if arm.since <= self.version)

    def empty_table(self, variant: Variant):
        """Return a list of 256 entries if the tag is one byte, else a dict."""
        return [runtime.refuse] * 256 if self._is_byte(variant) else {}

    # Records --------------------------------------------------------------------------------

    def _fields(
        self,
        line: Lines,
        record: Record,
        packed: bool = False,
        start: tuple[str, int] = ("p", 0),
    ) -> dict[str, str]:
        """Write the code that reads the fields of a record; return the expressions for them by
        name.

        If `packed`, a list becomes a tuple. `start` is the position of the first field: a variable
        and an offset in bytes. After the last field the position is p.
        """
        values: dict[str, str] = {}
        run = Run(start)
        for word, fields in groupby(layout(record, self.version), announcer):
            if word:
                self._run(line, run)
                run = Run()
                self._announced(line, values[word], list(fields), values, packed)
                continue
            for field in fields:
                node = field.node
                if node is None:
                    values[field.name] = self.default(field.default)
                elif isinstance(node, Flag):
                    flags = values[node.field]
                    known = flags not in ("None", "0")
                    values[field.name] = f"{flags} & {node.mask} != 0" if known else "False"
                elif isinstance(node, Repeat) and is_small(node.subcon):
                    values[field.name] = self._repeat(line, node, field.name, run, packed)
                elif is_small(node):
                    values[field.name] = run.add(line.fresh(field.name), node)
                else:
                    count = ""
                    if isinstance(node, Counted):
                        count = run.add(line.fresh("count"), node.number)
                    self._run(line, run)
                    run = Run()
                    values[field.name] = self._value(line, node, field.name, values, packed, count)
        self._run(line, run)
        return values

    def _announced(
        self, line: Lines, word: str, fields: list[Field], values: dict[str, str], packed: bool
    ) -> None:
        """Write the code that reads the fields that a flag word announces; usually none."""
        clear = any(test.clear for field in fields for test in field.tests)
        if len(fields) > 1 and clear:
            for field in fields:
                self._announced(line, word, [field], values, packed)
            return
        if len(fields) > 1:
            with line.block(f"if {word}:"):
                for field in fields:
                    self._announced(line, word, [field], values, packed)
            with line.block("else:"):
                line(f"{' = '.join(values[field.name] for field in fields)} = None")
            return
        field = fields[0]
        with line.block(f"if {field.condition(values)}:"):
            name = self._value(line, field.node, field.name, values, packed)
        with line.block("else:"):
            line(f"{name} = None")
        values[field.name] = name

    # Values ---------------------------------------------------------------------------------

    def _value(
        self,
        line: Lines,
        node: Construct,
        stem: str,
        values: dict[str, str],
        packed: bool = False,
        count: str = "",
    ) -> str:
        """Write the code that reads a value of any kind; return its name.

        `count` is the name of the count of a list, if that has been read.
        """
        name = line.fresh(stem)
        match node:
            case Extension():
                line(f"{name} = None")  # the table sees what follows, and gives up
            case ScalarBits():
                constant = self.functions.constant("BITS", node)
                line(f"{name}, p = scalar({constant}, b, p, t.tags, {values['type']})")
            case Leaf():
                self._leaf(line, node, name)
            case Repeat():
                line(f"{name} = []")
                for _ in range(node.count):
                    line(f"{name}.append({self._value(line, node.subcon, stem, values)})")
            case Counted():
                self._counted(line, node, name, packed, count)
            case UntilEnd():
                line(f"{name} = []")
                line("e = len(b)")
                self._loop(line, node.subcon, name, "while p < e:")
                with line.block("if p != e:"):  # a list that goes on behind the end
                    line("raise Unusual")
            case Regions():
                self._regions(line, node, name)
            case Variant():
                self._variant(line, node, name)
            case RowRecord():
                line(f"{name} = {', '.join(self._fields(line, node, True).values())}")
            case Record():
                line(f"{name} = {display(self._fields(line, node))}")
            case Sized():
                self._sized(line, node.number, name)
            case FixedList():
                self._fixed_list(line, node, name)
            case Table():
                self._table(line, node, name)
            case _:
                constant = self.functions.constant("NODE", node)
                line(f"{name}, p = interpret({constant}, t.data, p)")
        return name

    def _leaf(self, line: Lines, leaf: Leaf, name: str) -> None:
        """Write the code that reads a leaf into a name, and checks it."""
        match leaf:
            case Padding():
                line(f"n = -p % {leaf.alignment}")
                with line.block(f"if t.data[p:p + n] != {bytes((FILL,)) * leaf.alignment}[:n]:"):
                    line("raise Unusual")
                line("p += n")
                line(f"{name} = None")
            case Bytes():
                with line.block("if p > len(b):"):
                    line("raise Unusual")
                line(f"{name} = Slice(t.base + p, t.view[p:])")
                line("p = len(b)")
            case SizedBytes():
                self._sized(line, leaf.length, name)
            case Fixed() if leaf.size > 1:
                line(f'{name}, = unpack_from("<{leaf.code}", t.data, p)')
                line(f"p += {leaf.size}")
                if leaf.refused:
                    with line.block(f"if {name} in {leaf.refused}:"):
                        line("raise Unusual")
            case _ if is_small(leaf):
                self._number(line, leaf, name)
                self._check(line, {name: leaf})
            case _:
                constant = self.functions.constant("LEAF", leaf)
                line(f"{name}, p = interpret({constant}, t.data, p)")

    # Lists ----------------------------------------------------------------------------------

    def _counted(self, line: Lines, node: Counted, name: str, packed: bool, count: str) -> None:
        item = node.subcon
        if not count:
            count = line.fresh("count")
            self._number(line, node.number, count)
        if isinstance(item, Bool) or (item is stored(item) and is_plain(item)):
            self._bytes(line, item, name, count, packed)
            return
        with line.block(f"if {count} * {node.item_size} > len(b) - p:"):
            line("raise Unusual")
        if isinstance(item, Fixed):
            kind = "tuple" if packed else "list"
            line(f'{name} = {kind}(unpack_from(f"<{{{count}}}{item.code}", t.data, p))')
            line(f"p += {count} * {item.size}")
            for value in item.refused:
                with line.block(f"if {value} in {name}:"):
                    line("raise Unusual")
            return
        line(f"{name} = []")
        self._loop(line, item, name, f"for _ in range({count}):")

    def _loop(self, line: Lines, item: Construct, name: str, head: str) -> None:
        """Write the code that appends items to a list; the function of an op does that itself."""
        with line.block(head):
            if isinstance(item, OpVariant):
                line(f"p = {self._arm(line, item)}(b, p, t, {name})")
                return
            value = line.fresh("item")
            if isinstance(item, Variant):
                line(f"{value}, p = {self._arm(line, item)}(b, p, t)")
            else:
                line(f"{value}, p = {self.function(item)}(b, p, t)")
            line(f"{name}.append({value})")

    def _variant(self, line: Lines, node: Variant, name: str) -> None:
        """Write the code that reads a variant."""
        if isinstance(node, OpVariant):
            line(f"{name} = []")
            line(f"p = {self._arm(line, node)}(b, p, t, {name})")
            line(f"{name}, = {name}")
        else:
            line(f"{name}, p = {self._arm(line, node)}(b, p, t)")

    def _arm(self, line: Lines, node: Variant) -> str:
        """Return the expression for the function of the arm whose tag is at p."""
        if self._is_byte(node):
            return f"{self.arms(node)}[b[p]]"
        tag = line.fresh("tag")
        line(f"{tag} = b[p]")
        with line.block(f"if {tag} > 127:"):
            line(f"{tag}, _ = varint(b, p + 1, {tag}, {node.number.bits})")
        return f"{self.arms(node)}[{tag}]"

    def _regions(self, line: Lines, node: Regions, name: str) -> None:
        count = line.fresh("count")
        self._number(line, node.number, count)
        with line.block(f"if {count} != {node.count}:"):
            line("raise Unusual")
        self._enter(line, "region")
        function = self.function(node.subcon)
        parts = [line.fresh("region") for _ in range(node.count)]
        for part in parts:
            line(f"{part}, p = {function}(b, p, t)")
        self._leave(line, "region")
        line(f"{name} = {', '.join(parts)},")

    @staticmethod
    def _enter(line: Lines, what: str) -> None:
        if what:
            line(f"t.{what} += 1")
            with line.block(f"if t.{what} > t.{what}_depth:"):
                line("raise Unusual")

    @staticmethod
    def _leave(line: Lines, what: str) -> None:
        if what:
            line(f"t.{what} -= 1")

    def _sized(self, line: Lines, number: VarInt, name: str) -> None:
        """Write the code that reads a length and a slice of the file."""
        size = line.fresh("size")
        self._number(line, number, size)
        with line.block(f"if {size} > len(b) - p:"):
            line("raise Unusual")
        line(f"{name} = Slice(t.base + p, t.view[p:p + {size}])")
        line(f"p += {size}")

    def _fixed_list(self, line: Lines, node: FixedList, name: str) -> None:
        count = line.fresh("count")
        self._number(line, node.number, count)
        self._leaf(line, node.pad, "pad")
        with line.block(f"if {count} * {node.item.size} > len(b) - p:"):
            line("raise Unusual")
        line(f'{name} = list(unpack_from(f"<{{{count}}}{node.item.code}", t.data, p))')
        line(f"p += {count} * {node.item.size}")
        line(f'{name} = {{"elements": {name}, "pad": None}}')

    def _table(self, line: Lines, node: Table, name: str) -> None:
        """Write the code that reads offsets and entries back to back; anything else is unusual."""
        count, offsets, base, end = (line.fresh(stem) for stem in ("count", "offsets", "at", "end"))
        self._number(line, node.number, count)
        with line.block(f"if {count} * {node.index_size} > len(b) - p:"):
            line("raise Unusual")
        line("rest = pad = None")
        line(f"{name} = []")
        with line.block(f"if not {count}:"):
            if node.followed:
                line("raise Unusual")
            with line.block(f"if bytes(t.data[p:]).strip({bytes((FILL,))}):"):
                line("raise Unusual")
            line("rest = Slice(t.base + p, t.view[p:])")
            line("p = len(b)")
        with line.block("else:"):
            self._leaf(line, node.pad, "pad")
            line(f'{offsets} = unpack_from(f"<{{{count}}}{node.index.code}", t.data, p)')
            line(f"{base} = p + {count} * {node.index_size}")
            with line.block(f"if {offsets}[0]:"):
                line("raise Unusual")
            append = line.fresh("append")
            line(f"{append} = {name}.append")
            with line.block(f"for p, {end} in pairwise((*{offsets}, len(b) - {base})):"):
                line(f"p += {base}")
                line(f"{end} += {base}")
                if isinstance(node.subcon, Bytes):
                    with line.block(f"if p > {end}:"):
                        line("raise Unusual")
                    line(f"{append}(Slice(t.base + p, t.view[p:{end}]))")
                else:
                    value = self._value(line, node.subcon, "entry", {})
                    with line.block(f"if p != {end}:"):
                        line("raise Unusual")
                    line(f"{append}({value})")
            line(f"p = {end}")
        line(f'{name} = {{"entries": {name}, "pad": pad, "layout": None, "rest": rest}}')
