"""Conversions between floats, and between floats and integers, against NumPy and ml_dtypes."""

from __future__ import annotations

import numpy as np
import pytest

from tileir.codegen.scalar import elementwise
from tileir.codegen.scalar.machine import PORTABLE, Machine

from .emitters import FLOATS, MACHINES, SMALL, operation, patterns, run
from .rounding import SATURATING, rounded

pytestmark = pytest.mark.usefixtures("quiet")

NEAREST = ("f16", "bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN")
"""Formats that ftof rounds to nearest even and that ml_dtypes knows."""
TF32 = 13
"""Bits that a tf32 has less than the f32 it is kept in."""


def interesting(element: str, count: int = 20000) -> np.ndarray:
    """f32 or f64: random patterns, and the midpoints and neighbours of all narrower formats."""
    random = np.random.default_rng(11)
    dtype = FLOATS[element]
    bits = random.integers(0, 1 << 64, count, np.uint64) >> np.uint64(64 - 8 * dtype.itemsize)
    wide = [bits.astype(f"uint{8 * dtype.itemsize}").view(dtype)]
    for small in ("f16", "bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN", "f8E8M0FNU"):
        exact = np.unique(patterns(small).astype(np.float64))
        exact = exact[np.isfinite(exact)]
        exact = np.concatenate([exact, exact[-1:] * 2, (exact[:-1] + exact[1:]) / 2])
        exact = np.append(exact, 1.5 * exact[-1:])
        wide.append(random.permutation(exact)[:6000].astype(dtype))
    near = np.concatenate(wide)
    near = np.concatenate([near, np.nextafter(near, dtype.type(np.inf))])
    near = np.concatenate([near, np.nextafter(near, -dtype.type(np.inf)), -near])
    info = np.finfo(dtype)
    limits = [0.0, info.max, info.tiny, info.smallest_subnormal, np.inf, np.nan]
    return np.concatenate([near, np.array(limits, dtype), -np.array(limits, dtype)])


@np.errstate(all="ignore")
def sources() -> dict[str, np.ndarray]:
    """Values to convert from, for each format."""
    found = {name: patterns(name) for name in SMALL}
    found |= {name: interesting(name) for name in ("f32", "f64")}
    return found


SOURCES = sources()


def bits(array: np.ndarray) -> np.ndarray:
    return array.view(f"uint{8 * array.itemsize}")


def saturated(values: np.ndarray, element: str) -> np.ndarray:
    """As ml_dtypes converts, but for what is too large in an 8-bit or 4-bit format.

    It rounds f64 twice, though.
    """
    wide = values.astype(np.float64)
    if values.dtype == np.float64:
        return rounded(wide, element, "nearest_even").astype(SMALL[element])
    found = values.astype(np.float32).astype(SMALL[element])
    if element not in SATURATING:
        return found
    largest = SMALL[element].type(rounded(np.array([np.inf]), element, "nearest_even")[0])
    numbers = rounded(wide, element, "nearest_even")
    beyond = (np.abs(numbers) == float(largest)) & ~np.isnan(wide)
    return np.where(beyond, np.where(wide < 0, -largest, largest), found)


def check(found: np.ndarray, expected: np.ndarray, values: np.ndarray, element: str) -> None:
    """Equal bits; a NaN becomes some NaN, or the largest number if there is none."""
    nan = np.isnan(values.astype(np.float64))
    if element == "f4E2M1FN":
        assert (found[nan] == 0x7).all()
    else:
        assert np.isnan(found[nan].view(expected.dtype).astype(np.float64)).all()
    wrong = (found != bits(expected)) & ~nan
    assert not wrong.any(), (values[wrong][:5], found[wrong][:5], bits(expected)[wrong][:5])


def convert(source: str, target: str, mode: str, machine: Machine = PORTABLE) -> np.ndarray:
    op = operation("ftof", [source], target, rounding_mode=mode)
    assert elementwise.why_not(op) is None
    return run(op, SOURCES[source], machine=machine)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("source", SMALL)
