"""4-bit elements in tensors: two a byte, the even one in bits 3..0.

A store of one leaves the other half of its byte alone, even if another thread is about to write
that: neighbouring tiles may meet within a byte. Where a tile is made of whole bytes, it is stored
byte by byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llvmlite import ir

from tileir.codegen.scalar.types import BYTE
from tileir.ir import Value

from . import ordering
from .evaluate import Evaluator
from .loops import nest
from .position import INDEX, ZERO, Position

if TYPE_CHECKING:
    from .block import BlockLowering
    from .window import Window

NIBBLE = ir.IntType(4)
ONE = ir.Constant(INDEX, 1)


def load(builder: ir.IRBuilder, address: ir.Value, place: ir.Value, order: str | None) -> ir.Value:
    """The element that is shifted by `place` in the byte at an address."""
    byte = ordering.load(builder, address, BYTE, 1, order)
    return builder.trunc(builder.lshr(byte, place), NIBBLE)


def store(
    builder: ir.IRBuilder, address: ir.Value, place: ir.Value, value: ir.Value, order: str | None
) -> None:
    """Write the element that is shifted by `place`: clear its bits, then set them."""
    cleared = builder.not_(builder.shl(ir.Constant(BYTE, 15), place))
    builder.atomic_rmw("and", address, cleared, "monotonic")
    bits = builder.shl(builder.zext(value, BYTE), place)
    builder.atomic_rmw("or", address, bits, order or "monotonic")


def locate(builder: ir.IRBuilder, base: ir.Value, number: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The byte of element `number` from `base` on, and by how many bits it is shifted there."""
    byte = builder.ashr(number, ONE)
    odd = builder.trunc(builder.and_(number, ONE), BYTE)
    place = builder.shl(odd, ir.Constant(BYTE, 2))
    return builder.gep(base, [byte], source_etype=BYTE), place


def has_pairs(window: Window) -> bool:
    """Whether elements that share a byte are neighbours in the tile, as far as is known now."""
    return window.inner is not None and window.sparse is None


def fills_bytes(window: Window) -> ir.Value:
    """Whether a tile that has pairs is inside the tensor and shares no byte with another."""
    builder, odd = window.builder, window.first
    for d, stride in enumerate(window.strides):
        if d != window.inner and window.tile[d] > 1:
            odd = builder.or_(odd, stride)
    even = builder.icmp_unsigned("==", builder.and_(odd, ONE), ZERO)
    return builder.and_(even, window.is_inside())


def store_bytes(lowering: BlockLowering, window: Window, tile: Value) -> None:
    """Write a tile for which `fills_bytes` is true."""
    builder, inner = lowering.builder, window.inner
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
