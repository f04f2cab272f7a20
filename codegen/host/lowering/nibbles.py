"""4-bit elements in tensors: two a byte, the even one in bits 3..0.

A store of one leaves the other half of its byte alone, even if another thread is about to write
that: neighbouring tiles may meet within a byte. Where a tile is made of whole bytes, it is stored
byte by byte.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.scalar.types import BYTE

from . import ordering
from .position import INDEX

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
