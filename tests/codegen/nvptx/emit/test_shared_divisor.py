"""Tiles divided by a broadcast divisor: every quotient is the nearest one, on either way there."""

from __future__ import annotations

import math
import re

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.build import Kernel
from tests.codegen.reference import DTYPES, same, special
from tileir.attributes import DivBy
from tileir.codegen import compile, emulator
from tileir.codegen.emulator.ops.approximations import APPROXIMATIONS
from tileir.codegen.emulator.threads.schedules import SCHEDULES

ROWS, COLUMNS = 64, 64


def kernel(element: str, columns: int = COLUMNS, **attributes):
    """x / y, where y has one element for each row of x."""
    kernel = Kernel("apply", *[f"ptr<{element}>"] * 3)
    x, y, z = (
        kernel.op("assume", each, results=[f"ptr<{element}>"], predicate=DivBy(16))
        for each in kernel.parameters
    )
    tile, shape = f"{ROWS}x{columns}x{element}", [ROWS, columns]
    dividend = kernel.load(kernel.view(x, shape, shape), *kernel.zeros(2))
    divisor = kernel.load(kernel.view(y, [ROWS, 1], [ROWS, 1]), *kernel.zeros(2))
    divisor = kernel.op("broadcast", divisor, results=[tile])
    given = {"rounding_mode": "nearest_even", "flush_to_zero": False, **attributes}
    quotient = kernel.op("divf", dividend, divisor, results=[tile], **given)
    kernel.store(quotient, kernel.view(z, shape, shape), *kernel.zeros(2))
    return kernel.module()


