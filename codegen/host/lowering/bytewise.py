"""Stores of tiles of 4-bit elements, byte by byte where the tile covers whole bytes."""

from __future__ import annotations

from typing import cast

from llvmlite import ir

from tileir.codegen.scalar.types import BYTE
from tileir.ir import Value

from . import ordering
from .block import Lowering
from .evaluate import Evaluator
from .loops import nest
from .position import INDEX, ZERO, Position
from .window import Window

ONE = ir.Constant(INDEX, 1)


def has_pairs(window: Window) -> bool:
    """Whether elements that share a byte are neighbours in the tile, as known at compile time."""
    return window.inner is not None and window.sparse is None


def fills_bytes(window: Window) -> ir.Value:
    """Emit whether a tile with pairs is inside the tensor and shares no byte with another."""
    builder, odd = window.builder, window.first
    for d, stride in enumerate(window.strides):
        if d != window.inner and window.tile[d] > 1:
            odd = builder.or_(odd, stride)
    even = builder.icmp_unsigned("==", builder.and_(odd, ONE), ZERO)
    return builder.and_(even, window.is_inside())


def store_bytes(lowering: Lowering, window: Window, tile: Value) -> None:
    """Write a tile for which `fills_bytes` is true."""
    builder, inner = lowering.builder, cast(int, window.inner)  # which a packed tensor has
    halved = tuple(n // 2 if d == inner else n for d, n in enumerate(window.tile))
    with nest(builder, halved, None, inner) as pair:
        halves = []
        for part in range(2):
            indices = list(pair.indices)
            even = builder.shl(pair.indices[inner], ONE)
            indices[inner] = builder.or_(even, ir.Constant(INDEX, part))
            position = Position(builder, window.tile, indices)
            value = Evaluator(lowering, position).element(tile)
            halves.append(builder.zext(value, BYTE))
            if not part:
                address, _ = window.locate(position)
        byte = builder.or_(halves[0], builder.shl(halves[1], ir.Constant(BYTE, 4)))
        ordering.store(builder, byte, address, 1, window.ordering)