def test_every_small_float_becomes_single_and_double(source: str, machine: str) -> None:
    values = SOURCES[source]
    for target in ("f32", "f64"):
        found = convert(source, target, "nearest_even", MACHINES[machine])
        check(found, values.astype(FLOATS[target]), values, target)


@pytest.mark.parametrize("target", NEAREST)
@pytest.mark.parametrize("source", FLOATS)
def test_floats_are_rounded_as_ml_dtypes_rounds(source: str, target: str) -> None:
    if source != target:
        values = SOURCES[source]
        found = convert(source, target, "nearest_even")
        check(found, saturated(values, target), values, target)


@pytest.mark.parametrize("target", ["f16", "f8E4M3FN"])
@pytest.mark.parametrize("source", ["f32", "f8E5M2"])
def test_instructions_round_as_integers_do(source: str, target: str) -> None:
    values = SOURCES[source]
    found = convert(source, target, "nearest_even", MACHINES["host"])
    check(found, saturated(values, target), values, target)


DIRECTED = ("zero", "negative_inf", "positive_inf")


@pytest.mark.parametrize("mode", ["nearest_away", *DIRECTED])
@pytest.mark.parametrize("target", ["f16", "bf16", "f8E5M2"])
@pytest.mark.parametrize("source", ["f32", "f64", "f8E8M0FNU"])
def test_other_modes(source: str, target: str, mode: str) -> None:
    values = SOURCES[source]
    expected = rounded(values, target, mode).astype(SMALL[target])
    check(convert(source, target, mode), expected, values, target)


@pytest.mark.parametrize("mode", ["nearest_even", *DIRECTED])
def test_doubles_become_singles(mode: str) -> None:
    values = SOURCES["f64"]
    expected = rounded(values, "f32", mode).astype(np.float32)
    check(convert("f64", "f32", mode), expected, values, "f32")


@pytest.mark.parametrize("mode", ["nearest_even", "zero", "nearest_away"])
@pytest.mark.parametrize("source", ["f32", "f64", "bf16", "f8E5M2"])
def test_tf32_is_an_f32_with_fewer_digits(source: str, mode: str) -> None:
    values = SOURCES[source]
    found = convert(source, "tf32", mode)
    assert not (found & ((1 << TF32) - 1)).any()
    check(found, rounded(values, "tf32", mode).astype(np.float32), values, "f32")


@pytest.mark.parametrize("target", ["f64", "f32", "f16", "bf16", "f8E4M3FN"])
def test_tf32_becomes_other_floats(target: str) -> None:
    values = bits(SOURCES["f32"]) >> TF32 << TF32
    op = operation("ftof", ["tf32"], target, rounding_mode="nearest_even")
    values = values.view(np.float32)
    wide = values.astype(FLOATS[target]) if target[1:] in ("32", "64") else None
    expected = saturated(values, target) if wide is None else wide
    check(run(op, values), expected, values, target)


@pytest.mark.parametrize("mode", ["zero", "positive_inf"])
@pytest.mark.parametrize("source", [name for name in FLOATS if name != "f8E8M0FNU"])
def test_scales_are_powers_of_two_of_the_magnitude(source: str, mode: str) -> None:
    """CUDA documents: the sign is dropped, 2^-127 and 2^127 are the limits, NaN stays NaN."""
    values = SOURCES[source]
    wide = np.abs(values.astype(np.float64))
    fraction, exponent = np.frexp(wide)
    power = exponent - 1 + ((fraction > 0.5) & (mode == "positive_inf"))
    power = np.where(wide == 0, -127, np.where(np.isinf(wide), 127, power))
    expected = np.ldexp(1.0, np.clip(power, -127, 127)).astype(SMALL["f8E8M0FNU"])
    check(convert(source, "f8E8M0FNU", mode), expected, values, "f8E8M0FNU")


