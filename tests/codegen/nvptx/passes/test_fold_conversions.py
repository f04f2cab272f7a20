"""Conversions between layouts on the narrow side of casts."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.codegen.host.text import Kernel
from tests.codegen.nvptx.decided import decided
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen.kernel import KernelIR

M, N, K = 64, 128, 32


def rounded_product(*arrays: np.ndarray) -> str:
    """A kernel that stores a product as f16."""
    text = Kernel(aligned=True)
    lhs, rhs = text.load(arrays[0]), text.load(arrays[1])
    single, half = f"tile<{M}x{N}xf32>", f"tile<{M}x{N}xf16>"
    text.line(f"%none = constant <f32: 0.0> : {single}")
    text.line(f"%sum = mmaf {lhs}, {rhs}, %none : tile<{M}x{K}xf16>, tile<{K}x{N}xf16>, {single}")
    text.line(f"%half = ftof %sum : {single} -> {half}")
    text.store("%half", arrays[2])
    return text.module()


def conversions(text: str) -> list[str]:
    """The element types of the tiles that are converted."""
    module = tileir.assemble(text)
    kernel = KernelIR.copy_of(module.functions[0], module)
    state = decided(kernel, "sm_80", "fold_conversions")
    ops = [op for op in state.kernel.walk() if op.name == "convert_layout"]
    return [op.result.type.element.name for op in ops]


@pytest.fixture
def factors() -> list[np.ndarray]:
    random = np.random.default_rng(3)
    return [random.integers(-3, 4, shape).astype("f2") for shape in ((M, K), (K, N))]


def test_a_sum_is_rounded_before_it_is_converted(factors: list[np.ndarray]) -> None:
    found = np.zeros((M, N), "f2")
    text = rounded_product(*factors, found)
    assert conversions(text) == ["f16"]
    launch(tileir.assemble(text), "k", 1, [*factors, found], "sm_80")
    np.testing.assert_array_equal(found, factors[0].astype("f4") @ factors[1].astype("f4"))
