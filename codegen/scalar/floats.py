"""Floating-point arithmetic, rounded to nearest even, on f16, bf16, f32 and f64.

LLVM's instructions are IEEE 754's as long as no fast-math flag is set. Halves are computed in f32.
`flush_to_zero` is done by the letter: subnormal operands, and results that are subnormal after
rounding, become zeros of the same sign.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from tileir.ir import Op
from tileir.types import Scalar

from .bits import bits_of, intrinsic, like
from .constants import constant, padding_bits
from .halves import HALVES, fused
from .narrowing import narrow
from .types import llvm_type
from .widening import widen

Builder = ir.IRBuilder

_ARITHMETIC = (*HALVES, "f32", "f64")
_SINGLE = Scalar("f32")
_SMALLEST_NORMAL = {"f32": 1 << 23, "f64": 1 << 52}


def flush(builder: Builder, value: ir.Value, element: object) -> ir.Value:
    """The value, or a zero of its sign if it is subnormal."""
    magnitude = intrinsic(builder, "llvm.fabs", value)
    smallest = constant(element, _SMALLEST_NORMAL[element.name])
    tiny = builder.fcmp_ordered("<", magnitude, smallest)
    zero = intrinsic(builder, "llvm.copysign", constant(element, 0), value)
    return builder.select(tiny, zero, value)


def _flushable(emit: Callable[..., ir.Value]) -> Callable[..., ir.Value]:
    """The op with its flush_to_zero attribute."""

    def flushed(builder: Builder, op: Op, *arguments: ir.Value) -> ir.Value:
        if not op.attributes.get("flush_to_zero"):
            return emit(builder, op, *arguments)
        element = op.result.type.element
        inputs = [flush(builder, argument, element) for argument in arguments]
        return flush(builder, emit(builder, op, *inputs), element)

    return flushed


def _in_single(emit: Callable[..., ir.Value]) -> Callable[..., ir.Value]:
    """The op on halves: their f32 values in, the result rounded again."""

    def single(builder: Builder, op: Op, *arguments: ir.Value) -> ir.Value:
        element = op.operands["lhs"].type.element
        if element.name not in HALVES:
            return emit(builder, op, *arguments)
        wide = [widen(builder, argument, element) for argument in arguments]
        result = emit(builder, op, *wide)
        return narrow(builder, result, element) if result.type == wide[0].type else result

    return single


def addf(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return builder.fadd(lhs, rhs)


def subf(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return builder.fsub(lhs, rhs)


def mulf(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return builder.fmul(lhs, rhs)


def divf(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return builder.fdiv(lhs, rhs)


def fma(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value, acc: ir.Value) -> ir.Value:
    element = op.result.type.element
    if element.name in HALVES:
        return fused(builder, lhs, rhs, acc, element)
    return intrinsic(builder, "llvm.fma", lhs, rhs, acc)


def negf(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    """Flips the sign bit, of any float, NaN included."""
    bits = bits_of(builder, source)
    sign = ir.Constant(bits.type, 1 << (bits.type.width - 1))
    return like(builder, builder.xor(bits, sign), source)


def absf(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    """Clears the sign bit, of any float, NaN included."""
    bits = bits_of(builder, source)
    rest = ir.Constant(bits.type, (1 << (bits.type.width - 1)) - 1)
    return like(builder, builder.and_(bits, rest), source)


_RELATIONS = {
    "equal": "==",
    "not_equal": "!=",
    "less_than": "<",
    "less_than_or_equal": "<=",
    "greater_than": ">",
    "greater_than_or_equal": ">=",
}


def cmpf(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """An unordered comparison is true when an operand is a NaN, an ordered one false."""
    ordered = op.attributes["comparison_ordering"] == "ordered"
    compare = builder.fcmp_ordered if ordered else builder.fcmp_unordered
    return compare(_RELATIONS[op.attributes["comparison_predicate"]], lhs, rhs)


def maxf(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """+0 is greater than -0; at +-0 the sign bits are combined."""
    return _extremum(builder, op, ">", builder.and_, lhs, rhs)


def minf(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return _extremum(builder, op, "<", builder.or_, lhs, rhs)


def _extremum(
    builder: Builder, op: Op, relation: str, combine: Callable[..., ir.Value],
    lhs: ir.Value, rhs: ir.Value,
) -> ir.Value:  # fmt: skip
    """By comparisons, because not every back end has LLVM's intrinsics for both kinds of NaN.

    Equal operands have equal bits, but for zeros of different signs: there `combine` of the bits
    is the answer.
    """
    equal = builder.fcmp_ordered("==", lhs, rhs)
    both = like(builder, combine(bits_of(builder, lhs), bits_of(builder, rhs)), lhs)
    better = builder.select(builder.fcmp_ordered(relation, lhs, rhs), lhs, rhs)
    number = builder.select(equal, both, better)
    element = _SINGLE if lhs.type == llvm_type(_SINGLE) else op.result.type.element
    nan = constant(element, padding_bits(element, "nan"))
    if op.attributes.get("propagate_nan"):
        return builder.select(builder.fcmp_unordered("uno", lhs, rhs), nan, number)
    lhs_missing = builder.fcmp_unordered("uno", lhs, lhs)
    rhs_missing = builder.fcmp_unordered("uno", rhs, rhs)
    only_lhs = builder.select(lhs_missing, nan, lhs)
    return builder.select(rhs_missing, only_lhs, builder.select(lhs_missing, rhs, number))


def _inexact(op: Op) -> str | None:
    element = op.result.type.element
    if element.name not in _ARITHMETIC:
        return f"{element} arithmetic is not lowered yet"
    rounding = op.attributes.get("rounding_mode", "nearest_even")
    if rounding != "nearest_even":
        return f"rounding mode {rounding} is not lowered yet"
    if op.attributes.get("flush_to_zero") and element.name in HALVES:
        return f"flush_to_zero is not defined for {element}"
    return None


def _no_comparison(op: Op) -> str | None:
    element = op.operands["lhs"].type.element
    return None if element.name in _ARITHMETIC else f"{element} comparison is not lowered yet"


_ROUNDED = {emit.__name__: emit for emit in (addf, subf, mulf, divf, maxf, minf)}

OPS = {
    "absf": absf,
    "cmpf": _in_single(cmpf),
    "fma": _flushable(fma),
    "negf": negf,
} | {name: _flushable(_in_single(emit)) for name, emit in _ROUNDED.items()}

REASONS = {"cmpf": _no_comparison, "fma": _inexact} | dict.fromkeys(_ROUNDED, _inexact)
