"""Converts f4E2M1FN to f16 and bf16, two elements at a time, exactly.

An element has one sign, two bits of exponent and one of fraction. Moved to the same places of a
float of 16 bits, they are the element times a power of two, also where it is subnormal.
"""

from __future__ import annotations

from typing import NamedTuple

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.codegen.scalar.bits import HALF, SHORT, WORD, word
from tileir.codegen.scalar.machine import machine_of
from tileir.types import Element

Pair = tuple[ir.Value, ir.Value]

_NAME = "f4E2M1FN"
_SPREAD = 1 << 12 | 1 << 24
"""Times a byte: its lower four bits become the highest ones of the lower half of an i32, its upper
four bits those of the upper half."""
_SIGNS, _BOTH = 0x80008000, 0x10001


class _Wide(NamedTuple):
    """A type of 16 bits."""

    shift: int
    """By how many bits exponent and fraction are lower in it than in the highest four bits."""
    power: int
    """The bits of the power of two that is missing."""
    multiply: str
    """The instruction that multiplies two words, of two numbers each, and adds a third one."""


_TYPES = {
    "f16": _Wide(3, 0x7400, "fma.rn.f16x2"),
    "bf16": _Wide(6, 0x7E80, "fma.rn.bf16x2"),
}


def takes_nibbles(builder: Builder, source: Element, target: Element) -> bool:
    """Whether elements of one type become elements of another one here."""
    machine = machine_of(builder)
    fits = target.name == "f16" or target.name in machine.rounds
    return machine.ptx and source.name == _NAME and target.name in _TYPES and fits


def widen_nibbles(builder: Builder, pair: Pair, target: Element) -> Pair:
    """Convert two elements."""
    wide = _TYPES[target.name]
    low, high = (builder.zext(value, WORD) for value in pair)
    byte = builder.or_(low, builder.shl(high, word(4)))
    spread = builder.mul(byte, word(_SPREAD))
    magnitudes = builder.and_(builder.lshr(spread, word(wide.shift)), word(_magnitudes(wide)))
    small = builder.or_(builder.and_(spread, word(_SIGNS)), magnitudes)
    # Added to -0, each zero keeps its sign.
    operands = [small, word(wide.power * _BOTH), word(_SIGNS)]
    kind, text = ir.FunctionType(WORD, [WORD] * 3), f"{wide.multiply} $0, $1, $2, $3;"
    both = builder.asm(kind, text, "=r,r,r,r", operands, False)
    halves = builder.bitcast(both, ir.VectorType(HALF if target.name == "f16" else SHORT, 2))
    low, high = (builder.extract_element(halves, ir.Constant(WORD, index)) for index in range(2))
    return low, high


def _magnitudes(wide: _Wide) -> int:
    """Return the mask of exponents and fractions."""
    return (0x7000 >> wide.shift) * _BOTH
