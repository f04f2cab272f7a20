"""Loads and stores of views in the block IR, against NumPy."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tests.codegen.build import tensor
from tests.codegen.nvptx.emit.memory_ops.memory_kernels import (
    PLAIN,
    WEAK,
    MemoryKernel,
    frag,
    numbers,
)
from tileir.codegen.layouts.linear_layout import along, blocked
from tileir.types import GatherScatterView, PartitionView, Scalar, Tile

TILE, SHAPE = (4, 16), (6, 29)


def attributes(vector: int = 1, dim: int = 1, **more: Any) -> dict[str, Any]:
    """Those of a weak access in vectors along a dimension, any of which may be partial."""
    added = {"vector": vector, "along": dim, "whole": vector == 1, "narrow": False, **PLAIN}
    return {**WEAK, **added, "strong": False, "inbounds": (), **more}


def whole(element: str = "f32") -> PartitionView:
    """A view of one tile, which is the tensor."""
    return PartitionView(TILE, tensor(element, TILE, (TILE[1], 1)), (0, 1))


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(
    ("vector", "padding", "at"),
    [(1, "zero", (1, 1)), (4, "neg_inf", (1, 1)), (2, "nan", (0, 1)), (4, "zero", (0, 0)),
     (4, "neg_inf", (2, 0))],
)  # fmt: skip
def test_tiles_at_the_edge(
    vector: int, padding: str, at: tuple[int, int], dynamic: bool, narrow: bool
) -> None:
    layout = blocked(64, vector, 32)
    kernel = MemoryKernel("ptr<f32>", "ptr<f32>", *["i32"] * 3)
    source, result, rows, columns, pitch = kernel.parameters
    sizes = (None, None) if dynamic else SHAPE
    strides = (None if dynamic else 32, 1)
    kind = PartitionView(TILE, tensor("f32", sizes, strides), (0, 1), padding)
    view = kernel.view(source, kind, [rows, columns] * dynamic, [pitch] * dynamic)
    index = tuple(map(kernel.integer, at))
    access = attributes(vector, narrow=narrow)
    loaded = kernel.op("load_view_tko", [frag("4x16xf32", layout)], access, view=view, index=index)
    zero = (kernel.integer(0), kernel.integer(0))
    out = kernel.view(result, whole())
    access = attributes(vector, inbounds=(1, 1), whole=True)
    kernel.op("store_view_tko", (), access, view=out, index=zero, tile=loaded)
    array = np.random.default_rng(0).standard_normal((SHAPE[0], 32)).astype("f4")
    found = np.ones(TILE, "f4")
    kernel.run(array, found, *SHAPE, 32)
    fill = {"zero": 0, "neg_inf": -np.inf, "nan": np.nan}[padding]
    padded = np.full((16, 64), fill, "f4")
    padded[: SHAPE[0], : SHAPE[1]] = array[:, : SHAPE[1]]
    row, column = at[0] * TILE[0], at[1] * TILE[1]
    np.testing.assert_array_equal(found, padded[row : row + 4, column : column + 16])


@pytest.mark.parametrize("vector", [1, 2, 4])
def test_stores_leave_alone_what_is_outside(vector: int) -> None:
    layout = blocked(64, vector, 32)
    kernel = MemoryKernel("ptr<i32>")
    kind = PartitionView(TILE, tensor("i32", SHAPE, (32, 1)), (0, 1))
    value = kernel.given(frag("4x16xi32", layout), numbers(layout, start=1))
    index = (kernel.integer(1), kernel.integer(1))
    view = kernel.view(kernel.parameters[0], kind)
    kernel.op("store_view_tko", (), attributes(vector), view=view, index=index, tile=value)
    found = np.zeros((8, 32), "i4")
    kernel.run(found)
    wanted = np.zeros((8, 32), "i4")
    wanted[4:6, 16:29] = np.arange(1, 65).reshape(TILE)[:2, :13]
    np.testing.assert_array_equal(found, wanted)


def test_vectors_along_the_first_dimension_and_owners() -> None:
    """Of 64 threads, half have copies: one of each pair stores."""
    layout = along(TILE, (1, 0), 4, 64)
    assert layout.replicas
    kernel = MemoryKernel("ptr<i32>", threads=64)
    kind = PartitionView(TILE, tensor("i32", TILE, (1, 4)), (0, 1))
    value = kernel.given(frag("4x16xi32", layout), numbers(layout))
    zero = (kernel.integer(0), kernel.integer(0))
    view = kernel.view(kernel.parameters[0], kind)
    access = attributes(4, 0, owner=True, whole=True)
    kernel.op("store_view_tko", (), access, view=view, index=zero, tile=value)
    found = np.zeros((16, 4), "i4")
    text = kernel.run(found)
    assert "st.global.v4.b32" in text
    np.testing.assert_array_equal(found, np.arange(64).reshape(TILE).T)


@pytest.mark.parametrize("wanted", [0, 1])
def test_a_predicate_leaves_padding(wanted: int) -> None:
    layout = blocked(64, 2, 32)
    kernel = MemoryKernel("ptr<f32>", "ptr<f32>", "i8")
    source, result, flag = kernel.parameters

    def predicate(ctx: Any) -> Any:
        return {0: ctx.builder.trunc(ctx.scalar(flag), ctx.thread_bit(0).type)}

    kind = PartitionView(TILE, tensor("f32", TILE, (16, 1)), (0, 1), "neg_zero")
    zero = (kernel.integer(0), kernel.integer(0))
    loaded = kernel.op(
        "load_view_tko", [frag("4x16xf32", layout)], attributes(2), view=kernel.view(source, kind),
        index=zero, predicate=kernel.given(Tile(Scalar("i1")), predicate),
    )  # fmt: skip
    out = kernel.view(result, whole())
    kernel.op("store_view_tko", (), attributes(2), view=out, index=zero, tile=loaded)
    array = np.random.default_rng(1).standard_normal(TILE).astype("f4")
    found = np.ones(TILE, "f4")
    kernel.run(array, found, wanted)
    expected = array if wanted else np.full(TILE, -0.0, "f4")
    np.testing.assert_array_equal(found.view("u4"), expected.view("u4"))


def test_ordered_loads_are_made_by_owners() -> None:
    """Threads that own nothing get padding; the store needs what owners have only."""
    layout = blocked(16, 1, 64)
    kernel = MemoryKernel("ptr<i32>", "ptr<i32>", threads=64)
    kind = PartitionView((16,), tensor("i32", (16,), (1,)), (0,), "zero")
    index = (kernel.integer(0),)
    order = {"memory_ordering_semantics": "acquire", "memory_scope": "device"}
    views = [kernel.view(base, kind) for base in kernel.parameters]
    access = attributes(dim=0, owner=True, **order)
    loaded = kernel.op(
        "load_view_tko", [frag("16xi32", layout)], access, view=views[0], index=index
    )
    access = attributes(dim=0, owner=True)
    kernel.op("store_view_tko", (), access, view=views[1], index=index, tile=loaded)
    array, found = np.arange(16, dtype="i4"), np.zeros(16, "i4")
    text = kernel.run(array, found)
    assert re.search(r"@%p\d+ ld\.acquire\.gpu\.global\.b32", text)
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("vector", [1, 4])
def test_sparse_views(vector: int) -> None:
    """Rows 2 n - 1 of a tensor of six: the first one and the last two are outside."""
    layout = blocked(64, vector, 32)
    kernel = MemoryKernel("ptr<f32>", "ptr<f32>")
    kind = GatherScatterView(TILE, tensor("f32", SHAPE, (32, 1)), 0, "neg_inf")
    rows = layout.compose([0] * 4 + [1, 2])
    sparse = kernel.given(frag("4xi32", rows), numbers(rows, 2, -1))
    base = kernel.op(
        "make_tensor_view", [kind.view], base=kernel.parameters[0], dynamicShape=(),
        dynamicStrides=(),
    )  # fmt: skip
    view = kernel.op("make_gather_scatter_view", [kind], tensor_view=base)
    index = (sparse, kernel.integer(8))
    loaded = kernel.op(
        "load_view_tko", [frag("4x16xf32", layout)], attributes(vector), view=view, index=index
    )
    zero = (kernel.integer(0), kernel.integer(0))
    out = kernel.view(kernel.parameters[1], whole())
    kernel.op("store_view_tko", (), attributes(vector), view=out, index=zero, tile=loaded)
    array = np.random.default_rng(2).standard_normal((6, 32)).astype("f4")
    found = np.ones(TILE, "f4")
    kernel.run(array, found)
    expected = np.full(TILE, -np.inf, "f4")
    expected[1:] = array[[1, 3, 5], 8:24]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("strong", [False, True])
def test_packed_elements(strong: bool) -> None:
    """A tile of 16 of the 21 elements at the end of the tensor, moved to its place in another."""
    layout = blocked(16, 1, 32)
    kernel = MemoryKernel("ptr<f4E2M1FN>", "ptr<f4E2M1FN>")
    kind = PartitionView((16,), tensor("f4E2M1FN", (21,), (1,)), (0,), "zero")
    views = [kernel.view(base, kind) for base in kernel.parameters]
    index, access = (kernel.integer(1),), attributes(dim=0, owner=True, strong=strong)
    kind = frag("16xf4E2M1FN", layout)
    loaded = kernel.op(
        "load_view_tko", [kind], {**access, "owner": False}, view=views[0], index=index
    )
    kernel.op("store_view_tko", (), access, view=views[1], index=index, tile=loaded)
    source, found = np.arange(3, 15, dtype="u1") * 17 + 1, np.full(12, 0xAB, "u1")
    text = kernel.run(source, found)
    assert ("ld.relaxed.gpu.global.b8" in text) == strong
    expected = np.full(12, 0xAB, "u1")
    expected[8:10] = source[8:10]
    expected[10] = 0xA0 | source[10] & 15
    np.testing.assert_array_equal(found, expected)


def test_shapes_and_index_spaces() -> None:
    kernel = MemoryKernel("ptr<i32>", "i32")
    base, rows = kernel.parameters
    kind = PartitionView(TILE, tensor("i32", (None, 29), (32, 1)), (0, 1))
    view = kernel.view(base, kind, [rows])
    scalar = Tile(Scalar("i32"))
    counts = kernel.op("get_index_space_shape", [scalar, scalar], src=view)
    tensor_view = kernel.op("make_tensor_view", [kind.view], base=base, dynamicShape=(rows,),
                            dynamicStrides=())  # fmt: skip
    sizes = kernel.op("get_tensor_shape", [scalar, scalar], src=tensor_view)
    out = PartitionView((1,), tensor("i32", (4,), (1,)), (0,))
    for number, value in enumerate((*counts, *sizes)):
        access = attributes(dim=0, owner=True)
        index = (kernel.integer(number),)
        view = kernel.view(base, out)
        kernel.op("store_view_tko", (), access, view=view, index=index, tile=value)
    found = np.zeros(4, "i4")
    kernel.run(found, 9)
    np.testing.assert_array_equal(found, [3, 2, 9, 29])
