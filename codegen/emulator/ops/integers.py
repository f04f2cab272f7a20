"""Integer arithmetic, shifts and bit operations."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.table import value
from tileir.codegen.emulator.ptx.types import dtype, twice

_WORD = np.uint32


def _unsigned(a: Any) -> Any:
    return a.view(f"u{a.dtype.itemsize}")


def _shift(a: Any, amount: Any) -> Any:
    """Return the shift amount, clamped to the width."""
    return np.minimum(amount, np.uint32(8 * a.dtype.itemsize)).astype(a.dtype)


def shl(a: Any, amount: Any) -> Any:
    """`shl`; zero if the amount is the width or more."""
    return np.left_shift(a, _shift(a, amount))


def shr(a: Any, amount: Any) -> Any:
    """`shr`; all sign bits, or zero, if the amount is the width or more."""
    return np.right_shift(a, _shift(a, amount))


def divide(a: Any, b: Any) -> Any:
    """`div`, towards zero; all ones for a zero divisor, which PTX leaves undefined."""
    safe = np.where(b == 0, b.dtype.type(1), b)
    quotient = a // safe
    if a.dtype.kind == "i":
        quotient = quotient + ((a - quotient * safe != 0) & ((a < 0) != (safe < 0)))
    return np.where(b == 0, np.array(-1).astype(a.dtype), quotient).astype(a.dtype)


def remainder(a: Any, b: Any) -> Any:
    """`rem`, with the sign of the dividend."""
    return np.where(b == 0, a, a - divide(a, b) * b).astype(a.dtype)


def high(a: Any, b: Any) -> Any:
    """`mul.hi`: the upper half of the product."""
    size = a.dtype.itemsize
    if size < 8:
        wide = np.dtype(f"{a.dtype.kind}{2 * size}")
        return (a.astype(wide) * b.astype(wide) >> wide.type(8 * size)).astype(a.dtype)
    ua, ub = _unsigned(a), _unsigned(b)
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    a0, a1, b0, b1 = ua & low, ua >> shift, ub & low, ub >> shift
    middle = a1 * b0 + (a0 * b0 >> shift)
    cross = a0 * b1 + (middle & low)
    product = a1 * b1 + (middle >> shift) + (cross >> shift)
    if a.dtype.kind == "i":
        product = product - np.where(a < 0, ub, np.uint64(0)) - np.where(b < 0, ua, np.uint64(0))
        return product.view(np.int64)
    return product


def widened(match: re.Match[str]) -> Any:
    """`mul.wide`: the whole product."""
    wide = dtype(twice(match["t"]))
    return lambda a, b: a.astype(wide) * b.astype(wide)


def then_add(product: Any) -> Any:
    """Return a multiplication followed by an addition, both modulo the width."""
    return lambda a, b, c: product(a, b) + c


def low24(a: Any, b: Any) -> Any:
    """`mul24.lo`: the lower 32 bits of the product of the lower 24 bits."""
    return _signed24(a) * _signed24(b)


def _signed24(a: Any) -> Any:
    eight = a.dtype.type(8)
    return a << eight >> eight


def saturating(operation: Any) -> Any:
    """Return an operation whose result is clamped to the range of s32."""
    info = np.iinfo(np.int32)
    return lambda a, b: np.clip(
        operation(a.astype(np.int64), b.astype(np.int64)), info.min, info.max
    ).astype(np.int32)


def not_negative(operation: Any) -> Any:
    """Return an operation that gives zero instead of a negative result (`.relu`)."""
    return lambda a, b: np.maximum(operation(a, b), a.dtype.type(0))


def extract(match: re.Match[str]) -> Any:
    """`bfe`: a bit field, sign-extended from its last bit within the word."""
    kind = dtype(match["t"])
    bits = 8 * kind.itemsize

    def field(a: Any, start: Any, length: Any) -> Any:
        start, length = start.astype(np.int64) & 255, length.astype(np.int64) & 255
        raw = _unsigned(a).astype(np.uint64)
        moved = np.where(start < bits, raw >> np.minimum(start, 63).astype(np.uint64), np.uint64(0))
        mask = np.where(
            length >= 64,
            ~np.uint64(0),
            (np.uint64(1) << np.minimum(length, 63).astype(np.uint64)) - np.uint64(1),
        )
        result = moved & mask
        if kind.kind == "i":
            last = np.minimum(start + length - 1, bits - 1)
            sign = (raw >> np.maximum(last, 0).astype(np.uint64)) & np.uint64(1)
            result = result | np.where(
                (sign != 0) & (length > 0), ~_kept(mask, start, bits), 0
            ).astype(np.uint64)
        return result.astype(f"u{kind.itemsize}").view(kind)

    return field


def _kept(mask: Any, start: Any, bits: int) -> Any:
    """Return the bits of a field's mask that lie in the word."""
    room = np.clip(bits - start, 0, 64)
    inside = np.where(
        room >= 64,
        ~np.uint64(0),
        (np.uint64(1) << np.minimum(room, 63).astype(np.uint64)) - np.uint64(1),
    )
    return mask & inside


def insert(source: Any, into: Any, start: Any, length: Any) -> Any:
    """`bfi`: a word in which a bit field is replaced."""
    kind, bits = into.dtype.type, 8 * into.dtype.itemsize
    start, length = start & _WORD(255), length & _WORD(255)
    ones = np.where(
        length >= bits, ~kind(0), shl(np.full(np.shape(length), 1, kind), length) - kind(1)
    )
    mask = shl(ones, start)
    return (into & ~mask) | (shl(source, start) & mask)


