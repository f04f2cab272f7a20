"""Tiles of products that leave the block by tensor copies: right under every schedule, and why not.

The kernel adds up products of 128 x 64 and 64 x 64 tiles of f16 in f32 and stores the sums, as they
are or converted, of one tile or of one after the other.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.emulator.values import aligned
from tileir import assemble, emulator
from tileir.codegen import compile
from tileir.codegen.emulator import SCHEDULES

ELEMENTS = {
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
}
ROWS, COLUMNS = 128, 64
LOAD = """
      %t{0}, %l{0} = load_view_tko weak %p{0}[{2}] : partition_view<tile=({1}),
        padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32>
        -> tile<{1}xf16>, token"""
STORE = """
      %u = store_view_tko weak %out, %pc[{index}]{token} : {kind},
        partition_view<tile=({tile}), tensor_view<?x?x{element}, strides=[?,1]>>,
        tile<i32> -> token"""
SUM = f"""
    %sum = for %i in (%zero to %count, step %one) : tile<i32>
        iter_values(%acc = %none) -> (tile<{ROWS}x{COLUMNS}xf32>) {{
{LOAD.format("a", "128x64", "%x, %i")}{LOAD.format("b", "64x64", "%i, %y")}
      %next = mmaf %ta, %tb, %acc : tile<128x64xf16>, tile<64x64xf16>, tile<{ROWS}x{COLUMNS}xf32>
      continue %next : tile<{ROWS}x{COLUMNS}xf32>
    }}"""
EACH = """
    %rows, %wide, %deep = get_num_tile_blocks : tile<i32>
    %high = constant <i32: 128> : tile<i32>
    %tiles = divi %m, %high signed rounding<positive_inf> : tile<i32>
    %first = make_token : token
    %end = for %x in (%x0 to %tiles, step %rows) : tile<i32>
        iter_values(%order = %first) -> (token) {"""


TWICE = """
      %u = store_view_tko weak %sum, %pc[%x, %y] : tile<128x64xf32>,
        partition_view<tile=(128x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
      %more = addf %sum, %sum : tile<128x64xf32>
      %v2 = make_tensor_view %c, shape = [%d, %n], strides = [%sc, 1]
        : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
      %p2 = make_partition_view %v2
        : partition_view<tile=(128x64), tensor_view<?x?xf32, strides=[?,1]>>
      %u2 = store_view_tko weak %more, %p2[%x, %y] token = %u : tile<128x64xf32>,
        partition_view<tile=(128x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token"""
"""The sums, and then twice the sums, to the same rows up to the depth of the product."""


def text(element: str = "f16", persistent: bool = False, turned: bool = False, **more: str) -> str:
    """The kernel; `turned` sums are stored transposed. Of `more`, `order` stands before the store,
    `behind` behind it, and `token` says which one it takes."""
    kind = f"tile<{ROWS}x{COLUMNS}x{element}>"
    out, tile, index = "%sum", f"{ROWS}x{COLUMNS}", "%x, %y"
    convert = ""
    if element != "f32":
        convert = f"\n    %low = ftof %sum : tile<{ROWS}x{COLUMNS}xf32> -> {kind}"
        out = "%low"
    if turned:
        tile, index = f"{COLUMNS}x{ROWS}", "%y, %x"
        convert += f"\n    %turned = permute {out} [1, 0] : {kind} -> tile<{tile}x{element}>"
        out, kind = "%turned", f"tile<{tile}x{element}>"
    token = " token = %order" if persistent else more.get("token", "")
    store = STORE.format(kind=kind, tile=tile, element=element, index=index, token=token)
    store = more.get("store", store).replace("%out", out)
    head, tail = (EACH, "\n      continue %u : token\n    }") if persistent else ("", "")
    body = f"{head}{SUM}{convert}{more.get('order', '')}{store}{more.get('behind', '')}{tail}"
    extents = "%n, %m" if turned else "%m, %n"
    return f"""
cuda_tile.module @m {{
  entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c0: tile<ptr<{element}>>, %m: tile<i32>,
           %n: tile<i32>, %d: tile<i32>, %sa: tile<i32>, %sb: tile<i32>, %sc0: tile<i32>) {{
    %a16 = assume div_by<16>, %a : tile<ptr<f16>>
    %b16 = assume div_by<16>, %b : tile<ptr<f16>>
    %c = assume div_by<16>, %c0 : tile<ptr<{element}>>
    %sa8 = assume div_by<8>, %sa : tile<i32>
    %sb8 = assume div_by<8>, %sb : tile<i32>
    %sc = assume div_by<16>, %sc0 : tile<i32>
    %va = make_tensor_view %a16, shape = [%m, %d], strides = [%sa8, 1]
      : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %vb = make_tensor_view %b16, shape = [%d, %n], strides = [%sb8, 1]
      : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %vc = make_tensor_view %c, shape = [{extents}], strides = [%sc, 1]
      : tile<i32> -> tensor_view<?x?x{element}, strides=[?,1]>
    %pa = make_partition_view %va
      : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %pb = make_partition_view %vb
      : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %pc = make_partition_view %vc
      : partition_view<tile=({tile}), tensor_view<?x?x{element}, strides=[?,1]>>
    %x{"0" if persistent else ""}, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %depth = constant <i32: 64> : tile<i32>
    %count = divi %d, %depth signed rounding<positive_inf> : tile<i32>
    %none = constant <f32: 0.0> : tile<{ROWS}x{COLUMNS}xf32>{body}
    return
  }}
}}
"""


@cache
def kernel(element: str = "f16", persistent: bool = False, turned: bool = False) -> Any:
    return compile(assemble(text(element, persistent, turned)), "sm_90", cache=False)


def run(made: Any, *how: Any, **more: Any) -> dict[str, int]:
    """Run a compiled kernel, as `run_program`."""
    return run_program(emulator.load(made)["k"], *how, **more)


def run_program(
    program: Any, element: str, shape: tuple[int, int, int], rows: int = 0, **how: Any
) -> dict[str, int]:
    """Run a kernel on small integers, with `rows` blocks along m if they are persistent; return how
    often a warp executed which instruction."""
    m, n, d = shape
    turned = how.pop("turned", False)
    random = np.random.default_rng(m + n + d)
    pitch = [-(-extent // 16) * 16 for extent in (d, n, m if turned else n)]
    a = aligned(random.integers(-2, 3, (m, pitch[0])).astype(np.float16))
    b = aligned(random.integers(-2, 3, (d, pitch[1])).astype(np.float16))
    c = aligned(np.full((n if turned else m, pitch[2]), 99, ELEMENTS[element]))
    args = [a, b, c, m, n, d, *pitch]
    grid = (rows or -(-m // ROWS), -(-n // COLUMNS))
    done = program.launch(grid, args, **how)
    expected = a[:, :d].astype(np.float32) @ b[:, :n].astype(np.float32)
    expected = (expected.T if turned else expected).astype(ELEMENTS[element])
    wide = expected.shape[1]
    np.testing.assert_array_equal(c[:, :wide].astype(np.float32), expected.astype(np.float32))
    assert (c[:, wide:].astype(np.float32) == ELEMENTS[element](99)).all()
    return done.warp_instructions


def times(counted: dict[str, int], start: str) -> int:
    return sum(count for name, count in counted.items() if name.startswith(start))


STORES = "cp.async.bulk.tensor.2d.global"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("persistent", [False, True])
def test_tiles_are_right_under_every_schedule(persistent: bool, schedule: str) -> None:
    """At the edges too; behind them, nothing is written."""
    made = kernel("f16", persistent)
    counted = run(made, "f16", (300, 72, 96), rows=2 * persistent, schedule=schedule)
    assert times(counted, STORES) == 6
    assert times(counted, "st.global") == 0


@pytest.mark.sampled(3)
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("shape", [(128, 64, 64), (33, 24, 40), (140, 80, 130)])
def test_all_elements(element: str, shape: tuple[int, int, int]) -> None:
    counted = run(kernel(element), element, shape)
    assert times(counted, STORES)
    assert (times(counted, "stmatrix") > 0) == (element in ("f16", "bf16"))


@pytest.mark.parametrize("element", ["f16", "f32"])
def test_transposed_tiles(element: str) -> None:
    counted = run(kernel(element, turned=True), element, (140, 72, 64), turned=True)
    assert times(counted, STORES)
    assert times(counted, "st.global") == 0
    assert (times(counted, "stmatrix.sync.aligned.m8n8.x4.trans") > 0) == (element == "f16")


def test_the_plan_says_it() -> None:
    plan = kernel().plan["k"]
    (row,) = plan["stores"]
    assert (row["tile"], row["reason"]) == ("tile<128x64xf16>", None)
    recipe = plan["tensor_maps"][row["tensor_map"]]
    assert (recipe["box"], recipe["swizzle"]) == ([64, 128], 128)
    assert plan["twin"]["entry"] == "k_without_tensor_maps"


OTHER = """
      %v, %w = load_view_tko weak %pc[%x, %y]{0} : partition_view<tile=(128x64),
        tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<128x64xf16>, token
      print_tko "%f", %v token = %w : tile<128x64xf16> -> token"""
BEFORE = (
    "\n      %u0 = store_view_tko weak %out, %pc[%y, %x]"
    + (
        STORE.format(
            kind="tile<128x64xf16>", tile="128x64", element="f16", index="%x, %y", token=""
        ).partition("]")[2]
    )
)
ATOMIC = """
    %flag = ptr_to_ptr %c : tile<ptr<f16>> -> tile<ptr<i32>>
    %old, %u0 = atomic_rmw_tko acq_rel device %flag, add, %one
      : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"""
REASONS = {
    "ordered_store": {
        "store": STORE.format(
            kind="tile<128x64xf16>", tile="128x64", element="f16", index="%x, %y", token=""
        ).replace("weak", "release device")
    },
    "before_access": {"behind": OTHER.format(" token = %u")},
    "after_store": {"order": ATOMIC, "token": " token = %u0"},
}


@pytest.mark.parametrize("reason", REASONS)
def test_what_order_does_not_allow(reason: str) -> None:
    made = compile(assemble(text(**REASONS[reason])), "sm_90", cache=False)
    (row,) = made.plan["k"]["stores"]
    assert (row["tensor_map"], row["reason"]) == (None, reason)
    assert row["why"]
    assert STORES not in made.ptx


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("%c = assume div_by<16>", "%c = assume div_by<8>", "base"),
        ("%sc = assume div_by<16>", "%sc = assume div_by<4>", "stride"),
        ("strides = [%sc, 1]", "strides = [%twice, 1]", "computed_stride"),
        ("make_tensor_view %c,", "make_tensor_view %moved,", "computed_base"),
    ],
)
def test_what_no_tensor_map_describes(old: str, new: str, reason: str) -> None:
    computed = """
    %sixteen = constant <i32: 16> : tile<i32>
    %twice = muli %sc, %sixteen : tile<i32>
    %far = offset %c, %twice : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %moved = assume div_by<16>, %far : tile<ptr<f16>>
    %va ="""
    made = text().replace("\n    %va =", computed, 1).replace(old, new)
    (row,) = compile(assemble(made), "sm_90", cache=False).plan["k"]["stores"]
    assert (row["tensor_map"], row["reason"]) == (None, reason)


@pytest.mark.parametrize("target", ["sm_80", "sm_100", "sm_120"])
def test_others_have_none(target: str) -> None:
    made = compile(assemble(text()), target, cache=False)
    reason = "no_tensor_copies" if target == "sm_80" else "no_group_sums"
    assert [row["reason"] for row in made.plan["k"]["stores"]] == [reason]
    assert "bulk" not in made.ptx


def test_two_stores_that_tokens_order() -> None:
    """The second one is the one that stays: the first is complete before it."""
    made = compile(assemble(text("f32", store=TWICE)), "sm_90", cache=False)
    assert [row["tensor_map"] for row in made.plan["k"]["stores"]] == [0, 1]
    random = np.random.default_rng(1)
    a = aligned(random.integers(-2, 3, (140, 64)).astype(np.float16))
    b = aligned(random.integers(-2, 3, (64, 64)).astype(np.float16))
    expected = a.astype(np.float32) @ b.astype(np.float32)
    expected[:64] *= 2
    for schedule in SCHEDULES:
        c = aligned(np.zeros((140, 64), np.float32))
        args = [a, b, c, 140, 64, 64, 64, 64, 64]
        emulator.load(made)["k"].launch((2, 1), args, schedule=schedule)
        np.testing.assert_array_equal(c, expected)
    text_of_first = made.ptx.partition("_without")[0]
    waits = re.findall(r"cp\.async\.bulk\.wait_group(?:\.read)? 0", text_of_first)
    assert waits == ["cp.async.bulk.wait_group 0", "cp.async.bulk.wait_group.read 0"]


@pytest.mark.oracle
@pytest.mark.parametrize("element", ["f16", "f32"])
def test_the_machine_code_has_few_instructions(tool, tmp_path: Path, element: str) -> None:
    """Four matrices are stored at once, boxes have rows of 128 bytes; no thread stores itself."""
    source, binary = tmp_path / "k.ptx", tmp_path / "k.cubin"
    source.write_text(kernel(element).ptx)
    done = tool("ptxas", "-arch=sm_90a", "-v", "-o", binary, source)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, said
    assert said.count("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads") == 2
    assert "C75" not in said
    code = tool("nvdisasm", "-c", binary).stdout.decode()
    (own,) = (each for each in code.split(".section\t.text.")[1:] if not each.startswith("k_"))
    assert own.count("UTMASTG.2D ") == (1 if element == "f16" else 2)
    assert own.count("STSM.") == (8 if element == "f16" else 0)
    assert own.count("STS.64 ") == (0 if element == "f16" else 32)
    assert not re.search(r"\bSTG", own)


MUTANTS = {
    "no fence of the writers": (
        r"fence\.proxy\.async\S+(?=\s+// end inline asm\s+bar\S+\s+(?:0|1, \d+);\s+@)",
        "",
    ),
    "no wait before the next tile": (r"cp\.async\.bulk\.wait_group 0;", ""),
    "no wait at the end": (r"cp\.async\.bulk\.wait_group\.read 0;", ""),
    "no group": (r"cp\.async\.bulk\.commit_group;", ""),
    "a box of another place": (r"(?<=bulk_group )(\[\S+, \{)(%r\d+), (%r\d+)", r"\1\3, \2"),
    "a box from another place": (r"(?<=bulk_group )(\[.*\], \[%r\d+)", r"\1+2048"),
    "no box": (r"cp\.async\.bulk\.tensor\.2d\.global[^;]*;", ""),
}
"""What is wrong -> a pattern in the PTX of the persistent kernel, and what takes its place."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("what", MUTANTS)
def test_the_emulator_notices(what: str) -> None:
    pattern, instead = MUTANTS[what]
    original = kernel("f16", persistent=True)
    changed, count = re.subn(pattern, instead, original.ptx)
    assert count
    program = emulator.load(changed, original.plan)["k"]
    for schedule in ("lock-step", "descending"):
        try:
            run_program(program, "f16", (300, 72, 96), rows=2, schedule=schedule)
        except (AssertionError, emulator.EmulationError):
            return
    pytest.fail(f"not noticed: {what}")
