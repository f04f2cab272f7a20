"""Conversions between floats by PTX's instructions, where a GPU has them, against ml_dtypes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.codegen.build import elementwise
from tests.codegen.nvptx.on_emulator import launch
from tests.codegen.scalar.emitters import FLOATS, patterns
from tests.codegen.scalar.test_conversions import bits, check, interesting, saturated
from tileir.codegen import compile

SIZE = 1024
PER_THREAD = SIZE // 128
PAIRS = {"f8E4M3FN": "e4m3x2", "f8E5M2": "e5m2x2"}
NARROW = ("bf16", *PAIRS)


@np.errstate(all="ignore")
def sampled() -> np.ndarray:
    """Some of the numbers that rounding is about, the last and most special ones among them."""
    numbers = interesting("f32", 4000)
    chosen = np.random.default_rng(4).permutation(numbers)[: SIZE - 12]
    return np.concatenate([chosen, numbers[-12:]])


def module(source: str, target: str):
    return elementwise("ftof", [source], target, SIZE, rounding_mode="nearest_even")


@pytest.mark.parametrize("gpu", ["sm_75", "sm_80", "sm_89", "sm_90"])
@pytest.mark.parametrize("target", NARROW)
def test_floats_are_rounded(target: str, gpu: str) -> None:
    numbers, found = sampled(), np.zeros(SIZE, FLOATS[target])
    launch(module("f32", target), "apply", 1, [numbers, found], gpu)
    with np.errstate(all="ignore"):
        check(bits(found), saturated(numbers, target), numbers, target)


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
@pytest.mark.parametrize("source", PAIRS)
def test_bytes_are_widened(source: str, gpu: str) -> None:
    numbers, found = np.resize(patterns(source), SIZE), np.zeros(SIZE, np.float32)
    launch(module(source, "f32"), "apply", 1, [numbers, found], gpu)
    np.testing.assert_array_equal(found, numbers.astype(np.float32))
    assert (np.signbit(found) == np.signbit(numbers.astype(np.float32)))[~np.isnan(found)].all()


@pytest.mark.parametrize("narrow", PAIRS)
def test_two_bytes_take_one_instruction(narrow: str) -> None:
    pair = PAIRS[narrow]
    to, back = (compile(module(*way), "sm_90").ptx for way in (("f32", narrow), (narrow, "f32")))
    assert to.count(f"cvt.rn.satfinite.{pair}.f32") == PER_THREAD // 2
    assert back.count(f"cvt.rn.f16x2.{pair}") == PER_THREAD // 2
    assert "x2" not in compile(module("f32", narrow), "sm_80").ptx


@pytest.mark.oracle
def test_two_bf16_are_rounded_by_one_instruction(tool, tmp_path: Path) -> None:
    source, binary = tmp_path / "it.ptx", tmp_path / "it.cubin"
    source.write_text(compile(module("f32", "bf16"), "sm_80").ptx)
    tool("ptxas", "-arch=sm_80", "-o", binary, source)
    assert tool("nvdisasm", "-c", binary).stdout.decode().count("F2FP.BF16") == PER_THREAD // 2


@pytest.mark.oracle
@pytest.mark.parametrize("narrow", PAIRS)
def test_sm_89_gets_ptx_that_has_them(tool, tmp_path: Path, narrow: str) -> None:
    compiled = compile(module("f32", narrow), "sm_89")
    assert compiled.plan["apply"]["ptx_version"] == "8.1"
    source = tmp_path / "it.ptx"
    source.write_text(compiled.ptx)
    assert tool("ptxas", "-arch=sm_89", "-o", tmp_path / "it.cubin", source).returncode == 0


@pytest.mark.parametrize("gpu", ["sm_75", "sm_80"])
@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_products_of_halves_are_added_with_one_rounding(element: str, gpu: str) -> None:
    """The first product has digits below those of the sum: they turn a tie."""
    dtype = FLOATS[element]
    random = np.random.default_rng(8)
    lhs, rhs, acc = (random.standard_normal(SIZE).astype(dtype) for _ in range(3))
    step = np.exp2(-(10 if element == "f16" else 7)).astype(dtype)
    half_up = (dtype.type(1) + step, dtype.type(0.5) * step, dtype.type(1))
    for array, number in zip((lhs, rhs, acc), half_up, strict=True):
        array[:9] = [number, np.inf, -np.inf, np.nan, 0.0, -0.0, number, -number, number]
    found = np.zeros(SIZE, dtype)
    module = elementwise("fma", [element] * 3, element, SIZE, rounding_mode="nearest_even")
    launch(module, "apply", 1, [lhs, rhs, acc, found], gpu)
    with np.errstate(all="ignore"):
        exact = lhs.astype(np.float64) * rhs.astype(np.float64) + acc.astype(np.float64)
        check(bits(found), exact.astype(dtype), exact, element)
    assert found[0] == dtype.type(1) + step
