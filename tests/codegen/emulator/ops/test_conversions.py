"""Conversions between all pairs of types, against NumPy, ml_dtypes and exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.emulator.exactly import INTEGERS, rounded
from tests.codegen.emulator.snippets import apply
from tests.codegen.emulator.values import DTYPES, same_bits, special

pytestmark = pytest.mark.usefixtures("quiet")
WHOLE = ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64")
REAL = ("f16", "bf16", "f32", "f64")
MODES = ("rn", "rz", "rm", "rp")


def integers(kind: str) -> np.ndarray:
    """With those that doubles, floats and halves do not have, just beside ties."""
    info = np.iinfo(DTYPES[kind])
    powers = [2**k + d for k in range(6, 64) for d in (-1, 0, 1, 2**k // 512)]
    near = [1 + 2**24, 3 + 2**24, 2**53 + 1, 2**53 + 3, 2**62 + 2**38 + 1, 2**62 + 2**38 - 1]
    fit = [x * sign for x in powers + near for sign in (1, -1) if info.min <= x * sign <= info.max]
    return np.concatenate([special(kind), np.array(fit, DTYPES[kind])])


@pytest.mark.parametrize("target", WHOLE)
@pytest.mark.parametrize("source", WHOLE)
def test_integer_to_integer(source: str, target: str) -> None:
    a = integers(source)
    if source != target:
        found = apply(f"cvt.{target}.{source} {{d}}, {{0}};", a, to=DTYPES[target])
        same_bits(found, a.astype(DTYPES[target]))
    info, own = np.iinfo(DTYPES[target]), np.iinfo(DTYPES[source])
    if info.min <= own.min and own.max <= info.max:
        return
    found = apply(f"cvt.sat.{target}.{source} {{d}}, {{0}};", a, to=DTYPES[target])
    expected = [min(max(x, info.min), info.max) for x in a.tolist()]
    same_bits(found, np.array(expected, DTYPES[target]))


MIXED = [(whole, real) for whole in WHOLE for real in REAL if whole[1:] != "8" or real != "bf16"]
"""PTX has no conversion between bytes and bf16."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("source", "target"), MIXED)
def test_integer_to_float(source: str, target: str, mode: str) -> None:
    a = integers(source)
    found = apply(f"cvt.{mode}.{target}.{source} {{d}}, {{0}};", a, to=DTYPES[target])
    expected = [rounded(Fraction(x), target, mode) for x in a.tolist()]
    same_bits(found, np.array(expected).astype(DTYPES[target]))


@pytest.mark.parametrize(("target", "source"), MIXED)
def test_float_to_integer(source: str, target: str) -> None:
    info = np.iinfo(DTYPES[target])
    edges = [info.max, info.min, info.max + 1, info.min - 1, info.max - 0.5, 0.5, 1.5, 2.5, -0.5]
    a = np.concatenate([special(source), np.array(edges, np.float64).astype(DTYPES[source])])
    a = np.concatenate([a, np.nextafter(a.astype(np.float32), np.float32(0)).astype(a.dtype)])
    for mode in MODES:
        found = apply(f"cvt.{mode}i.{target}.{source} {{d}}, {{0}};", a, to=DTYPES[target])
        for x, got in zip(a.astype(np.float64).tolist(), found.tolist(), strict=True):
            if math.isnan(x):
                wide = info.bits == 64 or source == "f64"
                assert got & (2**info.bits - 1) == (1 << (info.bits - 1) if wide else 0)
            elif math.isinf(x):
                assert got == (info.max if x > 0 else info.min)
            else:
                exact = INTEGERS[mode](Fraction(x))
                assert got == min(max(exact, info.min), info.max), (x, mode)


@pytest.mark.parametrize("target", REAL)
@pytest.mark.parametrize("source", REAL)
def test_float_to_float(source: str, target: str) -> None:
    a = np.concatenate([special(source, 200), half_way(source)])
    wider = DTYPES[target].itemsize > DTYPES[source].itemsize
    for mode in ("",) if wider else MODES:
        if source == target:
            continue
        suffix = f".{mode}" if mode else ""
        found = apply(f"cvt{suffix}.{target}.{source} {{d}}, {{0}};", a, to=DTYPES[target])
        with_infinity = a.astype(np.float64)
        expected = [
            rounded(Fraction(x), target, mode or "rn", zero=x) if math.isfinite(x) else x
            for x in with_infinity.tolist()
        ]
        same_bits(found, np.array(expected).astype(DTYPES[target]))


def half_way(source: str) -> np.ndarray:
    """Ties of smaller formats and their neighbours, where the type has them."""
    exponents = np.array([-140, -130, -126, -24, -16, -14, 0, 1, 15, 127])
    steps = [1 + k * 2.0**-p for p in (2, 3, 4, 8, 9, 11, 12, 24, 25) for k in (1, 3)]
    ties = np.ldexp(np.array(steps)[:, None], exponents).ravel()
    numbers = np.concatenate([ties, np.nextafter(ties, 0), np.nextafter(ties, np.inf), -ties])
    return numbers.astype(DTYPES[source])


