"""Reasons: why loads are made ahead or not, why accesses are narrow, why loops are not unrolled."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.codegen.nvptx.emit.test_read_ahead import STORED
from tests.codegen.nvptx.emit.test_read_ahead import text as most
from tests.codegen.nvptx.loops import COLUMNS, DEPTH, LOAD, ROWS, load, loop_over_tiles, view_type
from tests.corpus import NEWEST
from tests.lab import bench
from tileir import Bytecode, assemble, codegen
from tileir.codegen.api import stages
from tileir.codegen.nvptx.reasons import SENTENCES, Reason

TILE = f"tile<{ROWS}x{DEPTH}xf16>"
SUMS = f"tile<{ROWS}x{COLUMNS}xf32>"
OTHER = f"%other = constant <f16: 0.0> : {TILE}"


def said(text: str, stage: str, target: str = "sm_80") -> str:
    """What is said in a stage, one remark a line."""
    return "\n".join(map(str, stages(assemble(text), target, until=stage)[stage].remarks))


ABOUT = ("reasons.py", "advice.py")
"""The files that name reasons and give none."""
IN_AN_IF = f"""
    %some = cmpi less_than %i, %step, signed : tile<i32> -> tile<i1>
    %tile = if %some -> ({TILE}) {{
      {load().replace("%tile", "%there")}
      yield %there : {TILE}
    }} else {{
      yield %other : {TILE}
    }}"""
STORE = (
    "%wrote = store_view_tko weak %tile, %view[%zero, %i] token = %order"
    f" : {TILE}, {view_type()}, tile<i32> -> token"
)
CARRIED = {"carried": ", %order = %first", "carried_type": ", token"}
AFTER_STORE = loop_over_tiles(
    load(LOAD.replace("%first", "%order")) + f"\n{STORE}", **CARRIED, handed_on=", %wrote"
)
CARRIED_INDEX = loop_over_tiles(
    load(LOAD.replace("%i]", "%order]")),
    carried=", %order = %zero", carried_type=", tile<i32>", handed_on=", %i",
)  # fmt: skip
ALSO_ADDED = loop_over_tiles(
    f"{load()}\n%twice = addf %tile, %order : {TILE}",
    before=OTHER, carried=", %order = %other", carried_type=f", {TILE}", handed_on=", %twice",
)  # fmt: skip
PADDED = "padding_value = neg_inf, "
VARIABLE = (
    "%mine = alloca num_elem = 4, alignment = 16 : tile<ptr<f32>>\n%one = constant <f32: 1.0>"
    " : tile<f32>\n%t9 = store_ptr_tko weak %mine, %one : tile<ptr<f32>>, tile<f32> -> token"
)


@pytest.mark.parametrize(("text", "target", "reason"), [
    (loop_over_tiles(), "sm_75", Reason("no_cp_async")),
    (loop_over_tiles(IN_AN_IF, before=OTHER), "sm_80", Reason("conditional")),
    (AFTER_STORE, "sm_80", Reason("after_write")),
    (CARRIED_INDEX, "sm_80", Reason("computed_index")),
    (loop_over_tiles(load(LOAD.replace("weak", "relaxed device"))), "sm_80", Reason("ordered")),
    (ALSO_ADDED, "sm_80", Reason("other_use", "addf")),
    (loop_over_tiles(padding=PADDED), "sm_80", Reason("padding")),
    (loop_over_tiles(divisor=2), "sm_80", Reason("narrow_copies", 2)),
    (loop_over_tiles(before=VARIABLE), "sm_80", Reason("variables")),
    (most("now"), "sm_80", Reason("after_write")),
    (most("stored", STORED), "sm_80", Reason("write_before")),
    (most().replace("weak %xp", "relaxed device %xp"), "sm_80", Reason("ordered")),
])  # fmt: skip
def test_why_a_load_is_made_in_its_own_iteration(text: str, target: str, reason: Reason) -> None:
    lines = said(text, "pipeline_loops", target).splitlines()
    own = [line for line in lines if line.startswith("loaded in its own iteration: ")]
    assert [line for line in own if str(reason) in line]
    assert not [line for line in lines if line.startswith("ring")]


def test_why_a_load_goes_ahead() -> None:
    assert said(most(), "pipeline_loops") == (
        f"loaded into registers one iteration ahead: {Reason('barriers_delay')}"
    )
    lines = said(loop_over_tiles(), "pipeline_loops").splitlines()
    (ring,) = (line for line in lines if line.startswith(("ring", "a slot")))
    assert re.fullmatch(r"ring of 5 slots of 1024 bytes, copies for 4 iterations .*", ring)
    assert ring.endswith(str(Reason("ring_most")))
    assert f"copied 4 iterations ahead: {Reason('only_products')}" in lines


def test_why_a_load_outside_of_loops_is_not_copied() -> None:
    attention = (Path(bench.__file__).parent / "kernels" / "attention.mlir").read_text()
    own = f"loaded in place, not copied ahead: {Reason('no_loop')}"
    assert said(attention, "pipeline_loops").splitlines().count(own) == 1


@pytest.mark.parametrize(("text", "reason"), [
    (loop_over_tiles(divisor=2), Reason("base", "2 bytes")),
    (loop_over_tiles(strides="%apart, 1"), Reason("stride", "2 bytes")),
    (loop_over_tiles(strides="%pitch, %pitch"), Reason("no_unit_stride")),
])  # fmt: skip
def test_why_accesses_of_a_view_are_narrow(text: str, reason: Reason) -> None:
    assert str(reason) in said(text, "to_block_ir")


@pytest.mark.parametrize(("name", "reason"), [
    ("histogram", "not_adjacent"), ("loop_sum", "layout"), ("softmax", "stride"),
])  # fmt: skip
def test_why_accesses_of_fixtures_are_narrow(name: str, reason: str) -> None:
    recorded = stages(Bytecode.parse(NEWEST[name].read_bytes()), "sm_80", until="to_block_ir")
    start = SENTENCES[reason].partition("{")[0]
    assert any(start in str(remark) for remark in recorded["to_block_ir"].remarks)


def test_why_a_loop_is_unrolled_or_is_not() -> None:
    bytecode = Bytecode.parse(NEWEST["loop_sum"].read_bytes())
    remarks = stages(bytecode, "sm_80", until="unroll_loops")["unroll_loops"].remarks
    assert [(each.op.name, each.what) for each in remarks] == [("for", "unroll factor 8")]
    assert remarks[0].facts == {"reasons": ("unrolled",)}
    bytecode = Bytecode.parse(NEWEST["nested_loops"].read_bytes())
    remarks = stages(bytecode, "sm_80", until="unroll_loops")["unroll_loops"].remarks
    assert {each.what for each in remarks} == {"not unrolled"}


def test_a_reason_that_nothing_gives_has_no_sentence() -> None:
    """Every id is in the code, and every id in the code has its sentence."""
    folder = Path(codegen.__file__).parent
    sources = [*(folder / "nvptx").rglob("*.py"), folder / "analysis" / "early_loads.py"]
    code = "".join(path.read_text() for path in sources if path.name not in ABOUT)
    used: set[Any] = {*re.findall(r'Reason\(\s*"(\w+)"', code)}
    assert used <= {*SENTENCES}
    assert {each for each in SENTENCES if f'"{each}"' not in code} == set()
