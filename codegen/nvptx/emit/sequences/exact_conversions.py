"""Elements as the bits that memory has for them, where memory may have wider elements."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.codegen.nvptx.machine.access import bits_of
from tileir.codegen.nvptx.machine.operand_conversions import IN_ORDER, operand_conversion
from tileir.codegen.scalar import ptx
from tileir.codegen.scalar.conversions.widening import widen
from tileir.codegen.scalar.machine import machine_of
from tileir.types import Element

_HALF, _SHORT, _WORD = ir.HalfType(), ir.IntType(16), ir.IntType(32)


def bits_in_memory(
    builder: ir.IRBuilder, value: ir.Value, element: Element, stored: Element
) -> ir.Value:
    """Return the bits of an element as one of the type `stored`, as an integer.

    That type is the element's own, or f16 or f32 where these have all numbers of the other one.
    """
    if stored == element:
        return bits_of(builder, value, element)
    if stored.name == "f32":
        return builder.bitcast(widen(builder, value, element), _WORD)
    if element.name in _TO_HALF:
        return _TO_HALF[element.name](builder, builder.zext(value, _SHORT))
    return builder.bitcast(builder.fptrunc(widen(builder, value, element), _HALF), _SHORT)


def vector_in_memory(
    builder: ir.IRBuilder, values: Sequence[ir.Value], element: Element, stored: Element
) -> list[ir.Value]:
    """Return the bits of neighbours in memory, as `bits_in_memory` does for one.

    Elements of 8 bits become f16 four at a time, as the words in which they may have been loaded.
    """
    if stored == element or stored.name != "f16":
        return [bits_in_memory(builder, value, element, stored) for value in values]
    if element.name not in _TO_HALF or len(values) % 4:
        return [bits_in_memory(builder, value, element, stored) for value in values]
    conversion = operand_conversion(element.name, "f16", "")
    assert conversion is not None
    made = []
    for first in range(0, len(values), 4):
        for pair in conversion.emit(builder, _word(builder, values[first : first + 4]), IN_ORDER):
            upper = builder.lshr(pair, ir.Constant(_WORD, 16))
            made += [builder.trunc(half, _SHORT) for half in (pair, upper)]
    return made


def _word(builder: ir.IRBuilder, values: Sequence[ir.Value]) -> ir.Value:
    """Return four integers of 8 bits in one of 32, the first in the lowest bits."""
    word: ir.Value = ir.Constant(_WORD, 0)
    for index, value in enumerate(values):
        part = builder.shl(builder.zext(value, _WORD), ir.Constant(_WORD, 8 * index))
        word = builder.or_(word, part)
    return word


def _half_of_e4m3(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """Return an e4m3 as f16: its exponent's bias is 8 less, and the pattern of 480 is NaN."""
    if "f8E4M3FN" in machine_of(builder).rounds:
        return builder.trunc(ptx.half_pair(builder, bits, "f8E4M3FN"), _SHORT)
    high = builder.ashr(builder.shl(bits, _short(8)), _short(1))
    moved = builder.bitcast(builder.and_(high, _short(0xBF80)), _HALF)
    scaled = builder.bitcast(builder.fmul(moved, ir.Constant(_HALF, 256.0)), _SHORT)
    magnitude = builder.and_(bits, _short(0x7F))
    is_nan = builder.icmp_unsigned("==", magnitude, _short(0x7F))
    return builder.select(is_nan, _short(0x7E00), scaled)


def _half_of_e5m2(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """Return an e5m2 as f16, of which it is the upper half."""
    return builder.shl(bits, _short(8))


_TO_HALF = {"f8E4M3FN": _half_of_e4m3, "f8E5M2": _half_of_e5m2}


def _short(number: int) -> ir.Constant:
    return ir.Constant(_SHORT, number)
