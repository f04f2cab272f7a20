"""Integer instructions against NumPy and against Python's integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.codegen.emulator.snippets import apply
from tests.codegen.emulator.values import DTYPES, combined, same_bits, special

WHOLE = ("s16", "u16", "s32", "u32", "s64", "u64")


def python(function: Callable[..., int], arrays: list[np.ndarray], kind: str) -> np.ndarray:
    """Exact integers, cut to a type."""
    dtype = DTYPES[kind]
    mask = (1 << 8 * dtype.itemsize) - 1
    rows = zip(*(array.tolist() for array in arrays), strict=True)
    numbers = [function(*row) & mask for row in rows]
    return np.array(numbers, f"u{dtype.itemsize}").view(dtype)


def truncated(a: int, b: int) -> int:
    return (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


BINARY: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda a, b, bits: a + b,
    "sub": lambda a, b, bits: a - b,
    "mul.lo": lambda a, b, bits: a * b,
    "mul.hi": lambda a, b, bits: a * b >> bits,
    "div": lambda a, b, bits: truncated(a, b),
    "rem": lambda a, b, bits: a - truncated(a, b) * b,
    "min": lambda a, b, bits: min(a, b),
    "max": lambda a, b, bits: max(a, b),
}


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str, kind: str) -> None:
    a, b = combined(kind, kind)
    if name in ("div", "rem"):
        a, b = a[b != 0], b[b != 0]
    bits = 8 * a.itemsize
    found = apply(f"{name}.{kind} {{d}}, {{0}}, {{1}};", a, b, to=a.dtype)
    same_bits(found, python(lambda x, y: BINARY[name](x, y, bits), [a, b], kind))


@pytest.mark.parametrize("name", ["min", "max"])
def test_results_that_are_not_negative(name: str) -> None:
    a, b = combined("s32", "s32")
    found = apply(f"{name}.relu.s32 {{d}}, {{0}}, {{1}};", a, b, to=a.dtype)
    same_bits(found, python(lambda x, y: max(BINARY[name](x, y, 32), 0), [a, b], "s32"))


@pytest.mark.parametrize("kind", WHOLE)
def test_mad(kind: str) -> None:
    a, b, c = combined(kind, kind, kind)
    bits = 8 * a.itemsize
    for part, shift in (("lo", 0), ("hi", bits)):
        if part == "hi" and bits == 16:
            continue
        found = apply(f"mad.{part}.{kind} {{d}}, {{0}}, {{1}}, {{2}};", a, b, c, to=a.dtype)
        expected = python(lambda x, y, z, by=shift: (x * y >> by) + z, [a, b, c], kind)
        same_bits(found, expected)


@pytest.mark.parametrize("kind", ["s16", "u16", "s32", "u32"])
def test_wide(kind: str) -> None:
    twice = f"{kind[0]}{2 * int(kind[1:])}"
    a, b, c = combined(kind, kind, twice)
    found = apply(f"mul.wide.{kind} {{d}}, {{0}}, {{1}};", a, b, to=DTYPES[twice])
    same_bits(found, python(lambda x, y: x * y, [a, b], twice))
    found = apply(f"mad.wide.{kind} {{d}}, {{0}}, {{1}}, {{2}};", a, b, c, to=DTYPES[twice])
    same_bits(found, python(lambda x, y, z: x * y + z, [a, b, c], twice))


@pytest.mark.parametrize("name", ["shl.b", "shr.u", "shr.s"])
@pytest.mark.parametrize("bits", [16, 32, 64])
def test_shifts_beyond_the_width(name: str, bits: int) -> None:
    kind = f"{'s' if name.endswith('s') else 'u'}{bits}"
    a = special(kind)
    amounts = np.array([0, 1, bits - 1, bits, bits + 1, 255, 2**31, 2**32 - 1], np.uint32)
    a, b = np.repeat(a, len(amounts)), np.tile(amounts, len(a))
    found = apply(f"{name}{bits} {{d}}, {{0}}, {{1}};", a, b, to=a.dtype)
    if name == "shl.b":
        expected = python(lambda x, y: x << y if y < bits else 0, [a, b], kind)
    else:
        expected = python(lambda x, y: x >> min(y, bits), [a, b], kind)
    same_bits(found, expected)


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_logic(bits: int) -> None:
    a, b = combined(f"b{bits}", f"b{bits}")
    for name, function in (("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)):
        same_bits(apply(f"{name}.b{bits} {{d}}, {{0}}, {{1}};", a, b, to=a.dtype), function(a, b))
    same_bits(apply(f"not.b{bits} {{d}}, {{0}};", a, to=a.dtype), ~a)


@pytest.mark.parametrize("kind", ["s16", "s32", "s64"])
def test_sign(kind: str) -> None:
    a = special(kind)
    same_bits(apply(f"neg.{kind} {{d}}, {{0}};", a, to=a.dtype), python(lambda x: -x, [a], kind))
    same_bits(apply(f"abs.{kind} {{d}}, {{0}};", a, to=a.dtype), python(abs, [a], kind))


def fields() -> tuple[np.ndarray, np.ndarray]:
    places = np.array([0, 1, 5, 28, 31, 32, 33, 63, 64, 255], np.uint32)
    return tuple(each.ravel() for each in np.meshgrid(places, places))


def extracted(number: int, start: int, length: int, bits: int, signed: bool) -> int:
    """As the PTX manual's program does it."""
    last = min(start + length - 1, bits - 1)
    sign = (number >> last) & 1 if signed and length else 0
    out = 0
    for place in range(bits):
        inside = place < length and start + place < bits
        bit = number >> (start + place) & 1 if inside else sign
        out |= bit << place
    return out


