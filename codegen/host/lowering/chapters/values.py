"""Ops about the grid, views and their extents: plain values, no tiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from llvmlite import ir

from tileir.codegen.host.lowering import views
from tileir.codegen.host.lowering.rows import Row
from tileir.codegen.scalar.types import from_memory, memory_type
from tileir.ir import Op

if TYPE_CHECKING:
    from tileir.codegen.host.lowering.block import BlockLowering


def _make_tensor_view(lowering: BlockLowering, op: Op) -> None:
    lowering.tensors[id(op.result)] = views.make_tensor(lowering, op)


def _make_view(lowering: BlockLowering, op: Op) -> None:
    lowering.tensors[id(op.result)] = lowering.tensors[id(op.operands["tensor_view"])]


def _get_tensor_shape(lowering: BlockLowering, op: Op) -> None:
    _extents(lowering, op, lowering.tensors[id(op.operands["src"])].shape)


def _get_index_space_shape(lowering: BlockLowering, op: Op) -> None:
    _extents(lowering, op, views.index_space(lowering, op.operands["src"]))


def _extents(lowering: BlockLowering, op: Op, extents: Sequence[ir.Value]) -> None:
    for result, extent in zip(op.results, extents, strict=True):
        kind = memory_type(result.type.element)
        value = extent if extent.type == kind else lowering.builder.trunc(extent, kind)
        lowering.singles[id(result)] = from_memory(lowering.builder, value, result.type.element)


def _get_tile_block_id(lowering: BlockLowering, op: Op) -> None:
    for result, argument in zip(op.results, lowering.function.args[1:4], strict=True):
        lowering.singles[id(result)] = argument


def _get_num_tile_blocks(lowering: BlockLowering, op: Op) -> None:
    for result, argument in zip(op.results, lowering.function.args[4:7], strict=True):
        lowering.singles[id(result)] = argument


def _nothing(lowering: BlockLowering, op: Op) -> None:
    """Tokens are the order of the program; no other grid waits for this one or is waited for."""


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