@pytest.mark.parametrize("source", ["f16", "f32", "f64"])
def test_rounding_to_an_integer_in_the_same_type(source: str) -> None:
    a = special(source, 100)
    for mode, function in (
        ("rni", np.rint),
        ("rzi", np.trunc),
        ("rmi", np.floor),
        ("rpi", np.ceil),
    ):
        found = apply(f"cvt.{mode}.{source}.{source} {{d}}, {{0}};", a, to=a.dtype)
        same_bits(found, function(a))


def test_tf32_rounds_ties_away() -> None:
    a = np.concatenate([special("f32", 300), half_way("f32")])
    finite = a[np.isfinite(a)]
    for mode in ("rna", "rn", "rz"):
        found = apply(f"cvt.{mode}.tf32.f32 {{d}}, {{0}};", finite, to=np.float32)
        expected = [rounded(Fraction(x), "tf32", mode, zero=x) for x in finite.tolist()]
        same_bits(found, np.array(expected).astype(np.float32))


@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_two_floats_into_halves(kind: str) -> None:
    a, b = special("f32", 100), special("f32", 100)[::-1].copy()
    found = apply(f"cvt.rn.{kind}x2.f32 {{d}}, {{0}}, {{1}};", a, b, to=np.uint32)
    halves = found.view(DTYPES[kind]).reshape(-1, 2)
    same_bits(np.ascontiguousarray(halves[:, 1]), a.astype(DTYPES[kind]))
    same_bits(np.ascontiguousarray(halves[:, 0]), b.astype(DTYPES[kind]))
    found = apply(f"cvt.rn.relu.{kind}x2.f32 {{d}}, {{0}}, {{1}};", a, b, to=np.uint32)
    upper = found.view(DTYPES[kind]).reshape(-1, 2)[:, 1]
    negative = a < 0
    assert (upper[negative] == 0).all()


EIGHT = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}


@pytest.mark.parametrize("kind", EIGHT)
def test_eight_bits(kind: str) -> None:
    a = np.concatenate([special("f32", 200), half_way("f32"), np.linspace(-500, 500, 301)])
    a = a.astype(np.float32)
    b = a[::-1].copy()
    found = apply(f"cvt.rn.satfinite.{kind}x2.f32 {{d}}, {{0}}, {{1}};", a, b, to=np.uint16)
    largest = float(ml_dtypes.finfo(EIGHT[kind]).max)
    pairs = found.view(np.uint8).reshape(-1, 2)
    for column, numbers in ((1, a), (0, b)):
        clipped = np.clip(numbers.astype(np.float64), -largest, largest)
        # Numbers below the largest one may still round beyond it, and are clamped as well.
        expected = clipped.astype(np.float32).astype(EIGHT[kind])
        got = np.ascontiguousarray(pairs[:, column]).view(EIGHT[kind])
        same_bits(got, expected)
    every = np.arange(65536, dtype=np.uint16)
    found = apply(f"cvt.rn.f16x2.{kind}x2 {{d}}, {{0}};", every, to=np.uint32)
    expected = every.view(np.uint8).view(EIGHT[kind]).astype(np.float16)
    same_bits(found.view(np.float16), expected)


def test_four_bits() -> None:
    numbers = np.arange(-7, 7.25, 0.25, dtype=np.float32)
    text = "{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, {0}, {1}; mov.b16 {d}, {t, t}; }"
    found = apply(text, numbers, -numbers, to=np.uint16).view(np.uint8)[::2]
    limited = np.clip(numbers, -6, 6)
    for got, expected in ((found >> 4, limited), (found & 15, -limited)):
        assert got.tolist() == expected.astype(ml_dtypes.float4_e2m1fn).view(np.uint8).tolist()
    text = "{ .reg .b8 t; .reg .b8 u; mov.b16 {t, u}, {0}; cvt.rn.f16x2.e2m1x2 {d}, t; }"
    every = np.arange(256, dtype=np.uint16)
    found = apply(text, every, to=np.uint32).view(np.float16)
    nibbles = np.stack([every & 15, every >> 4], axis=1).astype(np.uint8)
    same_bits(found, nibbles.view(ml_dtypes.float4_e2m1fn).astype(np.float16).ravel())


def test_wider_registers_hold_the_sign() -> None:
    a = special("s16")
    text = "cvt.s32.s16 {d}, {0};"
    same_bits(apply(text, a, to=np.int32), a.astype(np.int32))
    b = special("s32")
    same_bits(apply("cvt.s32.s16 {d}, {0};", b, to=np.int32), b.astype(np.int16).astype(np.int32))
