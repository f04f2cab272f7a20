"""Every pattern of the small formats means what ml_dtypes says; the wide ones what struct says."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tileir.ir.arrays import DTYPES
from tileir.ir.floats import FORMATS, spell, value_of


def same(ours: float, theirs: float) -> bool:
    if math.isnan(ours) or math.isnan(theirs):
        return math.isnan(ours) and math.isnan(theirs)
    return ours == theirs and math.copysign(1, ours) == math.copysign(1, theirs)


@pytest.mark.parametrize("name", ["f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN", "f16", "bf16"])
def test_every_pattern(name: str) -> None:
    form = FORMATS[name]
    bits = form.exponent + form.fraction + form.signed
    patterns = np.arange(1 << bits, dtype=np.uint16 if bits > 8 else np.uint8)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        theirs = patterns.view(DTYPES[name]).astype(np.float64).tolist()
    for pattern, expected in enumerate(theirs):
        assert same(value_of(name, pattern), expected), hex(pattern)


@given(st.integers(0, 2**32 - 1))
def test_f32_and_tf32(bits: int) -> None:
    expected = struct.unpack("<f", struct.pack("<I", bits))[0]
    assert same(value_of("f32", bits), expected)
    cut = struct.unpack("<f", struct.pack("<I", bits >> 13 << 13))[0]
    assert same(value_of("tf32", bits >> 13), cut)


@given(st.integers(0, 2**64 - 1))
def test_f64(bits: int) -> None:
    assert same(value_of("f64", bits), struct.unpack("<d", struct.pack("<Q", bits))[0])


def test_spelling() -> None:
    assert spell("f32", 0x40400000, 32) == "3.0"
    assert spell("f32", 0xFF800000, 32) == "-inf"
    assert spell("f16", 0x7E00, 16) == "0x7E00 (nan)"
    assert spell("fnv8E5M3FNU", 0x12, 8) == "0.000152587890625"
