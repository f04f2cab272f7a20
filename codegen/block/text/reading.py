"""Text to block IR."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from tileir.codegen.block.attributes import INTEGER, INTEGERS, LAYOUT, TEXT, TEXTS
from tileir.codegen.block.dialect import BLOCK
from tileir.codegen.block.notation import NOTHING, number_of
from tileir.codegen.block.op_rules import pipelined_regions
from tileir.codegen.block.types import Flight, Frag, Mbarrier, Shared, Turn
from tileir.codegen.kernel import KernelIR
from tileir.codegen.layouts.linear_layout import LEVELS, LinearLayout
from tileir.formats.limits import DEFAULT
from tileir.formats.recursion import deep_recursion
from tileir.formats.version import LATEST
from tileir.ir import Op, Region, Value
from tileir.messages.other_dialects import MODULE
from tileir.messages.wording import choice, counted
from tileir.text.assembler.diagnostics import Stop
from tileir.text.assembler.grammar import Grammar
from tileir.text.assembler.lexer import Reader, phrase, token
from tileir.text.assembler.literals.types import FORMS, Reported, TypeReader
from tileir.text.assembler.module import ModuleReader
from tileir.text.assembler.parsed import ParsedOp
from tileir.text.assembler.results import finished
from tileir.text.assembler.scope import BodyScope
from tileir.text.assembler.source import Source
from tileir.text.assembler.structured import (
    READERS,
    add_region,
    read_arguments,
    read_for,
    read_loop_head,
    stated_arguments,
)
from tileir.types import Element, Pointer, Scalar

Made = tuple[Op, list[Value]]
EXTENTS = token(r"[0-9]++(?:x[0-9]++)*+")
LARGEST = 1 << 62
BITS = 64
"""More bits than the number of an element has."""


def parsed(text: str, name: str = "<text>") -> list[KernelIR]:
    """Return the kernels of a text of block IR; AssemblyError lists what is wrong with it."""
    source = Source(text, name, LATEST, DEFAULT, BLOCK, BLOCK_FORMS, DEFINITIONS)
    module = ModuleReader(source, GRAMMAR)
    with deep_recursion(DEFAULT), contextlib.suppress(Stop):
        module.read()
    if source.report:
        raise source.report.error()
    entries = module.entries
    return [KernelIR(entry.name, entry, entry.body, dialect=BLOCK) for entry in entries]


# Definitions ------------------------------------------------------------------------------------

Shape = tuple[int, ...]


def _shape(reader: Reader) -> Shape:
    """Read ``<64x64:``."""
    reader.expect(phrase("<"))
    at = reader.at
    shape = tuple(map(int, reader.take(EXTENTS, "a shape such as 64x64").split("x")))
    if any(size & (size - 1) or not size for size in shape):
        raise reader.refused("an extent is not a power of two", at)
    reader.expect(phrase(":"))
    return shape


def _layout(types: TypeReader) -> tuple[Shape, LinearLayout]:
    """Read ``<64x64: register (0,1) (8,0), lane ..., warp (16,0) ->``."""
    reader = types.reader
    shape = _shape(reader)
    bases: dict[str, tuple[int, ...]] = {}
    while not reader.sees(phrase(">")):
        if bases:
            reader.expect(phrase(","))
        at = reader.at
        level = reader.word(choice(LEVELS))
        if level not in LEVELS or level in bases:
            again = " once" if level in bases else ""
            raise reader.refused(f"expected {choice(LEVELS)}{again}, found '{level}'", at)
        bases[level] = _bases(reader, shape)
    reader.expect(phrase(">"))
    bits = _bits(shape)
    return shape, LinearLayout(bits, *(bases.get(level, ()) for level in LEVELS))


def _bits(shape: Sequence[int]) -> int:
    return sum(size.bit_length() - 1 for size in shape)


def _bases(reader: Reader, shape: Shape) -> tuple[int, ...]:
    bases: list[int] = []
    while not bases or not (reader.sees(phrase(",")) or reader.sees(phrase(">"))):
        at = reader.at
        if reader.accept(phrase(NOTHING)):
            bases.append(0)
            continue
        if len(shape) == 1:
            place = (reader.integer("a base such as 8, or -", 0, LARGEST),)
        else:
            if not reader.sees(phrase("(")):
                raise reader.expected(f"a base such as ({','.join('0' * len(shape))}), or -")
            reader.expect(phrase("("))
            place = _list(reader, ")")
        if len(place) != len(shape):
            text = f"{counted(len(place), 'coordinate')} in a tile of rank {len(shape)}"
            raise reader.refused(text, at)
        if any(position >= size for position, size in zip(place, shape, strict=True)):
            base, extents = reader.text[at : reader.at].strip(), "x".join(map(str, shape))
            raise reader.refused(f"the base {base} is outside of {extents}", at)
        bases.append(number_of(place, shape))
    return tuple(bases)


def _list(reader: Reader, end: str) -> tuple[int, ...]:
    numbers: list[int] = []
    while not reader.accept(phrase(end)):
        if numbers:
            reader.expect(phrase(","))
        numbers.append(reader.integer("a coordinate", 0, LARGEST))
    return tuple(numbers)


def _offsets(types: TypeReader) -> tuple[Shape, tuple[int, ...]]:
    """Read ``<64x64: 1 2 4 8>``."""
    reader = types.reader
    shape = _shape(reader)
    offsets: list[int] = []
    at = reader.at
    while not reader.accept(phrase(">")):
        offsets.append(reader.integer("an offset", 0, LARGEST))
    if len(offsets) != _bits(shape):
        text = f"{counted(len(offsets), 'offset')} for {counted(_bits(shape), 'bit')} of elements"
        raise reader.refused(text, at)
    return shape, tuple(offsets)


DEFINITIONS = {"layout": _layout, "offsets": _offsets}
"""First word of a definition -> the function that reads the rest."""

# Types ------------------------------------------------------------------------------------------


def _sized(types: TypeReader, depth: int) -> tuple[Element, Shape]:
    """Read ``64x64xf16,``."""
    at, extents = types.reader.at, types.extents()
    shape = tuple(size for size in extents if size is not None)
    if len(shape) < len(extents):
        raise types.reader.refused("the shape of a tile is static", at)
    element = types.inner(depth, Scalar, Pointer)
    types.reader.expect(phrase(","))
    return element, shape


def _defined(types: TypeReader, word: str, what: str, shape: Shape):
    """Read the name of a layout or of offsets, which must be of tiles of that shape."""
    at = types.reader.at
    of, value = types.defined(word, what)
    if of != shape:
        own, wanted = ("x".join(map(str, sizes)) for sizes in (of, shape))
        raise types.reader.refused(f"{what} of {own} for a tile of {wanted}", at)
    return value


def _frag(types: TypeReader, depth: int) -> Frag:
    element, shape = _sized(types, depth)
    return Frag(element, shape, layout=_defined(types, "layout", "a layout", shape))


def _shared(types: TypeReader, depth: int) -> Shared:
    element, shape = _sized(types, depth)
    offsets, slots = _defined(types, "offsets", "offsets", shape), 1
    if types.reader.accept(phrase(", slots =")):
        slots = types.reader.integer("a number of slots", 1, 1 << 16)
    return Shared(element, shape, offsets, slots)


def _flight(types: TypeReader, depth: int) -> Flight:
    tiles: list[Shared | Frag] = []
    for type, at in types.read_list():
        if type is None:
            raise Reported
        if not isinstance(type, (Shared, Frag)):
            raise types.reader.refused(
                f"a flight is of tiles in shared memory or registers, not {type}", at
            )
        tiles.append(type)
    return Flight(tuple(tiles))


def _turn(types: TypeReader, depth: int) -> Turn:
    slots = types.reader.integer("a number of slots", 1, 1 << 16)
    return Turn(slots, types.reader.accept(phrase(", phased")))


def _mbarrier(types: TypeReader, depth: int) -> Mbarrier:
    return Mbarrier(types.reader.integer("a number of slots", 1, 1 << 16))


BLOCK_FORMS = {
    **FORMS,
    "flight": _flight,
    "frag": _frag,
    "mbarrier": _mbarrier,
    "shared": _shared,
    "turn": _turn,
}
"""Name of a type -> the function that reads the contents of its angle brackets."""

# Attributes -------------------------------------------------------------------------------------


def _integer(body: BodyScope) -> int:
    return body.reader.integer("a number", -LARGEST, LARGEST)


def _integers(body: BodyScope) -> tuple[int, ...]:
    body.reader.expect(phrase("["))
    return body.reader.integers("a number", -LARGEST, LARGEST)


def _texts(body: BodyScope) -> tuple[str, ...]:
    reader, texts = body.reader, []
    reader.expect(phrase("["))
    while not reader.accept(phrase("]")):
        if texts:
            reader.expect(phrase(","))
        texts.append(reader.string())
    return tuple(texts)


ATTRIBUTES = {
    INTEGER: _integer,
    INTEGERS: _integers,
    TEXT: lambda body: body.reader.string(),
    TEXTS: _texts,
    LAYOUT: lambda body: body.types.defined("layout", "a layout")[1],
}
"""Kind of an attribute -> the function that reads one."""

# Ops with regions -------------------------------------------------------------------------------


def _read_for(body: BodyScope, parsed_op: ParsedOp) -> Made:
    return read_for(body, parsed_op, _unroll)


def _unroll(body: BodyScope, parsed_op: ParsedOp) -> None:
    if body.reader.accept(phrase("unroll")):
        parsed_op.attributes["unroll"] = body.reader.integer("a factor", 1, 1 << 16)


def _values(body: BodyScope, parsed_op: ParsedOp, slot: str) -> list[Value]:
    """Read one value or more, separated by commas."""
    reader, values, positions = body.reader, [], []
    while not values or reader.accept(phrase(",")):
        positions.append(reader.at)
        values.append(body.value())
    parsed_op.operands[slot], parsed_op.positions[slot] = tuple(values), positions
    return values


def _read_together(body: BodyScope, parsed_op: ParsedOp) -> Made:
    """``fold %x dim = 1 over = [0, 1] : T -> T (%lhs: S, %rhs: S) {``"""
    reader = body.reader
    count = len(_values(body, parsed_op, "operands"))
    if "warps" in parsed_op.operands and reader.accept(phrase("warps (")):
        _values(body, parsed_op, "warps")
        reader.expect(phrase(")"))
    _read_attributes(body, parsed_op)
    reader.expect(phrase(":"))
    stated = body.types.read_list()
    parsed_op.stated["operands"] = stated[:count]
    if "warps" in parsed_op.operands:
        parsed_op.stated["warps"] = stated[count:]
    elif len(stated) > count:
        text = f"{counted(len(stated), 'type')} stated of {counted(count, 'value')}"
        raise reader.refused(text, stated[count][1])
    reader.expect(phrase("->"))
    parsed_op.stated["results"] = body.types.read_list()
    made = finished(body, parsed_op)
    add_region(body, made[0], read_arguments(body, made[0]))
    return made


def _read_attributes(body: BodyScope, parsed_op: ParsedOp) -> None:
    """Read `` dim = 1 ordered``: all attributes by their names."""
    reader = body.reader
    for slot in parsed_op.spec.attributes:
        parsed_op.positions[slot.name] = [reader.at]
        if slot.node is None:
            parsed_op.attributes[slot.name] = reader.accept(phrase(slot.name))
        else:
            reader.expect(phrase(f"{slot.name} ="))
            parsed_op.attributes[slot.name] = ATTRIBUTES[slot.node](body)


def _read_role(body: BodyScope, parsed_op: ParsedOp) -> Made:
    """``role name = "load" first = 8 warps = 4 working = 1 registers = 40 frees {``"""
    _read_attributes(body, parsed_op)
    made = finished(body, parsed_op)
    add_region(body, made[0], [])
    return made


def _read_ahead(body: BodyScope, parsed_op: ParsedOp) -> None:
    body.reader.expect(phrase("ahead"))
    parsed_op.attributes["ahead"] = body.reader.integer("a number of iterations", 1, 1 << 16)


def _read_pipelined_for(body: BodyScope, parsed_op: ParsedOp) -> Made:
    """The head, ``ahead_values(%t) : T``, ``prologue (...) {...} body (...) {...}``."""
    reader, before = body.reader, len(body.report)
    named = read_loop_head(body, parsed_op, _read_ahead)
    parsed_op.operands["aheadValues"] = ()
    if reader.accept(phrase("ahead_values (")):
        _values(body, parsed_op, "aheadValues")
        reader.expect(phrase(") :"))
        parsed_op.stated["aheadValues"] = body.types.read_list()
    made = finished(body, parsed_op)
    op, (body_row, prologue_row) = made[0], parsed_op.spec.regions
    reader.expect(phrase("prologue"))
    prologue = body.region(op, prologue_row, stated_arguments(body)[0], None)
    reader.expect(phrase("body"))
    block = body.region(op, body_row, [*named, *stated_arguments(body)[0]], None)
    op.regions = [Region([block]), Region([prologue])]
    wrong = pipelined_regions(op) if len(body.report) == before else None
    if wrong:
        body.report.add(f"{op.name}: {wrong}", parsed_op.at, len(op.name))
    return made


GRAMMAR = Grammar(
    BLOCK,
    {
        "fold": _read_together,
        "for": _read_for,
        "if": READERS["if"],
        "loop": READERS["loop"],
        "pipelined_for": _read_pipelined_for,
        "role": _read_role,
        "scan_across": _read_together,
        "scan_warp": _read_together,
    },
    ATTRIBUTES,
    BLOCK_FORMS,
    DEFINITIONS,
    MODULE,
)
