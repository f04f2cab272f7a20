"""Constants from arrays and numbers: bit for bit what NumPy and ml_dtypes have."""

from __future__ import annotations

from array import array
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tileir import BuildError
from tileir.builder import Module, number, splat
from tileir.ir.arrays import DTYPES, ELEMENTS
from tileir.ir.constants import to_constant
from tileir.ir.floats import FORMATS, value_of
from tileir.types import Scalar, Tile

FLOATS = [name for name in DTYPES if Scalar(name).is_float and name != "fnv8E5M3FNU"]


ENDLESS: list = []
ENDLESS += [ENDLESS, ENDLESS]


def patterns(name: str) -> np.ndarray:
    """An array of the element type with every pattern, or many of them."""
    bits, dtype = Scalar(name).bits, DTYPES[name]
    if name == "i1":
        return np.array([False, True, True, False] * 4)
    if bits <= 8:
        every = np.arange(1 << bits, dtype=np.uint8)
        return every.astype(dtype) if name == "i4" else every.view(dtype)
    random = np.random.default_rng(7).integers(0, 1 << 64, 256, np.uint64, endpoint=False)
    if name == "tf32":
        return (random >> np.uint64(45) << np.uint64(13)).astype(np.uint32).view(np.float32)
    return (random >> np.uint64(64 - bits)).astype(f"u{bits // 8}").view(dtype)


def bits_of(array: np.ndarray) -> bytes:
    """The bytes of an array's elements."""
    return np.ascontiguousarray(array).tobytes()


