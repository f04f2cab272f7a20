"""How threads make accesses: what is decided about ops from facts, layouts and GPUs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import tileir
from tests.codegen.nvptx.decided import decided
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.block.accesses import Accesses, accesses_of, worked_on
from tileir.codegen.block.dialect import ROWS
from tileir.codegen.block.types import Frag
from tileir.codegen.kernel import KernelIR
from tileir.codegen.layouts.linear_layout import LinearLayout, along, blocked
from tileir.codegen.nvptx.schedule.access_attributes import (
    access_attributes,
    copy_attributes,
    fits_32_bits,
)
from tileir.codegen.nvptx.state import KernelState
from tileir.gpus import TARGETS
from tileir.ir import Op

VIEW = """
cuda_tile.module @m {{ entry @k(%p0: tile<ptr<{element}>>, %n0: tile<{index}>, %i: tile<i64>) {{
  %p = assume div_by<16>, %p0 : tile<ptr<{element}>>
  %n1 = assume bounded<{bounds}>, %n0 : tile<{index}>
  %n = assume div_by<{divisor}>, %n1 : tile<{index}>
  %x = constant <{element}: 1.0> : tile<4x8x{element}>
  %t = make_tensor_view %p, shape = [{shape}], strides = [{strides}] : {sizes}{view}
  %v = make_partition_view %t : partition_view<tile=(4x8), {view}>
  %c = constant <i64: 1> : tile<i64>
  %r = {op} :
    tile<4x8x{element}>, partition_view<tile=(4x8), {view}>, tile<i64> -> token
  return
}} }}
"""
STORE = "store_view_tko weak %x, %v[%i, %c]"


def text(
    rows: str, row: int, bounds: str = "?, ?", index: str = "i32", columns: str = "20",
    divisor: int = 1, element: str = "f32", op: str = STORE,
) -> str:  # fmt: skip
    dynamic = "?" in (rows, columns)
    view = f"tensor_view<{rows}x{columns}x{element}, strides=[{row},1]>"
    shape = ", ".join("%n" if size == "?" else size for size in (rows, columns))
    return VIEW.format(
        shape=shape, strides=f"{row}, 1", view=view, bounds=bounds, element=element, op=op,
        index=index, sizes=f"tile<{index}> -> " if dynamic else "", divisor=divisor,
    )  # fmt: skip


def one(source: str, name: str, target: str = "sm_90") -> tuple[KernelState, Op]:
    """The state of a kernel with layouts, and its op of a name."""
    module = tileir.assemble(source, version="13.5")
    state = decided(KernelIR.copy_of(module.functions[0], module), target, "assign_layouts")
    (op,) = (op for op in state.kernel.walk() if op.name == name)
    return state, op


def added(source: str, name: str, layout: LinearLayout, target: str = "sm_90") -> dict[str, Any]:
    """The attributes that an op gets in a layout."""
    state, op = one(source, name, target)
    found = access_attributes(op, layout, state, TARGETS[target])
    assert found.keys() <= {slot.name for slot in ROWS[name].attributes}
    return found


@pytest.mark.parametrize(
    ("source", "fits"),
    [
        (text("10", 20), True),
        # The last element is at 4 * (n - 1) * row + 4 * 19.
        (text("2", 2**30 - 20), True), (text("2", 2**30 - 19), False), (text("5", 2**30), False),
        (text("?", 20), False), (text("?", 20, "0, ?"), False), (text("?", 20, "-1, 9"), False),
        (text("?", 20, "0, 1000"), True), (text("?", 1 << 21, "0, 512"), True),
        (text("?", 1 << 21, "0, 513"), False),
    ],
)  # fmt: skip
def test_32_bits_where_the_tensor_is_known_to_fit(source: str, fits: bool) -> None:
    state, op = one(source, "store_view_tko")
    assert fits_32_bits(op.operands["view"], state.kernel.facts(Divisibility)) == fits
    assert added(source, "store_view_tko", blocked(32, 1, 32))["narrow"] == fits


@pytest.mark.parametrize(
    ("row", "columns", "divisor", "held", "vector", "whole"),
    [
        (20, "20", 1, 4, 4, True), (20, "20", 1, 2, 2, True), (20, "20", 1, 1, 1, True),
        (21, "20", 1, 4, 1, True), (22, "20", 1, 4, 2, True),
        (24, "22", 1, 4, 4, False), (24, "22", 1, 2, 2, True), (24, "21", 1, 2, 2, False),
        (24, "?", 1, 4, 4, False), (24, "?", 2, 4, 4, False), (24, "?", 4, 4, 4, True),
    ],
)  # fmt: skip
def test_vectors_of_views(
    row: int, columns: str, divisor: int, held: int, vector: int, whole: bool
) -> None:
    source = text("10", row, columns=columns, divisor=divisor)
    found = added(source, "store_view_tko", blocked(32, held, 32))
    assert (found["vector"], found["along"], found["whole"]) == (vector, 1, whole)
    assert found["owner"] == (held > 1)
    assert not found["generic"]
    assert not found["strong"]


def test_vectors_need_registers_along_their_dimension() -> None:
    layout = along((4, 8), (1, 0), 4, 32)
    assert added(text("10", 20), "store_view_tko", layout)["vector"] == 1


def test_copies_have_the_vectors_of_loads() -> None:
    """What is known about a load is true of the copies that take its place."""
    load = "load_view_tko weak %v[%i, %c]"
    source = text("10", 24, columns="22").replace(
        f"%r = {STORE} :\n    tile<4x8xf32>, ", f"%y, %r = {load} :\n    "
    )
    source = source.replace("tile<i64> -> token", "tile<i64> -> tile<4x8xf32>, token")
    module = tileir.assemble(source, version="13.5")
    kernel = KernelIR.of(module.functions[0], module)
    (op,) = (op for op in kernel.walk() if op.name == "load_view_tko")
    layout = blocked(32, 4, 32)
    found = copy_attributes(op, layout, kernel.facts(Divisibility))
    wanted = {"vector": 4, "along": 1, "whole": False, "narrow": True, "inbounds": (0, 0)}
    # Nothing is known of the first index.
    assert found == {"threads": layout, **wanted, "short": (0, 1)}


@pytest.mark.parametrize(
    ("element", "target", "vector", "by_cas"),
    [
        ("f32", "sm_90", 4, False), ("f32", "sm_80", 1, False), ("f16", "sm_80", 2, False),
        ("f16", "sm_90", 8, False), ("bf16", "sm_75", 1, True), ("bf16", "sm_90", 8, False),
    ],
)  # fmt: skip
def test_updates_of_views(element: str, target: str, vector: int, by_cas: bool) -> None:
    update = "atomic_red_view_tko relaxed device %v[%i, %c], addf, %x"
    source = text("16", 32, columns="32", element=element, op=update)
    state, op = one(source, "atomic_red_view_tko", target)
    newest = replace(TARGETS[target], ptx=(8, 8))
    found = access_attributes(op, blocked(32, 8, 32), state, newest)
    assert (found["vector"], found["red"], found["by_cas"]) == (vector, True, by_cas)


POINTERS = """
cuda_tile.module @m {{ entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {{
  %v = iota : tile<128xi32>
  %p16 = assume div_by<16>, %p : tile<ptr<i32>>
  %base = reshape %p16 : tile<ptr<i32>> -> tile<1xptr<i32>>
  %all = broadcast %base : tile<1xptr<i32>> -> tile<128xptr<i32>>
  %q = offset %all, %v : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
  {op}
  return
}} }}
"""
UPDATE = (
    "%old, %t = atomic_rmw_tko relaxed device %q, {mode}, %v : "
    "tile<128xptr<i32>>, tile<128xi32> -> tile<128xi32>, token"
)
USE = "\n%u = store_ptr_tko weak %q, %old : tile<128xptr<i32>>, tile<128xi32> -> token"
MASKED = """
  %r = reshape %n : tile<i32> -> tile<1xi32>
  %e = broadcast %r : tile<1xi32> -> tile<128xi32>
  %m = cmpi less_than %v, %e, signed : tile<128xi32> -> tile<128xi1>
  %x, %t = load_ptr_tko weak %q, %m : tile<128xptr<i32>>, tile<128xi1> -> tile<128xi32>, token
  %u = store_ptr_tko weak %q, %x : tile<128xptr<i32>>, tile<128xi32> -> token"""


@pytest.mark.parametrize(
    ("mode", "use", "red"), [("add", "", True), ("add", USE, False), ("xchg", "", False)]
)
def test_red_where_nobody_wants_old_elements(mode: str, use: str, red: bool) -> None:
    source = POINTERS.format(op=UPDATE.format(mode=mode) + use)
    found = added(source, "atomic_rmw_tko", blocked(128, 4, 32))
    assert found["red"] == red
    assert (found["vector"], found["masked"], found["run"]) == (1, 1, 128)


def test_masks_that_differ_at_one_edge() -> None:
    source = POINTERS.format(op=MASKED)
    found = added(source, "load_ptr_tko", blocked(128, 4, 32))
    assert (found["vector"], found["masked"], found["along"]) == (4, 1, 0)
    assert not added(source, "load_ptr_tko", blocked(128, 1, 256))["owner"]
    assert added(source, "store_ptr_tko", blocked(128, 1, 256))["owner"]
    assert added(source, "offset", blocked(128, 1, 32)) == {"narrow": True}


def test_the_instructions_of_an_access() -> None:
    """They are told from attributes and types."""
    source = POINTERS.format(op=MASKED)
    state, op = one(source, "load_ptr_tko")
    op.attributes.update(access_attributes(op, blocked(128, 4, 32), state, TARGETS["sm_90"]))
    assert worked_on(op) is op.operands["source"]
    kind = op.operands["source"].type
    op.operands["source"].type = Frag(kind.element, kind.shape, layout=blocked(128, 8, 32))
    assert accesses_of(op) == Accesses(16, 2, "in vectors of 1 where masks differ")
    state, op = one(text("10", 24, columns="22"), "store_view_tko")
    op.attributes.update(access_attributes(op, blocked(32, 4, 32), state, TARGETS["sm_90"]))
    assert accesses_of(op).bytes == 16
    assert accesses_of(op).otherwise == "element by element at the tensor's edge"
    (view,) = (op for op in state.kernel.walk() if op.name == "make_partition_view")
    assert accesses_of(view) is None