@pytest.mark.parametrize("kind", ["s32", "u32", "s64", "u64"])
def test_extract(kind: str) -> None:
    starts, lengths = fields()
    bits = int(kind[1:])
    a = np.resize(special(kind), len(starts))
    found = apply(f"bfe.{kind} {{d}}, {{0}}, {{1}}, {{2}};", a, starts, lengths, to=a.dtype)
    raw = a.view(f"u{a.itemsize}")
    same_bits(
        found,
        python(
            lambda x, s, n: extracted(x, s, n, bits, kind[0] == "s"), [raw, starts, lengths], kind
        ),
    )


@pytest.mark.parametrize("bits", [32, 64])
def test_insert(bits: int) -> None:
    starts, lengths = fields()
    kind = f"b{bits}"
    a, b = np.resize(special(kind), len(starts)), np.resize(special(kind)[::-1], len(starts))
    found = apply(
        f"bfi.{kind} {{d}}, {{0}}, {{1}}, {{2}}, {{3}};", a, b, starts, lengths, to=a.dtype
    )

    def insert(x: int, y: int, start: int, length: int) -> int:
        mask = ((1 << length) - 1) << start
        return (y & ~mask) | ((x << start) & mask)

    same_bits(found, python(insert, [a, b, starts, lengths], kind))


@pytest.mark.parametrize("mode", ["clamp", "wrap"])
@pytest.mark.parametrize("side", ["l", "r"])
def test_funnel(side: str, mode: str) -> None:
    a, b, c = combined("b32", "b32", "u32")
    found = apply(f"shf.{side}.{mode}.b32 {{d}}, {{0}}, {{1}}, {{2}};", a, b, c, to=np.uint32)

    def shift(low: int, high: int, by: int) -> int:
        by = min(by, 32) if mode == "clamp" else by & 31
        both = high << 32 | low
        return both << by >> 32 if side == "l" else both >> by

    same_bits(found, python(shift, [a, b, c], "u32"))


