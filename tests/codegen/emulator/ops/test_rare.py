"""Instructions that compiled code has seldom."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.emulator.snippets import apply
from tests.codegen.emulator.values import combined, same_bits, special

pytestmark = pytest.mark.usefixtures("quiet")


def test_set_gives_all_ones_or_one() -> None:
    a, b = combined("f32", "f32")
    less = a < b
    found = apply("set.lt.u32.f32 {d}, {0}, {1};", a, b, to=np.uint32)
    same_bits(found, np.where(less, np.uint32(0xFFFFFFFF), np.uint32(0)))
    found = apply("set.lt.f32.f32 {d}, {0}, {1};", a, b, to=np.float32)
    same_bits(found, less.astype(np.float32))


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_classes_of_numbers(kind: str) -> None:
    a = special(kind, 100)
    tiny = np.finfo(a.dtype).tiny
    expected = {
        "finite": np.isfinite(a),
        "infinite": np.isinf(a),
        "number": ~np.isnan(a),
        "notanumber": np.isnan(a),
        "normal": np.isfinite(a) & (np.abs(a) >= tiny),
        "subnormal": (a != 0) & (np.abs(a) < tiny),
    }
    for name, which in expected.items():
        found = apply(f"testp.{name}.{kind} {{d}}, {{0}};", a, to=bool)
        np.testing.assert_array_equal(found, which)


def test_the_sign_comes_from_the_first() -> None:
    a, b = combined("f32", "f32")
    same_bits(apply("copysign.f32 {d}, {0}, {1};", a, b, to=np.float32), np.copysign(b, a))


def test_extremes_of_absolute_values_with_the_sign_of_the_product() -> None:
    a, b = combined("f32", "f32")
    real = ~(np.isnan(a) | np.isnan(b))
    a, b = a[real], b[real]
    found = apply("max.xorsign.abs.f32 {d}, {0}, {1};", a, b, to=np.float32)
    largest = np.maximum(np.abs(a), np.abs(b))
    same_bits(found, np.where(np.signbit(a) != np.signbit(b), -largest, largest))


def test_small_integers() -> None:
    a, b, c = combined("s32", "s32", "s32")
    found = apply("sad.s32 {d}, {0}, {1}, {2};", a, b, c, to=np.int32)
    wide = np.abs(a.astype(np.int64) - b) + c
    same_bits(found, wide.astype(np.int32))
    found = apply("mul24.lo.s32 {d}, {0}, {1};", a, b, to=np.int32)
    low = [((x.astype(np.int64) & 0xFFFFFF) ^ 0x800000) - 0x800000 for x in (a, b)]
    same_bits(found, (low[0] * low[1]).astype(np.int32))
    found = apply("cnot.b32 {d}, {0};", a, to=np.int32)
    same_bits(found, (a == 0).astype(np.int32))


def test_pairs_of_f32() -> None:
    a, b, c = (each[: len(each) // 2 * 2] for each in combined("f32", "f32", "f32"))
    words = [each.view(np.uint64) for each in (a, b, c)]
    for name, function in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply)):
        found = apply(f"{name}.rn.f32x2 {{d}}, {{0}}, {{1}};", *words[:2], to=np.uint64)
        same_bits(found.view(np.float32), function(a, b))
    found = apply("fma.rn.f32x2 {d}, {0}, {1}, {2};", *words, to=np.uint64)
    single = apply("fma.rn.f32 {d}, {0}, {1}, {2};", a, b, c, to=np.float32)
    same_bits(found.view(np.float32), single)


def test_comparisons_of_pairs() -> None:
    a, b = (each[: len(each) // 2 * 2] for each in combined("f16", "f16"))
    words = [each.view(np.uint32) for each in (a, b)]
    lower = apply("setp.lt.f16x2 {d}|%p9, {0}, {1};", *words, to=bool)
    upper = apply("setp.lt.f16x2 %p9|{d}, {0}, {1};", *words, to=bool)
    np.testing.assert_array_equal(np.stack([lower, upper], axis=1).ravel(), a < b)


@pytest.mark.parametrize("kind", ["e4m3", "e5m2"])
def test_halves_into_bytes(kind: str) -> None:
    target = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}[kind]
    every = np.arange(65536, dtype=np.uint16).view(np.float16)
    found = apply(f"cvt.rn.satfinite.{kind}x2.f16x2 {{d}}, {{0}};", every.view(np.uint32),
                  to=np.uint16)  # fmt: skip
    largest = np.float32(ml_dtypes.finfo(target).max)
    expected = np.clip(every.astype(np.float32), -largest, largest).astype(target)
    same_bits(found.view(target), expected)


@pytest.mark.parametrize("kind", ["e2m3", "e3m2"])
def test_six_bits_into_halves(kind: str) -> None:
    source = {"e2m3": ml_dtypes.float6_e2m3fn, "e3m2": ml_dtypes.float6_e3m2fn}[kind]
    every = np.arange(64, dtype=np.uint8)
    found = apply(f"cvt.rn.f16x2.{kind}x2 {{d}}, {{0}};", every.view(np.uint16), to=np.uint32)
    same_bits(found.view(np.float16), every.view(source).astype(np.float16))
