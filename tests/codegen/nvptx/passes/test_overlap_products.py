"""Products that stay under way while the next iteration starts its own: right under all schedules.

The kernels are those of `test_tensor_rings`, and variants in which products have to be awaited.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.codegen.emulator.values import aligned
from tests.codegen.nvptx.passes.test_tensor_rings import TEXT
from tileir import assemble, emulator
from tileir.codegen import compile
from tileir.codegen.emulator import SCHEDULES

TWO_SUMS = (
    TEXT.replace("%sum = for", "%sum, %twice = for")
    .replace("iter_values(%acc = %none)", "iter_values(%acc = %none, %other = %none)")
    .replace("-> (tile<64x64xf32>) {", "-> (tile<64x64xf32>, tile<64x64xf32>) {")
    .replace(
        "continue %next : tile<64x64xf32>",
        """%more = mmaf %ta, %tb, %other
        : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
      %most = mmaf %ta, %tb, %more
        : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
      continue %next, %most : tile<64x64xf32>, tile<64x64xf32>""",
    )
    .replace(
        "%u = store",
        """%three = addf %sum, %twice : tile<64x64xf32>
    %u = store""",
    )
    .replace("weak %sum", "weak %three")
)
"""Three products an iteration: one adds to a sum, two to another."""
USED = TEXT.replace(
    "continue %next :",
    """%half = addf %next, %none : tile<64x64xf32>
      continue %half :""",
)
"""An iteration that uses its sum."""
_LARGER = {"64x64": "128x128", "64x32": "128x64", "32x64": "64x128", "<i32: 32>": "<i32: 64>"}
ROLES = re.sub("|".join(_LARGER), lambda found: _LARGER[found[0]], TEXT)
"""Tiles for two warpgroups, for which another role fills the ring."""
THREADS = (
    TEXT.replace("strides = [%sa2, 1]", "strides = [%computed, 1]")
    .replace(
        "    %va =",
        "    %computed = muli %sa2, %once : tile<i32>\n    %va =",
    )
    .replace("    %a4 =", "    %once = constant <i32: 1> : tile<i32>\n    %a4 =")
)
"""Operands that threads copy, as no tensor map can have a stride that the kernel computes."""
BRANCH = THREADS.replace(
    "    %tb, %t =",
    """    %odd = cmpi greater_than %i, %one, signed : tile<i32> -> tile<i1>
      %kept = if %odd -> (tile<64x32xf16>) {
        %some = constant <f16: 0.0> : tile<64x32xf16>
        yield %some : tile<64x32xf16>
      } else {
        %some = constant <f16: 0.0> : tile<64x32xf16>
        yield %some : tile<64x32xf16>
      }
      %tb, %t =""",
)
"""A branch between the copies of an iteration and its product."""
_DEEPER = {"64x32": "64x64", "32x64": "64x64", "<i32: 32>": "<i32: 64>"}


def deeper(text: str) -> str:
    """Return a kernel with slots so large that shared memory has room for three of them only."""
    return re.sub("|".join(_DEEPER), lambda found: _DEEPER[found[0]], text)


TEXTS = {
    "one sum": (TEXT, 1),
    "two sums": (TWO_SUMS, 3),
    "used": (USED, 1),
    "roles": (ROLES, 1),
    "threads": (THREADS, 1),
    "threads, a branch": (BRANCH, 1),
    "threads, two barriers": (deeper(THREADS), 1),
    "threads, two sums": (
        TWO_SUMS.replace(TEXT[: TEXT.index("%sum")], THREADS[: THREADS.index("%sum")]),
        3,
    ),
    "halves": (TEXT.replace("f32", "f16"), 1),
    "halves by roles": (ROLES.replace("f32", "f16"), 1),
}


@cache
def kernel(name: str) -> Any:
    return compile(assemble(TEXTS[name][0]), "sm_90", cache=False)


def run(name: str, m: int, n: int, d: int, schedule: str = "lock-step") -> None:
    random = np.random.default_rng(m + n + d)
    pitch = [-(-extent // 8) * 8 for extent in (d, n)]
    halves, tile = "halves" in name, 128 if "roles" in name else 64
    low, high = (-1, 2) if halves else (-4, 5)  # so that all sums are exact
    a = aligned(random.integers(low, high, (m, pitch[0])).astype(np.float16))
    b = aligned(random.integers(low, high, (d, pitch[1])).astype(np.float16))
    c = aligned(np.full((m, n), 99, np.float16 if halves else np.float32))
    args = [a, b, c, m, n, d, *pitch, n]
    grid = (-(-m // tile), -(-n // tile))
    emulator.load(kernel(name))["k"].launch(grid, args, schedule=schedule)
    expected = a[:, :d].astype(np.float32) @ b[:d, :n].astype(np.float32)
    np.testing.assert_array_equal(c, expected * TEXTS[name][1])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", [name for name in TEXTS if name != "used"])
def test_sums_are_right_under_every_schedule(name: str, schedule: str) -> None:
    run(name, 100, 72, 150, schedule)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("depth", [8, 40, 96, 200])
def test_any_number_of_iterations(name: str, depth: int) -> None:
    run(name, 64, 64, depth)


@pytest.mark.parametrize("name", ["one sum", "roles", "halves"])
def test_a_loop_without_iterations_hands_its_accumulator_on(name: str) -> None:
    """The bounds of its counter are equal, although there are elements along k."""
    text = TEXTS[name][0].replace("for %i in (%zero to %count", "for %i in (%count to %count")
    c = aligned(np.full((64, 64), 99, np.float16 if name == "halves" else np.float32))
    ones = aligned(np.ones((64, 64), np.float16))
    made = emulator.load(compile(assemble(text), "sm_90", cache=False))["k"]
    made.launch((1, 1), [ones, ones, c, 64, 64, 64, 64, 64, 64])
    assert not c.any()


@pytest.mark.parametrize(
    ("name", "waits"),
    [
        ("one sum", ["1", "0"]),
        ("two sums", ["3", "0"]),
        ("used", ["0"]),
        ("roles", ["1", "0"]),
        ("threads", ["1", "0"]),
        ("threads, two barriers", ["1", "0"]),
        ("threads, two sums", ["3", "0"]),
        ("halves", ["1", "0"]),
        ("halves by roles", ["1", "0"]),
    ],
)
def test_products_under_way_at_each_wait(name: str, waits: list[str]) -> None:
    """As many as an iteration has, in the loop; none behind it.

    Of a loop with roles, LLVM has the first iteration apart, which has no slot to release.
    """
    entry = kernel(name).ptx.partition(".entry k_without")[0]
    found = re.findall(r"wgmma.wait_group.sync.aligned (\d+);", entry)
    assert list(dict.fromkeys(found)) == waits
    assert found[-1] == "0"


@pytest.mark.parametrize(
    ("name", "barriers", "slots", "reasons"),
    [
        ("threads", 1, 4, ("ring_flight", "ring_read")),
        ("threads, two barriers", 2, 3, ("ring_usual",)),
    ],
)
def test_copies_of_threads_go_to_slots_that_no_product_reads(
    name: str, barriers: int, slots: int, reasons: tuple[str, ...]
) -> None:
    """Either there is one more of them, or a barrier comes before them."""
    made = kernel(name)
    found = made.stages["place_barriers"].remarks
    assert sum(" of " in each.what and " in %" in each.what for each in found) == barriers
    stages = ("pipeline_loops", "overlap_products")
    rings = [
        each for stage in stages for each in made.stages[stage].remarks if "ring of" in each.what
    ]
    assert f"ring of {slots} slots" in rings[-1].what
    assert "copies for 2 iterations are under way" in rings[-1].what
    assert rings[-1].facts["reasons"] == reasons


@pytest.mark.parametrize("name", ["one sum", "halves"])
def test_accumulators_under_way_are_not_moved(name: str) -> None:
    """In the loop, no register of an accumulator is touched by anything but products."""
    entry = kernel(name).ptx.partition(".entry k_without")[0]
    started = re.search(r"wgmma.mma_async\S+ \{([^}]*)\}", entry)
    assert started
    names = [re.escape(each.strip()) for each in started[1].split(",")]
    start = entry.index("wgmma.mma_async")
    behind = entry[start : entry.index("wgmma.wait_group.sync.aligned 0;")]
    others = [line for line in behind.splitlines() if "wgmma" not in line]
    assert not [line for line in others if re.search(rf"({'|'.join(names)})\b", line)]


@pytest.mark.parametrize("where", ["continue", "%u ="])
def test_kernels_that_call_functions_say_that_products_are_serial(where: str) -> None:
    """ptxas says so (C7510) wherever the call is; so no flight is carried."""
    text = ROLES.replace(where, f'print_tko "%d\\n", %x : tile<i32> -> token\n    {where}', 1)
    made = compile(assemble(text), "sm_90", cache=False)
    assert made.plan["k"]["serial_products"]["reason"] == "calls"
    assert "print_tko" in made.plan["k"]["serial_products"]["why"]
    remarks = made.stages["overlap_products"].remarks
    assert {each.facts["reasons"] for each in remarks} == {("calls",)}
    assert "wait_group.sync.aligned 1" not in made.ptx
    assert kernel("roles").plan["k"]["serial_products"] is None


def test_sums_that_take_most_registers_are_awaited_where_threads_copy() -> None:
    """ptxas would have them twice, and say that it serialises products (C7514)."""
    sizes = {"64x64": "128x256", "64x32": "128x64", "32x64": "64x256", "<i32: 32>": "<i32: 64>"}
    text = re.sub("|".join(sizes), lambda found: sizes[found[0]], THREADS)
    made = compile(assemble(text), "sm_90", cache=False)
    (remark,) = made.stages["overlap_products"].remarks
    assert remark.facts["reasons"] == ("delayed_registers",)
    assert "wgmma" in made.ptx
    assert "wait_group.sync.aligned 1" not in made.ptx
