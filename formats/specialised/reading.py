"""The fast decoder: for each node of the schema, how to read the usual form of it.

Four things make it fast. Version gates are decided when the source is written. A run of fields that
are usually one byte each is read at once, and a single test says that none of them is longer.
There are no checks for the end of the data: the bytes in hand are a window's own, so running off
them raises. And rows (ops, attributes, blocks) are tuples, in which a list of small numbers stays
the bytes it was, a sequence of numbers all the same. Whatever is not usual raises `Unusual`.

A generated function takes the window's bytes, the position and a `Reading`, and returns the value
and the position behind it. An arm of a variant also takes where its tag began.
"""

from __future__ import annotations

import struct
from itertools import pairwise

from construct import Construct

from ..attributes import ScalarBits
from ..cursor import Slice
from ..debug import FixedList
from ..leaves import FILL, Bool, Bytes, Fixed, Leaf, Padding, SignedVarInt, SizedBytes, VarInt
from ..nodes import Alternative, Counted, Flag, Record, Row, Sized, UntilEnd, Variant
from ..ops.wire import OpVariant, Regions, Repeat
from ..table import Table
from ..types import NoExtension
from ..version import Version
from . import runtime
from .generator import Generator
from .layout import Field, is_byte, is_small, is_varint, layout, stored
from .source import Lines, display


