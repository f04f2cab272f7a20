"""Which loads tokens order behind a write, so that copies in their place would need a fence."""

from __future__ import annotations

import pytest

from tests.codegen.nvptx.loops import load, loop_over_tiles, view_type
from tileir import assemble, compile
from tileir.codegen.analysis.memory_ops import is_plain_load
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.schedule.token_order import why_fenced

TENSOR = "tensor_view<?xf32, strides=[1]>"
PARTS = f"partition_view<tile=(64), {TENSOR}>"


def read(after: str) -> str:
    """Load a tile."""
    types = f"{PARTS}, tile<i32> -> tile<64xf32>, token"
    return f"%y, %read = load_view_tko weak %view[%zero] token = {after} : {types}"


def write(after: str) -> str:
    """Store a tile."""
    types = f"tile<64xf32>, {PARTS}, tile<i32> -> token"
    return f"%wrote = store_view_tko weak %x, %view[%zero] token = {after} : {types}"


def acquire(after: str, order: str = "acquire device") -> str:
    """Load a flag."""
    types = "tile<ptr<i32>> -> tile<i32>, token"
    return f"%f, %got = load_ptr_tko {order} %flag token = {after} : {types}"


JOIN = "%all = join_tokens %first, %wrote : token"
GRIDS = "%all = gdc_wait_tko token = %first -> token"
LOOP = "%end = for %i in (%zero to %n, step %n) : tile<i32> iter_values(%order = %first) -> (token)"
IF = "%end = if %b -> (token)"


def reasons(*ops: str) -> list[str]:
    """Why copies in place of the loads would need a fence, "" where they need none."""
    listed = "\n".join(ops)
    module = assemble(f"""
    entry @k(%p: tile<ptr<f32>>, %flag: tile<ptr<i32>>, %n: tile<i32>, %b: tile<i1>) {{
      %first = make_token : token
      %zero = constant <i32: 0> : tile<i32>
      %tensor = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> {TENSOR}
      %view = make_partition_view %tensor : {PARTS}
      %x = constant <f32: 1.0> : tile<64xf32>
      {listed}
      return
    }}""")
    kernel = KernelIR.of(module.functions[0])
    found = [why_fenced(op, kernel.body) for op in kernel.walk() if is_plain_load(op)]
    return [why.id if why else "" for why in found]


@pytest.mark.parametrize(
    ("ops", "expected"),
    [
        ([read("%first")], [""]),
        ([read("%first"), write("%read")], [""]),
        ([write("%first"), read("%first")], [""]),
        ([write("%first"), read("%wrote")], ["after_store"]),
        ([write("%first"), JOIN, read("%all")], ["after_store"]),
        ([acquire("%first"), read("%got")], ["ordered", "after_acquire"]),
        ([acquire("%first"), read("%first")], ["ordered", ""]),
        ([acquire("%first", "weak"), read("%got")], ["", ""]),
        ([GRIDS, read("%all")], [""]),
        ([f"{LOOP} {{", read("%order"), write("%read"), "continue %wrote : token }"],
         ["after_store"]),
        ([f"{LOOP} {{", read("%first"), write("%order"), "continue %wrote : token }"], [""]),
        ([f"{LOOP} {{", write("%order"), "continue %wrote : token }", read("%end")],
         ["after_store"]),
        ([f"{LOOP} {{", read("%order"), "continue %read : token }", write("%end")], [""]),
        (["%end = loop iter_values(%order = %first) : token -> token {", read("%order"),
          "continue %read : token }", read("%end")], ["", ""]),
        ([f"{IF} {{", write("%first"), "yield %wrote : token } else { yield %first : token }",
          read("%end")], ["after_store"]),
    ],
)  # fmt: skip
def test_what_a_load_comes_after(ops: list[str], expected: list[str]) -> None:
    assert reasons(*ops) == expected


@pytest.mark.parametrize("kept", [True, False])
def test_a_plan_knows_it_of_pipelined_loops(kept: bool) -> None:
    """The copies of a ring come after what the loads came after outside of the loop."""
    view = view_type()
    before = (
        f"%old, %t2 = load_view_tko weak %view[%zero, %zero] : {view}, tile<i32>"
        " -> tile<16x32xf16>, token\n"
        f"%wrote = store_view_tko weak %old, %view[%zero, %zero] token = %t2 : tile<16x32xf16>,"
        f" {view}, tile<i32> -> token"
    )
    token = "%wrote" if kept else "%first"
    ahead = load(f"%tile, %loaded = load_view_tko weak %view[%zero, %i] token = {token}")
    compiled = compile(assemble(loop_over_tiles(ahead, before=before)), "sm_90")
    assert "cp.async" in compiled.ptx
    reasons = [row["reason"] for row in compiled.plan["k"]["copies"]]
    assert reasons == [
        "no_loop",
        "no_tensor_ring",
        "after_store" if kept else "no_pattern",
    ]
