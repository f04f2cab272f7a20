"""Floating-point text: read back it is the number; NVIDIA's tool writes the same digits."""

from __future__ import annotations

import random
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tileir.builder import Module
from tileir.ir.constants import Constant, element_size
from tileir.ir.floats import FORMATS
from tileir.text.printer import disassemble
from tileir.text.printer.numbers import float_text
from tileir.types import Scalar, Tile

LISTED = 64
"""Elements a constant, few enough to be listed."""

DTYPES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
}


def patterns(name: str, count: int, draw: random.Random) -> list[int]:
    """Random patterns, and numbers with few digits, of the format."""
    width = Scalar(name).bits
    found = [draw.getrandbits(width) for _ in range(count)]
    if name in DTYPES:
        short = [round(draw.uniform(-1, 1) * 10 ** draw.randrange(-9, 9), 3) for _ in range(count)]
        with np.errstate(over="ignore"):
            numbers = np.array(short).astype(DTYPES[name])
        found += [int.from_bytes(number.tobytes(), "little") for number in numbers]
    return found


@pytest.mark.oracle
@pytest.mark.parametrize("name", FORMATS)
def test_the_tool_writes_the_same_digits(name: str, tool, tmp_path: Path) -> None:
    element = Scalar(name)
    draw = random.Random(name)
    module = Module()
    kernel = module.function("numbers")
    size = element_size(element)
    listed = list(range(1 << element.bits)) if element.bits <= 8 else patterns(name, 800, draw)
    for start in range(0, len(listed) - LISTED + 1, LISTED) if len(listed) >= LISTED else [0]:
        part = listed[start : start + LISTED]
        data = b"".join(bits.to_bytes(size, "little") for bits in part)
        kernel.constant(value=Constant(Tile(element, (len(part),)), data))
    kernel.return_()
    path = tmp_path / "numbers.tileirbc"
    path.write_bytes(module.build())
    done = tool("tileirdisasm", path)
    assert done.returncode == 0, done.stderr
    assert disassemble(path.read_bytes()) == done.stdout.decode()


@pytest.mark.parametrize("name", DTYPES)
def test_the_text_reads_back(name: str) -> None:
    width = Scalar(name).bits
    for bits in patterns(name, 300, random.Random(name)):
        text = float_text(name, bits, width)
        if text.startswith("0x"):
            assert text == f"0x{bits:0{width // 4}X}"
        else:
            # f16, bf16 and the like by way of f64: exact enough for as few digits as they have
            number = np.array(float(text)).astype(DTYPES[name])
            assert int.from_bytes(number.tobytes(), "little") == bits


@given(st.integers(0, 2**64 - 1))
@example(0x3FEBDF3B645A1CAC)  # 0.871, which the short form misses
@example(0x7FEFFFFFFFFFFFFF)
@example(1)
def test_f64(bits: int) -> None:
    text = float_text("f64", bits, 64)
    number = np.array(bits, np.uint64).view(np.float64)
    if text.startswith("0x"):
        assert int(text, 16) == bits
        assert not np.isfinite(number) or float(number).is_integer()
    else:
        assert np.float64(text).view(np.uint64) == bits
