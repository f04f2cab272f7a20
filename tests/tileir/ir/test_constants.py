"""Constants from arrays and numbers: bit for bit what NumPy and ml_dtypes have."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tileir import BuildError
from tileir.builder import Module, number, splat
from tileir.ir.arrays import DTYPES, ELEMENTS
from tileir.ir.constants import to_constant
from tileir.types import Scalar, Tile

FLOATS = [name for name in DTYPES if Scalar(name).is_float and name != "fnv8E5M3FNU"]


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
