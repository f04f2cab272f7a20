"""Numbers of every element type are the nearest ones, as NumPy and ml_dtypes have them."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

import tileir
from tileir.ir.arrays import DTYPES
from tileir.ir.constants import Constant
from tileir.ir.floats import FORMATS, value_of
from tileir.text.assembler import assemble
from tileir.text.assembler.literals.numbers import BadNumber, bits_of, float_bits
from tileir.types import Scalar

FLOATS = [name for name in FORMATS if name in DTYPES]
NUMPY = [name for name in FLOATS if name not in ("tf32", "fnv8E5M3FNU")]


def constant(value: str, type: str, element: str = "") -> Constant:
    """The constant of a text such as ``[1, 2]``."""
    element = element or type.split("x")[-1]
    text = f"entry @f() {{ %x = constant <{element}: {value}> : tile<{type}> }}"
    return assemble(text).functions[0].ops[0].attributes["value"]


@pytest.mark.parametrize("name", NUMPY)
def test_every_number_of_a_type_is_read_back(name: str) -> None:
    """All patterns of small types, many of large ones, spelled with all their digits."""
    scalar, chance = Scalar(name), random.Random(name)
    count = min(1 << scalar.bits, 2000)
    patterns = range(count)
    if scalar.bits > 8:
        patterns = {chance.getrandbits(scalar.bits) for _ in range(count)}
    for bits in patterns:
        value = value_of(name, bits)
        if value is not None and np.isfinite(value):
            literal = f"{Fraction(value).numerator}.0" if abs(value) >= 2**60 else f"{value:.1100f}"
            literal = literal if "." in literal else f"{literal}.0"
            assert float_bits(scalar, literal) == bits, (name, hex(bits), literal[:40])


@pytest.mark.parametrize("name", [name for name in NUMPY if name not in ("f64", "f8E8M0FNU")])
def test_ties_go_to_even_and_beside_them_to_the_nearest(name: str) -> None:
    """The middle of two neighbours, and numbers that f64 does not tell from it."""
    scalar, chance = Scalar(name), random.Random(name)
    form = FORMATS[name]
    largest = (
        0x7BFF if name == "f16" else (1 << (form.exponent + form.fraction)) - (2 << form.fraction)
    )
    for _ in range(300):
        low = chance.randrange(0, largest)
        middle = (Fraction(value_of(name, low)) + Fraction(value_of(name, low + 1))) / 2
        digits = f"{middle.numerator * 10**400 // middle.denominator:0402d}"
        exact = f"{digits[:-400]}.{digits[-400:]}"
        assert float_bits(scalar, exact + "0" * 5) == low + (low & 1)
        assert float_bits(scalar, exact + "00001") == low + 1
        below = f"{int(digits) - 1:0402d}"
        assert float_bits(scalar, f"{below[:-400]}.{below[-400:]}99999") == low
        if form.signed:
            sign = 1 << (scalar.bits - 1)
            assert float_bits(scalar, f"-{exact}") == sign | low + (low & 1)


@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "f64"])
def test_decimal_numbers_agree_with_numpy(name: str) -> None:
    """NumPy rounds from f64; numbers of few digits are never that close to the middle."""
    scalar, chance, dtype = Scalar(name), random.Random(name), DTYPES[name]
    width = np.dtype(f"u{dtype.itemsize}")
    for _ in range(2000):
        literal = f"{chance.uniform(-10, 10):.6f}e{chance.randint(-30, 3)}"
        assert float_bits(scalar, literal) == int(np.array(float(literal), dtype).view(width))


def test_what_is_too_large_becomes_infinity_where_there_is_one() -> None:
    infinities = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f8E5M2": 0x7C, "tf32": 0x3FC00}
    for name, bits in infinities.items():
        for literal in ("1.0e39", "1e999999999", "9" * 500 + ".0"):
            assert float_bits(Scalar(name), literal) == bits
    assert float_bits(Scalar("f16"), "65519.99") == 0x7BFF
    assert float_bits(Scalar("f16"), "65520.0") == 0x7C00
    for name in ("f8E4M3FN", "f4E2M1FN", "f8E8M0FNU"):
        with pytest.raises(BadNumber, match="too large"):
            float_bits(Scalar(name), "1.0e39")


def test_the_smallest() -> None:
    assert float_bits(Scalar("f32"), "1.0e-9999999") == 0
    assert float_bits(Scalar("f32"), "-1.0e-9999999") == 0x80000000
    assert float_bits(Scalar("f8E8M0FNU"), "5.877470e-39") == 0
    with pytest.raises(BadNumber, match="which has no zero"):
        float_bits(Scalar("f8E8M0FNU"), "1.0e-9999999")
    with pytest.raises(BadNumber, match="has no sign"):
        float_bits(Scalar("f8E8M0FNU"), "-1.0")


@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "f64", "f8E5M2"])
def test_powers_may_be_written_with_zeros_and_signs(name: str) -> None:
    """Odd spellings are what NumPy and ml_dtypes make of the number that Python reads."""
    dtype = np.dtype(DTYPES[name])
    powers = ["0", "1", "2", "4", "7", "39", "400", "6000"]
    for mantissa in ("1.0", "-1.5", "0.0", "-0.0", "1.", "00012.50", "0.0000000000000000001"):
        for power in powers:
            for sign in ("", "+", "-"):
                for zeros in ("", "0", "0000000", "0" * 900):
                    literal = f"{mantissa}e{sign}{zeros}{power}"
                    with np.errstate(over="ignore"):
                        near = np.array(float(literal)).astype(dtype)
                    wanted = int(near.view(f"u{dtype.itemsize}"))
                    assert float_bits(Scalar(name), literal) == wanted, literal
                    assert float_bits(Scalar(name), literal.replace("e", "E")) == wanted


def test_integers_are_written_as_signed_or_unsigned() -> None:
    for bits in (8, 16, 32, 64):
        scalar = Scalar(f"i{bits}")
        assert bits_of(scalar, "-1") == bits_of(scalar, str(2**bits - 1)) == 2**bits - 1
        assert bits_of(scalar, str(-(2 ** (bits - 1)))) == bits_of(scalar, hex(2 ** (bits - 1)))
        for wrong in (str(2**bits), str(-(2 ** (bits - 1)) - 1)):
            with pytest.raises(BadNumber, match="does not fit"):
                bits_of(scalar, wrong)
    assert [bits_of(Scalar("i1"), text) for text in ("true", "false", "1", "0", "-1")] == [
        1,
        0,
        1,
        0,
        1,
    ]


def test_lists_have_the_shape_of_the_type() -> None:
    found = constant("[[1, 2, 3, 4], [5, 6, 0x7, -8]]", "2x4xi32").array()
    assert found.tolist() == [[1, 2, 3, 4], [5, 6, 7, -8]]
    found = constant("[[[true], // one\n[false]], [[false], [true]]]", "2x2x1xi1").array()
    assert found.tolist() == [[[True], [False]], [[False], [True]]]
    assert constant("[1.5, 2.5]", "2xbf16").array().tolist() == [1.5, 2.5]


@pytest.mark.parametrize("name", ["i1", "i8", "i16", "i32", "i64", *FLOATS])
def test_one_number_stands_for_all(name: str) -> None:
    """In a text without brackets, or with equal ones: one element is written."""
    one = "1" if name.startswith("i") else "1.0"
    for text in (one, f"[{', '.join([one] * 8)}]"):
        made = constant(text, f"8x{name}")
        assert made.is_splat
        assert made.value(5) == 1


def test_bytes_are_elements_one_after_the_other() -> None:
    assert constant('"0x0100000002000000"', "2xi32").array().tolist() == [1, 2]
    found = constant('"0x0100000100000001"', "8xi1").array().astype(int).tolist()
    assert found == [1, 0, 0, 1, 0, 0, 0, 1]
    bits = [index % 3 == 0 for index in range(16)]
    blob = "".join(f"{bit:02X}" for bit in bits)
    assert constant(f'"0x{blob}"', "16xi1").array().tolist() == bits
    assert constant('"0x02030405"', "4xf4E2M1FN").array().astype(float).tolist() == [1, 1.5, 2, 3]
    assert constant('"0x2A"', "4xi8").array().tolist() == [42] * 4
    assert constant('"0x00FC01000002"', "2xtf32").array().tolist() == [1, 2]


def test_a_long_list_is_read() -> None:
    numbers = list(range(1 << 16))
    assert constant(str(numbers), "65536xi32").array().tolist() == numbers
    assert constant(str([n / 4 for n in numbers]), "65536xf32").array().tolist() == [
        n / 4 for n in numbers
    ]


def test_the_wrong_number_of_a_long_list_is_found() -> None:
    text = f"entry @f() {{\n%x = constant <i8: {[*range(100), 999, *range(27)]}> : tile<128xi8>\n}}"
    with pytest.raises(tileir.AssemblyError) as caught:
        assemble(text)
    (problem,) = caught.value.problems
    assert problem.message == "999 does not fit i8"
    assert problem.source[problem.column - 1 :].startswith("999,")
