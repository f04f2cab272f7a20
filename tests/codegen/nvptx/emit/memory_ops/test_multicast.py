"""Ops on multicast memory in the block IR; the emulator has one replica."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.nvptx.emit.memory_ops.memory_kernels import PLAIN, WEAK, MemoryKernel, frag
from tileir.codegen.layouts.linear_layout import blocked
from tileir.types import PartitionView, Scalar, TensorView


@pytest.mark.parametrize(
    ("element", "dtype", "vector"),
    [("f16", "f2", 1), ("f16", "f2", 2), ("f32", "f4", 1), ("i64", "i8", 1)],
)
def test_load_add_and_store(element: str, dtype: str, vector: int) -> None:
    """A tile of 16 columns of a tensor of 14; halves go in pairs, or alone."""
    layout = blocked(64, vector, 32)
    kernel = MemoryKernel(*[f"ptr<{element}>"] * 3)
    tensor = TensorView(Scalar(element), (4, 14), (14, 1), "multicast")
    kind = PartitionView((4, 16), tensor, (0, 1), "zero")
    views = [kernel.view(base, kind) for base in kernel.parameters]
    index = (kernel.integer(0), kernel.integer(0))
    where = {"vector": vector, "along": 1, "whole": True, "narrow": True, **PLAIN, "inbounds": ()}
    add = {"reduction": "add"}
    loaded = kernel.op(
        "multimem_load_reduce_view_tko", [frag(f"4x16x{element}", layout)],
        {**WEAK, **where, **add}, view=views[0], index=index,
    )  # fmt: skip
    ordered = {"memory_ordering_semantics": "relaxed", "memory_scope": "sys"}
    kernel.op("multimem_reduce_view_tko", (), {**ordered, **where, **add}, view=views[1],
              tile=loaded, index=index)  # fmt: skip
    kernel.op("multimem_store_view_tko", (), {**WEAK, **where}, view=views[2], tile=loaded,
              index=index)  # fmt: skip
    start, other = np.random.default_rng(0).integers(-50, 50, (2, 4, 14)).astype(dtype)
    source, total, copy = start.copy(), other.copy(), np.zeros_like(other)
    text = kernel.run(source, total, copy)
    assert ("multimem.st.global.f16x2" in text) == (vector == 2)
    np.testing.assert_array_equal(source, start)
    np.testing.assert_array_equal(total, start + other)
    np.testing.assert_array_equal(copy, start)