def funnel(match: re.Match[str]) -> Any:
    """`shf`: the shift of a double word."""
    left, clamps = match["d"] == "l", match["m"] == "clamp"

    def shift(low: Any, upper: Any, amount: Any) -> Any:
        amount = np.minimum(amount, _WORD(32)) if clamps else amount & _WORD(31)
        both = (upper.astype(np.uint64) << np.uint64(32)) | low
        if left:
            return (both << amount.astype(np.uint64) >> np.uint64(32)).astype(_WORD)
        return (both >> amount.astype(np.uint64)).astype(_WORD)

    return shift


def count_leading(a: Any) -> Any:
    """`clz`: the number of leading zeros."""
    bits = 8 * a.dtype.itemsize
    count = np.full(np.shape(a), bits, np.int64)
    for bit in range(bits):
        count = np.where(a >> a.dtype.type(bit) & a.dtype.type(1) != 0, bits - 1 - bit, count)
    return count.astype(_WORD)


def find_highest(a: Any) -> Any:
    """`bfind`: the number of the highest bit that differs from the sign; all ones if none does."""
    raw = np.where(a < 0, ~a, a).astype(a.dtype) if a.dtype.kind == "i" else a
    raw = _unsigned(raw)
    return (np.int64(8 * raw.dtype.itemsize - 1) - count_leading(raw).astype(np.int64)).astype(
        _WORD
    )


def reverse(a: Any) -> Any:
    """`brev`: the bits in reverse order."""
    out = np.zeros_like(a)
    bits = 8 * a.dtype.itemsize
    for bit in range(bits):
        out = out | (a >> a.dtype.type(bit) & a.dtype.type(1)) << a.dtype.type(bits - 1 - bit)
    return out


def dot(match: re.Match[str]) -> Any:
    """`dp4a`: the dot product of four bytes, plus c."""
    kinds = {"s32": np.int8, "u32": np.uint8}

    def product(a: Any, b: Any, c: Any) -> Any:
        total = c.astype(np.int64)
        for index in range(4):
            shift = _WORD(8 * index)
            x = (_unsigned(a) >> shift).astype(np.uint8).view(kinds[match["a"]])
            y = (_unsigned(b) >> shift).astype(np.uint8).view(kinds[match["b"]])
            total = total + x.astype(np.int64) * y.astype(np.int64)
        return total.astype(c.dtype)

    return product


def sum_of_difference(a: Any, b: Any, c: Any) -> Any:
    """`sad`: |a - b| + c."""
    return np.where(a < b, b - a, a - b).astype(c.dtype) + c


_LOGIC = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
_BINARY = {"add": np.add, "sub": np.subtract, "mul.lo": np.multiply, "mul.hi": high}
_TWO = {"div": divide, "rem": remainder, "min": np.minimum, "max": np.maximum}

for _name, _function in (_BINARY | _TWO).items():
    value(f"{_name}.<t:int>", "t = t t", lambda m, function=_function: function)
for _name, _function in _LOGIC.items():
    value(f"{_name}.<t:bits>", "t = t t", lambda m, function=_function: function)
value("add.sat.(?P<t>s32)", "t = t t", lambda m: saturating(np.add))
value("sub.sat.(?P<t>s32)", "t = t t", lambda m: saturating(np.subtract))
value("min.relu.(?P<t>s32)", "t = t t", lambda m: not_negative(np.minimum))
value("max.relu.(?P<t>s32)", "t = t t", lambda m: not_negative(np.maximum))
value("mul.wide.<t:int>", "2t = t t", widened)
value("mad.lo.<t:int>", "t = t t t", lambda m: then_add(np.multiply))
value("mad.hi.<t:int>", "t = t t t", lambda m: then_add(high))
value("mad.wide.<t:int>", "2t = t t 2t", lambda m: then_add(widened(m)))
value("mul24.lo.(?P<t>[su]32)", "t = t t", lambda m: low24)
value("not.<t:bits>", "t = t", lambda m: np.invert)
value("neg.<t:signed>", "t = t", lambda m: np.negative)
value("abs.<t:signed>", "t = t", lambda m: np.abs)
value("cnot.<t:bits>", "t = t", lambda m: lambda a: (a == 0).astype(a.dtype))
value("shl.<t:bits>", "t = t u32", lambda m: shl)
value("shr.<t:int>", "t = t u32", lambda m: shr)
value("shr.<t:bits>", "t = t u32", lambda m: shr)
value("bfe.(?P<t>[su](32|64))", "t = t u32 u32", extract)
value("bfi.(?P<t>b(32|64))", "t = t t u32 u32", lambda m: insert)
value("shf.(?P<d>l|r).(?P<m>clamp|wrap).b32", "b32 = b32 b32 u32", funnel)
value("popc.(?P<t>b(32|64))", "u32 = t", lambda m: lambda a: np.bitwise_count(a).astype(_WORD))
value("clz.(?P<t>b(32|64))", "u32 = t", lambda m: count_leading)
value("bfind.(?P<t>[su](32|64))", "u32 = t", lambda m: find_highest)
value("brev.(?P<t>b(32|64))", "t = t", lambda m: reverse)
value("dp4a.(?P<a>[su]32).(?P<b>[su]32)", "s32 = a b s32", dot)
value("sad.<t:int>", "t = t t t", lambda m: sum_of_difference)
