"""Float instructions against NumPy, and against exact fractions rounded in every direction."""

from __future__ import annotations

import math

import ml_dtypes
import mpmath
import numpy as np
import pytest

from tests.codegen.emulator.exactly import each
from tests.codegen.emulator.snippets import apply
from tests.codegen.emulator.values import DTYPES, combined, same_bits, special
from tileir import UnsupportedError

pytestmark = pytest.mark.usefixtures("quiet")
PLAIN = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}
EXACT = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (name, kind)
        for name in PLAIN
        for kind in ("f32", "f64", "f16", "bf16")
        if name != "div" or kind in ("f32", "f64")
    ],
)
def test_nearest(name: str, kind: str) -> None:
    a, b = combined(kind, kind)
    found = apply(f"{name}.rn.{kind} {{d}}, {{0}}, {{1}};", a, b, to=a.dtype)
    same_bits(found, PLAIN[name](a, b))


@pytest.mark.parametrize("mode", ["rz", "rm", "rp"])
@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("name", PLAIN)
def test_directed(name: str, kind: str, mode: str) -> None:
    a, b = combined(kind, kind, most=1000)
    found = apply(f"{name}.{mode}.{kind} {{d}}, {{0}}, {{1}};", a, b, to=a.dtype)
    expected, known = each(EXACT[name], [a, b], kind, mode)
    plain = PLAIN[name](a, b)
    infinite = ~(np.isfinite(a) & np.isfinite(b))
    same_bits(found[known], expected[known].astype(a.dtype))
    same_bits(found[infinite], plain[infinite])


@pytest.mark.parametrize(("mode", "sign"), [("rn", 0), ("rz", 0), ("rp", 0), ("rm", 1)])
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_the_sign_of_a_sum_that_is_zero(kind: str, mode: str, sign: int) -> None:
    a = np.array([1.5, 0.0, -0.0, 0.0, -0.0], DTYPES[kind])
    b = np.array([-1.5, -0.0, 0.0, 0.0, -0.0], DTYPES[kind])
    found = apply(f"add.{mode}.{kind} {{d}}, {{0}}, {{1}};", a, b, to=a.dtype)
    assert (found == 0).all()
    assert np.signbit(found).tolist() == [sign, sign, sign, 0, 1]


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        *((kind, mode) for kind in ("f32", "f64") for mode in ("rn", "rz", "rm", "rp")),
        ("f16", "rn"),
        ("bf16", "rn"),
    ],
)
def test_fused(kind: str, mode: str) -> None:
    a, b, c = combined(kind, kind, kind, most=2000)
    # Sums of nearly equal numbers, and those that lie just beside a tie.
    c[::2] = -(a[::2].astype(np.float64) * b[::2].astype(np.float64)).astype(a.dtype)
    c[::5] = np.ldexp(np.float64(1), np.arange(len(c[::5])) % 40 - 60).astype(a.dtype)
    found = apply(f"fma.{mode}.{kind} {{d}}, {{0}}, {{1}}, {{2}};", a, b, c, to=a.dtype)
    expected, known = each(lambda x, y, z: x * y + z, [a, b, c], kind, mode)
    same_bits(found[known], expected[known].astype(a.dtype))
    infinite = ~(np.isfinite(a) & np.isfinite(b) & np.isfinite(c))
    plain = a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)
    same_bits(found[infinite], plain.astype(a.dtype)[infinite])


def test_fused_rounds_once() -> None:
    """The double nearest to the sum is a tie of f32 that the exact sum is not."""
    a, b, c = (np.array([x], np.float32) for x in (1 + 2**-12, 1 + 2**-12, 2**-60))
    found = apply("fma.rn.f32 {d}, {0}, {1}, {2};", a, b, c, to=np.float32)
    assert found[0] == np.float32(1 + 2**-11 + 2**-23)


@pytest.mark.parametrize("mode", ["rn", "rz", "rp"])
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_small_operands_of_f32(kind: str, mode: str) -> None:
    a, b, c = combined(kind, kind, "f32", most=1000)
    for name, operands in (("add", (a, c)), ("sub", (a, c)), ("fma", (a, b, c))):
        exact = EXACT.get(name, lambda x, y, z: x * y + z)
        places = ", ".join(f"{{{place}}}" for place in range(len(operands)))
        found = apply(f"{name}.{mode}.f32.{kind} {{d}}, {places};", *operands, to=np.float32)
        expected, known = each(exact, list(operands), "f32", mode)
        same_bits(found[known], expected[known].astype(np.float32))


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_roots_and_reciprocals(kind: str, mode: str) -> None:
    a = special(kind, 200)
    found = apply(f"rcp.{mode}.{kind} {{d}}, {{0}};", a, to=a.dtype)
    expected, known = each(lambda x: 1 / x, [a], kind, mode)
    same_bits(found[known], expected[known].astype(a.dtype))
    same_bits(found[a == 0], 1 / a[a == 0])
    found = apply(f"sqrt.{mode}.{kind} {{d}}, {{0}};", a, to=a.dtype)
    for x, root in zip(a.tolist(), found, strict=True):
        if not (x > 0 and math.isfinite(x)):
            continue
        side = mpmath.mpf(float(root)) ** 2 - mpmath.mpf(x)
        with mpmath.workprec(300):
            side = mpmath.mpf(float(root)) ** 2 - mpmath.mpf(x)
            step = {"rz": 1, "rm": 1, "rp": -1, "rn": 0}[mode]
            other = np.nextafter(root, a.dtype.type(np.inf * (step or 1)))
            beyond = mpmath.mpf(float(other)) ** 2 - mpmath.mpf(x)
            if step:
                assert side * step <= 0 < beyond * step
            else:
                exact = mpmath.sqrt(mpmath.mpf(x))
                gap = abs(mpmath.mpf(float(root)) - exact)
                assert gap <= abs(mpmath.mpf(float(other)) - exact)