class FastDecoder(Generator):
    """Functions that read records of one version. `reader` gives the one for a node."""

    purpose = "decoder"

    def __init__(self, version: Version) -> None:
        names = {
            "Slice": Slice,
            "Unusual": runtime.Unusual,
            "interpret": runtime.interpret,
            "pairwise": pairwise,
            "scalar": runtime.scalar,
            "SIGNED": runtime.SIGNED,
            "unpack_from": struct.unpack_from,
            "varint": runtime.varint,
            "varints": runtime.varints,
        }
        super().__init__(version, names)
        self._readers: dict[int, str] = {}

    def reader(self, node: Construct):
        """The function that reads `node`: (bytes, position, Reading) -> (value, position)."""
        name = self._readers.get(id(node))
        if name is None:
            name = self._readers[id(node)] = self.function(node)
        return self.functions.names[name]

    def write_function(self, line: Lines, name: str, node: Construct) -> None:
        with line.block(f"def {name}(b, p, t):"):
            value = self._value(line, node, "value", {})
            line(f"return {value}, p")

    def write_arm(self, line: Lines, name: str, variant: Variant, arm: Alternative) -> None:
        with line.block(f"def {name}(b, p, t, q):"):
            nests = variant.nests if arm.nested else ""
            self._enter(line, nests)
            fields = self._fields(line, arm.fields, variant.rows)
            self._leave(line, nests)
            if isinstance(variant, OpVariant):
                line(f"return ({', '.join((str(arm.tag), 'q', *fields.values()))}), p")
            elif variant.rows:
                line(f"return ({', '.join((str(arm.tag), *fields.values()))},), p")
            else:
                head = {"tag": str(arm.tag), "variant": repr(arm.name)}
                line(f"return {display(head | fields)}, p")

    # Records --------------------------------------------------------------------------------

    def _fields(self, line: Lines, record: Record, packed: bool = False) -> dict[str, str]:
        """Read the fields of a record; returns the expressions for them, by name in order.

        Where `packed`, a list becomes a tuple.
        """
        values: dict[str, str] = {}
        run: list[Field] = []
        for field in layout(record, self.version):
            if self._runs(field):
                run.append(field)
                continue
            self._run(line, run, values, packed)
            run = []
            values[field.name] = self._field(line, field, values, packed)
        self._run(line, run, values, packed)
        return {field.name: values[field.name] for field in layout(record, self.version)}

    @staticmethod
    def _runs(field: Field) -> bool:
        """Whether the field can be part of a run."""
        if field.tests:
            return False
        if isinstance(field.node, Repeat):
            return is_small(field.node.subcon)
        return is_small(field.node)

    def _run(self, line: Lines, run: list[Field], values: dict[str, str], packed: bool) -> None:
        """Read fields of a byte each at once, or one by one if one of them is longer."""
        parts: list[tuple[str, Leaf]] = []
        for field in run:
            if isinstance(field.node, Repeat):
                names = [line.fresh(field.name) for _ in range(field.node.count)]
                parts += [(name, field.node.subcon) for name in names]
                inner = "".join(f"{name}, " for name in names)
                values[field.name] = f"({inner})" if packed else f"[{inner}]"
            else:
                values[field.name] = line.fresh(field.name)
                parts.append((values[field.name], field.node))
        if len(parts) < 2:
            for name, leaf in parts:
                self._leaf(line, leaf, name)
            return
        names = [name for name, _ in parts]
        if len(parts) == 2:
            line(f"{names[0]} = b[p]")
            line(f"{names[1]} = b[p + 1]")
        else:
            line(f"{', '.join(names)} = {self._bytes(len(parts))}(b, p)")
        with line.block(f"if {' | '.join(names)} < 128:"):
            line(f"p += {len(parts)}")
            for name, leaf in parts:
                if isinstance(stored(leaf), SignedVarInt):
                    line(f"{name} = SIGNED[{name}]")
        with line.block("else:"):
            for name, leaf in parts:
                self._number(line, leaf, name)
        for name, leaf in parts:
            self._check(line, leaf, name)

    def _bytes(self, count: int) -> str:
        """The name of the function that reads so many bytes."""
        name = f"bytes_{count}"
        self.functions.names.setdefault(name, struct.Struct(f"{count}B").unpack_from)
        return name

    def _field(self, line: Lines, field: Field, values: dict[str, str], packed: bool) -> str:
        """Read one field; returns the expression for its value."""
        if field.node is None:
            return self.default(field.default)
        if isinstance(field.node, Flag):
            flags = values[field.node.field]
            return "False" if flags in ("None", "0") else f"{flags} & {field.node.mask} != 0"
        if not field.tests:
            return self._value(line, field.node, field.name, values, packed)
        name = line.fresh(field.name)
        condition = " and ".join(f"{values[flags]} & {mask}" for flags, mask in field.tests)
        with line.block(f"if {condition}:"):
            value = self._value(line, field.node, field.name, values, packed)
            line(f"{name} = {value}")
        with line.block("else:"):
            line(f"{name} = None")
        return name

    # Values ---------------------------------------------------------------------------------

    def _value(
        self,
        line: Lines,
        node: Construct,
        stem: str,
        values: dict[str, str],
        packed: bool = False,
    ) -> str:
        """Read a value of any kind; returns the expression for it."""
        name = line.fresh(stem)
        match node:
            case NoExtension():
                return "None"  # that nothing follows is for the table to see
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
                self._counted(line, node, name, packed)
            case UntilEnd():
                line(f"{name} = []")
                line("e = len(b)")
                self._loop(line, node.subcon, name, "while p < e:")
            case Regions():
                self._regions(line, node, name)
            case Variant():
                line(self._dispatch(line, node, name))
            case Row():
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
                line(f"{name}, p = interpret({constant}, b, p)")
        return name

    def _leaf(self, line: Lines, leaf: Leaf, name: str) -> None:
        """Read a leaf into a name, and check it."""
        match leaf:
            case Padding():
                line(f"n = -p % {leaf.alignment}")
                with line.block(f"if b[p:p + n] != {bytes((FILL,)) * leaf.alignment}[:n]:"):
                    line("raise Unusual")
                line("p += n")
                line(f"{name} = None")
            case Bytes():
                line(f"{name} = Slice(t.base + p, t.view[p:])")
                line("p = len(b)")
            case SizedBytes():
                self._sized(line, leaf.length, name)
            case Fixed() if leaf.size > 1:
                line(f'{name}, = unpack_from("<{leaf.code}", b, p)')
                line(f"p += {leaf.size}")
                if leaf.refused:
                    with line.block(f"if {name} in {leaf.refused}:"):
                        line("raise Unusual")
            case _ if is_small(leaf):
                self._number(line, leaf, name)
                self._check(line, leaf, name)
            case _:
                line(f"{name}, p = interpret({self.functions.constant('LEAF', leaf)}, b, p)")

    def _number(self, line: Lines, leaf: Leaf, name: str) -> None:
        """Read the number that a small leaf consists of."""
        line(f"{name} = b[p]")
        line("p += 1")
        if is_byte(leaf):
            return
        number = stored(leaf)
        with line.block(f"if {name} > 127:"):
            line(f"{name}, p = varint(b, p, {name}, {number.bits})")
        if isinstance(number, SignedVarInt):
            line(f"{name} = {name} >> 1 ^ -({name} & 1)")

    def _check(self, line: Lines, leaf: Leaf, name: str) -> None:
        """Refuse what the leaf itself would not read without a word."""
        if leaf is stored(leaf):
            return
        plain = self.plain_bytes(leaf)
        if len(plain) == (128 if is_varint(leaf) else 256):
            return
        if sorted(plain) == list(range(len(plain))):
            test = f"{name} > {len(plain) - 1}"
        else:
            test = f"{name} not in {self.functions.constant('PLAIN', plain)}"
        with line.block(f"if {test}:"):
            line("raise Unusual")

    # Lists ----------------------------------------------------------------------------------

    def _counted(self, line: Lines, node: Counted, name: str, packed: bool) -> None:
        item = node.subcon
        count = line.fresh("count")
        kind = "tuple" if packed else "list"
        self._number(line, node.number, count)
        if is_varint(item) and item is stored(item) and not isinstance(item, SignedVarInt):
            line(f"s = b[p:p + {count}]")
            with line.block(f"if s.isascii() and len(s) == {count}:"):
                line(f"{name} = s" if packed else f"{name} = list(s)")
                line(f"p += {count}")
            with line.block("else:"):
                line(f"{name}, p = varints(b, p, {count}, {item.bits}, {kind})")
            return
        with line.block(f"if {count} * {node.item_size} > len(b) - p:"):
            line("raise Unusual")
        if isinstance(item, Bool):
            line(f"{name} = b[p:p + {count}]" if packed else f"{name} = list(b[p:p + {count}])")
            line(f"p += {count}")
            return
        if isinstance(item, Fixed):
            line(f'{name} = {kind}(unpack_from(f"<{{{count}}}{item.code}", b, p))')
            line(f"p += {count} * {item.size}")
            for value in item.refused:
                with line.block(f"if {value} in {name}:"):
                    line("raise Unusual")
            return
        line(f"{name} = []")
        self._loop(line, item, name, f"for _ in range({count}):")

    def _loop(self, line: Lines, item: Construct, name: str, head: str) -> None:
        """Append items to the list `name`; an op's opcode is read right here."""
        append, value = line.fresh("append"), line.fresh("item")
        line(f"{append} = {name}.append")
        if isinstance(item, Variant):
            with line.block(head):
                line(self._dispatch(line, item, value))
                line(f"{append}({value})")
            return
        function = self.function(item)
        with line.block(head):
            line(f"{value}, p = {function}(b, p, t)")
            line(f"{append}({value})")

    def _dispatch(self, line: Lines, node: Variant, name: str) -> str:
        """The statement that reads a variant; where a tag can be long, it is read beforehand."""
        arms = self.arms(node)
        if max(node.arms) < 128:
            return f"{name}, p = {arms}[b[p]](b, p + 1, t, p)"
        start, tag = line.fresh("start"), line.fresh("tag")
        line(f"{start} = p")
        self._number(line, node.number, tag)
        return f"{name}, p = {arms}[{tag}](b, p, t, {start})"

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
        """A length and a slice of the file."""
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
        line(f'{name} = list(unpack_from(f"<{{{count}}}{node.item.code}", b, p))')
        line(f"p += {count} * {node.item.size}")
        line(f'{name} = {{"elements": {name}, "pad": None}}')

    def _table(self, line: Lines, node: Table, name: str) -> None:
        """Offsets and entries that lie back to back; anything else is unusual."""
        count, offsets, base, end = (line.fresh(stem) for stem in ("count", "offsets", "at", "end"))
        self._number(line, node.number, count)
        with line.block(f"if {count} * {node.index_size} > len(b) - p:"):
            line("raise Unusual")
        line("rest = pad = None")
        line(f"{name} = []")
        with line.block(f"if not {count}:"):
            if node.followed:
                line("raise Unusual")
            with line.block(f"if bytes(b[p:]).strip({bytes((FILL,))}):"):
                line("raise Unusual")
            line("rest = Slice(t.base + p, t.view[p:])")
            line("p = len(b)")
        with line.block("else:"):
            self._leaf(line, node.pad, "pad")
            line(f'{offsets} = unpack_from(f"<{{{count}}}{node.index.code}", b, p)')
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
