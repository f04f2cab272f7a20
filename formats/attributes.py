"""Attributes: values known when the module is written.

There are two encodings. A *tagged* attribute starts with its own tag and is allowed anywhere; an
*inline* one is a plain field of an op, whose meaning is in the op's row. The value of a number is
the only field whose layout depends on another section: its size follows from its type.
"""

from __future__ import annotations

from construct import Construct

from .cursor import ByteWriter, Cursor, Path, spell
from .enums import ACCESS, MEMORY_SPACE, MULTIMEM_REDUCTION_KIND, SYNCHRONIZATION
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
from .nodes import Counted, If, RowRecord, field
from .types import ATTRIBUTE, INTEGER_TAGS, SCALAR_BITS, TYPE_INDEX
from .version import PREVIEW, V13_5

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
        """Return the type's width in bits; None if the type is not of this kind."""
        tag = type_tags[index] if index < len(type_tags) else None
        if tag is None or (tag in INTEGER_TAGS) != self.integer:
            return None
        return SCALAR_BITS.get(tag)

    def leaf(self, bits: int) -> Leaf:
        """Return the leaf for a pattern of some bits."""
        one_byte = bits == 1 if self.integer else bits <= 8
        return self.byte if one_byte else self.number

    def pattern(self, value: int, bits: int) -> int:
        """Return the bit pattern for a value of the leaf."""
        if self.leaf(bits) is self.byte:
            return int(bool(value)) if self.integer else int(value)
        return int(value) if self.integer else float_pattern(value, bits)

    def number_of(self, pattern: int, bits: int) -> int:
        """Return the value of the leaf for a bit pattern: the inverse of `pattern`."""
        if self.integer or self.leaf(bits) is self.byte:
            return pattern
        return zigzag(pattern - (1 << 64) if bits == 64 and pattern >> 63 else pattern)

    def _parse(self, cursor: Cursor, context, path: Path) -> int:
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

    def _build(self, value: int, writer: ByteWriter, context, path: Path):
        bits = self.width(writer.environment.type_tags, context["type"])
        if bits is None:
            raise ValueError(f"{spell(path)}: type {context['type']} cannot hold this value")
        leaf = self.leaf(bits)
        if isinstance(value, WideInt):
            number = value if leaf is self.number else value.raw
        else:
            number = self.number_of(int(value), bits)
        leaf._build(number, writer, context, path)
        return value


def float_pattern(value: int, bits: int) -> int:
    """Return the pattern that a producer meant by a zigzag varint.

    cuTile doubles an f64 pattern without wrapping it to 64 bits, so one with its top bit set
    becomes a 65-bit number; half of that is the pattern.
    """
    raw = getattr(value, "raw", value)
    if bits == 64 and raw > MASK64:
        return raw >> 1 & MASK64
    return unzigzag(raw & MASK64) & MASK64


DICTIONARY = Counted(
    RowRecord(field("key", STRING_INDEX, "Its name."), field("value", ATTRIBUTE, "Any attribute.")),
    item_size=2,
)

ATTRIBUTE.add(
    "Integer",
    1,
    "Integer of a given type.",
    field("type", TYPE_INDEX, "An integer type."),
    field("bits", ScalarBits(integer=True), "Its two's-complement pattern."),
)
ATTRIBUTE.add(
    "Float",
    2,
    "Floating-point number of a given type, as its bit pattern.",
    field("type", TYPE_INDEX, "A floating-point type."),
    field("bits", ScalarBits(integer=False), "Its pattern."),
)
ATTRIBUTE.add("Bool", 3, "Truth value.", field("truth", Bool(), "Anything but 0 is true."))
ATTRIBUTE.add("Type", 4, "A type.", field("type", TYPE_INDEX, "The type."))
ATTRIBUTE.add("String", 5, "A string.", field("string", STRING_INDEX, "The string."))
ATTRIBUTE.add(
    "Array", 6, "Any attributes in order.", field("elements", Counted(ATTRIBUTE), "Any attributes.")
)
ATTRIBUTE.add(
    "DenseElements",
    7,
    "A tile's worth of numbers.",
    field("type", TYPE_INDEX, "A tile type."),
    field("constant", CONSTANT_INDEX, "Its elements."),
)
ATTRIBUTE.add(
    "DivBy",
    8,
    "Assumption: divisible by `divisor`, every `every` elements along dimension `along`.",
    field("divisor", VarInt(), "The divisor."),
    field("flags", FlagWord("every", "along", strict=True), "Which of the two follow."),
    field("every", If("flags", 1, SignedVarInt()), "The distance between the elements meant."),
    field("along", If("flags", 2, SignedVarInt()), "The dimension meant."),
)
ATTRIBUTE.add(
    "SameElements",
    9,
    "Assumption: groups of this many neighbours along each dimension are equal.",
    field("groups", Counted(Fixed(8, signed=True), item_size=8), "A size for each dimension."),
)
ATTRIBUTE.add("Dictionary", 10, "Named attributes.", field("entries", DICTIONARY, "By name."))
ATTRIBUTE.add(
    "OptimizationHints",
    11,
    "Hints by architecture; they never change a result.",
    field("entries", DICTIONARY, "Architecture (or `default`) to a dictionary of hints."),
)
ATTRIBUTE.add(
    "Bounded",
    12,
    "Assumption: signed inclusive bounds.",
    field("flags", FlagWord("lower", "upper", strict=True), "Which bounds follow."),
    field("lower", If("flags", 1, SignedVarInt()), "The least value."),
    field("upper", If("flags", 2, SignedVarInt()), "The greatest value."),
)
ATTRIBUTE.add(
    "MultimemReductionKind",
    13,
    "How multicast replicas are combined.",
    field("reduction", EnumValue(MULTIMEM_REDUCTION_KIND), "The reduction."),
    since=V13_5,
)

