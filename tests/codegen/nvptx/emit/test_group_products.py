"""Products by warpgroups, of all types, from loads to stores: on the emulator, against NumPy.

The kernels add up products of tiles of 64 x k and k x 32 with ragged edges. Numbers are such that
every sum is exact, unless a test says otherwise.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.codegen.emulator.values import aligned
from tests.codegen.host.lowering.test_mma import DTYPES
from tileir import assemble, emulator
from tileir.codegen import compile
from tileir.codegen.emulator import SCHEDULES

M, N = 64, 32


class Case(NamedTuple):
    """Elements in memory, those of the sum, k of a tile, what the op says, and the instruction."""

    element: str
    total: str
    k: int
    says: str
    instruction: str


CASES = [
    Case("f8E4M3FN", "f32", 64, "", "m64n32k32.f32.e4m3.e4m3"),
    Case("f8E4M3FN", "f32", 64, "fast_acc", "m64n32k32.f32.e4m3.e4m3"),
    Case("f8E5M2", "f16", 32, "fast_acc", "m64n32k32.f16.e5m2.e5m2"),
    Case("f8E5M2", "f16", 256, "", "m64n16k32.f32.e5m2.e5m2"),
    Case("i8", "i32", 64, "signed signed", "m64n32k32.s32.s8.s8"),
    Case("i8", "i32", 32, "unsigned signed", "m64n32k32.s32.u8.s8"),
    Case("f16", "f16", 64, "", "m64n32k16.f16.f16.f16"),
]


def name(case: Case) -> str:
    return "-".join(map(str, case[:4])).replace(" ", "-")


def text(case: Case) -> str:
    """z = x @ y + z0: the rows of x and the columns of y go along k in memory."""
    element, total, k, says, _ = case
    op = "mmai" if element == "i8" else "mmaf"
    views = {}
    for each, rows, kind in (("x", M, element), ("y", N, element)):
        tensor = f"tensor_view<?x?x{kind}, strides=[?,1]>"
        views[each] = f"partition_view<tile=({rows}x{k}), padding_value = zero, {tensor}>"
    out = f"tensor_view<?x?x{total}, strides=[?,1]>"
    out_view = f"partition_view<tile=({M}x{N}), {out}>"
    sums, left = f"tile<{M}x{N}x{total}>", f"tile<{M}x{k}x{element}>"
    turned, right = f"tile<{N}x{k}x{element}>", f"tile<{k}x{N}x{element}>"
    parameters = ", ".join(
        f"%{each}: tile<ptr<{kind}>>, %{each}p: tile<i32>"
        for each, kind in (("x", element), ("y", element), ("z", total))
    )
    bits = {"f16": 16, "i32": 32, "f32": 32}.get(element, 8)
    return f"""
