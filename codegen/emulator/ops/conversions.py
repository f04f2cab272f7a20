"""`cvt`: conversions between integers and floats of all formats."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.table import value
from tileir.codegen.emulator.ptx.types import dtype

from .floats import canonical_nan, flushed, rectified, saturated
from .halves import halves
from .moves import cut, join
from .rounding import FORMATS, MIRRORS, TO_INTEGER, by_fractions, rounded

_REAL = "f16|bf16|f32|f64"
_WHOLE = "s8|u8|s16|u16|s32|u32|s64|u64"


def between_integers(match: re.Match[str]) -> Callable[[Any], Any]:
    """`cvt` of an integer to an integer: extended, truncated, or clamped with .sat."""
    target, saturates = dtype(match["d"]), match["sat"]

    def convert(a: Any) -> Any:
        if not saturates:
            return a.astype(target)
        low, high = np.iinfo(target).min, np.iinfo(target).max
        own = np.iinfo(a.dtype)
        return np.clip(a, max(low, own.min), min(high, own.max)).astype(target)

    return convert


def from_integer(match: re.Match[str]) -> Callable[[Any], Any]:
    """`cvt` of an integer to a float, rounded once, even if a double cannot hold the integer."""
    kind, mode = match["d"], match["mode"][1:]

    def convert(a: Any) -> Any:
        if kind == "f64":
            return _to_double(a, mode)
        return rounded(_sticky(a), kind, mode)

    return lambda a: saturated(convert(a)) if match["sat"] else convert(a)


def _to_double(a: Any, mode: str) -> Any:
    nearest = np.asarray(a).astype(np.float64)
    if mode == "rn" or a.dtype.itemsize < 8:
        return nearest[()]
    high = (a >> a.dtype.type(32)).astype(np.float64) * 2.0**32
    low = (a & a.dtype.type(0xFFFFFFFF)).astype(np.float64)
    return by_fractions(lambda x, y: x + y, (high, low), mode, MIRRORS["add"])


def _sticky(a: Any) -> Any:
    """Return an integer as a double, rounded to odd."""
    if a.dtype.itemsize < 8:
        return np.asarray(a).astype(np.float64)
    low = a.dtype.type(0x7FF)
    short = (a >> a.dtype.type(11)) | ((a & low) != 0).astype(a.dtype)
    exact = np.abs(a.astype(np.float64)) < 2.0**53
    return np.where(exact, a.astype(np.float64), short.astype(np.float64) * 2048.0)


def to_integer(match: re.Match[str]) -> Callable[[Any], Any]:
    """`cvt` of a float to an integer: rounded, then clamped.

    NaN becomes 0, or the number with only the highest bit set if one of both types has 64 bits.
    """
    mode = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}[match["mode"][1:]]
    kind = match["d"]
    target = dtype(kind)
    info = np.iinfo(target)
    wide = target.itemsize == 8 or match["s"] == "f64"
    nan = 1 << (8 * target.itemsize - 1) if wide else 0

    def convert(a: Any) -> Any:
        number = TO_INTEGER[mode](_flush(match, a).astype(np.float64))
        inside = (number >= float(info.min)) & (number < float(info.max) + (info.bits < 64))
        inside |= number == float(info.max) if info.bits < 64 else False
        result = np.where(inside, number, 0.0).astype(target)
        edge = np.where(number > 0, target.type(info.max), target.type(info.min))
        result = np.where(inside, result, edge).astype(target)
        lost = np.array(nan, f"u{target.itemsize}").view(target)[()]
        return np.where(np.isnan(a), lost, result)

    return convert


def _flush(match: re.Match[str], a: Any) -> Any:
    return flushed(a) if match["ftz"] and a.dtype == np.float32 else a


def between_floats(match: re.Match[str]) -> Callable[[Any], Any]:
    """`cvt` of a float to a float: rounded to a format, or to an integer in that format."""
    kind, mode = match["d"], (match["mode"] or ".rn")[1:]
    nan = canonical_nan("f32" if kind == "tf32" else kind)

    def convert(a: Any) -> Any:
        number = _flush(match, a).astype(np.float64)
        if mode.endswith("i"):
            number = TO_INTEGER[mode[:-1]](number)
            result = rounded(number, kind)
        else:
            result = rounded(number, kind, mode)
        if match["sf"]:
            result = _finite(result, number, kind)
        result = np.where(np.isnan(a), nan, result)
        if match["ftz"] and kind == "f32":
            result = flushed(result)
        if match["relu"]:
            result = rectified(result)
        return saturated(result) if match["sat"] else result

    return convert


def _finite(result: Any, number: Any, kind: str) -> Any:
    """Clamp to the largest finite number (.satfinite); NaN stays."""
    largest = FORMATS[kind].largest
    over = ~np.isnan(number) & (np.abs(number) > largest)
    return np.where(over, np.copysign(largest, number).astype(result.dtype), result)


def packed(match: re.Match[str]) -> Callable[..., Any]:
    """`cvt` of two floats to a word; the first operand becomes the upper half."""
    kind = match["d"].removesuffix("x2")
    mode = match["mode"][1:]

    def convert(upper: Any, lower: Any) -> Any:
        return join(tuple(_narrow(part, kind, mode, match) for part in (lower, upper)))

    return convert


def _narrow(a: Any, kind: str, mode: str, match: re.Match[str]) -> Any:
    """Return the bits of a number in a format of 16 or 8 bits, as an unsigned integer."""
    number = a.astype(np.float64)
    result = np.asarray(rounded(number, kind, mode))
    if match["sf"]:
        result = _finite(result, number, kind)
    if match["relu"]:
        result = rectified(result)
    size = result.dtype.itemsize
    bits = result.view(f"u{size}")
    if size == 2:
        return np.where(np.isnan(a), np.uint16(0x7FFF), bits)
    return np.where(np.isnan(a), np.uint8(0x7F), bits)


def packed_from_halves(match: re.Match[str]) -> Callable[..., Any]:
    """`cvt` of f16x2 or bf16x2 to two 8-bit floats."""
    kind = match["d"].removesuffix("x2")
    source = match["s"].removesuffix("x2")

    def convert(word: Any) -> Any:
        return join(tuple(_narrow(part, kind, "rn", match) for part in halves(word, source)))

    return convert


def unpacked(match: re.Match[str]) -> Callable[..., Any]:
    """`cvt` of two floats of 8, 6 or 4 bits to f16x2 or bf16x2, which is exact."""
    kind, target = match["s"].removesuffix("x2"), dtype(match["d"].removesuffix("x2"))
    holder = FORMATS[kind].holder

    def convert(word: Any) -> Any:
        if kind == "e2m1":
            bits = tuple(
                (word >> np.uint16(4 * index)).astype(np.uint8) & np.uint8(15) for index in range(2)
            )
        else:
            bits = tuple(cut(word.astype(np.uint16), index, 2) for index in range(2))
        numbers = [np.asarray(each).view(holder).astype(np.float32) for each in bits]
        numbers = [rectified(each) if match["relu"] else each for each in numbers]
        halved = [
            np.where(np.isnan(each), np.uint16(0x7FFF), each.astype(target).view(np.uint16))
            for each in numbers
        ]
        return join(tuple(halved))

    return convert


def two_nibbles(match: re.Match[str]) -> Callable[..., Any]:
    """`cvt` of two f32 to a byte of two e2m1."""

    def convert(upper: Any, lower: Any) -> Any:
        parts = [
            np.where(
                np.isnan(a),
                np.uint8(7),
                _narrow(np.where(np.isnan(a), np.float32(0), a), "e2m1", "rn", match),
            )
            for a in (lower, upper)
        ]
        return (parts[0] & np.uint8(15)) | ((parts[1] & np.uint8(15)) << np.uint8(4))

    return convert


_SF, _RELU = "(?P<sf>.satfinite)?", "(?P<relu>.relu)?"
value(f"cvt(?P<sat>.sat)?.(?P<d>{_WHOLE}).(?P<s>{_WHOLE})", "d = s", between_integers)
value(
    f"cvt(?P<mode>.r[nzmp])(?P<ftz>.ftz)?(?P<sat>.sat)?.(?P<d>{_REAL}).(?P<s>{_WHOLE})",
    "d = s",
    from_integer,
)
value(
    f"cvt(?P<mode>.r[nzmp]i)(?P<ftz>.ftz)?(.sat)?.(?P<d>{_WHOLE}).(?P<s>{_REAL})",
    "d = s",
    to_integer,
)
value(
    f"cvt(?P<mode>.rna|.r[nzmp]i?)?(?P<ftz>.ftz)?{_RELU}{_SF}(?P<sat>.sat)?"
    f".(?P<d>{_REAL}|tf32).(?P<s>{_REAL})",
    "d = s",
    between_floats,
)
value(f"cvt(?P<mode>.rn|.rz){_RELU}{_SF}.(?P<d>f16x2|bf16x2).f32", "d = f32 f32", packed)
value(f"cvt(?P<mode>.rn){_SF}{_RELU}.(?P<d>e4m3x2|e5m2x2).f32", "b16 = f32 f32", packed)
value(f"cvt.rn{_SF}{_RELU}.(?P<d>e4m3x2|e5m2x2).(?P<s>f16x2|bf16x2)", "b16 = s", packed_from_halves)
value(f"cvt.rn{_RELU}.(?P<d>f16x2|bf16x2).(?P<s>e4m3x2|e5m2x2)", "d = b16", unpacked)
value(f"cvt.rn{_RELU}.(?P<d>f16x2).(?P<s>e2m3x2|e3m2x2)", "d = b16", unpacked)
value(f"cvt.rn{_RELU}.(?P<d>f16x2).(?P<s>e2m1x2)", "d = b8", unpacked)
value(f"cvt.rn{_SF}{_RELU}.e2m1x2.f32", "b8 = f32 f32", two_nibbles)
