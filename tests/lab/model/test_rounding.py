"""Rounding of the model against that of NumPy, ml_dtypes and mpmath."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from tileir.ir.arrays import DTYPES
from tileir.types import Scalar

from .rounding import DIRECTED, GRIDS, narrowed, rounded

DRAWN = np.random.default_rng(3)
MPMATH = {"zero": "d", "negative_inf": "f", "positive_inf": "c"}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """NumPy may overflow and meet NaN without a word."""
    with np.errstate(all="ignore"):
        yield


def floats(count: int) -> np.ndarray:
    """f32 numbers of all exponents, limits and ties."""
    drawn = DRAWN.integers(0, 1 << 32, count, np.uint64).astype(np.uint32)
    near = (drawn & np.uint32(0x81FFF000)) + np.uint32(0x3F000000)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 65520, 65519.996, 2**-25], np.float32)
    return np.concatenate([drawn.view(np.float32), near.view(np.float32), special])


@pytest.mark.parametrize("element", ["f16", "bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN"])
def test_to_nearest_is_what_ml_dtypes_does(element: str) -> None:
    numbers = floats(2000)
    if GRIDS[element].saturates:
        limit = float(GRIDS[element].largest)
        numbers = np.clip(numbers[~np.isnan(numbers)], -limit, limit)
    found = narrowed(numbers, Scalar(element)).astype(np.float64)
    expected = numbers.astype(DTYPES[element]).astype(np.float64)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


def test_doubles_become_singles_as_numpy_says() -> None:
    numbers = floats(1000).astype(np.float64) * (1 + np.arange(2008) * 2.0**-40)
    np.testing.assert_array_equal(narrowed(numbers, Scalar("f32")), numbers.astype(np.float32))


@pytest.mark.parametrize("mode", DIRECTED)
@pytest.mark.parametrize("element", ["f16", "bf16", "tf32", "f32", "f64"])
def test_directed_rounding_is_that_of_mpmath(element: str, mode: str) -> None:
    """Where exponents have no limit, which mpmath does not know."""
    for top, bottom in DRAWN.integers(1, 1 << 30, (200, 2)):
        number = Fraction(int(top), int(bottom)) * (-1) ** int(top)
        with mpmath.workprec(GRIDS[element].digits):
            expected = mpmath.fdiv(
                number.numerator, number.denominator, rounding=MPMATH[mode]
            )  # fmt: skip
        if abs(expected) > 2.0**-13:
            assert rounded(number, element, mode) == float(expected)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("nearest_even", (np.inf, -np.inf)),
        ("zero", (65504, -65504)),
        ("negative_inf", (65504, -np.inf)),
        ("positive_inf", (np.inf, -65504)),
    ],
)
def test_overflow_follows_the_rounding_mode(mode: str, expected: tuple) -> None:
    assert tuple(rounded(Fraction(sign * 70000), "f16", mode) for sign in (1, -1)) == expected
