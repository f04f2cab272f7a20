"""Ops on multicast memory, of which the emulator has one replica."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tileir
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen import compile

NUMPY = {
    "bf16": ml_dtypes.bfloat16, "f16": "f2", "f32": "f4", "f64": "f8", "i32": "i4", "i64": "i8",
}  # fmt: skip
MULTICAST = "#cuda_tile.ptr_attr<multicast>"


def text(element: str, rows: int, columns: int, aligned: bool, reduction: str) -> str:
    """Load a tile of `a`, reduce `b` by it, store it to `c`; all have rows x columns elements."""
    tensor = f"tensor_view<{rows}x{columns}x{element}, strides=[{columns},1], {MULTICAST}>"
    view = f"partition_view<tile=(4x16), padding_value = zero, {tensor}>"
    pointer = f"tile<ptr<{element}, <multicast>>>"
    tile = f"tile<4x16x{element}>"
    lines = ["%i = constant <i32: 0> : tile<i32>"]
    for name in "abc":
        base = f"%{name}"
        if aligned:
            base = f"%{name}_base"
            lines.append(f"{base} = assume div_by<16>, %{name} : {pointer}")
        lines += [
            (
                f"%{name}_tensor = make_tensor_view {base}, shape = [{rows}, {columns}],"
                f" strides = [{columns}, 1] : {pointer} -> {tensor}"
            ),
            f"%{name}_view = make_partition_view %{name}_tensor : {view}",
        ]
    kind = f" attributes {{reduction = #cuda_tile.multimem_reduction_kind<{reduction}>}}"
    kind = "" if reduction == "add" else kind
    lines += [
        (
            "%v, %t0 = multimem_load_reduce_view_tko weak %a_view[%i, %i] :"
            f" {view}, tile<i32> -> {tile}, token"
        ),
        (
            f"%t1 = multimem_reduce_view_tko relaxed sys %b_view, %v[%i, %i]{kind} :"
            f" {view}, {tile}, tile<i32> -> token"
        ),
        (
            "%t2 = multimem_store_view_tko weak %c_view, %v[%i, %i] :"
            f" {view}, {tile}, tile<i32> -> token"
        ),
        "return",
    ]
    names = ", ".join(f"%{name}: {pointer}" for name in "abc")
    return f"cuda_tile.module @m {{ entry @k({names}) {{\n" + "\n".join(lines) + "\n} }"


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("columns", [12, 15])
@pytest.mark.parametrize(
    ("element", "reduction"),
    [
        ("f16", "add"), ("bf16", "add"), ("f32", "add"), ("f64", "add"), ("i32", "max"),
        ("i64", "xor"),
    ],
)  # fmt: skip
def test_one_replica(element: str, reduction: str, columns: int, aligned: bool) -> None:
    rng = np.random.default_rng(0)
    start, other = rng.integers(-50, 50, (2, 2, columns)).astype(NUMPY[element])
    a, b, c = start.copy(), other.copy(), np.zeros_like(other)
    source = text(element, 2, columns, aligned, reduction)
    launch(tileir.assemble(source, version="13.5"), "k", 1, [a, b, c])
    change = {"add": np.add, "max": np.maximum, "xor": np.bitwise_xor}[reduction]
    np.testing.assert_array_equal(a, start)
    np.testing.assert_array_equal(b, change(start, other))
    np.testing.assert_array_equal(c, start)


def test_halves_go_in_pairs_where_they_lie_so() -> None:
    bytecode = tileir.assemble(text("f16", 4, 16, True, "add"), version="13.5")
    ptx = compile(bytecode, "sm_90").ptx
    assert "multimem.st.global.f16x2" in ptx
    assert ".and.b32" not in ptx


@pytest.mark.oracle
@pytest.mark.parametrize("target", ["sm_90", "sm_100", "sm_120"])
def test_it_assembles(tool, tmp_path, target: str) -> None:
    for element, columns in (("f16", 15), ("bf16", 16), ("i64", 16)):
        bytecode = tileir.assemble(text(element, 2, columns, True, "add"), version="13.5")
        source = tmp_path / f"{element}.ptx"
        source.write_text(compile(bytecode, target).ptx)
        done = tool("ptxas", f"-arch={target}", "-o", tmp_path / "out", source)
        assert done.returncode == 0, done.stderr.decode()
