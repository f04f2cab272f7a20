"""Attributes: values known when the module is written.

Two encodings. A *tagged* attribute carries its own tag and can stand anywhere; an *inline* one is
a plain field whose meaning the op's row gives. The value of a number is the one place of the format
where the layout depends on another section: its size follows from the type it names.
"""

from __future__ import annotations

from construct import Construct

from .cursor import Cursor, Writer
from .enums import MULTIMEM_REDUCTION_KIND
from .leaves import (
    MASK64,
    Bool,
    EnumValue,
    Fixed,
    FlagWord,
    Index,
    Leaf,
    SignedVarInt,
    VarInt,
    WideInt,
    unzigzag,
    zigzag,
)
from .limits import MAX_ATTRIBUTE_DEPTH
from .nodes import Counted, If, Record, Variant
from .types import INTEGER_TAGS, SCALAR_BITS, TYPE_INDEX
from .version import V13_5

STRING_INDEX = Index("string")
CONSTANT_INDEX = Index("constant")


class ScalarBits(Construct):
    """The bit pattern of a number whose type is the record's `type`.

    Integers: i1 takes one byte, others a varint of the zero-extended pattern. Floats: up to 8 bits
    take one byte, others a zigzag varint of the pattern read as a signed 64-bit number.
    """

    def __init__(self, integer: bool) -> None:
        super().__init__()
        self.integer = integer
        self.byte = Fixed(1)
        self.number = VarInt()

    def width(self, type_tags, index: int) -> int | None:
        """The type's width in bits, None if the type is not of this kind."""
        tag = type_tags[index] if index < len(type_tags) else None
        return SCALAR_BITS.get(tag) if (tag in INTEGER_TAGS) == self.integer else None

    def leaf(self, bits: int) -> Leaf:
        """How a pattern of that width lies in the file."""
        one_byte = bits == 1 if self.integer else bits <= 8
        return self.byte if one_byte else self.number

    def pattern(self, value: int, bits: int) -> int:
        """The bit pattern that the value of the leaf stands for."""
        if self.leaf(bits) is self.byte:
            return int(bool(value)) if self.integer else int(value)
        return int(value) if self.integer else float_pattern(value, bits)

    def _parse(self, cursor: Cursor, context, path: str) -> int:
        start = cursor.position
        bits = self.width(cursor.environment.type_tags, context["type"])
        if bits is None:
            raise cursor.error(
                "bad_index",
                path,
                expected="an integer type" if self.integer else "a floating-point type",
                found=f"type {context['type']}",
            )
        value = self.leaf(bits).read(cursor, path)
        cursor.note(start, path, "bits", value, self)
        pattern = self.pattern(value, bits)
        if pattern >> bits:
            raise cursor.error(
                "bad_value",
                path,
                offset=start,
                expected=f"a pattern of {bits} bits",
                found=f"{pattern:#x}",
            )
        if isinstance(value, WideInt):
            return WideInt(pattern, value.width, value.raw)
        if bits == 1 and value > 1:  # a byte that is true, but not 1
            return WideInt(pattern, 1, value)
        return pattern

    def _build(self, value: int, writer: Writer, context, path: str):
        bits = self.width(writer.environment.type_tags, context["type"])
        if bits is None:
            raise ValueError(f"{path}: type {context['type']} cannot hold this value")
        leaf = self.leaf(bits)
        if isinstance(value, WideInt):
            number = value if leaf is self.number else value.raw
        elif self.integer or leaf is self.byte:
            number = int(value)
        else:
            number = zigzag(int(value) - (1 << 64) if bits == 64 and value >> 63 else int(value))
        leaf._build(number, writer, context, path)
        return value


def float_pattern(value: int, bits: int) -> int:
    """The pattern a producer meant by a zigzag varint.

    cuTile doubles an f64 pattern without wrapping it to 64 bits, so one with its top bit set
    arrives as a 65-bit number; halving that gives back what was meant.
    """
    raw = getattr(value, "raw", value)
    if bits == 64 and raw > MASK64:
        return raw >> 1 & MASK64
    return unzigzag(raw & MASK64) & MASK64


ATTRIBUTE = Variant(
    "attribute tag",
    depth_limit=MAX_ATTRIBUTE_DEPTH,
    preview=(range(209, 225), range(226, 229)),
)
DICTIONARY = Counted(Record("key" / STRING_INDEX, "value" / ATTRIBUTE), item_size=2)

ATTRIBUTE.add(
    "Integer",
    1,
    "Integer of a given type.",
    "type" / TYPE_INDEX,
    "bits" / ScalarBits(integer=True),
)
ATTRIBUTE.add(
    "Float",
    2,
    "Floating-point number of a given type, as its bit pattern.",
    "type" / TYPE_INDEX,
    "bits" / ScalarBits(integer=False),
)
ATTRIBUTE.add("Bool", 3, "Truth value.", "truth" / Bool())
ATTRIBUTE.add("Type", 4, "A type.", "type" / TYPE_INDEX)
ATTRIBUTE.add("String", 5, "A string.", "string" / STRING_INDEX)
ATTRIBUTE.add("Array", 6, "Any attributes in order.", "elements" / Counted(ATTRIBUTE))
ATTRIBUTE.add(
    "DenseElements",
    7,
    "A tile's worth of numbers.",
    "type" / TYPE_INDEX,
    "constant" / CONSTANT_INDEX,
)
ATTRIBUTE.add(
    "DivBy",
    8,
    "Assumption: divisible by `divisor`, every `every` elements along dimension `along`.",
    "divisor" / VarInt(),
    "flags" / FlagWord("every", "along", strict=True),
    "every" / If("flags", 1, SignedVarInt()),
    "along" / If("flags", 2, SignedVarInt()),
)
ATTRIBUTE.add(
    "SameElements",
    9,
    "Assumption: groups of this many neighbours along each dimension are equal.",
    "groups" / Counted(Fixed(8, signed=True), item_size=8),
)
ATTRIBUTE.add("Dictionary", 10, "Named attributes.", "entries" / DICTIONARY)
ATTRIBUTE.add(
    "OptimizationHints",
    11,
    "Hints by architecture; they never change a result.",
    "entries" / DICTIONARY,
)
ATTRIBUTE.add(
    "Bounded",
    12,
    "Assumption: signed inclusive bounds.",
    "flags" / FlagWord("lower", "upper", strict=True),
    "lower" / If("flags", 1, SignedVarInt()),
    "upper" / If("flags", 2, SignedVarInt()),
)
ATTRIBUTE.add(
    "MultimemReductionKind",
    13,
    "How multicast replicas are combined.",
    "reduction" / EnumValue(MULTIMEM_REDUCTION_KIND),
    since=V13_5,
)


class ListedInt(Fixed):
    """A 32-bit integer of a list; the ends of the range stand for nothing and are refused."""

    REFUSED = (-(1 << 31), (1 << 31) - 1)

    def __init__(self) -> None:
        super().__init__(4, signed=True)

    def read(self, cursor: Cursor, path: str) -> int:
        start = cursor.position
        value = super().read(cursor, path)
        if value in self.REFUSED:
            raise cursor.error(
                "bad_value", path, offset=start, expected="a usable number", found=str(value)
            )
        return value

    def emit(self, value: int, writer: Writer) -> None:
        if value in self.REFUSED:
            raise ValueError("it stands for nothing")
        super().emit(value, writer)


ATTRIBUTE_LIST = Counted(ATTRIBUTE)
BOOL_LIST = Counted(Bool())
INT_LIST = Counted(ListedInt(), item_size=4)
