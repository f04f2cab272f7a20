"""Rings that tensor copies fill: the right tiles under every schedule, and twins where they cannot.

The kernel adds up products of 64 x 32 and 32 x 64 tiles of f16 in f32, with ragged edges.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.codegen.emulator.values import aligned
from tileir import assemble, emulator
from tileir.codegen import compile
from tileir.codegen.emulator import SCHEDULES

TEXT = """
cuda_tile.module @m {
  entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %m: tile<i32>,
           %n: tile<i32>, %d: tile<i32>, %sa: tile<i32>, %sb: tile<i32>, %sc: tile<i32>) {
    %a4 = assume div_by<4>, %a : tile<ptr<f16>>
    %b4 = assume div_by<4>, %b : tile<ptr<f16>>
    %sa2 = assume div_by<2>, %sa : tile<i32>
    %sb2 = assume div_by<2>, %sb : tile<i32>
    %va = make_tensor_view %a4, shape = [%m, %d], strides = [%sa2, 1]
      : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %vb = make_tensor_view %b4, shape = [%d, %n], strides = [%sb2, 1]
      : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %vc = make_tensor_view %c, shape = [%m, %n], strides = [%sc, 1]
      : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %pa = make_partition_view %va
      : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %pb = make_partition_view %vb
      : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %pc = make_partition_view %vc
      : partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %depth = constant <i32: 32> : tile<i32>
    %count = divi %d, %depth signed rounding<positive_inf> : tile<i32>
    %none = constant <f32: 0.0> : tile<64x64xf32>
    %sum = for %i in (%zero to %count, step %one) : tile<i32>
        iter_values(%acc = %none) -> (tile<64x64xf32>) {
      %ta, %s = load_view_tko weak %pa[%x, %i]
        : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>,
          tile<i32> -> tile<64x32xf16>, token
      %tb, %t = load_view_tko weak %pb[%i, %y]
        : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>,
          tile<i32> -> tile<32x64xf16>, token
      %next = mmaf %ta, %tb, %acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
      continue %next : tile<64x64xf32>
    }
    %u = store_view_tko weak %sum, %pc[%x, %y]
      : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>,
        tile<i32> -> token
    return
  }
}
"""


@cache
def kernel(target: str = "sm_90") -> Any:
    return compile(assemble(TEXT), target, cache=False)


@cache
def unassuming() -> Any:
    """The kernel when nothing is assumed: copies of threads would be too narrow."""
    text = re.sub(r"    %\w+ = assume .*\n", "", TEXT)
    text = re.sub(r"%(a4|b4|sa2|sb2)\b", lambda name: f"%{name[1][:-1]}", text)
    return compile(assemble(text), "sm_90", cache=False)


def run(
    m: int, n: int, d: int, step: int = 8, schedule: str = "lock-step", made: Any = None
) -> str:
    """Run the kernel on small integers; return the names of the instructions that copied.

    Rows are a multiple of `step` elements apart.
    """
    random = np.random.default_rng(m + n + d)
    pitch = [-(-extent // step) * step for extent in (d, n)]
    if step < 8:  # no multiple of 16 bytes
        pitch = [each + step if each % 8 == 0 else each for each in pitch]
    a = aligned(random.integers(-4, 5, (m, pitch[0])).astype(np.float16))
    b = aligned(random.integers(-4, 5, (max(d, 1), pitch[1])).astype(np.float16))
    c = aligned(np.full((m, n), 99, np.float32))
    grid = (-(-m // 64), -(-n // 64))
    args = [a, b, c, m, n, d, *pitch, n]
    done = emulator.load(made or kernel())["k"].launch(grid, args, schedule=schedule)
    expected = a[:, :d].astype(np.float32) @ b[:d, :n].astype(np.float32)
    np.testing.assert_array_equal(c, expected)
    return " ".join(done.warp_instructions)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_tiles_are_right_under_every_schedule(schedule: str) -> None:
    assert "cp.async.bulk.tensor" in run(100, 72, 150, schedule=schedule)


@pytest.mark.parametrize("depth", [8, 32, 40, 64, 96, 200])
def test_any_number_of_iterations(depth: int) -> None:
    """Fewer than there are slots, as many, and several rounds of the ring."""
    assert "cp.async.bulk.tensor" in run(64, 64, depth)


@pytest.mark.parametrize(("depth", "step"), [(0, 8), (40, 2), (70, 4)])
def test_the_twin_takes_what_no_tensor_map_can_describe(depth: int, step: int) -> None:
    """No elements along k; rows that are no multiple of 16 bytes apart."""
    said = run(70, 66, depth, step)
    assert "bulk" not in said
    assert "cp.async" in said or not depth


def test_what_launches_guarantee_need_not_be_assumed() -> None:
    """Only the launch knows that rows begin at multiples of 16 bytes; else there are no rings."""
    made = unassuming()
    assert [row["tensor_map"] for row in made.plan["k"]["copies"]] == [0, 1]
    assert "cp.async.bulk.tensor" in run(100, 72, 150, made=made)
    assert "cp.async" not in run(70, 66, 41, 1, made=made)


MOVED = """%moved = offset %a4, %sa2 : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %va = make_tensor_view %moved"""
ADDED = """%more = addf %ta, %ta : tile<64x32xf16>
      %next = mmaf %more"""


@pytest.mark.parametrize(
    ("text", "other", "reasons"),
    [
        ("%va = make_tensor_view %a4", MOVED, ["computed_base", "other_load"]),
        ("%next = mmaf %ta", ADDED, ["other_use", None]),
    ],
)
def test_the_plan_says_why_a_load_is_no_bulk_copy(
    text: str, other: str, reasons: list[str | None]
) -> None:
    assert TEXT.count(text) == 1
    plan = compile(assemble(TEXT.replace(text, other)), "sm_90", cache=False).plan["k"]
    assert [row["reason"] for row in plan["copies"]] == reasons


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("others", "version", "maps"), [(500, "8.0", 2), (510, "8.1", 2), (4070, "8.1", 0)]
)
def test_maps_are_parameters(
    others: int, version: str, maps: int, tool: Any, tmp_path: Path
) -> None:
    """ptxas takes as many bytes as a kernel can have, of the version that first has them."""
    more = "".join(f", %q{number}: tile<i64>" for number in range(others))
    text = TEXT.replace("%sc: tile<i32>)", f"%sc: tile<i32>{more})")
    made = compile(assemble(text), "sm_90", cache=False)
    plan = made.plan["k"]
    assert (plan["ptx_version"], len(plan["tensor_maps"])) == (version, maps)
    assert maps or {row["reason"] for row in plan["copies"]} == {"many_maps"}
    (tmp_path / "k.ptx").write_text(made.ptx)
    done = tool("ptxas", "-arch=sm_90a", tmp_path / "k.ptx", "-o", tmp_path / "k.cubin")
    assert done.returncode == 0, done.stderr


def test_both_entries_are_in_the_text_and_the_plan() -> None:
    made = kernel()
    plan = made.plan["k"]
    assert [row["box"] for row in plan["tensor_maps"]] == [[32, 64], [64, 32]]
    assert plan["twin"]["entry"] == "k_without_tensor_maps"
    assert re.findall(r"\.entry (\w+)\(", made.ptx) == ["k", "k_without_tensor_maps"]
    assert [row["tensor_map"] for row in plan["copies"]] == [0, 1]


@pytest.mark.parametrize("target", ["sm_80", "sm_100", "sm_120"])
def test_others_have_none(target: str) -> None:
    plan = kernel(target).plan["k"]
    assert not plan["tensor_maps"]
    assert plan["twin"] is None
    assert "bulk" not in kernel(target).ptx
