"""Errors of the math library, in units in the last place, against NumPy and mpmath."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.codegen.reference import same
from tileir.codegen.scalar.math import exponential
from tileir.codegen.scalar.math.binary import SINGLE

from .compiled import Function
from .expected import BINARY, OPS, UNARY
from .measure import ELEMENTS, arguments, measure, types_of
from .samples import every

pytestmark = pytest.mark.usefixtures("quiet")

CASES = [(name, types) for name in OPS for element in ELEMENTS for types in types_of(name, element)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "types"), CASES, ids=lambda case: "-".join([case] if isinstance(case, str) else case)
)
def test_errors_are_bounded(name: str, types: tuple[str, ...]) -> None:
    found = measure(name, types, arguments(name, types, 4000))
    assert not found.wrong
    assert found.error <= found.bound


@pytest.mark.slow
@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("name", UNARY)
def test_all_halves(name: str, element: str) -> None:
    found = measure(name, (element,), [every(element)])
    assert not found.wrong
    assert found.error <= found.bound


def test_a_wrong_coefficient_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    *rest, last = exponential.EXP[SINGLE]
    monkeypatch.setitem(exponential.EXP, SINGLE, (*rest, last * 1.5))
    assert not measure("exp", ("f32",), arguments("exp", ("f32",), 2000)).good


def test_a_wrong_kind_of_result_would_be_noticed() -> None:
    numbers = np.array([-1.0, 0.0, np.inf], np.float32)
    negated = measure("sqrt", ("f32",), [numbers], rounding_mode="nearest_even")
    assert negated.good
    ahead = measure("rsqrt", ("f32",), [np.array([1e-45], np.float32)], flush_to_zero=True)
    assert not ahead.good


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("exp", {"rounding_mode": "approx"}),
        ("tanh", {"rounding_mode": "approx"}),
        ("sqrt", {"rounding_mode": "approx"}),
    ],
)
def test_approximations_are_no_worse(name: str, attributes: dict[str, str]) -> None:
    assert measure(name, ("f32",), arguments(name, ("f32",), 6000), **attributes).good


@pytest.mark.parametrize("name", ["exp2", "rsqrt", "sqrt"])
def test_subnormals_are_flushed_on_request(name: str) -> None:
    tiny, normal = np.float32(1e-40), np.float32(2.0**-126)
    numbers = np.array([tiny, -tiny, 0, -0.0, normal, -126, -126.5, -149, 4], np.float32)
    flushed = Function(name, ("f32",), flush_to_zero=True)(numbers)
    kept = Function(name, ("f32",))(np.where(np.abs(numbers) < normal, 0 * numbers, numbers))
    small = np.abs(kept) < normal
    same(flushed, np.where(small, np.copysign(np.float32(0), kept), kept))


POWERS = [0.0, -0.0, 0.5, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 2.5, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("name", BINARY)
def test_special_pairs_are_those_of_c(name: str, element: str) -> None:
    values = np.array(POWERS, element.replace("f", "float"))
    lhs, rhs = np.repeat(values, len(values)), np.tile(values, len(values))
    if name == "fpowi":
        rhs = np.tile(np.arange(-6, 7, dtype=np.int32), len(values))
        found = Function(name, (element, "i32"))(lhs, rhs)
    else:
        found = Function(name, (element, element))(lhs, rhs)
    rule = {"atan2": np.arctan2, "remf": np.fmod}.get(name, np.power)
    expected = rule(lhs.astype(np.float64), rhs.astype(np.float64)).astype(values.dtype)
    same(np.isfinite(found), np.isfinite(expected))
    special = ~np.isfinite(expected) | (expected == 0) | (expected == np.rint(expected))
    same(found, expected, special)
