"""Which loads of a loop may be made iterations ahead, and which may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codegen.nvptx.loops import COLUMNS, DEPTH, LOAD, ROWS, load, loop_over_tiles, view_type
from tests.lab import bench
from tileir import assemble
from tileir.codegen.analysis.early_loads import EarlyLoad, early_loads
from tileir.codegen.kernel import KernelIR

KERNELS = Path(bench.__file__).parent / "kernels"
VIEW = view_type()
TILE, SUMS = f"tile<{ROWS}x{DEPTH}xf16>", f"tile<{ROWS}x{COLUMNS}xf32>"
STORE = (
    "%wrote = store_view_tko weak %tile, %view[%zero, %i] token = %order"
    f" : {TILE}, {VIEW}, tile<i32> -> token"
)
CARRIED = {"carried": ", %order = %first", "carried_type": ", token"}


def found(text: str) -> list[EarlyLoad]:
    """The early loads of all loops."""
    kernel = KernelIR.of(assemble(text).functions[0])
    return [each for op in kernel.walk() for each in early_loads(op, lambda value: True)]


def slices(text: str) -> list[list[str]]:
    """Of each early load, the ops that are done early with it."""
    return [[op.name for op in each.slice] for each in found(text)]


@pytest.mark.parametrize(("name", "tiles"), [
    ("matmul_f16", ["128x64xf16", "64x128xf16"]),
    ("attention", ["1x64x128xf16", "1x128x64xf16"]),
])  # fmt: skip
def test_factors_of_a_product_go_early(name: str, tiles: list[str]) -> None:
    early = found((KERNELS / f"{name}.mlir").read_text())
    assert [str(each.load.results[0].type) for each in early] == [f"tile<{t}>" for t in tiles]
    assert [each.slice for each in early] == [(), ()]


def test_an_index_is_computed_early_with_all_it_takes() -> None:
    body = f"""
    %two = constant <i32: 2> : tile<i32>
    %unused = muli %i, %i : tile<i32>
    %double = muli %i, %two : tile<i32>
    %index = addi %double, %low : tile<i32>
    {load(LOAD.replace("%i]", "%index]"))}"""
    assert slices(loop_over_tiles(body)) == [["constant", "muli", "addi"]]


def test_views_made_inside_of_the_loop_are_no_obstacle() -> None:
    body = f"""
    %inner = make_partition_view %tensor : {VIEW}
    {load(LOAD.replace("%view", "%inner"))}"""
    assert slices(loop_over_tiles(body)) == [["make_partition_view"]]


@pytest.mark.parametrize(("handed_on", "body"), [
    ("%order", ""),
    ("%loaded", ""),
    ("%both", "\n%both = join_tokens %order, %loaded : token"),
    ("%new", "\n%new = make_token : token"),
])  # fmt: skip
def test_an_order_among_loads_is_no_order(handed_on: str, body: str) -> None:
    text = loop_over_tiles(
        load(LOAD.replace("%first", "%order")) + body, **CARRIED, handed_on=f", {handed_on}"
    )
    early = found(text)
    assert len(early) == 1
    # All there is to come after is what the loop starts with.
    assert [token.owner.name for token in early[0].tokens] == ["make_token"]


def test_a_load_comes_after_the_store_of_the_iteration_before() -> None:
    body = load(LOAD.replace("%first", "%order")) + f"\n{STORE}"
    assert not found(loop_over_tiles(body, **CARRIED, handed_on=", %wrote"))


def test_a_store_that_comes_later_is_no_obstacle() -> None:
    body = f"{load()}\n{STORE.replace('%order', '%loaded')}"
    assert len(found(loop_over_tiles(body))) == 1


def test_an_order_after_a_store_before_the_loop_is_told() -> None:
    before = f"%other = constant <f16: 0.0> : {TILE}\n" + (
        STORE.replace("%tile", "%other").replace("%i", "%zero").replace("%order", "%first")
    )
    [early] = found(loop_over_tiles(load(LOAD.replace("%first", "%wrote")), before=before))
    assert [token.owner.name for token in early.tokens] == ["store_view_tko"]


@pytest.mark.parametrize("body", [
    # an index that the iteration before has computed
    load(LOAD.replace("%i]", "%order]")),
    # one that is loaded itself
    f"""%at, %t = load_ptr_tko weak %where : tile<ptr<i32>> -> tile<i32>, token
    {load(LOAD.replace("%i]", "%at]"))}""",
    # an order that others see
    load(LOAD.replace("weak", "relaxed device")),
])  # fmt: skip
def test_what_may_not_go_early(body: str) -> None:
    text = loop_over_tiles(
        body, before="%where = int_to_ptr %wide : tile<i64> -> tile<ptr<i32>>".join(
            ["%wide = constant <i64: 0> : tile<i64>\n", ""]),
        carried=", %order = %zero", carried_type=", tile<i32>", handed_on=", %i",
    )  # fmt: skip
    assert not found(text)


def test_a_load_that_may_not_happen_does_not_go_early() -> None:
    body = f"""
    %some = cmpi less_than %i, %step, signed : tile<i32> -> tile<i1>
    %tile = if %some -> ({TILE}) {{
      {load().replace("%tile", "%there")}
      yield %there : {TILE}
    }} else {{
      yield %other : {TILE}
    }}"""
    before = f"%other = constant <f16: 0.0> : {TILE}"
    assert not found(loop_over_tiles(body, before=before))


def test_what_an_early_continue_hands_on_counts() -> None:
    body = f"""{load(LOAD.replace("%first", "%order"))}
    %some = cmpi less_than %i, %step, signed : tile<i32> -> tile<i1>
    if %some {{
      {STORE}
      continue %acc, %wrote : {SUMS}, token
    }}"""
    assert not found(loop_over_tiles(body, **CARRIED, handed_on=", %order"))