entry @k({parameters}, %m: tile<i32>, %n: tile<i32>, %d: tile<i32>) {{
  %xa = assume div_by<16>, %x : tile<ptr<{element}>>
  %ya = assume div_by<16>, %y : tile<ptr<{element}>>
  %xs = assume div_by<{128 // bits}>, %xp : tile<i32>
  %ys = assume div_by<{128 // bits}>, %yp : tile<i32>
  %xt = make_tensor_view %xa, shape = [%m, %d], strides = [%xs, 1]
    : tile<i32> -> {views["x"][views["x"].index("tensor_view") : -1]}
  %yt = make_tensor_view %ya, shape = [%n, %d], strides = [%ys, 1]
    : tile<i32> -> {views["y"][views["y"].index("tensor_view") : -1]}
  %zt = make_tensor_view %z, shape = [%m, %n], strides = [%zp, 1] : tile<i32> -> {out}
  %xv = make_partition_view %xt : {views["x"]}
  %yv = make_partition_view %yt : {views["y"]}
  %zv = make_partition_view %zt : {out_view}
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %depth = constant <i32: {k}> : tile<i32>
  %count = divi %d, %depth signed rounding<positive_inf> : tile<i32>
  %first, %t = load_view_tko weak %zv[%bx, %by] : {out_view}, tile<i32> -> {sums}, token
  %sum = for %i in (%zero to %count, step %one) : tile<i32>
      iter_values(%acc = %first) -> ({sums}) {{
    %a, %ta = load_view_tko weak %xv[%bx, %i] : {views["x"]}, tile<i32> -> {left}, token
    %b, %tb = load_view_tko weak %yv[%by, %i] : {views["y"]}, tile<i32> -> {turned}, token
    %bt = permute %b [1, 0] : {turned} -> {right}
    %next = {op} %a, %bt, %acc {says} : {left}, {right}, {sums}
    continue %next : {sums}
  }}
  %u = store_view_tko weak %sum, %zv[%bx, %by] token = %t
    : {sums}, {out_view}, tile<i32> -> token
  return
}}
"""


@cache
def kernel(case: Case) -> Any:
    return compile(assemble(text(case)), "sm_90", cache=False)


def launch(
    case: Case, x: np.ndarray, y: np.ndarray, z: np.ndarray, schedule: str = "lock-step"
) -> np.ndarray:
    """Run the kernel on x (m, d) and y (n, d), and return x @ y.T + z."""
    (m, d), (n, _) = x.shape, y.shape
    step = 16 // x.dtype.itemsize
    stored = []
    for each in (x, y):
        wide = np.zeros((len(each), -(-d // step) * step), each.dtype)
        wide[:, :d] = each
        stored += [aligned(wide), wide.shape[1]]
    found = aligned(z.copy())
    args = [*stored, found, n, m, n, d]
    made = kernel(case)
    grid = (-(-m // M), -(-n // N))
    emulator.launch(made.ptx, made.plan["k"], grid, args, schedule=schedule)
    return found


def check(case: Case, m: int, n: int, d: int, schedule: str = "lock-step") -> None:
    """Compare with NumPy, in small integers; in all of eight bits if sums are integers, too."""
    random = np.random.default_rng(m + n + d)
    integers = case.total == "i32"
    low, high = (-128, 128) if integers else (-2, 3)
    x, y = (random.integers(low, high, (rows, d)).astype(DTYPES[case.element]) for rows in (m, n))
    z = random.integers(-9, 10, (m, n)).astype(DTYPES[case.total])
    wide = [
        (each.view(np.uint8) if sign == "unsigned" else each).astype(np.float64)
        for each, sign in zip((x, y), case.says.split() if integers else ("", ""), strict=True)
    ]
    expected = (wide[0] @ wide[1].T + z.astype(np.float64)).astype(z.dtype)
    np.testing.assert_array_equal(launch(case, x, y, z, schedule), expected)


@pytest.mark.parametrize("case", CASES, ids=name)
def test_each_type_has_its_instruction(case: Case) -> None:
    assert f"wgmma.mma_async.sync.aligned.{case.instruction}" in kernel(case).ptx
    assert "mma.sync" not in kernel(case).ptx


@pytest.mark.parametrize("case", CASES, ids=name)
def test_ragged_tiles_are_multiplied(case: Case) -> None:
    check(case, 70, 40, 3 * case.k - 9)
    check(case, 64, 33, case.k)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("case", [CASES[0], CASES[4]], ids=name)
def test_tiles_are_right_under_every_schedule(case: Case, schedule: str) -> None:
    check(case, 64, 40, 5 * case.k + 7, schedule)


@pytest.mark.parametrize("k", [32, 256])
def test_sums_of_small_floats_are_long_unless_the_op_says_otherwise(k: int) -> None:
    """Large products in the first 32 along k: behind them, tensor cores would forget small ones.

    The sum of 128 along k is theirs; longer ones are not, in the same tile or in the next one.
    """
    d = 512
    x, y = np.ones((M, d)), np.ones((N, d))
    x[:, :32], y[:, :32] = 448, 448
    x, y = (each.astype(DTYPES["f8E4M3FN"]) for each in (x, y))
    z = np.zeros((M, N), np.float32)
    exact = np.full((M, N), 32 * 448.0**2 + d - 32, np.float32)
    lost = {32: 0, 256: 96}[k]
    long = Case("f8E4M3FN", "f32", k, "", "")
    np.testing.assert_array_equal(launch(long, x, y, z), exact - lost)
    short = launch(Case("f8E4M3FN", "f32", k, "fast_acc", ""), x, y, z)
    np.testing.assert_array_equal(short, np.full((M, N), 32 * 448.0**2, np.float32))
