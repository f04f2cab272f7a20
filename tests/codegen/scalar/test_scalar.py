"""One element: every op and element type against NumPy, on the values where things go wrong."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.codegen.build import Kernel
from tests.codegen.reference import (
    DTYPES,
    FLOATS,
    INTEGERS,
    NEAREST,
    ROUNDED,
    apply,
    fused_exactly,
    nonzero,
    padded,
    pairs,
    same,
    special,
    unsigned,
)
from tileir.codegen import compile
from tileir.codegen.scalar import elementwise as table
from tileir.codegen.scalar.constants import padding_bits
from tileir.types import Scalar

from .emitters import SMALL, operation, run

pytestmark = pytest.mark.usefixtures("quiet")


WRAPPING = {
    "addi": np.add, "subi": np.subtract, "muli": np.multiply,
    "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor,
}  # fmt: skip


@pytest.mark.parametrize("element", INTEGERS)
@pytest.mark.parametrize("name", WRAPPING)
def test_integer_arithmetic_wraps(name: str, element: str) -> None:
    lhs, rhs = pairs(element)
    attributes = {"overflow": "no_wrap"} if name in ("addi", "subi", "muli") else {}
    found = apply(name, [lhs, rhs], [element] * 2, element, **attributes)
    same(found, WRAPPING[name](lhs, rhs))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("addi", "xor"), ("subi", "xor"), ("muli", "and"), ("andi", "and"), ("ori", "or"),
     ("xori", "xor"), ("mulhii", "zero")],
)  # fmt: skip
def test_booleans_are_one_bit_integers(name: str, expected: str) -> None:
    lhs, rhs = pairs("i1")
    rules = {"xor": lhs ^ rhs, "and": lhs & rhs, "or": lhs | rhs, "zero": lhs & False}
    same(apply(name, [lhs, rhs], ["i1"] * 2, "i1"), rules[expected])


@pytest.mark.parametrize("element", ["i1", *INTEGERS])
def test_negation_and_magnitude(element: str) -> None:
    (values,) = padded(special(element))
    expected = -values if element != "i1" else values
    same(apply("negi", [values], [element], element, overflow="none"), expected)
    magnitude = np.abs(values)
    same(apply("absi", [values], [element], element), magnitude)


@pytest.mark.parametrize("element", INTEGERS)
def test_high_half_of_a_product_is_unsigned(element: str) -> None:
    lhs, rhs = pairs(element)
    bits = 8 * lhs.itemsize
    products = [int(a) * int(b) >> bits for a, b in zip(unsigned(lhs), unsigned(rhs), strict=True)]
    expected = np.array(products, f"uint{bits}").view(lhs.dtype)
    same(apply("mulhii", [lhs, rhs], [element] * 2, element), expected)


def exact_quotient(lhs: int, rhs: int, rounding: str) -> int:
    quotient = Fraction(lhs, rhs)
    rules = {"zero": math.trunc, "negative_inf": math.floor, "positive_inf": math.ceil}
    return rules[rounding](quotient)


@pytest.mark.parametrize(
    ("signedness", "rounding"),
    [
        *[("signed", rounding) for rounding in ("zero", "negative_inf", "positive_inf")],
        *[("unsigned", rounding) for rounding in ("zero", "positive_inf")],
    ],
)
@pytest.mark.parametrize("element", ["i1", *INTEGERS])
def test_division_rounds_as_asked_and_never_traps(
    element: str, signedness: str, rounding: str
) -> None:
    lhs, rhs = pairs(element)
    bits = 1 if element == "i1" else 8 * lhs.itemsize
    kind = {"signedness": signedness}
    found = apply("divi", [lhs, rhs], [element] * 2, element, rounding=rounding, **kind)
    rest = apply("remi", [lhs, rhs], [element] * 2, element, **kind)

    def number(value: object) -> int:
        value = int(value)
        if element == "i1":
            return -value if signedness == "signed" else value
        return value % (1 << bits) if signedness == "unsigned" else value

    def pattern(value: object) -> int:
        return int(value) % (1 << bits)

    for a, b, quotient, left in zip(lhs, rhs, found, rest, strict=True):
        x, y = number(a), number(b)
        if y == 0 or (signedness == "signed" and y == -1 and x == -(1 << (bits - 1))):
            continue
        expected = exact_quotient(x, y, rounding)
        assert pattern(quotient) == expected % (1 << bits), (x, y)
        assert pattern(left) == (x - y * exact_quotient(x, y, "zero")) % (1 << bits), (x, y)


@pytest.mark.parametrize("element", INTEGERS)
def test_shifts_by_any_amount(element: str) -> None:
    lhs, rhs = pairs(element)
    bits = 8 * lhs.itemsize
    amounts = [min(int(amount), bits) for amount in unsigned(rhs)]
    mask = (1 << bits) - 1

    def expected(rule) -> np.ndarray:
        numbers = [rule(int(a), n) & mask for a, n in zip(lhs, amounts, strict=True)]
        return np.array(numbers, f"uint{bits}").view(lhs.dtype)

    types = [element] * 2
    left = apply("shli", [lhs, rhs], types, element, overflow="none")
    same(left, expected(lambda a, n: a << n))
    right = apply("shri", [lhs, rhs], types, element, signedness="signed")
    same(right, expected(lambda a, n: a >> n))
    logical = apply("shri", [lhs, rhs], types, element, signedness="unsigned")
    same(logical, expected(lambda a, n: (a & mask) >> n))


RELATIONS = {
    "equal": np.equal, "not_equal": np.not_equal, "less_than": np.less,
    "less_than_or_equal": np.less_equal, "greater_than": np.greater,
    "greater_than_or_equal": np.greater_equal,
}  # fmt: skip


@pytest.mark.parametrize("signedness", ["signed", "unsigned"])
@pytest.mark.parametrize("element", ["i1", *INTEGERS])
def test_integer_comparisons_and_extremes(element: str, signedness: str) -> None:
    lhs, rhs = pairs(element)
    a, b = lhs, rhs
    if element == "i1" and signedness == "signed":
        a, b = -lhs.astype(np.int8), -rhs.astype(np.int8)
    elif element != "i1" and signedness == "unsigned":
        a, b = unsigned(lhs), unsigned(rhs)
    kind = {"signedness": signedness}
    for predicate, relation in RELATIONS.items():
        found = apply(
            "cmpi", [lhs, rhs], [element] * 2, "i1", comparison_predicate=predicate, **kind
        )
        same(found, relation(a, b))
    same(apply("mini", [lhs, rhs], [element] * 2, element, **kind), np.where(a < b, lhs, rhs))
    same(apply("maxi", [lhs, rhs], [element] * 2, element, **kind), np.where(a > b, lhs, rhs))


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("name", ROUNDED)
def test_float_arithmetic_rounds_to_nearest(name: str, element: str) -> None:
    lhs, rhs = pairs(element)
    with np.errstate(all="ignore"):
        expected = ROUNDED[name](lhs, rhs)
    same(apply(name, [lhs, rhs], [element] * 2, element, **NEAREST), expected)


def flushed(array: np.ndarray) -> np.ndarray:
    tiny = np.abs(array) < np.finfo(array.dtype).tiny
    return np.where(tiny, np.copysign(np.zeros_like(array), array), array)


@pytest.mark.parametrize("name", ROUNDED)
def test_subnormals_are_flushed_on_request(name: str) -> None:
    lhs, rhs = pairs("f32")
    with np.errstate(all="ignore"):
        expected = flushed(ROUNDED[name](flushed(lhs), flushed(rhs)))
    attributes = NEAREST | {"flush_to_zero": True}
    same(apply(name, [lhs, rhs], ["f32"] * 2, "f32", **attributes), expected)


def test_fma_rounds_once() -> None:
    values = special("f32")
    values = values[np.isfinite(values)]
    random = np.random.default_rng(3)
    a, b, c = (random.choice(values, 4096) for _ in range(3))
    a[:2048] = random.standard_normal(2048)
    c[:1024] = -(a[:1024] * b[:1024].clip(-10, 10))
    b = b.clip(-1e30, 1e30)
    found = apply("fma", [a, b, c], ["f32"] * 3, "f32", **NEAREST)
    same(found, fused_exactly(a, b, c, "f32"), nonzero(a, b, c))


@pytest.mark.parametrize("element", FLOATS)
def test_sign_ops_touch_one_bit(element: str) -> None:
    (values,) = padded(special(element))
    same_bits = unsigned(values)
    sign = same_bits.dtype.type(1) << same_bits.dtype.type(8 * values.itemsize - 1)
    flipped = unsigned(apply("negf", [values], [element], element))
    cleared = unsigned(apply("absf", [values], [element], element))
    assert (flipped == same_bits ^ sign).all()
    assert (cleared == same_bits & ~sign).all()


@pytest.mark.parametrize("ordering", ["ordered", "unordered"])
@pytest.mark.parametrize("predicate", RELATIONS)
@pytest.mark.parametrize("element", FLOATS)
def test_float_comparisons(element: str, predicate: str, ordering: str) -> None:
    lhs, rhs = pairs(element)
    nan = np.isnan(lhs) | np.isnan(rhs)
    expected = np.where(nan, ordering == "unordered", RELATIONS[predicate](lhs, rhs))
    attributes = {"comparison_predicate": predicate, "comparison_ordering": ordering}
    same(apply("cmpf", [lhs, rhs], [element] * 2, "i1", **attributes), expected)


@pytest.mark.parametrize("propagate", [False, True])
@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("name", ["minf", "maxf"])
def test_float_extremes_order_zeros_and_treat_nan(name: str, element: str, propagate: bool) -> None:
    lhs, rhs = pairs(element)

    def one(a: float, b: float) -> float:
        if math.isnan(a) or math.isnan(b):
            both = math.isnan(a) and math.isnan(b)
            return math.nan if propagate or both else b if math.isnan(a) else a
        choose = min if name == "minf" else max
        return choose(a, b, key=lambda v: (v, math.copysign(1, v)))

    expected = np.array([one(float(a), float(b)) for a, b in zip(lhs, rhs, strict=True)], lhs.dtype)
    attributes = {"propagate_nan": propagate, "flush_to_zero": False}
    same(apply(name, [lhs, rhs], [element] * 2, element, **attributes), expected)


@pytest.mark.parametrize("signedness", ["signed", "unsigned"])
@pytest.mark.parametrize("source", ["i1", *INTEGERS])
@pytest.mark.parametrize("target", ["f32", "f64"])
def test_integers_to_floats(source: str, target: str, signedness: str) -> None:
    (values,) = padded(special(source))
    if source == "i64":
        near = [(1 << 24) + 1, (1 << 53) + 1, (1 << 62) + 1, (3 << 61) + 1, -(1 << 53) - 1]
        (values,) = padded(np.concatenate([values, np.array(near)]))
    numbers = values.astype(np.int8) if source == "i1" else values
    if signedness == "unsigned":
        numbers = unsigned(numbers)
    elif source == "i1":
        numbers = -numbers
    attributes = {"signedness": signedness, "rounding_mode": "nearest_even"}
    found = apply("itof", [values], [source], target, **attributes)
    same(found, numbers.astype(DTYPES[target]))


@pytest.mark.parametrize("signedness", ["signed", "unsigned"])
@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source", ["f32", "f64"])
def test_floats_to_integers_truncate_and_saturate(
    source: str, target: str, signedness: str
) -> None:
    near = np.array(
        [0.5, -0.5, 0.99, -0.99, 2.5, -2.5, 1e10, -1e10, 127.9, 255.9, 2**31],
        source.replace("f", "float"),
    )
    (values,) = padded(np.concatenate([special(source), near]))
    bits = 8 * DTYPES[target].itemsize
    low = -(1 << (bits - 1)) if signedness == "signed" else 0
    high = (1 << (bits - (signedness == "signed"))) - 1

    def one(value: float) -> int:
        if math.isnan(value):
            return 0
        clamped = high if value > high else low if value < low else math.trunc(value)
        return min(max(clamped, low), high) % (1 << bits)

    expected = np.array([one(float(value)) for value in values], np.uint64)
    expected = expected.astype(f"uint{bits}").view(DTYPES[target])
    attributes = {"signedness": signedness, "rounding_mode": "nearest_int_to_zero"}
    found = apply("ftoi", [values], [source], target, saturating=True, **attributes)
    same(found, expected)


def test_floats_to_floats() -> None:
    (narrow,), (wide,) = padded(special("f32")), padded(special("f64"))
    attributes = {"rounding_mode": "nearest_even"}
    same(apply("ftof", [narrow], ["f32"], "f64", **attributes), narrow.astype("f8"))
    with np.errstate(all="ignore"):
        same(apply("ftof", [wide], ["f64"], "f32", **attributes), wide.astype("f4"))


@pytest.mark.parametrize(("source", "target"), [("i1", "i8"), ("i8", "i64"), ("i32", "i64")])
def test_integers_change_width(source: str, target: str) -> None:
    (values,) = padded(special(source))
    numbers = values.astype(np.int8) if source == "i1" else values
    signed = apply("exti", [values], [source], target, signedness="signed")
    same(signed, (-numbers if source == "i1" else numbers).astype(DTYPES[target]))
    zero = apply("exti", [values], [source], target, signedness="unsigned")
    same(zero, unsigned(numbers).astype(DTYPES[target]))
    (wide,) = padded(special(target))
    short = apply("trunci", [wide], [target], source, overflow="none")
    expected = (wide & 1).astype(bool) if source == "i1" else wide.astype(DTYPES[source])
    same(short, expected)


@pytest.mark.parametrize("element", ["i1", *INTEGERS, "f32", "f64"])
def test_select(element: str) -> None:
    lhs, rhs = pairs(element)
    condition = np.arange(len(lhs)) % 3 == 0
    found = apply("select", [condition, lhs, rhs], ["i1", element, element], element)
    assert found.tobytes() == np.where(condition, lhs, rhs).tobytes()


@pytest.mark.parametrize(("source", "target"), [("f32", "i32"), ("i64", "f64"), ("f64", "f64")])
def test_bitcast_keeps_bits(source: str, target: str) -> None:
    (values,) = padded(special(source))
    assert apply("bitcast", [values], [source], target).tobytes() == values.tobytes()


WIDTHS = [("i8", "f8E4M3FN"), ("f8E5M2", "f8E8M0FNU"), ("f4E2M1FN", "f4E2M1FN"), ("tf32", "tf32")]


@pytest.mark.parametrize(("source", "target"), [*WIDTHS, ("bf16", "f16"), ("i16", "bf16")])
def test_bitcast_of_narrow_elements_keeps_bits(source: str, target: str) -> None:
    """A tf32 has the bits of an f32, the last of them clear."""
    kind = {"i16": "u2", "bf16": "u2", "tf32": "u4"}.get(source, "u1")
    most = 16 if source == "f4E2M1FN" else 256
    values = np.arange(most, dtype=kind) << (13 if source == "tf32" else 0)
    assert (run(operation("bitcast", [source], target), values) == values).all()


def test_four_bit_integers_change_width() -> None:
    nibbles = np.arange(16, dtype=np.uint8)
    numbers = np.where(nibbles < 8, nibbles, nibbles.astype(np.int8) - 16)
    for target in INTEGERS:
        dtype = DTYPES[target]
        signed = run(operation("exti", ["i4"], target, signedness="signed"), nibbles)
        assert (signed.view(dtype) == numbers.astype(dtype)).all()
        unchanged = run(operation("exti", ["i4"], target, signedness="unsigned"), nibbles)
        assert (unchanged == nibbles).all()
        wide = np.arange(-100, 100).astype(dtype)
        short = run(operation("trunci", [target], "i4", overflow="none"), wide)
        assert (short == (wide & 15).astype(np.uint8)).all()
    flags = np.array([0, 1], np.uint8)
    signed = run(operation("exti", ["i1"], "i4", signedness="signed"), flags)
    assert signed.tolist() == [0, 15]


def test_booleans_are_shifted_by_nothing_or_out() -> None:
    lhs, rhs = pairs("i1")
    same(apply("shli", [lhs, rhs], ["i1"] * 2, "i1", overflow="none"), lhs & ~rhs)
    same(apply("shri", [lhs, rhs], ["i1"] * 2, "i1", signedness="unsigned"), lhs & ~rhs)
    same(apply("shri", [lhs, rhs], ["i1"] * 2, "i1", signedness="signed"), lhs)


def test_one_element_is_computed_as_many_are() -> None:
    kernel = Kernel("apply", "f32", "f32", "ptr<f32>")
    a, b, out = kernel.parameters
    total = kernel.op("addf", a, b, results=["f32"], **NEAREST)
    row = kernel.op("reshape", total, results=["1xf32"])
    kernel.store(row, kernel.view(out, [1], [1]), *kernel.zeros(1))
    result = np.zeros(1, np.float32)
    compile(kernel.module())["apply"].launch(1, [0.1, 0.2, result])
    assert result[0] == np.float32(0.1) + np.float32(0.2)


def test_what_is_not_lowered_has_a_reason() -> None:
    kernel = Kernel("apply", "f32")
    (single,) = kernel.parameters
    kernel.op("ftof", single, results=["fnv8E5M3FNU"], rounding_mode="nearest_even")
    kernel.op("mmaf", single, single, single, results=["f32"])
    reasons = [table.why_not(op) for op in kernel.block.ops]
    assert reasons == [None, "it is not lowered yet"]


PADDING = {
    "zero": 0.0, "neg_zero": -0.0, "nan": np.nan, "pos_inf": np.inf, "neg_inf": -np.inf
}  # fmt: skip
LACKING = {
    "f8E4M3FN": ("pos_inf", "neg_inf"),
    "f4E2M1FN": ("nan", "pos_inf", "neg_inf"),
    "f8E8M0FNU": ("zero", "neg_zero", "pos_inf", "neg_inf"),
}


@pytest.mark.parametrize("element", SMALL)
def test_padding_has_the_patterns_of_ml_dtypes(element: str) -> None:
    for name, value in PADDING.items():
        found = padding_bits(Scalar(element), name)
        if name not in LACKING.get(element, ()):
            assert found == int(unsigned(np.array([value]).astype(SMALL[element]))[0])
        elif name != "zero":
            assert found is None


def test_padding_of_other_elements() -> None:
    for name, value in PADDING.items():
        for element, dtype in (("f32", "f4"), ("f64", "f8")):
            found = padding_bits(Scalar(element), name)
            assert found == int(unsigned(np.array([value], dtype))[0])
        short = int(unsigned(np.array([value], "f4"))[0]) >> 13
        assert padding_bits(Scalar("tf32"), name) == short
    # The least number of a format without a zero: what NVIDIA's compiler puts there.
    assert padding_bits(Scalar("f8E8M0FNU"), "zero") == 0
    assert padding_bits(Scalar("fnv8E5M3FNU"), "neg_zero") == 0
    assert padding_bits(Scalar("i32"), "zero") == 0
    assert padding_bits(Scalar("i32"), None) == 0
    assert padding_bits(Scalar("i32"), "nan") is None
