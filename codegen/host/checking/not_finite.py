"""Where NaN and infinity come from: the conditions of `check="nan"`.

An op makes a NaN if its result is one and no operand is, and an infinity if all operands are
finite. What is loaded, written as a constant or reinterpreted is made by nobody here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.ir import Op, Value
from tileir.types import Pointer, Tile

from .undefined import Finding, as_double

OF_TILES = ("mmaf", "mmaf_scaled", "reduce", "scan")
"""Ops whose elements are made of many elements of their operands."""

_PASSING = ("bitcast", "select")
"""Element-wise ops that compute nothing: what they return was there before."""

NAN, INFINITY = "makes a NaN", "makes an infinity"


def findings(
    builder: Builder, op: Op, result: ir.Value, arguments: Sequence[ir.Value]
) -> Iterator[Finding]:
    """Yield the conditions under which an element-wise op makes a NaN or an infinity."""
    if op.name in _PASSING or not is_float(op.result):
        return
    pairs = zip(op.operand_list(), arguments, strict=True)
    numbers = [double(builder, value, element) for value, element in pairs if is_float(value)]
    yield from made(builder, double(builder, op.result, result), *state_of(builder, numbers))


def made(
    builder: Builder, result: ir.Value, had_nan: ir.Value, had_infinity: ir.Value
) -> Iterator[Finding]:
    """Yield the conditions for one element; `had_...` says what was among the operands."""
    fresh = builder.and_(is_nan(builder, result), builder.not_(had_nan))
    yield NAN, fresh
    finite = builder.not_(builder.or_(had_nan, had_infinity))
    yield INFINITY, builder.and_(is_infinite(builder, result), finite)


def state_of(builder: Builder, numbers: Iterable[ir.Value]) -> tuple[ir.Value, ir.Value]:
    """Return whether there is a NaN among some numbers, and whether there is an infinity."""
    nan = infinity = ir.Constant(ir.IntType(1), 0)
    for number in numbers:
        nan = builder.or_(nan, is_nan(builder, number))
        infinity = builder.or_(infinity, is_infinite(builder, number))
    return nan, infinity


def is_float(value: Value) -> bool:
    """Whether a value is a tile of floats."""
    tile = value.type
    return (
        isinstance(tile, Tile) and not isinstance(tile.element, Pointer) and tile.element.is_float
    )


def double(builder: Builder, value: Value, element: ir.Value) -> ir.Value:
    """Return an element of a tile as a float that LLVM can compare."""
    if element.type in (ir.FloatType(), ir.DoubleType()) and value.type.element.bits >= 32:
        return element
    return as_double(builder, element, value.type.element)


def is_nan(builder: Builder, number: ir.Value) -> ir.Value:
    """Whether a number is a NaN."""
    return builder.fcmp_unordered("uno", number, number)


def is_infinite(builder: Builder, number: ir.Value) -> ir.Value:
    """Whether a number is an infinity of either sign."""
    infinities = (ir.Constant(number.type, sign * float("inf")) for sign in (1, -1))
    high, low = (builder.fcmp_ordered("==", number, infinity) for infinity in infinities)
    return builder.or_(high, low)
