"""Bitwise ops."""

from __future__ import annotations

from tileir.formats.enums import INTEGER_OVERFLOW, SIGNEDNESS
from tileir.formats.leaves import EnumValue

from .spec import INTEGER_TILE, Attribute, Like, Op, Operand, Result


def _binary(
    mnemonic: str, opcode: int, doc: str, *attributes: Attribute, rhs: str = "Right operand."
) -> Op:
    return Op(
        mnemonic,
        opcode=opcode,
        doc=doc,
        operands=(
            Operand("lhs", INTEGER_TILE, "Left operand."),
            Operand("rhs", INTEGER_TILE, rhs),
        ),
        results=(Result("result", INTEGER_TILE, Like("lhs")),),
        attributes=attributes,
        same_type=(("lhs", "rhs", "result"),),
    )


OPS = (
    _binary("andi", 0x04, "Bitwise and of each pair of elements."),
    _binary("ori", 0x52, "Bitwise or of each pair of elements."),
    _binary("xori", 0x6C, "Bitwise exclusive or of each pair of elements."),
    _binary(
        "shli",
        0x60,
        "Shift left, filling with zeros.",
        Attribute(
            "overflow",
            EnumValue(INTEGER_OVERFLOW),
            "The promise about the bits shifted out.",
            default="none",
        ),
        rhs="Amount, read as unsigned; the width or more is undefined behaviour.",
    ),
    _binary(
        "shri",
        0x61,
        "Shift right, filling with zeros (unsigned) or the sign bit (signed).",
        Attribute("signedness", EnumValue(SIGNEDNESS), "Whether zeros or the sign bit fill."),
        rhs="Amount, read as unsigned; the width or more is undefined behaviour.",
    ),
)
