"""Ops on the grid, views and their extents: plain LLVM values, no loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from llvmlite import ir

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.position import INDEX
from tileir.codegen.host.lowering.row import Row
from tileir.codegen.host.lowering.views import Tensor, index_space, unsigned_index
from tileir.codegen.scalar.types import from_memory, memory_type
from tileir.ir import Op
from tileir.types import TensorView


def _make_tensor_view(lowering: Lowering, op: Op) -> None:
    kind = cast(TensorView, op.result.type)

    def filled(sizes: Sequence[int | None], slot: str) -> tuple[ir.Value, ...]:
        dynamic: Iterator = iter(op.operands[slot])
        return tuple(
            unsigned_index(lowering.builder, lowering.single(next(dynamic)))
            if size is None
            else ir.Constant(INDEX, size)
            for size in sizes
        )

    base = lowering.single(op.operands["base"])
    shape, strides = filled(kind.shape, "dynamicShape"), filled(kind.strides, "dynamicStrides")
    lowering.tensors[id(op.result)] = Tensor(base, shape, strides)


def _make_view(lowering: Lowering, op: Op) -> None:
    lowering.tensors[id(op.result)] = lowering.tensors[id(op.operands["tensor_view"])]


def _get_tensor_shape(lowering: Lowering, op: Op) -> None:
    _extents(lowering, op, lowering.tensors[id(op.operands["src"])].shape)


def _get_index_space_shape(lowering: Lowering, op: Op) -> None:
    view = op.operands["src"]
    counts = index_space(lowering.builder, lowering.tensors[id(view)], view.type)
    _extents(lowering, op, counts)


def _extents(lowering: Lowering, op: Op, extents: Sequence[ir.Value]) -> None:
    for result, extent in zip(op.results, extents, strict=True):
        kind = memory_type(result.type.element)
        value = extent if extent.type == kind else lowering.builder.trunc(extent, kind)
        lowering.singles[id(result)] = from_memory(lowering.builder, value, result.type.element)


def _get_tile_block_id(lowering: Lowering, op: Op) -> None:
    for result, argument in zip(op.results, lowering.function.args[1:4], strict=True):
        lowering.singles[id(result)] = argument


def _get_num_tile_blocks(lowering: Lowering, op: Op) -> None:
    for result, argument in zip(op.results, lowering.function.args[4:7], strict=True):
        lowering.singles[id(result)] = argument


def _nothing(lowering: Lowering, op: Op) -> None:
    """Emit nothing: program order satisfies all tokens, and no other grid depends on this one."""


ROWS = {
    "gdc_launch_dependents_tko": Row(_nothing),
    "gdc_wait_tko": Row(_nothing),
    "get_index_space_shape": Row(_get_index_space_shape),
    "get_num_tile_blocks": Row(_get_num_tile_blocks),
    "get_tensor_shape": Row(_get_tensor_shape),
    "get_tile_block_id": Row(_get_tile_block_id),
    "join_tokens": Row(_nothing),
    "make_gather_scatter_view": Row(_make_view),
    "make_partition_view": Row(_make_view),
    "make_strided_view": Row(_make_view),
    "make_tensor_view": Row(_make_tensor_view),
    "make_token": Row(_nothing),
    "memory_fence_alias_tko": Row(_nothing),
}
