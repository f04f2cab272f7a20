"""Approximate instructions against mpmath: within PTX's bounds, and no better than those."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from tests.codegen.emulator.ops.test_floats import FUNCTIONS
from tests.codegen.emulator.snippets import apply
from tests.codegen.emulator.values import same_bits
from tileir.codegen.emulator import APPROXIMATIONS, EmulationError

pytestmark = pytest.mark.usefixtures("quiet")

ULPS = {"ex2": 2.5, "rcp": 1.5}
RELATIVE = {"rsqrt": 2**-22.9, "sqrt": 2.0**-23, "tanh": 2.0**-11}
ABSOLUTE = {"sin": 2**-20.5, "cos": 2**-20.5, "lg2": 2.0**-22}
"""The words of the PTX ISA for arguments between 0.51 and 1.99; two units in the last place of the
rounded result are two and a half of the exact one."""


def allowed(name: str, exact: np.ndarray) -> np.ndarray:
    if name in ULPS:
        return ULPS[name] * np.spacing(exact.astype(np.float32)).astype(np.float64)
    return RELATIVE[name] * np.abs(exact) if name in RELATIVE else ABSOLUTE[name] + 0 * exact


@pytest.mark.parametrize("name", FUNCTIONS)
def test_bounds_are_kept_and_reached(name: str) -> None:
    a = np.random.default_rng(4).uniform(0.51, 1.99, 400).astype(np.float32)
    with mpmath.workprec(100):
        exact = np.array([float(FUNCTIONS[name](mpmath.mpf(x))) for x in a.tolist()])
    sides = {}
    for choice in APPROXIMATIONS[1:]:
        found = apply(f"{name}.approx.f32 {{d}}, {{0}};", a, to=np.float32, approximations=choice)
        sides[choice] = np.sign(found - exact)
        off = np.abs(found - exact) / allowed(name, exact)
        # What is between the last f32 within the bound and the bound is at most one unit.
        unit = np.spacing(np.abs(exact).astype(np.float32)) / allowed(name, exact)
        assert (off <= 1).all()
        assert (off >= 1 - unit - 0.5 * (name in ULPS)).all()
    assert (sides["low"] <= 0).all()
    assert (sides["high"] >= 0).all()
    assert 120 < (sides["random-0"] > 0).sum() < 280
    assert 120 < (sides["random-0"] != sides["random-1"]).sum() < 280


@pytest.mark.parametrize("how", ["approx", "full"])
def test_quotients(how: str) -> None:
    random = np.random.default_rng(4)
    a, b = (random.uniform(0.5, 2, 400).astype(np.float32) for _ in range(2))
    text = f"div.{how}.f32 {{d}}, {{0}}, {{1}};"
    unit = np.spacing(a / b)
    for choice, units in (("low", -2), ("exact", 0), ("high", 2)):
        found = apply(text, a, b, to=np.float32, approximations=choice)
        same_bits(found, a / b + np.float32(units) * unit)
    # By the letter: for 2^126 < |y| < 2^128 the quotient is NaN if x is infinite, else zero.
    x = np.array([1e38, -1e38, np.inf, np.nan, 1e38], np.float32)
    y = np.array([3e38, 3e38, 3e38, 3e38, 2.0**126], np.float32)
    large = np.array([0.0, -0.0, np.nan, np.nan, x[4] / y[4]], np.float32)
    same_bits(apply(text, x, y, to=np.float32), large if how == "approx" else x / y)


@pytest.mark.parametrize("choice", APPROXIMATIONS)
def test_special_values_stay_what_they_are(choice: str) -> None:
    a = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 200.0, -200.0], np.float32)
    expected = {
        "ex2": [1, 1, np.inf, 0, np.nan, np.inf, 0],
        "rcp": [np.inf, -np.inf, 0.0, -0.0, np.nan, None, None],
        "rsqrt": [np.inf, -np.inf, 0, np.nan, np.nan, None, np.nan],
        "tanh": [0.0, -0.0, 1, -1, np.nan, None, None],
    }
    for name, values in expected.items():
        known = np.array([value is not None for value in values])
        found = apply(f"{name}.approx.f32 {{d}}, {{0}};", a, to=np.float32, approximations=choice)
        same_bits(found[known], np.array(values, np.float64).astype(np.float32)[known])


def test_no_such_approximations() -> None:
    with pytest.raises(EmulationError, match="no approximations 'worst'"):
        apply("rcp.approx.f32 {d}, {0};", np.ones(2, np.float32), to="f4", approximations="worst")
