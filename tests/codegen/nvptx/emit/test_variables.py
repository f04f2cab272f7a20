"""Memory that blocks allocate: their own, and what others may see; much of it, and too much."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen import compile, emulator
from tileir.gpus import TARGETS

VIEW = "partition_view<tile=(64), tensor_view<{n}xi32, strides=[1]>>"
MAKE_VIEW = """
%{name}_t = make_tensor_view %{name}, shape = [{n}], strides = [1] :
  tensor_view<{n}xi32, strides=[1]>
%{name}_v = make_partition_view %{name}_t : {view}
"""
THROUGH = """
%m{k} = alloca num_elem = {n}, alignment = {alignment} {where} : tile<ptr<i32>>
{make_view}
%last{k} = constant <i32: {last}> : tile<i32>
%s{k} = store_view_tko weak {value}, %m{k}_v[%last{k}] token = {token} :
  tile<64xi32>, {view}, tile<i32> -> token
%v{k}, %t{k} = load_view_tko weak %m{k}_v[%last{k}] token = %s{k} :
  {view}, tile<i32> -> tile<64xi32>, token
"""
KERNEL = """
entry @k(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>) {{
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %start = make_token : token
  {views}
  %d, %td = load_view_tko weak %in_v[%x] token = %start :
    {view}, tile<i32> -> tile<64xi32>, token
  %r:2 = for %i in (%zero to %three, step %one) : tile<i32>
      iter_values(%c = %d, %tc = %td) -> (tile<64xi32>, token) {{
    {through}
    %w = addi %v{last}, %v{last} : tile<64xi32>
    continue %w, %t{last} : tile<64xi32>, token
  }}
  %te = store_view_tko weak %r#0, %out_v[%x] token = %r#1 :
    tile<64xi32>, {view}, tile<i32> -> token
  return
}}
"""
BLOCKS = 3


def text(places: list[tuple[int, int, str]]) -> str:
    """Double a tile three times, each time having copied it through the end of each allocation.

    Those are (elements, alignment, "global" or nothing).
    """
    value, token, through = "%c", "%tc", ""
    for k, (n, alignment, where) in enumerate(places):
        view = VIEW.format(n=n)
        through += THROUGH.format(
            k=k, n=n, alignment=alignment, where=where, last=n // 64 - 1, value=value, token=token,
            view=view, make_view=MAKE_VIEW.format(name=f"m{k}", n=n, view=view),
        )  # fmt: skip
        value, token = f"%v{k}", f"%t{k}"
    n = 64 * BLOCKS
    view = VIEW.format(n=n)
    views = "".join(MAKE_VIEW.format(name=name, n=n, view=view) for name in ("in", "out"))
    return KERNEL.format(view=view, views=views, through=through, last=len(places) - 1)


PLACES = {
    "for others": [(64, 4, "global"), (128, 1024, "global")],
    "both": [(64, 4, "global"), (128, 1024, "")],
    "much": [(10240, 4, "")] * 3,
    "strict": [(64, 1 << 16, ""), (64, 4, "")],
}


@pytest.mark.parametrize("target", ["sm_75", "sm_90"])
@pytest.mark.parametrize("places", PLACES.values(), ids=PLACES)
def test_memory_of_blocks(places: list[tuple[int, int, str]], target: str) -> None:
    bytecode = tileir.assemble(text(places), version="13.5")
    array = np.arange(64 * BLOCKS, dtype="i4")
    found = np.zeros_like(array)
    launch(bytecode, "k", BLOCKS, [array, found], target)
    np.testing.assert_array_equal(found, 8 * array)
    plan = compile(bytecode, target).plan["k"]
    assert plan["dynamic_shared_memory"] <= TARGETS[target].shared_bytes


def test_large_memory_of_its_own_is_shared_memory_where_it_fits() -> None:
    bytecode = tileir.assemble(text(PLACES["much"]), version="13.5")
    assert "malloc" not in compile(bytecode, "sm_90").ptx
    assert "malloc" in compile(bytecode, "sm_75").ptx


def test_a_heap_that_is_too_small() -> None:
    bytecode = tileir.assemble(text([(1 << 30, 4, "global")]), version="13.5")
    array = np.zeros(64 * BLOCKS, "i4")
    with pytest.raises(emulator.EmulationError, match="assert: ") as caught:
        launch(bytecode, "k", 1, [array, array])
    assert "heap has no 4294967296 bytes left" in caught.value.output


def test_more_than_any_machine_has() -> None:
    sizes, addresses = [(1 << 62, 4), (1, 1 << 62), (1 << 62, 4)], ""
    for k, (count, alignment) in enumerate(sizes):
        addresses += f"""
          %m{k} = alloca num_elem = {count}, alignment = {alignment} : tile<ptr<i32>>
          %n{k} = ptr_to_int %m{k} : tile<ptr<i32>> -> tile<i64>
          %t{k} = store_ptr_tko weak %out, %n{k} : tile<ptr<i64>>, tile<i64> -> token
        """
    module = f"entry @k(%out: tile<ptr<i64>>) {{ {addresses} return }}"
    with pytest.raises(emulator.EmulationError, match="assert: ") as caught:
        launch(tileir.assemble(module, version="13.5"), "k", 1, [np.zeros(1, "i8")])
    assert "heap has no" in caught.value.output