INTEGERS = {
    "i1": np.array([0, 1], np.uint8),
    "i8": np.arange(256, dtype=np.uint8),
    "i16": np.arange(1 << 16, dtype=np.uint16),
}


def integers(element: str) -> np.ndarray:
    """All integers up to 16 bits; of others, numbers with few digits set and their neighbours."""
    if element in INTEGERS:
        return INTEGERS[element]
    width = int(element[1:])
    random = np.random.default_rng(5)
    heads = random.integers(0, 1 << 13, 4000).astype(object) * 2 + 1
    numbers = [
        int(head) << int(shift)
        for head, shift in zip(heads, random.integers(0, width, 4000), strict=True)
    ]
    numbers += [number + step for number in numbers for step in (-1, 1)]
    numbers += [int(number) for number in random.integers(0, 1 << 63, 2000)]
    numbers += [0, (1 << (width - 1)) - 1, 1 << (width - 1), (1 << width) - 1]
    return np.array([number % (1 << width) for number in numbers], f"uint{width}")


def exact_floats(values: np.ndarray, element: str, signed: bool) -> np.ndarray:
    """The integers as f64, rounded to odd where f64 has too few digits."""
    width = int(element[1:])
    numbers = [int(value) for value in values]
    if signed:
        numbers = [number - (number >> (width - 1) << width) for number in numbers]
    found = []
    for number in numbers:
        spare = max(abs(number).bit_length() - 53, 0)
        short = abs(number) >> spare
        short |= short << spare != abs(number)
        found.append(float(short << spare) * (-1 if number < 0 else 1))
    return np.array(found)


@pytest.mark.parametrize("signedness", ["signed", "unsigned"])
@pytest.mark.parametrize("source", ["i1", "i8", "i16", "i32", "i64"])
def test_integers_become_floats(source: str, signedness: str) -> None:
    """What saturates is what NVIDIA's compiler saturates: it has no other instruction."""
    values = integers(source)
    exact = exact_floats(values, source, signedness == "signed")
    attributes = {"signedness": signedness, "rounding_mode": "nearest_even"}
    for target in (*NEAREST, "tf32"):
        op = operation("itof", [source], target, **attributes)
        assert elementwise.why_not(op) is None
        expected = rounded(exact, target, "nearest_even") + 0.0
        dtype = SMALL.get(target, np.dtype(np.float32))
        check(run(op, values), expected.astype(dtype), exact, target)


@pytest.mark.parametrize(("signedness", "saturating"), [("signed", False), ("unsigned", True)])
@pytest.mark.parametrize("source", [*FLOATS, "tf32"])
def test_floats_become_integers(source: str, signedness: str, saturating: bool) -> None:
    """What does not fit is clamped, whether that is asked for or undefined."""
    values = SOURCES.get(source, SOURCES["f32"])
    if source == "tf32":
        values = (bits(values) >> TF32 << TF32).view(np.float32)
    numbers = np.trunc(np.nan_to_num(values.astype(np.float64), nan=0.0))
    for target in ("i8", "i16", "i32", "i64"):
        op = operation(
            "ftoi", [source], target, signedness=signedness, saturating=saturating,
            rounding_mode="nearest_int_to_zero",
        )  # fmt: skip
        assert elementwise.why_not(op) is None
        width = int(target[1:])
        low = -(1 << (width - 1)) if signedness == "signed" else 0
        high = low + (1 << width) - 1
        inside = (numbers > low) & (numbers < high)
        middle = np.where(inside, numbers, 0)
        wide = middle.astype(np.int64 if low else np.uint64).view(np.uint64)
        edge = np.where(numbers <= low, low % (1 << width), high % (1 << width)).astype(np.uint64)
        expected = np.where(inside, wide, edge) & np.uint64((1 << width) - 1)
        found = run(op, values)
        wrong = found != expected
        assert not wrong.any(), (target, values[wrong][:5], found[wrong][:5], expected[wrong][:5])


