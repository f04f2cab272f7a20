"""Constants whose elements an op moves, repeats or chooses from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from tileir.ir import Op, Value
from tileir.ir.constants import Constant
from tileir.types import Tile

from .elements import MOST_ELEMENTS, constant, constant_of, pattern, patterns

Index = tuple[int, ...]


def computed(op: Op, elements: Sequence[list[int]], fold) -> Constant | None:
    """Return the result of an element-wise op on constants, whose elements are given."""
    type = op.result.type
    count = max(map(len, elements), default=1)
    made = []
    for index in range(count):
        each = fold(op, *(own[index if len(own) > 1 else 0] for own in elements))
        if each is None:
            return None
        made.append(each)
    return constant(type, made)


def reshaped(op: Op) -> Constant | None:
    """Return a constant in another shape: the same elements in the same order."""
    source = constant_of(op.operands["source"])
    if source is None:
        return None
    bits = pattern(op.operands["source"])
    if bits is not None:
        return constant(op.result.type, [bits])
    return Constant(op.result.type, source.data) if source.type.size <= MOST_ELEMENTS else None


def broadcast(op: Op) -> Constant | None:
    """Return a constant repeated along dimensions of extent one."""
    shape = _shape(op.operands["source"])

    def source_of(index: Index) -> Index:
        return tuple(i if extent > 1 else 0 for i, extent in zip(index, shape, strict=True))

    return _moved(op, source_of)


def permuted(op: Op) -> Constant | None:
    """Return a constant with its dimensions reordered."""
    permutation = op.attributes["permutation"]

    def source_of(index: Index) -> Index:
        places = dict(zip(permutation, index, strict=True))
        return tuple(places[dim] for dim in range(len(index)))

    return _moved(op, source_of)


def extracted(op: Op) -> Constant | None:
    """Return a slice of a constant; indices count slices, and those out of range are undefined."""
    starts = [pattern(each) for each in op.operands["indices"]]
    whole, part = _shape(op.operands["source"]), op.result.type.shape
    found = [
        start * size
        for start, size, extent in zip(starts, part, whole, strict=True)
        if start is not None and start * size < extent
    ]
    if len(found) < len(starts):
        return None
    return _moved(op, lambda index: tuple(map(sum, zip(found, index, strict=True))))


def joined(op: Op) -> Constant | None:
    """Return two constants that are the same number throughout, one after the other."""
    lhs, rhs = pattern(op.operands["lhs"]), pattern(op.operands["rhs"])
    return constant(op.result.type, [lhs]) if lhs is not None and lhs == rhs else None


def _moved(op: Op, source_of) -> Constant | None:
    """Return the result of an op of which each element is one of the constant `source`."""
    source, type = op.operands["source"], op.result.type
    bits = patterns(source)
    if bits is None:
        return None
    if len(bits) == 1:
        return constant(type, bits)
    if type.size > MOST_ELEMENTS:
        return None
    shape = _shape(source)
    strides = [prod(shape[dim + 1 :]) for dim in range(len(shape))]
    made = []
    for index in product(*map(range, type.shape)):
        at = source_of(index)
        made.append(bits[sum(i * stride for i, stride in zip(at, strides, strict=True))])
    return constant(type, made)


def _shape(value: Value) -> tuple[int, ...]:
    assert isinstance(value.type, Tile)
    return value.type.shape
