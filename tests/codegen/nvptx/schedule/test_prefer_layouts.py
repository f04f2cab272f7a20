"""Loads of different alignment that meet element by element have one layout: the widest."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.build import Kernel
from tests.codegen.nvptx.on_emulator import run
from tests.lab.bench.machine_code.figures import SETS
from tests.lab.bench.workloads.cases import CASES
from tileir import assemble
from tileir.attributes import DivBy
from tileir.codegen import compile
from tileir.codegen.emulator.threads.schedules import SCHEDULES

SIZE = 1024
TAPS = (-2, -1, 0, 1, 2, 4)


def stencil(element: str = "f32", taps: tuple[int, ...] = TAPS):
    """Sums of neighbours, from an array that begins 16 elements before the first of them."""
    kernel = Kernel("stencil", f"ptr<{element}>", "ptr<f32>")
    x, y = (
        kernel.op("assume", each, results=[each.type], predicate=DivBy(16))
        for each in kernel.parameters
    )
    at = kernel.op("iota", results=[f"{SIZE}xi32"])
    near = kernel.op("addi", at, kernel.constant(f"{SIZE}xi32", 16), results=[f"{SIZE}xi32"])
    total = kernel.constant(f"{SIZE}xf32", 0)
    nearest = {"rounding_mode": "nearest_even", "flush_to_zero": False}
    for tap in taps:
        shift = kernel.constant(f"{SIZE}xi32", tap & 0xFFFFFFFF)
        index = kernel.op("addi", near, shift, results=[f"{SIZE}xi32"])
        part, _ = kernel.op(
            "load_ptr_tko",
            _pointers(kernel, x, element, index),
            results=[f"{SIZE}x{element}", "token"],
            memory_ordering_semantics="weak",
        )
        if element != "f32":
            part = kernel.op("ftof", part, results=[f"{SIZE}xf32"], rounding_mode="nearest_even")
        total = kernel.op("addf", total, part, results=[f"{SIZE}xf32"], **nearest)
    kernel.op(
        "store_ptr_tko",
        _pointers(kernel, y, "f32", at),
        total,
        results=["token"],
        memory_ordering_semantics="weak",
    )
    return kernel.module()


def _pointers(kernel: Kernel, base, element: str, index):
    one = kernel.op("reshape", base, results=[f"1xptr<{element}>"])
    wide = kernel.op("broadcast", one, results=[f"{SIZE}xptr<{element}>"])
    return kernel.op("offset", wide, index, results=[f"{SIZE}xptr<{element}>"])


@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
@pytest.mark.parametrize("taps", [TAPS, TAPS[1:], TAPS[::-1]])
def test_neighbours_are_added_where_they_are_loaded(taps: tuple[int, ...], target: str) -> None:
    compiled = compile(stencil(taps=taps), target)
    assert compiled.plan["stencil"]["dynamic_shared_memory"] == 0
    assert "bar.sync" not in compiled.ptx
    assert compiled.ptx.count("st.global.v4") == SIZE // 128 // 4
    x = np.random.default_rng(1).standard_normal(SIZE + 32).astype(np.float32)
    expected = np.zeros(SIZE, np.float32)
    for tap in taps:
        expected += x[16 + tap : 16 + tap + SIZE]
    for schedule in SCHEDULES:
        found = np.zeros(SIZE, np.float32)
        run(compiled, "stencil", 1, [x, found], schedule)
        np.testing.assert_array_equal(found, expected)


def test_vectors_of_wider_elements_are_no_longer_than_an_access() -> None:
    """Eight halves are 16 bytes, but four f32: a tile of each keeps to the shorter ones."""
    kernel = Kernel("mixed", "ptr<f16>", "ptr<f32>", "ptr<f32>")
    views = []
    for pointer in kernel.parameters:
        base = kernel.op("assume", pointer, results=[pointer.type], predicate=DivBy(16))
        views.append(kernel.view(base, [SIZE], [SIZE]))
    half, single = (kernel.load(view, *kernel.zeros(1)) for view in views[:2])
    wide = kernel.op("ftof", half, results=[f"{SIZE}xf32"], rounding_mode="nearest_even")
    total = kernel.op(
        "addf", wide, single, results=[f"{SIZE}xf32"],
        rounding_mode="nearest_even", flush_to_zero=False,
    )  # fmt: skip
    kernel.store(total, views[2], *kernel.zeros(1))
    compiled = compile(kernel.module(), "sm_90")
    assert compiled.plan["mixed"]["dynamic_shared_memory"] == 0
    assert compiled.ptx.count("ld.global.v2.b32") == 2
    assert compiled.ptx.count("ld.global.v4.b32") == 2


def test_a_transposed_tile_is_still_loaded_along_its_columns() -> None:
    """x + y, of which y lies in memory column by column: one of them is converted."""
    kernel = Kernel("both", "ptr<f32>", "ptr<f16>", "ptr<f32>")
    x, y, z = (
        kernel.op("assume", each, results=[each.type], predicate=DivBy(16))
        for each in kernel.parameters
    )
    extents = [64, 64]
    one = kernel.load(kernel.view(x, extents, extents), *kernel.zeros(2))
    other = kernel.load(kernel.view(y, extents, extents, strides=[1, 64]), *kernel.zeros(2))
    wide = kernel.op("ftof", other, results=["64x64xf32"], rounding_mode="nearest_even")
    total = kernel.op(
        "addf", wide, one, results=["64x64xf32"],
        rounding_mode="nearest_even", flush_to_zero=False,
    )  # fmt: skip
    kernel.store(total, kernel.view(z, extents, extents), *kernel.zeros(2))
    compiled = compile(kernel.module(), "sm_90")
    assert compiled.plan["both"]["dynamic_shared_memory"] > 0
    assert ".global.b16" not in compiled.ptx


@pytest.mark.parametrize("name", ["stencil", "adamw", "rope", "causal_conv1d"])
def test_workloads_with_neighbours_are_right(name: str) -> None:
    compiled = compile(assemble(SETS["workloads"][name].read_text()), "sm_80")
    for schedule in SCHEDULES:
        case = CASES[name]()
        run(compiled, name, case.grid, case.arguments(), schedule)
        case.check()
    if name == "stencil":
        assert compiled.plan[name]["dynamic_shared_memory"] == 0
