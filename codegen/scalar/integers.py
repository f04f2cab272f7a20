"""Integer arithmetic. Everything wraps: overflow flags are promises that are not used.

Division by zero and INT_MIN / -1 are undefined in LLVM, and trap on a CPU; Tile IR leaves their
results unspecified. So the divisor is replaced by one in these cases.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.ir import Op


def _signed(op: Op) -> bool:
    return op.attributes["signedness"] == "signed"


def _constant(like: ir.Value, number: int) -> ir.Constant:
    return ir.Constant(like.type, number & ((1 << like.type.width) - 1))


def addi(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return builder.add(lhs, rhs)


def subi(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return builder.sub(lhs, rhs)


def muli(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return builder.mul(lhs, rhs)


def negi(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    return builder.sub(_constant(source, 0), source)


def absi(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    """Return |source|; that of INT_MIN has INT_MIN's bits, read as unsigned."""
    negative = builder.icmp_signed("<", source, _constant(source, 0))
    return builder.select(negative, negi(builder, op, source), source)


def mulhii(builder: Builder, op: Op, x: ir.Value, y: ir.Value) -> ir.Value:
    """Return the high half of the unsigned product."""
    width = x.type.width
    wide = ir.IntType(2 * width)
    product = builder.mul(builder.zext(x, wide), builder.zext(y, wide))
    return builder.trunc(builder.lshr(product, ir.Constant(wide, width)), x.type)


def andi(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return builder.and_(lhs, rhs)


def ori(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return builder.or_(lhs, rhs)


def xori(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return builder.xor(lhs, rhs)


def shli(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """Shift; by the width or more gives zero, as in PTX, where LLVM has poison."""
    return builder.select(_in_width(builder, rhs), builder.shl(lhs, rhs), _constant(lhs, 0))


def shri(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """Shift; by the width or more gives zero or, if signed, copies of the sign."""
    fits = _in_width(builder, rhs)
    if not _signed(op):
        return builder.select(fits, builder.lshr(lhs, rhs), _constant(lhs, 0))
    most = _constant(rhs, rhs.type.width - 1)
    return builder.ashr(lhs, builder.select(fits, rhs, most))


def _in_width(builder: Builder, amount: ir.Value) -> ir.Value:
    return builder.icmp_unsigned("<", amount, _constant(amount, amount.type.width))


def _divisor(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """Return rhs, or one if dividing by it would trap."""
    traps = builder.icmp_unsigned("==", rhs, _constant(rhs, 0))
    if _signed(op):
        lowest = builder.icmp_signed("==", lhs, _constant(lhs, 1 << (lhs.type.width - 1)))
        minus_one = builder.icmp_signed("==", rhs, _constant(rhs, -1))
        traps = builder.or_(traps, builder.and_(lowest, minus_one))
    return builder.select(traps, _constant(rhs, 1), rhs)


def _widened(emit: Callable[..., ir.Value]) -> Callable[..., ir.Value]:
    """Divide i1 in i8, as a signed i1 is 0 or -1 and has no 1."""

    def division(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
        if lhs.type.width > 1:
            return emit(builder, op, lhs, rhs)
        byte = ir.IntType(8)
        extend = builder.sext if _signed(op) else builder.zext
        result = emit(builder, op, extend(lhs, byte), extend(rhs, byte))
        return builder.trunc(result, lhs.type)

    return division


@_widened
def divi(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """Divide with truncation, then correct by one if the rounding mode requires it."""
    rhs = _divisor(builder, op, lhs, rhs)
    quotient = builder.sdiv(lhs, rhs) if _signed(op) else builder.udiv(lhs, rhs)
    rounding = op.attributes["rounding"]
    if rounding == "zero" or (rounding == "negative_inf" and not _signed(op)):
        return quotient
    rest = builder.sub(lhs, builder.mul(quotient, rhs))
    inexact = builder.icmp_unsigned("!=", rest, _constant(rest, 0))
    if not _signed(op):
        return builder.add(quotient, builder.zext(inexact, quotient.type))
    below = builder.icmp_signed("<", builder.xor(rest, rhs), _constant(rest, 0))
    if rounding == "negative_inf":
        return builder.add(quotient, builder.sext(builder.and_(inexact, below), quotient.type))
    above = builder.and_(inexact, builder.not_(below))
    return builder.add(quotient, builder.zext(above, quotient.type))


@_widened
def remi(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """Return the remainder of the truncating division."""
    rhs = _divisor(builder, op, lhs, rhs)
    return builder.srem(lhs, rhs) if _signed(op) else builder.urem(lhs, rhs)


_RELATIONS = {
    "equal": "==",
    "not_equal": "!=",
    "less_than": "<",
    "less_than_or_equal": "<=",
    "greater_than": ">",
    "greater_than_or_equal": ">=",
}


def cmpi(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    compare = builder.icmp_signed if _signed(op) else builder.icmp_unsigned
    return compare(_RELATIONS[op.attributes["comparison_predicate"]], lhs, rhs)


def mini(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    compare = builder.icmp_signed if _signed(op) else builder.icmp_unsigned
    return builder.select(compare("<", lhs, rhs), lhs, rhs)


def maxi(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    compare = builder.icmp_signed if _signed(op) else builder.icmp_unsigned
    return builder.select(compare(">", lhs, rhs), lhs, rhs)


OPS = {
    emit.__name__: emit
    for emit in (
        addi,
        subi,
        muli,
        negi,
        absi,
        mulhii,
        andi,
        ori,
        xori,
        shli,
        shri,
        cmpi,
        mini,
        maxi,
    )
} | {"divi": divi, "remi": remi}