def moderate(element: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Dividends, some of them zeros of both signs, and divisors of which none is out of the way."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((ROWS, COLUMNS)) * np.exp2(random.integers(-8, 8, (ROWS, 1)))
    x[:, ::7] *= 0.0
    y = np.abs(random.standard_normal(ROWS)) + 2.0**-4
    return x.astype(DTYPES[element]), y.astype(DTYPES[element])


def special_rows(element: str) -> tuple[np.ndarray, np.ndarray]:
    """Every special value by every other, and by some whose quotients are ties."""
    few = special(element)
    tiny = ml_dtypes.finfo(few.dtype).smallest_subnormal
    multiples = np.arange(1, 24, dtype=np.float64) * float(tiny)
    x = np.resize(np.concatenate([few, multiples.astype(few.dtype)]), COLUMNS)
    divisors = np.concatenate([few, np.array([2.0, 4.0, 8.0, 0.5, 3.0], few.dtype)])
    return np.tile(x, (ROWS, 1)), np.resize(divisors, ROWS)


def wide(element: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of all exponents: quotients overflow, are subnormal, or lie just inside."""
    random = np.random.default_rng(seed)
    kind = {2: np.uint16, 4: np.uint32}[DTYPES[element].itemsize]
    bits = random.integers(0, np.iinfo(kind).max, (ROWS, COLUMNS + 1), kind, endpoint=True)
    both = bits.view(DTYPES[element])
    return np.ascontiguousarray(both[:, :-1]), np.ascontiguousarray(both[:, -1])


def quotients(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What IEEE 754 says, as NumPy has it; halves divided in f32 are rounded to the nearest."""
    return (x.astype(np.float32) / y.astype(np.float32)[:, None]).astype(x.dtype)


def run(compiled, x: np.ndarray, y: np.ndarray, **options) -> tuple[np.ndarray, emulator.Result]:
    z = np.zeros_like(x)
    result = emulator.launch(compiled.ptx, compiled.plan["apply"], 1, [x, y, z], **options)
    return z, result


@pytest.mark.parametrize("element", ["f32", "f16", "bf16"])
def test_quotients_are_the_nearest(element: str, quiet, named) -> None:
    """However much reciprocals err, and in whatever order warps run."""
    compiled = compile(kernel(element), "sm_90")
    assert "div." not in compiled.ptx
    cases = {
        "moderate": moderate(element, 1),
        "special": special_rows(element),
        "wide": wide(element, 2),
    }
    ways = [{"approximations": each} for each in APPROXIMATIONS]
    ways += [{"schedule": each} for each in SCHEDULES]
    for case, (x, y) in cases.items():
        for way in ways:
            with named(f"{case}, {way}"):
                z, result = run(compiled, x, y, **way)
                same(z.astype(np.float32), quotients(x, y).astype(np.float32))
                in_double = result.thread_instructions["fma.rn.f64"] > 0
                assert in_double == (case != "moderate")


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_120"])
def test_other_targets_compute_the_same(target: str, quiet) -> None:
    compiled = compile(kernel("f32"), target)
    for x, y in (moderate("f32", 3), wide("f32", 4)):
        same(run(compiled, x, y)[0], quotients(x, y))


def test_subnormal_numbers_are_flushed(quiet) -> None:
    compiled = compile(kernel("f32", flush_to_zero=True), "sm_90")

    def flushed(values: np.ndarray) -> np.ndarray:
        tiny = np.abs(values) < np.finfo(np.float32).tiny
        return np.where(tiny, np.copysign(np.float32(0), values), values)

    for x, y in (moderate("f32", 5), special_rows("f32"), wide("f32", 6)):
        same(run(compiled, x, y)[0], flushed(quotients(flushed(x), flushed(y))))


def test_quotients_halfway_between_subnormal_numbers(quiet, named) -> None:
    """Ties go to the even one, whatever the magnitude of the divisor."""
    random = np.random.default_rng(8)
    compiled = compile(kernel("f32"), "sm_90")
    for exponent in (0, 12, 30, 60, 100):
        y = random.integers(1 << 10, 1 << 11, ROWS) * 2.0**exponent * 2
        x = y[:, None] * (random.integers(1 << 10, 1 << 11, (ROWS, COLUMNS)) * 2 + 1) * 2.0**-150
        x, y = x.astype(np.float32), y.astype(np.float32)
        for approximations in ("low", "high"):
            with named(f"2^{exponent}, {approximations}"):
                same(run(compiled, x, y, approximations=approximations)[0], quotients(x, y))


@pytest.mark.parametrize("which", ["dividends", "divisors", "fractions"])
def test_bounds_of_the_fast_way(which: str, quiet, named) -> None:
    """At a bound, and next to it; fractions of ones are beyond what Newton's method gets right."""

    def around(power: int) -> list[np.float32]:
        bound = np.float32(2.0**power)
        return [np.nextafter(bound, np.float32(0)), bound, np.nextafter(bound, np.float32(4e38))]

    ones = [np.nextafter(np.float32(power), np.float32(0)) for power in (1, 2, 1024)]
    divisors = {"dividends": [np.float32(3)], "divisors": around(-25) + around(25)}
    random = np.random.default_rng(9)
    x, _ = moderate("f32", 10)
    x[0, :4] = [*ones, 1]
    compiled = compile(kernel("f32"), "sm_90")
    for divisor in divisors.get(which, ones):
        dividends = [x, x * np.float32(2.0**90), x * np.float32(2.0**-80)]
        if which == "dividends":
            dividends = [random.choice(around(power), x.shape) for power in (-100, 100, -102)]
            dividends += [np.where(np.arange(COLUMNS) == 5, odd, x) for odd in (np.inf, np.nan)]
            dividends = [dividend.astype(np.float32) for dividend in dividends]
        for number, dividend in enumerate(dividends):
            for approximations in ("low", "high"):
                with named(f"{divisor}, {number}, {approximations}"):
                    y = np.full(ROWS, divisor)
                    z, _ = run(compiled, dividend, y, approximations=approximations)
                    same(z, quotients(dividend, y))


@pytest.mark.parametrize(
    ("attributes", "columns", "shared"),
    [
        ({}, COLUMNS, True),
        ({"rounding_mode": "zero"}, COLUMNS, False),
        ({"rounding_mode": "full"}, COLUMNS, False),
        ({}, 2, False),
    ],
)
def test_where_it_pays(attributes: dict, columns: int, shared: bool) -> None:
    """Few quotients of a divisor, and those rounded otherwise, are PTX's."""
    ptx = compile(kernel("f32", columns, **attributes), "sm_90").ptx
    assert bool(re.search(r"\bdiv\.\w+\.f32", ptx)) != shared
    assert bool(re.search(r"\brcp\.approx", ptx)) == shared


def test_quotients_next_to_midpoints(quiet, named) -> None:
    """The quotients that the proof leaves open, for some divisors: see `shared_divisor`.

    For fractions A and B and a midpoint M of quotients, k = A 2^s - B M is small.
    """
    fractions = np.random.default_rng(7).integers(1 << 22, 1 << 23, ROWS) * 2 + 1
    rows = []
    for divisor in map(int, fractions):
        found = [
            dividend
            for s in (24, 25)
            for k in (-6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6)
            for dividend in _dividends(divisor, s, k)
        ]
        rows.append(np.resize(np.array(found, np.float32), COLUMNS))
    x, y = np.array(rows) / np.float32(1 << 23), fractions.astype(np.float32) / np.float32(1 << 23)
    compiled = compile(kernel("f32"), "sm_90")
    for approximations in APPROXIMATIONS:
        with named(approximations):
            z, result = run(compiled, x, y, approximations=approximations)
            same(z, quotients(x, y))
            assert result.thread_instructions["fma.rn.f64"] == 0


def _dividends(divisor: int, s: int, k: int) -> list[int]:
    """All A of 24 bits with A 2^s = k modulo an odd B of 24 bits."""
    assert math.gcd(divisor, 2) == 1
    first = k * pow(pow(2, s, divisor), -1, divisor) % divisor
    return [each for each in (first, first + divisor) if 1 << 23 <= each < 1 << 24]