_EXPRESSION = "An expression."
_LHS = field("lhs", ATTRIBUTE, _EXPRESSION)
_RHS = field("rhs", ATTRIBUTE, _EXPRESSION)
_EXPRESSIONS = Counted(ATTRIBUTE)


def _preview(name: str, tag: int, doc: str, *fields: Construct) -> None:
    ATTRIBUTE.add(name, tag, doc, *fields, since=PREVIEW)


_preview("ExprInt", 209, "Expression: a number.", field("number", SignedVarInt(), "The number."))
_preview(
    "ExprVar",
    210,
    "Expression: the value of a parameter of an extern function.",
    field("name", STRING_INDEX, "The name of the parameter."),
)
_preview("ExprMul", 211, "Expression: a product.", _LHS, _RHS)
_preview("ExprDiv", 212, "Expression: a quotient.", _LHS, _RHS)
_preview("ExprAdd", 213, "Expression: a sum.", _LHS, _RHS)
_preview("ExprSub", 214, "Expression: a difference.", _LHS, _RHS)
_preview("ExprFloorDiv", 215, "Expression: a quotient, rounded down.", _LHS, _RHS)
_preview(
    "SymbolicTuple",
    216,
    "Expressions in order, such as the extents of a tile.",
    field("elements", _EXPRESSIONS, "The expressions."),
)
_preview(
    "Layout",
    217,
    "A map from coordinates to numbers: the sum of coordinates times strides.",
    field("shape", _EXPRESSIONS, "How many coordinates each mode has; a mode may be a tuple."),
    field("stride", _EXPRESSIONS, "The distance of each mode's coordinates."),
)
_preview("ExprCeilDiv", 218, "Expression: a quotient, rounded up.", _LHS, _RHS)
_preview("ConcreteType", 219, "Expression: a type.", field("type", TYPE_INDEX, "The type."))
_preview("ExprNeg", 220, "Expression: a negated one.", field("operand", ATTRIBUTE, _EXPRESSION))
_preview(
    "MemorySpace",
    221,
    "Where a fragment is.",
    field("space", EnumValue(MEMORY_SPACE), "The memory."),
)
_preview(
    "Synchronization",
    222,
    "Which threads an extern function synchronises.",
    field("synchronization", EnumValue(SYNCHRONIZATION), "The threads."),
)
_preview(
    "Access",
    223,
    "What an extern function does with a parameter.",
    field("access", EnumValue(ACCESS), "How it is accessed."),
)
_preview(
    "ScratchRequest",
    224,
    "Shared memory that an implementation needs for itself.",
    field("size", ATTRIBUTE, "An expression: its size in bytes."),
    field("alignment", ATTRIBUTE, "An expression: its alignment in bytes."),
)
_preview(
    "ConstParam",
    226,
    "A parameter of an extern function that is known when it is compiled.",
    field("name", STRING_INDEX, "Its name; `?` for one without."),
    field("type", TYPE_INDEX, "index, preview$shape, preview$Datatype or preview$string."),
)
_preview(
    "ExprBuiltin",
    227,
    "Expression: a value that the compiler knows.",
    field("name", STRING_INDEX, "Its dotted name, such as `context.x`."),
    field("type", TYPE_INDEX, "index."),
)
_preview("ExprConstStr", 228, "Expression: a string.", field("string", STRING_INDEX, "The string."))


class ListedInt(Fixed):
    """A 32-bit integer of a list; the smallest and the largest number are refused."""

    def __init__(self) -> None:
        super().__init__(4, signed=True, refused=(-(1 << 31), (1 << 31) - 1))


ATTRIBUTE_LIST = Counted(ATTRIBUTE)
BOOL_LIST = Counted(Bool())
INT_LIST = Counted(ListedInt(), item_size=4)
