"""When the result of an element-wise op is undefined: the conditions of `check="undefined"`.

A function per op takes the builder, the op and one LLVM value per operand, and yields pairs: the
problem as text, and an i1 that is 1 if it occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.codegen.scalar.elementwise import emit
from tileir.codegen.scalar.types import llvm_type
from tileir.formats.ops import BY_NAME
from tileir.ir import Block, Op, Value
from tileir.types import Element, Scalar, Tile

Finding = tuple[str, ir.Value]

_DOUBLE = Tile(Scalar("f64"), ())


def findings(builder: Builder, op: Op, arguments: list[ir.Value]) -> Iterator[Finding]:
    """Yield every condition that makes one element of an op's result undefined."""
    if op.name in _CONDITIONS:
        yield from _CONDITIONS[op.name](builder, op, *arguments)
    if op.attributes.get("overflow", "none") != "none":
        yield from _overflow(builder, op, *arguments)


def _number(like: ir.Value, number: int) -> ir.Constant:
    return ir.Constant(like.type, number & ((1 << like.type.width) - 1))


def _lowest(value: ir.Value) -> ir.Constant:
    return _number(value, 1 << (value.type.width - 1))


def _division(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> Iterator[Finding]:
    yield "division by zero", builder.icmp_unsigned("==", rhs, _number(rhs, 0))
    if op.attributes["signedness"] == "signed" and lhs.type.width > 1:
        minus_one = builder.icmp_unsigned("==", rhs, _number(rhs, -1))
        lowest = builder.icmp_unsigned("==", lhs, _lowest(lhs))
        yield "the quotient does not fit", builder.and_(lowest, minus_one)


def _shift(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> Iterator[Finding]:
    width = rhs.type.width
    if width == 1:  # any shift but by zero is too far
        yield "shift by the width or more", rhs
    else:
        yield "shift by the width or more", builder.icmp_unsigned(">=", rhs, _number(rhs, width))


def _to_integer(builder: Builder, op: Op, source: ir.Value) -> Iterator[Finding]:
    """A number fits if it is between the bounds after truncation; a NaN never does.

    Every number can be converted to i1: all but zero are true.
    """
    width = op.result.type.element.bits
    if op.attributes.get("saturating") or width == 1:
        return
    signed = op.attributes["signedness"] == "signed"
    low, high = (-(1 << (width - 1)), 1 << (width - 1)) if signed else (0, 1 << width)
    value = as_double(builder, source, op.operands["from"].type.element)
    # The number below the lowest of 64 bits is no double, but there is none in between either.
    exact = float(low - 1) != float(low)
    above = builder.fcmp_ordered(
        ">" if exact else ">=", value, ir.Constant(value.type, float(low - 1 if exact else low))
    )
    below = builder.fcmp_ordered("<", value, ir.Constant(value.type, float(high)))
    kind = op.result.type.element
    yield f"the number does not fit {kind}", builder.not_(builder.and_(above, below))


def as_double(builder: Builder, value: ir.Value, element: Element) -> ir.Value:
    """Convert a float of any type to f64, exactly."""
    if element == _DOUBLE.element:
        return value
    source = Value(Tile(element, ()), Block(), 0, 0)
    widening = Op(BY_NAME["ftof"], {"from": source}, {"rounding_mode": "nearest_even"})
    widening.results.append(Value(_DOUBLE, widening, 0, 1))
    return emit(builder, widening, [value])


def _overflow(builder: Builder, op: Op, *arguments: ir.Value) -> Iterator[Finding]:
    """Yield when an integer op breaks its promise not to wrap, signed or unsigned."""
    promise = op.attributes["overflow"]
    for sign, word in (("s", "no_signed_wrap"), ("u", "no_unsigned_wrap")):
        if promise in (word, "no_wrap"):
            yield f"{word} is promised", _OVERFLOWS[op.name](builder, op, sign, *arguments)


def _by_intrinsic(name: str) -> Callable[..., ir.Value]:
    def overflows(builder: Builder, op: Op, sign: str, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
        pair = ir.LiteralStructType([lhs.type, ir.IntType(1)])
        function = builder.module.declare_intrinsic(
            f"llvm.{sign}{name}.with.overflow", [lhs.type], ir.FunctionType(pair, [lhs.type] * 2)
        )
        return builder.extract_value(builder.call(function, [lhs, rhs]), 1)

    return overflows


def _negation(builder: Builder, op: Op, sign: str, source: ir.Value) -> ir.Value:
    wrong = _lowest(source) if sign == "s" else _number(source, 0)
    return builder.icmp_unsigned("==" if sign == "s" else "!=", source, wrong)


def _truncation(builder: Builder, op: Op, sign: str, source: ir.Value) -> ir.Value:
    short = builder.trunc(source, llvm_type(op.result.type.element))
    again = (builder.sext if sign == "s" else builder.zext)(short, source.type)
    return builder.icmp_unsigned("!=", again, source)


def _left_shift(builder: Builder, op: Op, sign: str, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    amount = builder.and_(rhs, _number(rhs, rhs.type.width - 1))
    back = builder.ashr if sign == "s" else builder.lshr
    return builder.icmp_unsigned("!=", back(builder.shl(lhs, amount), amount), lhs)


_CONDITIONS: dict[str, Callable[..., Iterator[Finding]]] = {
    "divi": _division,
    "ftoi": _to_integer,
    "remi": _division,
    "shli": _shift,
    "shri": _shift,
}

_OVERFLOWS: dict[str, Callable[..., ir.Value]] = {
    "addi": _by_intrinsic("add"),
    "muli": _by_intrinsic("mul"),
    "negi": _negation,
    "shli": _left_shift,
    "subi": _by_intrinsic("sub"),
    "trunci": _truncation,
}
