"""The text outside of bodies: modules, globals and the heads of entries."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

from tileir.attributes import EnumAttribute, FloatAttribute, Hints, IntegerAttribute
from tileir.formats.enums import SYMBOL_VISIBILITY
from tileir.formats.functions import ARGUMENT_ATTRIBUTES_SINCE
from tileir.formats.ops import BY_NAME
from tileir.formats.ops.assembly import IMPLIED
from tileir.formats.sections import BY_NAME as SECTIONS
from tileir.formats.version import PREVIEW
from tileir.ir import Body
from tileir.ir.locations import CallSite, SourceLocation, Subprogram
from tileir.launch.attributes import MODULE_NAME
from tileir.messages.other_dialects import MODULE, not_tile_ir
from tileir.read.declarations import Declaration
from tileir.read.function import Global
from tileir.types import FunctionType, Tile, Type
from tileir.write.location_table import misplaced
from tileir.write.sections import GLOBAL_SINCE

from .body import BodyReader
from .declarations import read_extern, read_implementation
from .diagnostics import Refused, Stop
from .grammar import Grammar
from .lexer import ALIAS, VALUE, line_of, phrase, shown
from .literals.dense import typed_elements
from .literals.extents import DenseArray, Opaque
from .results import constant
from .source import Source
from .structured import TILE_IR_GRAMMAR

ENTRY = BY_NAME["entry"].regions[0]
ITEM = re.compile(
    r"(?:cuda_tile\.)?(entry|global|preview\$func|preview\$extern_impl)\b"
    r"|((?:cuda_tile\.|builtin\.)?module)\b",
    re.ASCII,
)
NEXT_ITEM = re.compile(
    r'"(?:[^"\\\n]++|\\.)*+"?|//[^\n]*+|[{}]'
    r"|\n[ \t\r]*+(?:cuda_tile\.)?(?:entry|global|module|preview\$func|preview\$extern_impl)\b",
    re.ASCII,
)


@dataclass(slots=True)
class AssembledEntry:
    """An entry as `write.sections` takes it, with its position in the text (`at`) and those of its
    ops, by their identities (`starts`)."""

    name: str
    type: FunctionType
    body: Body
    hints: Hints
    argument_attributes: tuple
    location: SourceLocation | CallSite | None
    at: int
    starts: dict[int, int]
    private: bool = False


@dataclass(slots=True)
class ModuleReader:
    """The reader of a whole text.

    `body_reader` is the class that reads bodies: another one may watch what is read.
    Afterwards, it has the entries, the globals and the producer with their positions, the launch
    attributes, the names of modules, and the positions of attributes (see `TextPositions`).
    """

    source: Source
    grammar: Grammar = TILE_IR_GRAMMAR
    body_reader: type[BodyReader] = BodyReader
    entries: list[AssembledEntry] = field(default_factory=list)
    declarations: list[tuple[Declaration, int]] = field(default_factory=list)
    globals: list[tuple[Global, int]] = field(default_factory=list)
    producer: tuple[str, int] | None = None
    module_attributes: dict[str, object] = field(default_factory=dict)
    entry_attributes: dict[str, dict[str, object]] = field(default_factory=dict)
    attribute_positions: dict[str, dict[str, int]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    _modules: set[int | str] = field(default_factory=set)
    _symbols: set[str] = field(default_factory=set)

    def read(self) -> None:
        """Read the text; its problems are in the source's report."""
        at = 0 if self.grammar.of_blocks else beginning(self.source.reader.text)
        if at:
            self._before(at - 1)
            text = not_tile_ir("this text")
            self.source.report.add(text, at - 1, len(MODULE))
            return
        self._producer_line()
        self.source.aliases.read_all()
        self._items(0)

    def _before(self, end: int) -> None:
        """Report what is wrong with the text up to a position."""
        own = self.source
        source = Source(own.reader.text[:end], own.report.name, own.version, own.limits)
        with suppress(Stop):
            ModuleReader(source).read()
        own.report.take(source.report)

    def _producer_line(self) -> None:
        """Read the comment in which the disassembler names the producer."""
        match = re.match(r"// Producer: ([^\n]*)", self.source.reader.text)
        if match:
            self._set_producer(match[1].removesuffix("\r"), match.start(1), len(match[1]))

    def _set_producer(self, producer: str, at: int, length: int) -> None:
        self.producer = (producer, at)
        self.source.gate.need("the producer", SECTIONS["Producer"].since, at, length)

    # Items --------------------------------------------------------------------------------------

    def _items(self, depth: int, opened: int = 0) -> None:
        """Read items up to the brace that closes their module, or to the end of the text.

        `opened` is the position of the brace that opens the module.
        """
        reader, text = self.source.reader, self.source.reader.text
        while reader.at < len(text):
            if text.startswith("}", reader.at) and depth:
                return
            start = reader.at
            try:
                self._item(depth)
            except Refused as wrong:
                self.source.report.add(wrong.message, wrong.at, wrong.length)
                self._recover(start, depth)
        if depth:
            line = line_of(text, opened)
            self.source.report.add(f"the module opened in line {line} is never closed", reader.at)
            raise Stop

    def _item(self, depth: int) -> None:
        reader = self.source.reader
        match = ITEM.match(reader.text, reader.at)
        if match is None:
            alias, own = ALIAS.match(reader.text, reader.at), self.grammar.of_blocks
            if alias is not None and (own or not depth):
                self._alias(alias)
                return
            at = reader.at
            if own and reader.accept(phrase(self.grammar.module)):
                self._module(at, True, depth)
                return
            raise reader.expected("an entry, a global or a module", after=False)
        at, reader.at = reader.at, match.end()
        reader.skip()
        if match[1] == "entry":
            self._entry()
        elif match[1] == "global":
            self._global()
        elif match[1]:
            self._declaration(match[1], at)
        else:
            self._module(at, match[2] == "cuda_tile.module", depth)

    def _alias(self, match: re.Match[str]) -> None:
        """Skip the definition of an alias, which has been read before."""
        reader = self.source.reader
        end = self.source.aliases.ends.get(match.start(1))
        if end is None:
            reader.at = match.end()
            raise reader.expected("'='")
        reader.at = max(end, match.end())

    def _module(self, at: int, own: bool, depth: int) -> None:
        """Read a module, or the outer module around one."""
        source, reader = self.source, self.source.reader
        if depth >= source.limits.region_depth:
            raise reader.refused(f"more than {source.limits.region_depth} nested modules", at)
        if depth in self._modules or (own and "own" in self._modules):
            raise reader.refused("one file is one module, and this is a second one", at)
        self._modules |= {depth, "own"} if own else {depth}
        if reader.text.startswith("@", reader.at):
            name = reader.symbol()
            if name != MODULE_NAME:
                self.names.append(name)
        self._module_attributes(own)
        opened = reader.at
        reader.expect(phrase("{"))
        self._items(depth + 1, opened)
        reader.expect(phrase("}"))
        source.locations.optional()

    def _module_attributes(self, own: bool) -> None:
        reader = self.source.reader
        if not reader.accept(phrase("attributes")):
            return
        at = reader.at
        attributes = self._launch_attributes("")
        producer = attributes.get("producer")
        if own and isinstance(producer, str):
            del attributes["producer"]
            self._set_producer(producer, at, 1)
        self._merge(self.module_attributes, attributes, at)

    def _launch_attributes(self, owner: str) -> dict[str, object]:
        """Read the attributes of an entry, or of the module."""
        positions = self.attribute_positions.setdefault(owner, {})
        return self.source.attributes.dictionary(positions=positions)

    def _merge(self, known: dict[str, object], more: dict[str, object], at: int) -> None:
        """Add attributes to those that are known; none may have two values."""
        for name, value in more.items():
            if repr(known.setdefault(name, plain(value))) != repr(plain(value)):
                raise self.source.reader.refused(f"{shown(name)} is there twice", at)

    def _recover(self, start: int, inside: int) -> None:
        """Skip to the next item, over the braces of the item that failed.

        Stop at the end of the module if the item is `inside` of one.
        """
        reader, depth = self.source.reader, 0
        reader.at = len(reader.text)
        for piece in NEXT_ITEM.finditer(reader.text, start):
            if piece[0] == "{":
                depth += 1
            elif piece[0] == "}":
                depth -= 1
                if depth < 0 and inside and piece.start() > start:
                    reader.at = piece.start()
                    return
            elif depth <= 0 and piece[0][0] == "\n":
                reader.at = piece.start() + 1
                reader.skip()
                return

    def _symbol(self) -> str:
        at = self.source.reader.at
        name = self.source.reader.symbol()
        if name in self._symbols:
            raise self.source.reader.refused(f"redefinition of @{shown(name)}", at)
        self._symbols.add(name)
        return name

    # Globals ------------------------------------------------------------------------------------

    def _global(self) -> None:
        """``global private constant @name alignment = 16 <f32: [1.0]> : tile<1xf32>``"""
        source, reader, start = self.source, self.source.reader, self.source.reader.at
        private = reader.accept(phrase("private"))
        if not private:
            reader.accept(phrase("public"))
        read_only = reader.accept(phrase("constant"))
        if private:
            since = GLOBAL_SINCE["visibility"]
            source.gate.need(f"global: {SYMBOL_VISIBILITY.name}", since, start)
        if read_only:
            source.gate.need("global: constant", GLOBAL_SINCE["constant"], start)
        at = reader.at
        name, alignment = self._symbol(), 0
        if reader.accept(phrase("alignment =")):
            alignment = reader.integer("an alignment", 0, 1 << 63)
        element, elements = typed_elements(reader, source.types)
        reader.expect(phrase(":"))
        at_type = reader.at
        type = source.types.read()
        value = constant(source, element, elements, type, at_type)
        source.locations.optional()
        if isinstance(type, Tile) and type.rank != 1:
            source.report.add(f"a global is a tile of rank 1, not {type}", at_type)
        elif value is not None:
            made = Global(name, value.type, value, alignment, private, read_only)
            self.globals.append((made, at))

    # Entries ------------------------------------------------------------------------------------

    def _entry(self) -> None:
        """``entry @name(%a: T, ...) optimization_hints=<...> { ... }``"""
        source, reader, at = self.source, self.source.reader, self.source.reader.at
        name = self._symbol()
        arguments, attributes = self._parameters()
        if reader.accept(phrase("->")) and not reader.accept(phrase("()")):
            raise reader.refused("an entry has no results")
        hints, attributes_beside = None, {}
        while True:
            at_part = reader.at
            if reader.accept(phrase("optimization_hints =")):
                if hints is not None:
                    raise reader.refused("optimization_hints is there twice", at_part)
                hints = source.attributes.hints()
            elif reader.accept(phrase("attributes")):
                self._merge(attributes_beside, self._launch_attributes(name), at_part)
            else:
                break
        body_reader = self.body_reader(source, self.grammar)
        block = body_reader.region(None, ENTRY, arguments, IMPLIED["entry"])
        at_part = reader.at
        if reader.text.startswith("{", at_part):
            self._merge(attributes_beside, self._launch_attributes(name), at_part)
        at_location = reader.at
        location = source.locations.optional()
        self._check_locations(name, location, at_location, body_reader)
        if attributes_beside:
            self.entry_attributes[name] = attributes_beside
        types = cast("list[Type]", [type for _, _, type in arguments])  # None has been reported
        type = FunctionType(tuple(types), ())
        body = Body(type, block)
        entry = AssembledEntry(
            name, type, body, hints or Hints({}), attributes, location, at, body_reader.starts
        )
        self.entries.append(entry)

    def in_order(self) -> list[tuple[AssembledEntry | Declaration, int]]:
        """Return entries and declarations, each with its position, in the order of the text."""
        items = [*((entry, entry.at) for entry in self.entries), *self.declarations]
        return sorted(items, key=lambda item: item[1])

    def _declaration(self, word: str, at: int) -> None:
        """Read a function without a body."""
        self.source.gate.need(word, PREVIEW, at, len(word))
        read = read_extern if word == "preview$func" else read_implementation
        declared = read(self.source, self._symbol)
        if declared is not None:
            self.declarations.append((declared, at))

    def _parameters(self) -> tuple[list[tuple[str, int, Type | None]], tuple]:
        """Read names and types in parentheses.

        The second result is a dictionary of attributes for each parameter, or () if all are empty.
        """
        source, reader = self.source, self.source.reader
        parameters: list[tuple[str, int, Type | None]] = []
        attributes: list[dict] = []
        reader.expect(phrase("("))
        while not reader.accept(phrase(")")):
            if parameters:
                reader.expect(phrase(","))
            at = reader.at
            name = reader.take(VALUE, "a name such as %arg0")
            reader.expect(phrase(":"))
            at_type = reader.at
            type = source.types.read()
            if type is not None and not (isinstance(type, Tile) and not type.rank):
                source.report.add(f"a parameter is a tile of rank 0, not {type}", at_type)
            parameters.append((name, at, type))
            attributes.append(self._parameter_attributes())
            source.locations.optional()
        return parameters, tuple(attributes) if any(attributes) else ()

    def _parameter_attributes(self) -> dict[str, object]:
        source, reader = self.source, self.source.reader
        at = reader.at
        if not reader.text.startswith("{", at):
            return {}
        attributes = source.attributes.dictionary(1)  # in a list of those of all parameters
        if attributes:
            source.attributes.check_writable(attributes, at)
            source.gate.need("attributes of parameters", ARGUMENT_ATTRIBUTES_SINCE, at)
        for name in attributes:
            if "." not in name:
                text = f"{shown(name)} has no dialect in front, as cuda_tile.{shown(name)} has"
                source.report.add(text, at)
        return attributes

    def _check_locations(
        self, name: str, location: SourceLocation | CallSite | None, at: int, body: BodyReader
    ) -> None:
        """Check that ops are in the Subprogram of their entry; other readers refuse such a file."""
        report = self.source.report
        if report:  # this problem may only follow from others
            return
        scope = location.scope if isinstance(location, SourceLocation) else None
        symbol = scope.linkage_name if isinstance(scope, Subprogram) else None
        if location is not None and symbol != name:
            text = f"the location of an entry is in a di_subprogram with the linkageName {name!r}"
            report.add(text, at)
            return
        for stated, position in body.stated.values():
            for text in misplaced(stated, location):
                report.add(text, position)


def beginning(text: str) -> int:
    """Return the position behind the first character of a line that begins a module of block IR; 0
    if there is none."""
    if text.startswith(MODULE):
        return 1
    found = text.find(f"\n{MODULE} ")
    return 0 if found < 0 else found + 2


def plain(value: object) -> object:
    """Return an attribute as a plain value; see `tileir.launch.attributes`."""
    match value:
        case IntegerAttribute():
            return value.value
        case FloatAttribute():
            return value.value
        case Opaque():
            return value.text
        case DenseArray():
            return tuple(map(plain, value.values))
        case EnumAttribute():
            return value.name
        case dict():
            return {key: plain(item) for key, item in value.items()}
        case tuple():
            return tuple(map(plain, value))
        case bool() | str():
            return value
    return str(value)