@pytest.mark.parametrize("source", ["f16", "bf16", "f32", "f64"])
def test_a_float_is_true_unless_it_is_zero(source: str) -> None:
    values = SOURCES[source]
    op = operation(
        "ftoi", [source], "i1", signedness="unsigned", saturating=False,
        rounding_mode="nearest_int_to_zero",
    )  # fmt: skip
    assert (run(op, values).astype(bool) == (values != 0)).all()


UNSIGNED = "fnv8E5M3FNU"


def numbers_without_sign() -> np.ndarray:
    """All 256 patterns as f64: an f16 without its sign and seven digits, but for the largest."""
    numbers = (np.arange(256, dtype=np.uint16) << 7).view(np.float16).astype(np.float64)
    numbers[0xF8:] = 2.0**16 * (1 + np.arange(8) / 8)
    numbers[0xFF] = np.nan
    return numbers


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("target", ["bf16", "f32", "f64", "f8E5M2"])
def test_a_float_without_sign_is_widened(target: str, machine: str) -> None:
    numbers = numbers_without_sign()
    op = operation("ftof", [UNSIGNED], target, rounding_mode="nearest_even")
    found = run(op, np.arange(256, dtype=np.uint8), machine=MACHINES[machine])
    expected = saturated(numbers, target) if target in SMALL else numbers.astype(FLOATS[target])
    check(found, expected, numbers, target)


def without_sign(numbers: np.ndarray) -> np.ndarray:
    """The patterns nearest to the magnitudes of f64 numbers, as CUDA's `cuda_fp8.h` has them."""
    nearest = rounded(np.abs(numbers), UNSIGNED, "nearest_even")
    return np.searchsorted(numbers_without_sign(), nearest)


@pytest.mark.parametrize("source", FLOATS)
def test_a_float_loses_its_sign(source: str) -> None:
    """Infinities saturate, and the NaN is the last pattern."""
    exact = numbers_without_sign()[:-1]
    edges = np.concatenate([exact, (exact[1:] + exact[:-1]) / 2, [118784, 122880, 131072]])
    with np.errstate(over="ignore"):
        edges = edges.astype(FLOATS[source])
    values = np.concatenate([SOURCES[source], edges, -edges])
    op = operation("ftof", [source], UNSIGNED, rounding_mode="nearest_even")
    found, expected = run(op, values), without_sign(values.astype(np.float64))
    wrong = found != expected
    assert not wrong.any(), (values[wrong][:5], found[wrong][:5], expected[wrong][:5])


def test_special_numbers_without_sign() -> None:
    values = np.array([-0.0, -1, -np.inf, np.inf, 1e30, np.nan, -np.nan, -(2.0**-17)], np.float32)
    op = operation("ftof", ["f32"], UNSIGNED, rounding_mode="nearest_even")
    assert run(op, values).tolist() == [0, 0x78, 0xFE, 0xFE, 0xFE, 0xFF, 0xFF, 1]


@pytest.mark.parametrize("source", ["i1", "i8", "i32", "i64"])
def test_integers_lose_their_sign(source: str) -> None:
    values = integers(source)
    exact = exact_floats(values, source, signed=True)
    op = operation(
        "itof", [source], UNSIGNED, signedness="signed", rounding_mode="nearest_even"
    )  # fmt: skip
    assert (run(op, values) == without_sign(exact)).all()


def test_a_float_without_sign_becomes_an_integer() -> None:
    numbers = numbers_without_sign()
    op = operation(
        "ftoi", [UNSIGNED], "i32", signedness="signed", saturating=False,
        rounding_mode="nearest_int_to_zero",
    )  # fmt: skip
    found = run(op, np.arange(256, dtype=np.uint8))
    assert (found == np.nan_to_num(numbers, nan=0.0).astype(np.uint32)).all()
