"""Operands of atoms that are converted when they are read from shared memory: each way is a row.

There a tile has the elements that were loaded, which asynchronous copies have put there: what
converts an element on the way would need it in a register. So each warp converts the registers that
it multiplies, 32 bits at a time, as often as warps read an element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from llvmlite import ir

from tileir.codegen.scalar import ptx
from tileir.codegen.scalar.machine import machine_of
from tileir.gpus import Feature, Target

from .access import permute_bytes

_WORD, _SHORT, _SINGLE = ir.IntType(32), ir.IntType(16), ir.FloatType()
_HALVES = ir.VectorType(ir.HalfType(), 2)

Emit = Callable[[ir.IRBuilder, ir.Value, Sequence[int]], list[ir.Value]]
"""From a register of elements in memory, the registers of the same elements in the operand type.

Of elements of one byte, the numbers say in which order: those of the bytes, four of them.
"""
IN_ORDER = (0, 1, 2, 3)


@dataclass(frozen=True, slots=True)
class OperandConversion:
    """One conversion: from elements in memory to those of an atom."""

    stored: str
    """The element type in memory."""
    operand_type: str
    """That of the atom's operands, by its name in PTX."""
    by: str
    """The rounding mode or the signedness, where the types leave a choice; empty elsewhere."""
    cost: float
    """Instructions for an element."""
    emit: Emit
    feature: Feature | None = None
    """The feature of a target that it uses; None if every target can do it so."""


def _by_cvt(name: str) -> Emit:
    def emit(builder: ir.IRBuilder, word: ir.Value, order: Sequence[int]) -> list[ir.Value]:
        if order != IN_ORDER:
            word = permute_bytes(builder, word, word, order)
        upper = builder.lshr(word, ir.Constant(_WORD, 16))
        return [ptx.half_pair(builder, builder.trunc(part, _SHORT), name) for part in (word, upper)]

    return emit


def _upper_halves(builder: ir.IRBuilder, word: ir.Value, order: Sequence[int]) -> list[ir.Value]:
    """An e5m2 is the upper half of an f16."""
    zero, (a, b, c, d) = ir.Constant(_WORD, 0), order
    return [permute_bytes(builder, word, zero, chosen) for chosen in ((4, a, 4, b), (4, c, 4, d))]


_INTEGER_BYTE = 0x64
"""The upper byte of an f16 whose lower byte is its value less 1024."""
_SIGN_BITS = 0x80808080


def _from_bytes(signed: bool) -> Emit:
    def emit(builder: ir.IRBuilder, word: ir.Value, order: Sequence[int]) -> list[ir.Value]:
        (a, b, c, d), base = order, 1024.0
        if signed:
            word, base = builder.xor(word, ir.Constant(_WORD, _SIGN_BITS)), 1024.0 + 128.0
        upper = ir.Constant(_WORD, _INTEGER_BYTE)
        less = ir.Constant(_HALVES, [-base, -base])
        made = []
        for chosen in ((a, 4, b, 4), (c, 4, d, 4)):
            pair = permute_bytes(builder, word, upper, chosen)
            total = builder.fadd(builder.bitcast(pair, _HALVES), less)
            made.append(builder.bitcast(total, _WORD))
        return made

    return emit


_DROPPED = 13
"""Bits of an f32 that tf32 lacks; atoms ignore them."""
_NAN = 0x7FFFE000


def _round_to_tf32(builder: ir.IRBuilder, word: ir.Value, order: Sequence[int]) -> list[ir.Value]:
    """Round to nearest, ties to even; the bits that atoms ignore are left as they are."""
    value = builder.bitcast(word, _SINGLE)
    if "tf32" in machine_of(builder).rounds:
        return [ptx.round_to_tf32(builder, value)]
    odd = builder.and_(builder.lshr(word, ir.Constant(_WORD, _DROPPED)), ir.Constant(_WORD, 1))
    half = ir.Constant(_WORD, (1 << _DROPPED - 1) - 1)
    rounded = builder.add(builder.add(word, half), odd)
    is_nan = builder.fcmp_unordered("uno", value, value)
    return [builder.select(is_nan, ir.Constant(_WORD, _NAN), rounded)]


_PAIRS: Feature = "f8 conversions"

OPERAND_CONVERSIONS: tuple[OperandConversion, ...] = (
    OperandConversion("f8E4M3FN", "f16", "", 0.5, _by_cvt("f8E4M3FN"), _PAIRS),
    OperandConversion("f8E5M2", "f16", "", 0.5, _upper_halves),
    OperandConversion("i8", "f16", "signed", 1.25, _from_bytes(signed=True)),
    OperandConversion("i8", "f16", "unsigned", 1, _from_bytes(signed=False)),
    OperandConversion("f32", "tf32", "nearest_even", 1, _round_to_tf32, "tf32 conversions"),
    OperandConversion("f32", "tf32", "nearest_even", 5, _round_to_tf32),
)
"""All conversions; of those that differ in cost alone the cheaper ones come first."""


def operand_conversion(
    stored: str, operand_type: str, by: str, target: Target | None = None
) -> OperandConversion | None:
    """Return the row of a conversion, the best one for a target if one is given; None if there is
    none."""
    for row in OPERAND_CONVERSIONS:
        if (row.stored, row.operand_type, row.by) != (stored, operand_type, by):
            continue
        if target is None or row.feature is None or target.has(row.feature):
            return row
    return None