@pytest.mark.parametrize("bits", [32, 64])
def test_counting(bits: int) -> None:
    kind = f"b{bits}"
    a = special(kind)
    rows: dict[str, Any] = {
        "popc": int.bit_count,
        "clz": lambda x: bits - x.bit_length(),
    }
    for name, function in rows.items():
        found = apply(f"{name}.{kind} {{d}}, {{0}};", a, to=np.uint32)
        same_bits(found, python(function, [a], "u32"))
    found = apply(f"brev.{kind} {{d}}, {{0}};", a, to=a.dtype)
    same_bits(found, python(lambda x: int(f"{x:0{bits}b}"[::-1], 2), [a], kind))
    for sign in "su":
        signed = a.view(DTYPES[f"{sign}{bits}"])
        found = apply(f"bfind.{sign}{bits} {{d}}, {{0}};", signed, to=np.uint32)
        expected = python(lambda x: (x if x >= 0 else ~x).bit_length() - 1, [signed], "u32")
        same_bits(found, expected)


def test_permute() -> None:
    a, b, c = combined("b32", "b32", "b32")
    found = apply("prmt.b32 {d}, {0}, {1}, {2};", a, b, c, to=np.uint32)

    def pick(x: int, y: int, selector: int) -> int:
        both = (y << 32 | x).to_bytes(8, "little")
        out = 0
        for place in range(4):
            nibble = selector >> 4 * place & 15
            byte = both[nibble & 7]
            out |= (byte if nibble < 8 else 255 * (byte >> 7)) << 8 * place
        return out

    same_bits(found, python(pick, [a, b, c], "u32"))


@pytest.mark.parametrize(
    ("mode", "rows"),
    [
        ("f4e", ("3210", "4321", "5432", "6543")),
        ("b4e", ("5670", "6701", "7012", "0123")),
        ("rc8", ("0000", "1111", "2222", "3333")),
        ("ecl", ("3210", "3211", "3222", "3333")),
        ("ecr", ("0000", "1110", "2210", "3210")),
        ("rc16", ("1010", "3232", "1010", "3232")),
    ],
)
def test_permute_modes(mode: str, rows: tuple[str, ...]) -> None:
    """The table of the PTX manual, which lists the upper byte first."""
    a, b = np.full(4, 0x33221100, np.uint32), np.full(4, 0x77665544, np.uint32)
    found = apply(f"prmt.b32.{mode} {{d}}, {{0}}, {{1}}, {{2}};", a, b,
                  np.arange(4, dtype=np.uint32), to=np.uint32)  # fmt: skip
    expected = [int("".join(2 * digit for digit in row), 16) for row in rows]
    assert found.tolist() == expected


def test_saturating_and_dot() -> None:
    a, b, c = combined("s32", "s32", "s32")
    for name, sign in (("add", 1), ("sub", -1)):
        found = apply(f"{name}.sat.s32 {{d}}, {{0}}, {{1}};", a, b, to=np.int32)
        expected = python(
            lambda x, y, s=sign: min(max(x + s * y, -(2**31)), 2**31 - 1), [a, b], "s32"
        )
        same_bits(found, expected)
    found = apply("dp4a.s32.u32 {d}, {0}, {1}, {2};", a, b, c, to=np.int32)
    left = a.view(np.int8).reshape(-1, 4).astype(np.int64)
    right = b.view(np.uint8).reshape(-1, 4).astype(np.int64)
    same_bits(found, ((left * right).sum(axis=1) + c).astype(np.int32))


def test_parts_of_words() -> None:
    a = special("b64")
    text = "mov.b64 {%r40, %r41}, {0}; mov.b64 {d}, {%r41, %r40};"
    found = apply(text, a, to=np.uint64)
    same_bits(found, a << np.uint64(32) | a >> np.uint64(32))
    text = "{ .reg .b16 t; mov.b32 {t, %h30}, {0}; mov.b32 {d}, {%h30, t}; }"
    b = special("b32")
    same_bits(apply(text, b, to=np.uint32), b << np.uint32(16) | b >> np.uint32(16))
