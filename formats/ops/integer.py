"""Integer arithmetic, element by element. Results wrap unless the op says otherwise."""

from __future__ import annotations

from tileir.formats.enums import COMPARISON_PREDICATE, INTEGER_OVERFLOW, ROUNDING_MODE, SIGNEDNESS
from tileir.formats.leaves import EnumValue
from tileir.formats.version import V13_1, V13_2, Version

from .spec import (
    BOOLEAN_TILE,
    INTEGER_TILE,
    NO_MEMORY_EFFECT,
    PURE,
    Attribute,
    Like,
    Op,
    Operand,
    Result,
    tile,
)


def _signedness(name: str = "signedness", doc: str = "How both operands are read.") -> Attribute:
    return Attribute(name, EnumValue(SIGNEDNESS), doc)


def _overflow(*allowed: str, since: Version = V13_1) -> Attribute:
    return Attribute(
        "overflow",
        EnumValue(INTEGER_OVERFLOW),
        "The promise about overflow; a broken promise is undefined behaviour.",
        since=since,
        default="none",
        allowed=allowed,
    )


def _unary(mnemonic: str, opcode: int, doc: str, *attributes: Attribute) -> Op:
    return Op(
        mnemonic,
        opcode=opcode,
        doc=doc,
        operands=(Operand("source", INTEGER_TILE, "The operand."),),
        results=(Result("result", INTEGER_TILE, Like("source")),),
        attributes=attributes,
        same_type=(("source", "result"),),
    )


def _binary(
    mnemonic: str,
    opcode: int,
    doc: str,
    *attributes: Attribute,
    effects: str = PURE,
    names: tuple[str, str] = ("lhs", "rhs"),
) -> Op:
    lhs, rhs = names
    return Op(
        mnemonic,
        opcode=opcode,
        doc=doc,
        operands=(
            Operand(lhs, INTEGER_TILE, "Left operand."),
            Operand(rhs, INTEGER_TILE, "Right operand."),
        ),
        results=(Result("result", INTEGER_TILE, Like(lhs)),),
        attributes=attributes,
        effects=effects,
        same_type=((lhs, rhs, "result"),),
    )


OPS = (
    _unary(
        "absi",
        0x01,
        "Absolute value of a signed number as an unsigned one, so that every result fits.",
    ),
    _binary("addi", 0x03, "Sum of each pair of elements.", _overflow()),
    Op(
        "cmpi",
        opcode=0x0F,
        doc="Compare each pair of elements.",
        operands=(
            Operand("lhs", INTEGER_TILE, "Left operand."),
            Operand("rhs", INTEGER_TILE, "Right operand."),
        ),
        results=(Result("result", BOOLEAN_TILE, Like("lhs", "i1"), "1 where it holds."),),
        attributes=(
            Attribute(
                "comparison_predicate", EnumValue(COMPARISON_PREDICATE), "The relation to test."
            ),
            _signedness(doc="How both operands are read; irrelevant for equal and not_equal."),
        ),
        same_type=(("lhs", "rhs"),),
        format="{comparison_predicate} {lhs}, {rhs}, {signedness} : {lhs:type} -> {result:type}",
    ),
    _binary(
        "divi",
        0x15,
        "Quotient of each pair of elements.\n"
        "Division by zero, or of the smallest signed number by -1, is undefined behaviour.",
        _signedness(),
        Attribute(
            "rounding",
            EnumValue(ROUNDING_MODE),
            "The direction of rounding; negative_inf only when signed.",
            default="zero",
            allowed=("zero", "negative_inf", "positive_inf"),
        ),
        effects=NO_MEMORY_EFFECT,
    ),
    _binary("maxi", 0x46, "The larger of each pair of elements.", _signedness()),
    _binary("mini", 0x48, "The smaller of each pair of elements.", _signedness()),
    Op(
        "mmai",
        opcode=0x4A,
        doc="Matrix product plus accumulator, lhs MxK by rhs KxN; rank 3 has a batch in front.",
        operands=(
            Operand("lhs", tile("i8"), "Left matrix."),
            Operand("rhs", tile("i8"), "Right matrix."),
            Operand("acc", tile("i32"), "The accumulator, MxN, signed; the sum wraps."),
        ),
        results=(Result("result", tile("i32"), Like("acc")),),
        attributes=(
            _signedness("signedness_lhs", "How lhs is read."),
            _signedness("signedness_rhs", "How rhs is read."),
        ),
        same_type=(("acc", "result"),),
        same_element=(("lhs", "rhs"),),
        format=(
            "{lhs}, {rhs}, {acc} {signedness_lhs} {signedness_rhs} : {lhs:type}, {rhs:type}, "
            "{acc:type}"
        ),
    ),
    _binary(
        "mulhii",
        0x4D,
        "High half of the unsigned product, which has twice the width.",
        names=("x", "y"),
    ),
    _binary("muli", 0x4E, "Low half of the product of each pair of elements.", _overflow()),
    _unary(
        "negi",
        0x50,
        "Negative of each element, in two's complement.",
        _overflow("none", "no_signed_wrap", "no_wrap", since=V13_2),
    ),
    _binary(
        "remi",
        0x5A,
        "Remainder of the division toward zero; when signed it has the sign of lhs.\n"
        "Division by zero is undefined behaviour.",
        _signedness(),
    ),
    _binary("subi", 0x68, "Difference of each pair of elements.", _overflow()),
)
