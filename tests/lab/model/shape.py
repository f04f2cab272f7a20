"""Tiles from nothing, and tiles whose elements are moved."""

from __future__ import annotations

import numpy as np

from tileir.ir import Op, Value
from tileir.types import Scalar

from .elements import index, signed, stored_bits, wrapped
from .undefined import Undefined

_INDEX = Scalar("i32")


def constant(op: Op):
    return op.attributes["value"].array()


def iota(op: Op):
    kind = op.result.type
    return wrapped(np.arange(kind.size), kind.element)


def reshape(op: Op, source):
    return source.reshape(op.result.type.shape)


def broadcast(op: Op, source):
    return np.broadcast_to(source, op.result.type.shape)


def permute(op: Op, source):
    return source.transpose(op.attributes["permutation"])


def cat(op: Op, lhs, rhs):
    return np.concatenate([lhs, rhs], axis=op.attributes["dim"])


def select(op: Op, cond, val_if_true, val_if_false):
    return np.where(cond, val_if_true, val_if_false)


def _slices(whole: Value, part: Value, indices: tuple) -> tuple[slice, ...]:
    """Where a slice lies: an index counts slices, not elements."""
    found = []
    for size, step, tile in zip(whole.type.shape, part.type.shape, indices, strict=True):
        start = index(tile, _INDEX) * step
        if start >= size:
            raise Undefined(f"slice at {start} of {size}")
        found.append(slice(start, start + step))
    return tuple(found)


def extract(op: Op, source, indices):
    return source[_slices(op.operands["source"], op.result, indices)]


def insert(op: Op, source, destination, indices):
    result = destination.copy()
    result[_slices(op.result, op.operands["source"], indices)] = source
    return result


def offset(op: Op, ptr, amount):
    """The offset counts elements and is signed; two elements of 4 bits make a byte."""
    pointee = op.result.type.element.pointee
    steps = signed(amount, op.operands["offset"].type.element) * stored_bits(pointee)
    if np.any(np.asarray(steps % 8)):
        raise Undefined("an address between bytes")
    addresses = np.asarray(ptr.astype(object) + np.asarray(steps // 8, object), object)
    if np.any(addresses < 0) or np.any(addresses >= 1 << 64):
        raise Undefined("an address that wraps")
    return addresses.astype(np.uint64)


OPS = {
    function.__name__: function
    for function in (
        broadcast, cat, constant, extract, insert, iota, offset, permute, reshape, select,
    )
}  # fmt: skip
