"""Conversions: the same values in another element type. Shapes never change."""

from __future__ import annotations

from tileir.formats.enums import INTEGER_OVERFLOW, ROUNDING_MODE, SIGNEDNESS
from tileir.formats.leaves import EnumValue
from tileir.formats.version import V13_4

from .spec import (
    ALL_FLOATS,
    ANY_FLOAT_TILE,
    INTEGER_TILE,
    INTEGERS,
    NUMBER_TILE,
    POINTER_TILE,
    Attribute,
    Constraint,
    Like,
    Op,
    Operand,
    Result,
    tile,
    unit,
)

WITH_I4 = tile("i4", *INTEGERS)
FROM_INTEGER = tile(*(element for element in ALL_FLOATS if element != "f8E8M0FNU"))


def _between_numbers(
    mnemonic: str, opcode: int, doc: str, source: Constraint, to: Constraint, *attributes: Attribute
) -> Op:
    """Return the row of a conversion from one kind of number to another; both types are stated."""
    return Op(
        mnemonic,
        opcode=opcode,
        doc=doc,
        operands=(Operand("from", source, "The value to convert."),),
        results=(Result("to", to, doc="The new type."),),
        attributes=attributes,
        same_shape=(("from", "to"),),
    )


def _of_bits(
    mnemonic: str,
    opcode: int,
    doc: str,
    source: Constraint,
    to: Constraint,
    inference: Like | None = None,
) -> Op:
    """Return the row of an op that gives the same bits another type."""
    return Op(
        mnemonic,
        opcode=opcode,
        doc=doc,
        operands=(Operand("source", source, "The value to convert."),),
        results=(Result("result", to, inference, "The new type."),),
        same_shape=(("source", "result"),),
    )


def _signedness(doc: str) -> Attribute:
    return Attribute("signedness", EnumValue(SIGNEDNESS), doc)


def _rounding(default: str, doc: str, *allowed: str) -> Attribute:
    node = EnumValue(ROUNDING_MODE)
    return Attribute("rounding_mode", node, doc, default=default, allowed=allowed)


OPS = (
    _of_bits(
        "bitcast",
        0x09,
        "Read the bits of numbers as numbers of another type of the same width.",
        NUMBER_TILE,
        NUMBER_TILE,
    ),
    _between_numbers(
        "exti",
        0x25,
        "Widen integers; the new type is strictly wider.",
        WITH_I4,
        WITH_I4,
        _signedness("Fill with zeros (unsigned) or the sign bit (signed)."),
    ),
    _between_numbers(
        "ftof",
        0x2A,
        "Convert between floating-point types, which must differ.",
        ANY_FLOAT_TILE,
        ANY_FLOAT_TILE,
        _rounding(
            "nearest_even",
            "To f8E8M0FNU zero or positive_inf; to other types below 16 bits only nearest_even.",
        ),
    ),
    _between_numbers(
        "ftoi",
        0x2B,
        "Convert floating-point numbers to integers, dropping the fraction.\n"
        "A NaN or a number that does not fit is undefined behaviour, unless saturating.",
        ANY_FLOAT_TILE,
        INTEGER_TILE,
        _signedness("How the result is read."),
        _rounding("nearest_int_to_zero", "Only toward zero.", "nearest_int_to_zero"),
        unit("saturating", "A number that does not fit becomes the nearest limit, a NaN 0.", V13_4),
    ),
    _of_bits(
        "int_to_ptr",
        0x33,
        "Read integers as addresses.",
        tile("i64"),
        POINTER_TILE,
    ),
    _between_numbers(
        "itof",
        0x3B,
        "Convert integers to floating-point numbers.\n"
        "A number that is too large becomes infinity, or a NaN if the type has none.",
        INTEGER_TILE,
        FROM_INTEGER,
        _signedness("How the operand is read."),
        _rounding("nearest_even", "Only to nearest.", "nearest_even"),
    ),
    _of_bits(
        "ptr_to_int",
        0x56,
        "The addresses that pointers hold.",
        POINTER_TILE,
        tile("i64"),
        Like("source", "i64"),
    ),
    _of_bits(
        "ptr_to_ptr",
        0x57,
        "The same addresses with another pointee.",
        POINTER_TILE,
        POINTER_TILE,
    ),
    _between_numbers(
        "trunci",
        0x6B,
        "Narrow integers to their low bits; the new type is strictly narrower.",
        WITH_I4,
        WITH_I4,
        Attribute(
            "overflow",
            EnumValue(INTEGER_OVERFLOW),
            "The promise about the bits dropped: copies of the sign bit, or zeros.",
            default="none",
        ),
    ),
)
