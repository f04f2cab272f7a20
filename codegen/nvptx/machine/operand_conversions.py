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


_SIGN_OF = 8
"""Added to the number of a byte: eight copies of its sign instead of the byte."""
_SIGNS_AND_MAGNITUDES = 0xBF80BF80


def _from_e4m3(builder: ir.IRBuilder, word: ir.Value, order: Sequence[int]) -> list[ir.Value]:
    """Shift an e4m3 to the place of an f16, whose exponent's bias is 8 more, and scale it.

    What would be 480 is NaN: of all elements it alone overflows when it is scaled by 36,864 instead
    of 256, and infinity times zero is NaN.
    """
    if "f8E4M3FN" in machine_of(builder).rounds:
        return _by_cvt(builder, word, order)
    zero, (a, b, c, d) = ir.Constant(_WORD, 0), order
    made = []
    for low, high in ((a, b), (c, d)):
        pair = permute_bytes(builder, word, zero, (4, low, _SIGN_OF + low, high))
        pair = builder.ashr(pair, ir.Constant(_WORD, 1))
        pair = builder.and_(pair, ir.Constant(_WORD, _SIGNS_AND_MAGNITUDES))
        small = builder.bitcast(pair, _HALVES)
        large, scaled = (
            builder.bitcast(builder.fmul(small, _halves(factor)), _WORD)
            for factor in (36864.0, 256.0)
        )
        made.append(ptx.half_pair_fma(builder, large, zero, scaled))
    return made


def _by_cvt(builder: ir.IRBuilder, word: ir.Value, order: Sequence[int]) -> list[ir.Value]:
    if order != IN_ORDER:
        word = permute_bytes(builder, word, word, order)
    upper = builder.lshr(word, ir.Constant(_WORD, 16))
    parts = (builder.trunc(part, _SHORT) for part in (word, upper))
    return [ptx.half_pair(builder, part, "f8E4M3FN") for part in parts]


def _halves(number: float) -> ir.Constant:
    return ir.Constant(_HALVES, [number, number])


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
        less = _halves(-base)
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
    OperandConversion("f8E4M3FN", "f16", "", 0.5, _from_e4m3, _PAIRS),
    OperandConversion("f8E4M3FN", "f16", "", 3, _from_e4m3),
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
