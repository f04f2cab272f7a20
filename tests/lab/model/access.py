"""Loads and stores, through pointers and views, and memory that kernels get for themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tileir.ir import Op

from . import views
from .elements import stored_bits
from .memory import unspecified
from .undefined import Undefined

if TYPE_CHECKING:
    from .machine import Block


def chosen(mask: np.ndarray | None, shape: tuple[int, ...]) -> np.ndarray:
    """A mask; all elements if there is none."""
    return np.ones(shape, bool) if mask is None else mask


def load_ptr_tko(block: Block, op: Op, source, mask, padding, token):
    element, shape = op.result.type.element, op.result.type.shape
    otherwise = unspecified(element, shape) if padding is None else padding
    return block.memory.load(8 * source.astype(object), element, chosen(mask, shape), otherwise)


def store_ptr_tko(block: Block, op: Op, destination, value, mask, token):
    element = op.operands["value"].type.element
    block.memory.store(
        8 * destination.astype(object), value, element, chosen(mask, destination.shape)
    )


def load_view_tko(block: Block, op: Op, view, index, token):
    places, inside = views.positions(op, view, index)
    otherwise = views.padding(op.operands["view"])
    return block.memory.load(places, op.result.type.element, inside, otherwise)


def store_view_tko(block: Block, op: Op, tile, view, index, token):
    places, inside = views.positions(op, view, index)
    block.memory.store(places, tile, op.operands["tile"].type.element, inside)


def get_global(block: Block, op: Op):
    return np.asarray(block.launch.globals[op.attributes["name"]], np.uint64)


def alloca(block: Block, op: Op):
    """Memory in which nothing is yet, until the block ends that the op stands in."""
    alignment = op.attributes["alignment"]
    size = op.attributes["num_elem"] * stored_bits(op.result.type.element.pointee) // 8
    room = np.zeros(size + alignment, np.uint8)
    start = -room.ctypes.data % alignment
    address = block.memory.add(room[start : start + size], known=False)
    block.allocated[-1].append((address, room))
    return np.asarray(address, np.uint64)


def refused(block: Block, op: Op, *operands):
    raise Undefined("multicast memory has replicas, and there is one memory here")


OPS = {
    function.__name__: function
    for function in (
        alloca, get_global, load_ptr_tko, load_view_tko, store_ptr_tko, store_view_tko,
    )
} | dict.fromkeys(
    (
        "multimem_load_reduce_view_tko", "multimem_reduce_view_tko", "multimem_store_view_tko",
    ),
    refused,
)  # fmt: skip
