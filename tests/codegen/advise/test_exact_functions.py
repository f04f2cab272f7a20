"""The rule about exact functions: what takes most of a kernel's time, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Original
from tileir.codegen.advise.trials.narrowing import RECIPROCAL_FIRST

from .test_computing import ONE, T, advice
from .test_doing import module

FEW = (
    ONE.replace("%t", "%b0")
    + "%m0 = itof %i signed : tile<i32> -> tile<f32>\n%m48 = constant <f32: 48.0> : tile<f32>\n"
    "%m2 = addf %m0, %m48 : tile<f32>\n%m1 = reshape %m2 : tile<f32> -> tile<1xf32>\n"
    f"%few = broadcast %m1 : tile<1xf32> -> {T}\n"
)
"""A tile that is loaded, and one number in each element: 48 and the number of the block."""

FIXES = {
    "exp": "use exp2 with flush_to_zero",
    "tanh": "let tanh be approximate",
    "exp2": "let exp2 take subnormal numbers for zero",
    "rsqrt": "let rsqrt take subnormal numbers for zero",
}


def _applied(op: str, times: int, mode: str = "") -> str:
    made = [f"%b{n + 1} = {op} %b{n}{mode} : {T}" for n in range(times)]
    return "\n".join([ONE.replace("%t", "%b0"), *made, f"%r = addf %b{times}, %b0 : {T}\n"])


@pytest.mark.parametrize(("op", "fix"), FIXES.items())
def test_an_exact_function_is_found_where_the_kernel_computes(op: str, fix: str) -> None:
    found = [each for each in advice(_applied(op, 24)) if each.rule == "exact-function"]
    assert found
    assert all(each.fix.startswith(fix) and each.after < each.before for each in found)


def _divided(divisor: str, times: int = 12) -> str:
    made = [f"%b{n + 1} = divf %b{n}, {divisor} : {T}" for n in range(times)]
    return "\n".join([FEW, *made, f"%r = addf %b{times}, %b0 : {T}\n"])


def test_a_reciprocal_is_computed_once_for_a_row() -> None:
    found = [each for each in advice(_divided("%few")) if each.rule == "quotients-by-few"]
    assert found
    for each in found:
        assert each.fix.startswith("divide 1 by the divisor of one element, and multiply by that")
        assert each.after < each.before / 2


@pytest.mark.parametrize(("divisor", "times"), [("%b0", 12), ("%none", 12), ("%few", 1)])
def test_quotients_by_many_or_a_constant_or_few_quotients(divisor: str, times: int) -> None:
    rules = {each.rule for each in advice(_divided(divisor, times))}
    assert "quotients-by-few" not in rules


def test_with_reciprocals_a_kernel_computes_about_the_same() -> None:
    copy = Original(module(_divided("%few", 2))).copy()
    for number in [number for number, op in copy.ops.items() if op.name == "divf"]:
        assert RECIPROCAL_FIRST.edit(copy, [Site("k", number)])
    x = np.random.default_rng(3).standard_normal(4096).astype(np.float32)
    made = np.zeros_like(x)
    tileir.compile(copy.module)["k"].launch((1,), [x, made, 4096])
    expected = (x / np.float32(48.0)) / np.float32(48.0) + x
    np.testing.assert_allclose(made, expected, rtol=4 * np.finfo(np.float32).eps)


ACROSS = """cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>) {
  %n0 = iota : tile<8xi32>
  %n1 = itof %n0 signed : tile<8xi32> -> tile<8xf32>
  %n2 = reshape %n1 : tile<8xf32> -> tile<8x1xf32>
  %n = broadcast %n2 : tile<8x1xf32> -> tile<8x32xf32>
  %d0 = iota : tile<32xi32>
  %d1 = itof %d0 signed : tile<32xi32> -> tile<32xf32>
  %d2 = exp2 %d1 : tile<32xf32>
  %d3 = reshape %d2 : tile<32xf32> -> tile<1x32xf32>
  %d = broadcast %d3 : tile<1x32xf32> -> tile<8x32xf32>
  %q = divf %n, %d : tile<8x32xf32>
  %tensor = make_tensor_view %x, shape = [8, 32], strides = [32, 1]
      : tensor_view<8x32xf32, strides=[32,1]>
  %tiles = make_partition_view %tensor
      : partition_view<tile=(8x32), tensor_view<8x32xf32, strides=[32,1]>>
  %z = constant <i32: 0> : tile<i32>
  %t = store_view_tko weak %q, %tiles[%z, %z] : tile<8x32xf32>,
      partition_view<tile=(8x32), tensor_view<8x32xf32, strides=[32,1]>>, tile<i32> -> token
  return } }"""
"""A column of 8 numbers, divided by a row of 32 powers of two, whose reciprocals are exact."""


def test_a_column_is_divided_by_a_row() -> None:
    copy = Original(tileir.assemble(ACROSS)).copy()
    (number,) = [number for number, op in copy.ops.items() if op.name == "divf"]
    (fix,) = RECIPROCAL_FIRST.edit(copy, [Site("k", number)]).values()
    assert fix.startswith("divide 1 by the divisor of 1x32")
    made = np.zeros((8, 32), np.float32)
    tileir.compile(copy.module)["k"].launch((1,), [made])
    expected = np.arange(8)[:, None] / np.exp2(np.arange(32))
    assert (made == expected.astype(np.float32)).all()


@pytest.mark.parametrize(
    ("op", "times", "mode"),
    [
        ("exp", 1, ""),
        ("exp2", 1, ""),
        ("exp2", 24, " flush_to_zero"),
        ("rsqrt", 24, " flush_to_zero"),
        ("tanh", 24, " rounding<approx>"),
    ],
)
def test_a_kernel_that_waits_for_memory_or_is_quick_is_left_alone(
    op: str, times: int, mode: str
) -> None:
    assert "exact-function" not in {each.rule for each in advice(_applied(op, times, mode))}
