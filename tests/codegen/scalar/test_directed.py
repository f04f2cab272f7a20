"""Arithmetic rounded in a direction, against exact rational numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.codegen.reference import special, unsigned
from tileir.codegen.scalar import elementwise
from tileir.codegen.scalar.machine import Machine

from .emitters import FLOATS, MACHINES, operation, run
from .rounding import LAYOUT, directed

pytestmark = pytest.mark.usefixtures("quiet")

MODES = ("zero", "negative_inf", "positive_inf")
ARITHMETIC = ("f16", "bf16", "f32", "f64")


def operands(element: str, count: int, arity: int) -> list[np.ndarray]:
    """Special values against each other, any bits, and numbers of like size that cancel."""
    random = np.random.default_rng(29)
    dtype = FLOATS[element]
    width = 8 * dtype.itemsize
    values = special(element)
    drawn = []
    for _ in range(arity):
        some = (random.integers(0, 1 << 64, count, np.uint64) >> np.uint64(64 - width)).astype(
            f"uint{width}"
        )
        near = random.integers(-8, 8, count) + random.random(count)
        near = np.ldexp(np.round(near, 3), random.integers(-3, 3, count)).astype(dtype)
        small = np.ldexp(near.astype(np.float64), LAYOUT[element][1] // 2).astype(dtype)
        parts = [random.choice(values, count), some.view(dtype), near, small]
        drawn.append(np.concatenate(parts))
    if arity == 3:
        product = (drawn[0].astype(np.float64) * drawn[1].astype(np.float64)).astype(dtype)
        shift = random.integers(0, 2, len(product)) * random.integers(-60, 60, len(product))
        close = -np.ldexp(product.astype(np.float64), shift).astype(dtype)
        drawn[2] = np.where(random.random(len(product)) < 0.6, close, drawn[2])
    return drawn


def number(exact: Fraction, zero: float, element: str, mode: str) -> float:
    """The exact number rounded; a zero has the sign of `zero`."""
    return directed(exact, element, mode) if exact else math.copysign(0.0, zero)


def added(mode: str, element: str, lhs: float, rhs: float) -> float:
    if not (math.isfinite(lhs) and math.isfinite(rhs)):
        return lhs + rhs
    same = math.copysign(1, lhs) == math.copysign(1, rhs)
    zero = lhs if same else -1.0 if mode == "negative_inf" else 1.0
    return number(Fraction(lhs) + Fraction(rhs), zero, element, mode)


def subtracted(mode: str, element: str, lhs: float, rhs: float) -> float:
    return added(mode, element, lhs, -rhs)


def sign(*factors: float) -> float:
    return math.prod(math.copysign(1, factor) for factor in factors)


def multiplied(mode: str, element: str, lhs: float, rhs: float) -> float:
    if not (math.isfinite(lhs) and math.isfinite(rhs)):
        return lhs * rhs
    return number(Fraction(lhs) * Fraction(rhs), sign(lhs, rhs), element, mode)


def divided(mode: str, element: str, lhs: float, rhs: float) -> float:
    if not (math.isfinite(lhs) and math.isfinite(rhs)) or rhs == 0:
        return float(np.float64(lhs) / np.float64(rhs))
    return number(Fraction(lhs) / Fraction(rhs), sign(lhs, rhs), element, mode)


def fused(mode: str, element: str, lhs: float, rhs: float, acc: float) -> float:
    if not (math.isfinite(lhs) and math.isfinite(rhs)):
        return lhs * rhs + acc
    if not math.isfinite(acc):
        return acc
    same = sign(lhs, rhs) == sign(acc)
    zero = acc if same else -1.0 if mode == "negative_inf" else 1.0
    return number(Fraction(lhs) * Fraction(rhs) + Fraction(acc), zero, element, mode)


RULES = {
    "addf": (added, 2),
    "subf": (subtracted, 2),
    "mulf": (multiplied, 2),
    "divf": (divided, 2),
    "fma": (fused, 3),
}


def check(found: np.ndarray, expected: list[float], drawn: list[np.ndarray]) -> None:
    """Equal bits; any NaN is as good as another."""
    dtype = drawn[0].dtype
    wanted = np.array(expected).astype(dtype)
    nan = np.isnan(np.array(expected))
    assert np.isnan(found[nan].view(dtype).astype(np.float64)).all()
    wrong = (found != unsigned(wanted)) & ~nan
    shown = [array[wrong][:4] for array in (*drawn, found.view(dtype), wanted)]
    assert not wrong.any(), (int(wrong.sum()), *shown)


def machines(element: str) -> list[Machine]:
    """Products of f64 have their errors in two ways."""
    return list(MACHINES.values()) if element == "f64" else [MACHINES["host"]]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("element", ARITHMETIC)
@pytest.mark.parametrize("name", RULES)
def test_arithmetic_rounds_in_a_direction(name: str, element: str, mode: str) -> None:
    rule, arity = RULES[name]
    drawn = operands(element, 700, arity)
    numbers = zip(*(array.astype(np.float64).tolist() for array in drawn), strict=True)
    expected = [rule(mode, element, *one) for one in numbers]
    op = operation(name, [element] * arity, element, rounding_mode=mode, flush_to_zero=False)
    assert elementwise.why_not(op) is None
    for machine in machines(element):
        check(run(op, *drawn, machine=machine), expected, drawn)


def root(mode: str, element: str, value: float) -> float:
    """The root of a float is normal, so its last digit has the place that the exponent gives."""
    if not value > 0 or math.isinf(value):
        return float(np.sqrt(np.float64(value)))
    square = Fraction(value)
    exponent = (math.frexp(value)[1] - 1) // 2
    unit = Fraction(2) ** (exponent - LAYOUT[element][0] + 1)
    units = math.isqrt(math.floor(square / unit**2))
    units += mode == "positive_inf" and (units * unit) ** 2 != square
    return float(units * unit)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("element", ARITHMETIC)
def test_square_roots_round_in_a_direction(element: str, mode: str) -> None:
    (values,) = operands(element, 1500, 1)
    squares = np.abs(values[1500:3000].astype(np.float64).clip(-250, 250)).astype(values.dtype)
    values = np.concatenate([values, squares * squares])
    expected = [root(mode, element, value) for value in values.astype(np.float64).tolist()]
    op = operation("sqrt", [element], element, rounding_mode=mode, flush_to_zero=False)
    for machine in machines(element):
        check(run(op, values, machine=machine), expected, [values])


@pytest.mark.parametrize("name", ["addf", "mulf"])
def test_subnormal_results_are_flushed_after_rounding(name: str) -> None:
    tiny = np.float32(2.0**-126)
    lhs = np.array([tiny, -tiny, tiny / 2, 2 * tiny, 1.5 * tiny], np.float32)
    rhs = {
        "addf": np.array([-tiny * 1.5, tiny * 1.5, 1, -tiny, -2 * tiny], np.float32),
        "mulf": np.array([0.75, 0.75, 1, 0.5, 0.6], np.float32),
    }[name]
    op = operation(name, ["f32"] * 2, "f32", rounding_mode="negative_inf", flush_to_zero=True)
    found = run(op, lhs, rhs).view(np.float32)
    wanted = {"addf": [-0.0, 0.0, 1, tiny, -0.0], "mulf": [0.0, -0.0, 0.0, tiny, 0.0]}[name]
    check(unsigned(found), wanted, [lhs, rhs])


def test_approximate_quotients_take_a_large_divisor_for_infinite() -> None:
    """PTX, div.approx: for 2^126 < |y| < 2^128 the result is NaN if x is infinite, else zero."""
    lhs = np.array([1, 3, -3, 2.0**127, np.inf, 5, np.inf, 1], np.float32)
    rhs = np.array([3, 2.0**126, 2.0**127, -(2.0**127), 2.0**127, np.inf, 2, 0], np.float32)
    op = operation("divf", ["f32"] * 2, "f32", rounding_mode="approx", flush_to_zero=False)
    wanted = [1 / 3, 3 * 2.0**-126, -0.0, -0.0, np.nan, 0.0, np.inf, np.inf]
    check(run(op, lhs, rhs), np.array(wanted, np.float32).tolist(), [lhs, rhs])
    op = operation("divf", ["f32"] * 2, "f32", rounding_mode="full", flush_to_zero=False)
    check(run(op, lhs, rhs), (lhs / rhs).tolist(), [lhs, rhs])
