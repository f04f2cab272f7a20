"""Loads, stores and atomics through pointers in the block IR, against NumPy."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from llvmlite import ir

from tests.codegen.build import tensor
from tests.codegen.nvptx.emit.memory_ops.memory_kernels import (
    PLAIN,
    WEAK,
    MemoryKernel,
    frag,
    numbers,
)
from tileir.codegen.layouts.linear_layout import LinearLayout, blocked
from tileir.codegen.nvptx.emit.context import Context, Fragment
from tileir.codegen.nvptx.machine.access import value_of
from tileir.ir import Value
from tileir.types import PartitionView

SIZE = 128
RELAXED = {"memory_ordering_semantics": "relaxed", "memory_scope": "device"}


def attributes(vector: int = 1, masked: int | None = None, **more: Any) -> dict[str, Any]:
    """Those of a weak access to contiguous memory."""
    vectors = {"vector": vector, "along": 0, "masked": masked or vector, "run": vector}
    return {**WEAK, **vectors, **PLAIN, **more}


def mask(kernel: MemoryKernel, layout: LinearLayout, bits: int) -> Value:
    """A mask of the elements whose number has one of these bits."""

    def form(ctx: Context) -> Fragment:
        found = {}
        for offset, number in numbers(layout)(ctx).items():
            chosen = ctx.builder.and_(number, number.type(bits))
            found[offset] = ctx.builder.icmp_unsigned("!=", chosen, number.type(0))
        return found

    return kernel.given(frag(f"{SIZE}xi1", layout), form)


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize(
    ("vector", "masked", "bits"),
    [(1, 1, 1), (4, 4, 8), (4, 1, 9), (4, 2, 2), (4, 1, 4), (4, None, None), (1, None, None)],
)
def test_masks(vector: int, masked: int | None, bits: int | None, padded: bool) -> None:
    """Elements of a vector have one mask, or it is found at run time that their masks differ."""
    layout = blocked(SIZE, vector, 32)
    kernel = MemoryKernel("ptr<i32>", "ptr<i32>")
    source, result = (kernel.pointers(p, f"{SIZE}xptr<i32>", layout) for p in kernel.parameters)
    more = {} if bits is None else {"mask": mask(kernel, layout, bits)}
    if padded:
        more["paddingValue"] = kernel.given(frag(f"{SIZE}xi32", layout), numbers(layout, -1))
    kind = frag(f"{SIZE}xi32", layout)
    loaded = kernel.op("load_ptr_tko", [kind], attributes(vector, masked), source=source, **more)
    kernel.op("store_ptr_tko", (), attributes(vector), destination=result, value=loaded)
    array, found = np.arange(1000, 1000 + SIZE, dtype="i4"), np.ones(SIZE, "i4")
    kernel.run(array, found)
    number = np.arange(SIZE)
    chosen = np.full(SIZE, True) if bits is None else number & bits != 0
    np.testing.assert_array_equal(found, np.where(chosen, array, -number * padded))


@pytest.mark.parametrize(("vector", "masked"), [(1, 1), (4, 2), (4, 1)])
def test_masked_stores(vector: int, masked: int) -> None:
    layout = blocked(SIZE, vector, 32)
    kernel = MemoryKernel("ptr<i16>")
    pointers = kernel.pointers(kernel.parameters[0], f"{SIZE}xptr<i16>", layout)

    def halves(ctx: Context) -> Fragment:
        return {o: ctx.builder.trunc(n, ir.IntType(16)) for o, n in numbers(layout, 3)(ctx).items()}

    value = kernel.given(frag(f"{SIZE}xi16", layout), halves)
    operands = {"destination": pointers, "value": value, "mask": mask(kernel, layout, 6)}
    kernel.op("store_ptr_tko", (), attributes(vector, masked), **operands)
    found = np.full(SIZE, -1, "i2")
    kernel.run(found)
    number = np.arange(SIZE)
    np.testing.assert_array_equal(found, np.where(number & 6, 3 * number, -1))


@pytest.mark.parametrize("threads", [32, 256])
@pytest.mark.parametrize(("mode", "red"), [("add", True), ("add", False), ("xchg", False)])
def test_updates(mode: str, red: bool, threads: int) -> None:
    """With 256 threads there are two copies of each element, one of which updates."""
    layout = blocked(SIZE, 1, threads)
    kernel = MemoryKernel("ptr<i32>", "ptr<i32>", threads=threads)
    memory, result = (kernel.pointers(p, f"{SIZE}xptr<i32>", layout) for p in kernel.parameters)
    kind = frag(f"{SIZE}xi32", layout)
    value = kernel.given(kind, numbers(layout, 2))
    access = attributes(mode=mode, red=red, by_cas=False, owner=threads > SIZE, **RELAXED)
    operands = {"pointers": memory, "arg": value, "mask": mask(kernel, layout, 3)}
    old = kernel.op("atomic_rmw_tko", [kind], access, **operands)
    if not red:
        access = attributes(owner=threads > SIZE)
        operands = {"destination": result, "value": old, "mask": mask(kernel, layout, 3)}
        kernel.op("store_ptr_tko", (), access, **operands)
    array, found, number = np.arange(SIZE, dtype="i4") + 7, np.zeros(SIZE, "i4"), np.arange(SIZE)
    text = kernel.run(array, found)
    assert bool(re.search(r"\bred\.relaxed\.gpu\.global\.add\.u32", text)) == red
    chosen = number & 3 != 0
    after = 2 * number + (number + 7 if mode == "add" else 0)
    np.testing.assert_array_equal(array, np.where(chosen, after, number + 7))
    np.testing.assert_array_equal(found, np.where(chosen & (not red), number + 7, 0))


def test_compare_and_swap() -> None:
    layout = blocked(SIZE, 1, 32)
    kernel = MemoryKernel("ptr<i64>", "ptr<i64>")
    memory, result = (kernel.pointers(p, f"{SIZE}xptr<i64>", layout) for p in kernel.parameters)
    kind = frag(f"{SIZE}xi64", layout)

    def wide(scale: int, start: int) -> Value:
        def form(ctx: Context) -> Fragment:
            each = numbers(layout, scale, start)(ctx)
            return {o: ctx.builder.sext(n, ir.IntType(64)) for o, n in each.items()}

        return kernel.given(kind, form)

    operands = {"pointers": memory, "cmp": wide(1, 0), "val": wide(-1, -5)}
    order = {"memory_ordering_semantics": "acq_rel", "memory_scope": "sys"}
    old = kernel.op("atomic_cas_tko", [kind], attributes(**order), **operands)
    kernel.op("store_ptr_tko", (), attributes(), destination=result, value=old)
    number = np.arange(SIZE)
    start = np.where(number % 3, number, 1000)
    array, found = start.copy(), np.zeros(SIZE, "i8")
    text = kernel.run(array, found)
    assert "atom.acq_rel.sys.global.cas.b64" in text
    np.testing.assert_array_equal(array, np.where(number % 3, -number - 5, 1000))
    np.testing.assert_array_equal(found, start)


@pytest.mark.parametrize("masked", [False, True])
def test_halves_are_added_by_compare_and_swap(masked: bool) -> None:
    """All elements go to sixteen addresses."""
    layout = blocked(SIZE, 1, 32)
    kernel = MemoryKernel("ptr<bf16>")
    base = kernel.parameters[0]

    def pointers(ctx: Context) -> Fragment:
        builder, found = ctx.builder, {}
        for offset, number in numbers(layout)(ctx).items():
            at = builder.shl(builder.and_(number, number.type(15)), number.type(1))
            found[offset] = builder.add(ctx.scalar(base), builder.zext(at, ir.IntType(64)))
        return found

    def ones(ctx: Context) -> Fragment:
        element = frag("bf16", layout).element
        return dict.fromkeys(
            layout.offsets(), value_of(ctx.builder, ir.IntType(16)(0x3F80), element)
        )

    operands = {
        "pointers": kernel.given(frag(f"{SIZE}xptr<bf16>", layout), pointers),
        "arg": kernel.given(frag(f"{SIZE}xbf16", layout), ones),
    }
    if masked:
        operands["mask"] = mask(kernel, layout, 16)
    access = attributes(mode="addf", red=True, by_cas=True, **RELAXED)
    kernel.op("atomic_rmw_tko", [frag(f"{SIZE}xbf16", layout)], access, **operands)
    array = np.arange(16).astype(ml_dtypes.bfloat16)
    text = kernel.run(array, target="sm_75")
    assert "atom.relaxed.gpu.global.cas.b16" in text
    added = SIZE // 16 // (2 if masked else 1)
    np.testing.assert_array_equal(array.astype("f4"), np.arange(16) + added)


def test_vectors_are_added_to_views() -> None:
    layout = blocked(64, 4, 32)
    kernel = MemoryKernel("ptr<f32>")
    kind = PartitionView((4, 16), tensor("f32", (6, 28), (32, 1)), (0, 1))
    view = kernel.view(kernel.parameters[0], kind)

    def floats(ctx: Context) -> Fragment:
        return {o: ctx.builder.sitofp(n, ir.FloatType()) for o, n in numbers(layout)(ctx).items()}

    access = {
        "mode": "addf", "vector": 4, "along": 1, "whole": True, "narrow": True, "red": True,
        "by_cas": False, "inbounds": (), **PLAIN, **RELAXED, "owner": True,
    }  # fmt: skip
    index = (kernel.integer(1), kernel.integer(1))
    value = kernel.given(frag("4x16xf32", layout), floats)
    kernel.op("atomic_red_view_tko", (), access, view=view, index=index, value=value)
    array = np.random.default_rng(3).integers(0, 99, (8, 32)).astype("f4")
    wanted = array.copy()
    wanted[4:6, 16:28] += np.arange(64).reshape(4, 16)[:2, :12]
    text = kernel.run(array)
    assert "red.relaxed.gpu.global.add.v4.f32" in text
    np.testing.assert_array_equal(array, wanted)