@pytest.mark.parametrize("name", DTYPES)
def test_arrays_come_back_bit_for_bit(name: str) -> None:
    array = patterns(name)
    shape = (4, len(array) // 4)
    constant = to_constant(array.reshape(shape), Tile(Scalar(name), shape))
    assert constant.fits
    assert not constant.is_splat
    assert bits_of(constant.array()) == bits_of(array.reshape(shape))
    if name not in ("tf32", "fnv8E5M3FNU", "i1", "i4", "f4E2M1FN"):
        assert bytes(constant.data) == bits_of(array)


@pytest.mark.parametrize("dtype", ELEMENTS, ids=str)
def test_the_element_type_follows_from_an_array(dtype: np.dtype) -> None:
    constant = to_constant(np.zeros((2, 4), dtype))
    assert constant.type == Tile(Scalar(ELEMENTS[dtype]), (2, 4))


@pytest.mark.oracle
@pytest.mark.parametrize("name", [n for n in DTYPES if n not in ("i4", "fnv8E5M3FNU")])
def test_nvidia_reads_the_same_numbers(name: str, tool, tmp_path: Path) -> None:
    array = patterns(name)[:8]
    values = array.astype(np.float64)
    module = Module()
    kernel = module.function("main")
    kernel.constant(array, result=name)
    kernel.return_()
    path = tmp_path / "constant.tileirbc"
    path.write_bytes(module.build())
    done = tool("tileirdisasm", path)
    assert done.returncode == 0, done.stderr
    (line,) = (line for line in done.stdout.decode().splitlines() if "constant" in line)
    printed = line[line.index("[") + 1 : line.rindex("]")].split(", ")
    assert len(printed) == 8
    constant = to_constant(array, Tile(Scalar(name), (8,)))
    for place, (text, value) in enumerate(zip(printed, values, strict=True)):
        if text.startswith("0x"):  # a number that no short decimal says exactly
            assert int(text, 16) == constant.bits(place)
        elif text in ("true", "false"):
            assert (text == "true") == bool(value)
        else:
            assert np.isclose(float(text), value, rtol=1e-5, atol=0)


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("size", [1, 2, 8, 16])
def test_booleans_full_of_one(value: bool, size: int) -> None:
    constant = splat(value, f"{size}xi1")
    assert constant.fits
    assert len(constant.data) == 1
    assert constant.array().tolist() == [value] * size


def test_one_number_stays_one_element() -> None:
    constant = splat(1.5, "1024xf32")
    assert constant.is_splat
    assert bytes(constant.data) == np.float32(1.5).tobytes()
    whole = to_constant(np.full(1024, 1.5, np.float32))
    assert len(whole.data) == 4096
    assert (constant.array() == whole.array()).all()


def test_arrays_are_not_copied() -> None:
    array = np.zeros((64, 64), np.float32)
    constant = to_constant(array)
    assert np.shares_memory(np.frombuffer(constant.data, np.uint8), array)


def test_byte_order_and_strides_do_not_matter() -> None:
    array = np.arange(12, dtype=">i4").reshape(3, 4)[:2, ::2]
    assert to_constant(array).array().tolist() == [[0, 2], [4, 6]]
    assert to_constant(np.array(3, ">f8")).array() == 3


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("value", [0.0, -1.5, 0.1, 1 / 3, 65519.0, 1e-8, float("inf")])
def test_numbers_are_rounded_as_ml_dtypes_does(name: str, value: float) -> None:
    ours = to_constant(value, Tile(Scalar(name))).array()
    if name == "tf32":
        assert np.isinf(value) or abs(float(ours) / np.float32(value or 1) - bool(value)) <= 2**-11
        return
    theirs = np.asarray(value, np.float64).astype(DTYPES[name])
    assert bits_of(ours) == bits_of(theirs)


def odd_f32(numbers: np.ndarray) -> np.ndarray:
    """Numbers of f32 that every narrower type rounds as it should the numbers of f64 themselves.

    Of two neighbours the one with an odd last bit, which is never half way between two of theirs.
    ml_dtypes goes through f32, which without this rounds twice.
    """
    near = numbers.astype(np.float32)
    toward_zero = np.where(abs(near) > abs(numbers), np.nextafter(near, np.float32(0)), near)
    inexact = np.isfinite(numbers) & (near != numbers)
    return np.where(inexact, toward_zero.view(np.uint32) | 1, near.view(np.uint32)).view(np.float32)


@pytest.mark.parametrize("name", FLOATS)
def test_numbers_are_rounded_once(name: str) -> None:
    """To NumPy's and ml_dtypes' bits, halfway between two numbers of the type and beside that."""
    random = np.random.default_rng(3)
    numbers = random.standard_normal(200) * 2.0 ** random.integers(-150, 150, 200)
    near = unpack(name, random.integers(0, 1 << 62, 300, np.int64))
    near = near[np.isfinite(near)]
    halves = near * (1 + 2.0 ** -(FORMATS[name].fraction + 1))
    halves = np.concatenate([halves, np.nextafter(halves, 0), np.nextafter(halves, np.inf)])
    special = [0.0, -0.0, 1e300, -1e300, np.inf, -np.inf]
    special += [] if name == "f4E2M1FN" else [np.nan, -np.nan]
    numbers = np.concatenate([numbers, near, halves, special])
    if name == "f8E8M0FNU":  # which has no zero; f32 has one, and subnormal numbers beside it
        numbers = numbers[~((numbers > 0) & (numbers < 2.0**-126))]
        assert to_constant([1e-300, 2.0**-127], Tile(Scalar(name), (2,))).data == b"\0\0"
    ours = to_constant(numbers.tolist(), Tile(Scalar(name), numbers.shape))
    with np.errstate(over="ignore", invalid="ignore"):
        if name == "tf32":
            bits = odd_f32(numbers).view(np.uint32).astype(np.uint64)
            rounded = bits + 0xFFF + (bits >> np.uint64(13) & np.uint64(1))
            kept = np.where(np.isnan(numbers), bits, rounded) >> np.uint64(13)
            assert [ours.bits(index) for index in range(len(numbers))] == kept.tolist()
            return
        wide = name in ("f16", "f32", "f64")
        theirs = (numbers if wide else odd_f32(numbers)).astype(DTYPES[name])
    assert bits_of(ours.array()) == bits_of(theirs)


def unpack(name: str, random: np.ndarray) -> np.ndarray:
    """Random numbers of a type, as f64."""
    values = [value_of(name, int(bits) & (1 << Scalar(name).bits) - 1) for bits in random]
    return np.array([value for value in values if abs(value) < 1e37])


def test_a_type_without_nan() -> None:
    for value in (float("nan"), [1.0, float("nan")]):
        with pytest.raises(BuildError, match="f4E2M1FN has no NaN"):
            to_constant(value, Tile(Scalar("f4E2M1FN"), (2,)))


@pytest.mark.parametrize("name", [name for name in DTYPES if name != "fnv8E5M3FNU"])
def test_lists_and_arrays_make_the_same_constant(name: str) -> None:
    numbers = [[1, 0, 1], [0, 1, 1]] if name == "i1" else [[1, 2, 4], [0.5, 2, 1]]
    if Scalar(name).is_integer:
        numbers = [[int(number) for number in row] for row in numbers]
    type = Tile(Scalar(name), (2, 3))
    wanted = bytes(to_constant(np.array(numbers).astype(DTYPES[name]), type).data)
    rows = (tuple(numbers[0]), array("d" if Scalar(name).is_float else "b", numbers[1]))
    for value in (numbers, rows, np.array(numbers, object).tolist()):
        assert bytes(to_constant(value, type).data) == wanted


@pytest.mark.parametrize(("name", "bits"), [("i4", 4), ("i8", 8), ("i32", 32), ("i64", 64)])
def test_integers_signed_or_not(name: str, bits: int) -> None:
    for value in (0, 1, (1 << bits) - 1, -1, -(1 << (bits - 1)), (1 << (bits - 1)) - 1):
        pattern = to_constant(value, Tile(Scalar(name))).bits()
        assert pattern & ((1 << bits) - 1) == value % (1 << bits)
    for value in (1 << bits, -(1 << (bits - 1)) - 1, 1.5, "1", None):
        with pytest.raises(BuildError):
            to_constant(value, Tile(Scalar(name)))


@pytest.mark.parametrize(
    ("value", "type"),
    [
        (np.zeros(4, np.complex64), None),
        (np.array(["a"]), None),
        (np.array([None]), None),
        (np.zeros(4, np.float32), Tile(Scalar("i32"), (4,))),
        (np.zeros(4, np.uint8), Tile(Scalar("f8E5M2"), (4,))),
        (np.array([0.1], np.float32), Tile(Scalar("tf32"), (1,))),
        ([1, 2], Tile(Scalar("i32"), (4,))),
        ([[1], [2, 3]], Tile(Scalar("i32"), (2,))),
        (object(), Tile(Scalar("f32"))),
        ("1.5", Tile(Scalar("f32"))),
        (["1", "2"], Tile(Scalar("f32"), (2,))),
        (1j, Tile(Scalar("f32"))),
        (None, Tile(Scalar("f32"))),
        (10**400, Tile(Scalar("f32"))),
        (ENDLESS, Tile(Scalar("f32"), (2, 2))),
        (1, None),
    ],
)
def test_what_is_no_constant(value, type) -> None:
    with pytest.raises(BuildError):
        to_constant(value, type)


def test_numbers_as_attributes() -> None:
    assert number(-1, "i32").value == -1
    assert number(float("-inf"), "f64").bits == 0xFFF << 52
    assert number(1, "i1").bits == 1
    assert number(ml_dtypes.bfloat16(2), "bf16").value == 2