FUNCTIONS = {
    "ex2": lambda x: mpmath.power(2, x), "lg2": lambda x: mpmath.log(x, 2), "rcp": lambda x: 1 / x,
    "rsqrt": lambda x: 1 / mpmath.sqrt(x), "sqrt": mpmath.sqrt, "sin": mpmath.sin,
    "cos": mpmath.cos, "tanh": mpmath.tanh,
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_approximations_are_the_function_rounded(name: str) -> None:
    random = np.random.default_rng(3)
    a = random.uniform(0.01, 20, 200).astype(np.float32)
    if name in ("ex2", "sin", "cos", "tanh", "rcp"):
        a *= random.choice([-1, 1], 200).astype(np.float32)
    found = apply(f"{name}.approx.f32 {{d}}, {{0}};", a, to=np.float32)
    with mpmath.workprec(100):
        expected = [float(FUNCTIONS[name](mpmath.mpf(x))) for x in a.tolist()]
    same_bits(found, np.array(expected).astype(np.float32))


@pytest.mark.parametrize("kind", ["f16", "bf16"])
@pytest.mark.parametrize("name", ["ex2", "tanh"])
def test_approximations_of_halves(name: str, kind: str) -> None:
    a = np.random.default_rng(3).uniform(-5, 5, 200).astype(DTYPES[kind])
    found = apply(f"{name}.approx.{'ftz.' if kind == 'bf16' and name == 'ex2' else ''}{kind} "
                  "{d}, {0};", a, to=a.dtype)  # fmt: skip
    exact = {"ex2": np.exp2, "tanh": np.tanh}[name](a.astype(np.float64))
    same_bits(found, exact.astype(np.float32).astype(a.dtype))


@pytest.mark.parametrize("kind", ["f32", "f64", "f16", "bf16"])
@pytest.mark.parametrize("name", ["min", "max"])
def test_extremes(name: str, kind: str) -> None:
    if kind == "f64":
        modes: tuple[str, ...] = ("",)
    else:
        modes = ("", ".NaN")
    a, b = combined(kind, kind)
    for mode in modes:
        found = apply(f"{name}{mode}.{kind} {{d}}, {{0}}, {{1}};", a, b, to=a.dtype)
        quiet = {"min": np.fmin, "max": np.fmax}[name]
        loud = {"min": np.minimum, "max": np.maximum}[name]
        expected = (loud if mode else quiet)(a.astype(np.float64), b.astype(np.float64))
        zeros = (a == 0) & (b == 0)
        negative = np.signbit(a) | np.signbit(b) if name == "min" else np.signbit(a) & np.signbit(b)
        expected = np.where(zeros, np.where(negative, -0.0, 0.0), expected).astype(a.dtype)
        same_bits(found, expected)


@pytest.mark.parametrize("name", ["min", "max"])
def test_extremes_of_three(name: str) -> None:
    a, b, c = combined("f32", "f32", "f32")
    for mode, of_two in (("", f"f{name}"), (".NaN", f"{name}imum")):
        text = f"{name}{mode}.f32 {{d}}, {{0}}, {{1}}, {{2}};"
        found = apply(text, a, b, c, to=a.dtype)
        function = getattr(np, of_two)
        expected = function(function(a, b), c)
        zeros = expected == 0
        same_bits(found[~zeros], expected[~zeros])
        signs = np.stack([np.where(each == 0, np.signbit(each), np.nan) for each in (a, b, c)])
        wanted = (np.nanmax if name == "min" else np.nanmin)(signs[:, zeros], axis=0)
        assert np.array_equal(np.signbit(found[zeros]), wanted == 1)


def test_flushing() -> None:
    a, b = combined("f32", "f32")
    tiny = np.finfo(np.float32).tiny

    def flush(x: np.ndarray) -> np.ndarray:
        return np.where(np.abs(x) < tiny, np.copysign(np.float32(0), x), x)

    for name, plain in PLAIN.items():
        text = f"{name}.rn.ftz.f32 {{d}}, {{0}}, {{1}};"
        same_bits(apply(text, a, b, to=np.float32), flush(plain(flush(a), flush(b))))


def test_saturation() -> None:
    a, b = combined("f32", "f32")
    found = apply("add.rn.sat.f32 {d}, {0}, {1};", a, b, to=np.float32)
    total = a + b
    same_bits(found, np.where(np.isnan(total), np.float32(0), np.clip(total, 0, 1) + np.float32(0)))


def test_a_fused_result_is_clamped_to_one_or_rectified() -> None:
    a = np.array([-2, -0.5, 0.5, 2, np.nan], np.float16)
    one, zero = np.ones_like(a), np.zeros_like(a)
    found = apply("fma.rn.sat.f16 {d}, {0}, {1}, {2};", a, one, zero, to=np.float16)
    np.testing.assert_array_equal(found, [0, 0, 0.5, 1, 0])
    found = apply("fma.rn.relu.f16 {d}, {0}, {1}, {2};", a, one, zero, to=np.float16)
    np.testing.assert_array_equal(found, [0, 0, 0.5, 2, np.nan])
    with pytest.raises(UnsupportedError, match=r"does not know fma\.rn\.sat\.relu\.f16"):
        apply("fma.rn.sat.relu.f16 {d}, {0}, {1}, {2};", a, one, zero, to=np.float16)


@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_pairs_of_halves(kind: str) -> None:
    a, b = combined(kind, kind)
    a, b = a[: len(a) // 2 * 2], b[: len(b) // 2 * 2]
    words = [each.view(np.uint32) for each in (a, b)]
    for text, expected in (
        (f"add.rn.{kind}x2", a + b),
        (f"mul.rn.{kind}x2", a * b),
        (f"max.{kind}x2", None),
    ):
        found = apply(f"{text} {{d}}, {{0}}, {{1}};", *words, to=np.uint32).view(a.dtype)
        if expected is None:
            single = apply(f"max.{kind} {{d}}, {{0}}, {{1}};", a, b, to=a.dtype)
            expected = single
        same_bits(found, expected)
    found = apply(f"fma.rn.{kind}x2 {{d}}, {{0}}, {{1}}, {{0}};", *words, to=np.uint32)
    single = apply(f"fma.rn.{kind} {{d}}, {{0}}, {{1}}, {{0}};", a, b, to=a.dtype)
    same_bits(found.view(a.dtype), single)


COMPARISONS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal,
}  # fmt: skip


@pytest.mark.parametrize("kind", ["f32", "f64", "f16", "bf16", "s16", "u16", "s32", "u32", "s64"])
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons(name: str, kind: str) -> None:
    a, b = combined(kind, kind)
    plain = COMPARISONS[name](a, b)
    real = a.dtype.kind not in "ui"
    unordered = np.isnan(a) | np.isnan(b) if real else np.zeros(len(a), bool)
    found = apply(f"setp.{name}.{kind} {{d}}, {{0}}, {{1}};", a, b, to=bool)
    np.testing.assert_array_equal(found, plain & ~unordered)
    if not kind.endswith("f16"):
        both = apply(f"setp.{name}.{kind} %p9|{{d}}, {{0}}, {{1}};", a, b, to=bool)
        np.testing.assert_array_equal(both, ~(plain & ~unordered))
    if real:
        found = apply(f"setp.{name}u.{kind} {{d}}, {{0}}, {{1}};", a, b, to=bool)
        np.testing.assert_array_equal(found, plain | unordered)
        for other, expected in (("num", ~unordered), ("nan", unordered)):
            found = apply(f"setp.{other}.{kind} {{d}}, {{0}}, {{1}};", a, b, to=bool)
            np.testing.assert_array_equal(found, expected)


def test_comparisons_combined_with_a_predicate() -> None:
    a, b = combined("s32", "s32")
    flag = np.arange(len(a)) % 3 == 0
    for name, combine in (("and", np.logical_and), ("or", np.logical_or), ("xor", np.logical_xor)):
        text = f"setp.lt.{name}.s32 {{d}}, {{0}}, {{1}}, {{2}};"
        found = apply(text, a, b, flag, to=bool)
        np.testing.assert_array_equal(found, combine(a < b, flag))
        text = f"{name}.pred {{d}}, {{0}}, {{1}};"
        found = apply(text, a < b, flag, to=bool)
        np.testing.assert_array_equal(found, combine(a < b, flag))


def test_selection_takes_a_negated_predicate_and_keeps_nan_bits() -> None:
    a = np.array([0x7F800001, 5, 6], np.uint32)
    b, flag = np.array([1, 2, 0xFFC12345], np.uint32), np.array([True, False, False])
    found = apply("selp.b32 {d}, {0}, {1}, {2};", a, b, flag, to=np.uint32)
    assert found.tolist() == [0x7F800001, 2, 0xFFC12345]
    found = apply("neg.f32 {d}, {0};", a, to=np.uint32)
    assert found[0] == 0xFF800001


def test_bf16_is_what_ml_dtypes_says() -> None:
    assert DTYPES["bf16"] == np.dtype(ml_dtypes.bfloat16)
