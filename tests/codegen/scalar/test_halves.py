"""f16 and bf16: every conversion and every operation rounds once, to nearest even."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.codegen.reference import (
    DTYPES,
    FORMATS,
    INTEGERS,
    NEAREST,
    ROUNDED,
    apply,
    fused_exactly,
    nearest,
    nonzero,
    padded,
    same,
    special,
    unsigned,
)

pytestmark = pytest.mark.usefixtures("quiet")


def every(element: str) -> np.ndarray:
    """All values of a 16-bit format."""
    return np.arange(1 << 16, dtype=np.uint16).view(DTYPES[element])


def finite_pairs(element: str, count: int = 8192) -> list[np.ndarray]:
    """Finite operands with a leaning to neighbours, subnormals and extremes."""
    random = np.random.default_rng(7)
    values = every(element)
    values = values[np.isfinite(values.astype(np.float64))]
    small = values[np.abs(values.astype(np.float64)) < 1e-3 * 2.0 ** (-100 * (element == "bf16"))]
    lhs = np.where(
        random.random(count) < 0.3, random.choice(small, count), random.choice(values, count)
    )
    return [lhs.astype(values.dtype), random.choice(values, count)]


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_halves_become_singles_exactly(element: str) -> None:
    values = every(element)
    found = apply("ftof", [values], [element], "f32", rounding_mode="nearest_even")
    same(found, values.astype(np.float32))
    wide = apply("ftof", [values], [element], "f64", rounding_mode="nearest_even")
    same(wide, values.astype(np.float64))


def between(element: str) -> list[float]:
    """Neighbours of a 16-bit format, their midpoints, and what lies just beside the midpoints."""
    values = np.arange(0x7C01 if element == "f16" else 0x7F81, dtype=np.uint16)
    exact = values.view(DTYPES[element]).astype(np.float64)
    exact[-1] = FORMATS[element][2]
    middle = (exact[:-1] + exact[1:]) / 2
    return np.concatenate([exact[:-1], middle, -middle])


@pytest.mark.slow
@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("source", ["f32", "f64"])
def test_halves_are_rounded_once(source: str, element: str, whole: bool) -> None:
    wide = between(element).astype(DTYPES[source])
    infinity = DTYPES[source].type(np.inf)
    (wide,) = padded(
        np.concatenate([wide, np.nextafter(wide, infinity), np.nextafter(wide, -infinity)])
    )
    pick = np.random.default_rng(1).permutation(len(wide))[: 32768 if whole else 8192]
    values = np.concatenate([wide[pick], special(source)])
    (values,) = padded(values)
    found = apply("ftof", [values], [source], element, rounding_mode="nearest_even")
    numbers = [
        nearest(Fraction(value), element, math.copysign(1, value))
        if math.isfinite(value)
        else value
        for value in values.tolist()
    ]
    same(found, np.array(numbers).astype(found.dtype))


RULES = {
    "addf": lambda x, y: x + y, "subf": lambda x, y: x - y, "mulf": lambda x, y: x * y,
    "divf": lambda x, y: x / y,
}  # fmt: skip


@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("name", RULES)
def test_half_arithmetic_is_rounded_once(name: str, element: str) -> None:
    lhs, rhs = finite_pairs(element)
    if name == "divf":
        rhs[rhs == 0] = 3
    found = apply(name, [lhs, rhs], [element] * 2, element, **NEAREST)
    exact = [
        RULES[name](Fraction(float(x)), Fraction(float(y))) for x, y in zip(lhs, rhs, strict=True)
    ]
    expected = np.array([nearest(number, element) for number in exact]).astype(lhs.dtype)
    same(found, expected, np.array([bool(number) for number in exact]))


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_half_fma_is_rounded_once(element: str) -> None:
    a, b = finite_pairs(element)
    limit = 2.0 ** (7 if element == "f16" else 60)
    a, b = (np.clip(v.astype(np.float64), -limit, limit).astype(v.dtype) for v in (a, b))
    c = np.roll(a, 1)
    product = a.astype(np.float64) * b.astype(np.float64)
    c[:4096] = -product[:4096].astype(c.dtype)
    # A product that lies on a midpoint, pushed off it by an addend far below.
    tiny = np.array(2.0 ** FORMATS[element][1]).astype(c.dtype)
    c[4096:6144] = np.where(np.arange(2048) % 2, tiny, -tiny)
    a[4096:6144] = (1 + np.arange(2048) % 64 * 2 + 128).astype(c.dtype)
    b[4096:6144] = (257 / 256 if element == "f16" else 129 / 128) * np.ones(2048, c.dtype)
    found = apply("fma", [a, b, c], [element] * 3, element, **NEAREST)
    same(found, fused_exactly(a, b, c, element), nonzero(a, b, c))


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_half_infinities_and_nan(element: str) -> None:
    values = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 60000], DTYPES[element])
    lhs, rhs = padded(np.repeat(values, 8), np.tile(values, 8))
    for name, rule in ROUNDED.items():
        with np.errstate(all="ignore"):
            expected = rule(lhs.astype(np.float32), rhs.astype(np.float32)).astype(lhs.dtype)
        same(apply(name, [lhs, rhs], [element] * 2, element, **NEAREST), expected)
    with np.errstate(all="ignore"):
        product = lhs.astype(np.float64) * rhs.astype(np.float64) + lhs.astype(np.float64)
        expected = product.astype(np.float32).astype(lhs.dtype)
    same(apply("fma", [lhs, rhs, lhs], [element] * 3, element, **NEAREST), expected)


@pytest.mark.parametrize("signedness", ["signed", "unsigned"])
@pytest.mark.parametrize("source", ["i1", *INTEGERS])
@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_integers_to_halves(element: str, source: str, signedness: str) -> None:
    (values,) = padded(special(source))
    if source in ("i32", "i64"):
        bits = 8 * values.itemsize
        middles = [(257 << shift) + off for shift in range(bits - 10) for off in (-1, 0, 1)]
        middles += [(2049 << shift) + off for shift in range(6) for off in (-1, 0, 1)]
        near = np.array(middles, object) % (1 << (bits - 1))
        near = np.concatenate([near, -near]).astype(values.dtype)
        (values,) = padded(np.concatenate([values, near, values]))
    numbers = values.astype(np.int8) if source == "i1" else values
    if signedness == "unsigned":
        numbers = unsigned(numbers)
    elif source == "i1":
        numbers = -numbers
    found = apply(
        "itof", [values], [source], element, signedness=signedness, rounding_mode="nearest_even"
    )
    expected = [nearest(Fraction(int(number)), element) for number in numbers]
    same(found, np.array(expected).astype(found.dtype))


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_halves_to_integers(element: str) -> None:
    values = every(element)
    attributes = {"signedness": "signed", "rounding_mode": "nearest_int_to_zero"}
    found = apply("ftoi", [values], [element], "i32", saturating=True, **attributes)
    wide = values.astype(np.float64)
    expected = np.where(
        np.isnan(wide),
        0,
        np.clip(np.trunc(np.nan_to_num(wide, posinf=1e30, neginf=-1e30)), -(2**31), 2**31 - 1),
    )
    same(found, expected.astype(np.int32))
