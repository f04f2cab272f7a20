"""Arithmetic rounded towards zero or an infinity, in f32 and f64.

Each op computes the result rounded to nearest and the sign of its rounding error (`rounding`). The
error of a sum is a float; that of f32 products, quotients and roots is exact in f64. Operands that
are not finite, and division by zero, make the error NaN, which leaves the result unchanged.
"""

from __future__ import annotations

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from . import directed_double
from .bits import DOUBLE, SINGLE, intrinsic
from .error_free import sum_with_error
from .rounding import correct_by_error, odd_sum, signed_zero, to_single


def add(builder: Builder, mode: str, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """lhs + rhs; a sum that is exactly zero is -0 when rounded down."""
    total, error = sum_with_error(builder, lhs, rhs)
    result = correct_by_error(builder, total, error, mode)
    if mode == "negative_inf":
        zero = builder.fcmp_ordered("==", total, ir.Constant(total.type, 0.0))
        return signed_zero(builder, result, zero, lhs, rhs)
    return result


def subtract(builder: Builder, mode: str, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """lhs - rhs, as lhs + -rhs."""
    return add(builder, mode, lhs, builder.fneg(rhs))


def multiply(builder: Builder, mode: str, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """lhs * rhs."""
    if lhs.type == DOUBLE:
        return directed_double.multiply(builder, mode, lhs, rhs)
    return to_single(builder, builder.fmul(*_doubles(builder, lhs, rhs)), mode)


def divide(builder: Builder, mode: str, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """lhs / rhs."""
    if lhs.type == DOUBLE:
        return directed_double.divide(builder, mode, lhs, rhs)
    quotient = builder.fdiv(lhs, rhs)
    dividend, divisor, wide = _doubles(builder, lhs, rhs, quotient)
    rest = builder.fsub(dividend, builder.fmul(wide, divisor))
    negative = builder.fcmp_ordered("<", rhs, ir.Constant(SINGLE, 0.0))
    error = builder.select(negative, builder.fneg(rest), rest)
    return correct_by_error(builder, quotient, error, mode)


def square_root(builder: Builder, mode: str, value: ir.Value) -> ir.Value:
    """Return the square root of an f32 or f64."""
    if value.type == DOUBLE:
        return directed_double.square_root(builder, mode, value)
    root = intrinsic(builder, "llvm.sqrt", value)
    radicand, wide = _doubles(builder, value, root)
    error = builder.fsub(radicand, builder.fmul(wide, wide))
    return correct_by_error(builder, root, error, mode)


def multiply_add(
    builder: Builder, mode: str, lhs: ir.Value, rhs: ir.Value, acc: ir.Value
) -> ir.Value:
    """lhs * rhs + acc, rounded once."""
    if lhs.type == DOUBLE:
        return directed_double.multiply_add(builder, mode, lhs, rhs, acc)
    lhs, rhs, acc = _doubles(builder, lhs, rhs, acc)
    product = builder.fmul(lhs, rhs)
    total = odd_sum(builder, product, acc)
    result = to_single(builder, total, mode)
    if mode == "negative_inf":
        zero = builder.fcmp_ordered("==", total, ir.Constant(DOUBLE, 0.0))
        product, acc = builder.fptrunc(product, SINGLE), builder.fptrunc(acc, SINGLE)
        return signed_zero(builder, result, zero, product, acc)
    return result


def _doubles(builder: Builder, *values: ir.Value) -> list[ir.Value]:
    return [builder.fpext(value, DOUBLE) for value in values]
