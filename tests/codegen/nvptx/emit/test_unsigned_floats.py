"""fnv8E5M3FNU on GPUs as on the host: numbers, parameters and the scales of a product."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.codegen.host.lowering.test_mma import DTYPES, integers, packed, scaled
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen import compile

TEXT = """
entry @k(
  %s: tile<fnv8E5M3FNU>, %p: tile<ptr<f32>>, %q: tile<ptr<fnv8E5M3FNU>>, %r: tile<ptr<f32>>
) {
  %i = iota : tile<512xi32>
  %pw = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %pb = broadcast %pw : tile<1xptr<f32>> -> tile<512xptr<f32>>
  %po = offset %pb, %i : tile<512xptr<f32>>, tile<512xi32> -> tile<512xptr<f32>>
  %x, %t = load_ptr_tko weak %po : tile<512xptr<f32>> -> tile<512xf32>, token
  %y = ftof %x : tile<512xf32> -> tile<512xfnv8E5M3FNU>
  %qw = reshape %q : tile<ptr<fnv8E5M3FNU>> -> tile<1xptr<fnv8E5M3FNU>>
  %qb = broadcast %qw : tile<1xptr<fnv8E5M3FNU>> -> tile<512xptr<fnv8E5M3FNU>>
  %qo = offset %qb, %i : tile<512xptr<fnv8E5M3FNU>>, tile<512xi32> -> tile<512xptr<fnv8E5M3FNU>>
  %u = store_ptr_tko weak %qo, %y
     : tile<512xptr<fnv8E5M3FNU>>, tile<512xfnv8E5M3FNU> -> token
  %z = ftof %y : tile<512xfnv8E5M3FNU> -> tile<512xf32>
  %f = ftof %s : tile<fnv8E5M3FNU> -> tile<f32>
  %fw = reshape %f : tile<f32> -> tile<1xf32>
  %fb = broadcast %fw : tile<1xf32> -> tile<512xf32>
  %w = mulf %z, %fb : tile<512xf32>
  %rw = reshape %r : tile<ptr<f32>> -> tile<1xptr<f32>>
  %rb = broadcast %rw : tile<1xptr<f32>> -> tile<512xptr<f32>>
  %ro = offset %rb, %i : tile<512xptr<f32>>, tile<512xi32> -> tile<512xptr<f32>>
  %v = store_ptr_tko weak %ro, %w : tile<512xptr<f32>>, tile<512xf32> -> token
  return
}
"""
"""Rounds floats, and widens them times a number that is passed."""


def numbers() -> np.ndarray:
    """Floats of all exponents and both signs; of those in range, half lie between two numbers."""
    random = np.random.default_rng(3)
    inside = np.ldexp(1 + random.integers(0, 16, 400) / 16, random.integers(-19, 18, 400))
    wild = random.integers(0, 1 << 32, 106, np.uint32).view(np.float32)
    special = [np.nan, np.inf, -np.inf, -0.0, -1, 122880]
    return np.concatenate([inside, special, wild]).astype(np.float32)


def results(target: str) -> tuple[np.ndarray, np.ndarray]:
    """Patterns and numbers. The host is given a number for the scalar, the emulator its bits."""
    bytecode = tileir.assemble(TEXT)
    bits, wide = np.zeros(512, np.uint8), np.zeros(512, np.float32)
    arrays = [numbers(), bits, wide]
    if target == "host":
        compile(bytecode)["k"].launch(1, [0.375, *arrays])
    else:
        launch(bytecode, "k", 1, [0x6C, *arrays], target)
    return bits, wide


@pytest.mark.parametrize("target", ["sm_75", "sm_90", "sm_107"])
def test_numbers_are_those_of_the_host(target: str) -> None:
    (bits, wide), (expected, widened) = results(target), results("host")
    assert len(np.unique(bits)) > 150
    np.testing.assert_array_equal(bits, expected)
    np.testing.assert_array_equal(wide, widened)
    near = np.abs(numbers()).astype(np.float64)
    inside = (near > 2.0**-14) & (near < 114688)
    assert (np.abs(widened[inside] / 0.375 - near[inside]) <= near[inside] / 16).all()


@pytest.mark.parametrize("target", ["sm_75", "sm_120"])
def test_scales_without_sign(target: str) -> None:
    """Each 1.5 times a power of two, so that all sums are exact."""
    m, n, k, shared = 16, 8, 64, 16
    x, y = (integers((1, *s), -2, 3, DTYPES["f4E2M1FN"], 1) for s in ((m, k), (k, n)))
    shapes = (1, m, k // shared), (1, k // shared, n)
    powers = [np.random.default_rng(4).integers(-3, 4, shape) for shape in shapes]
    scales = [(power + 15 << 3 | 4).astype(np.uint8) for power in powers]
    z, found = np.zeros((1, m, n), np.float32), np.zeros((1, m, n), np.float32)
    kernel = scaled("f4E2M1FN", "fnv8E5M3FNU", shared, m, n, k, 1)
    launch(kernel.module(), kernel.name, 1, [packed(x), packed(y), z, *scales, found], target)
    wide = [np.ldexp(1.5, power).repeat(shared, 2 - i) for i, power in enumerate(powers)]
    expected = (x.astype(np.float64) * wide[0]) @ (y.astype(np.float64) * wide[1])
    np.testing.assert_array_equal(found, expected.astype(np.float32))
