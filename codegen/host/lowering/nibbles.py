"""4-bit elements in tensors: two a byte, the even one in bits 3..0.

A store of one leaves the other half of its byte unchanged, even if another thread writes that at
the same time: neighbouring tiles may share a byte. A tile that covers whole bytes is stored byte by
byte (`bytewise`).
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.scalar.types import BYTE

from . import ordering
from .position import INDEX

NIBBLE = ir.IntType(4)
ONE = ir.Constant(INDEX, 1)


def load(builder: ir.IRBuilder, address: ir.Value, shift: ir.Value, order: str | None) -> ir.Value:
    """Load the element that starts at bit `shift` of the byte at an address."""
    byte = ordering.load(builder, address, BYTE, 1, order)
    return builder.trunc(builder.lshr(byte, shift), NIBBLE)


def store(
    builder: ir.IRBuilder, address: ir.Value, shift: ir.Value, value: ir.Value, order: str | None
) -> None:
    """Store the element that starts at bit `shift`: clear its bits, then set them."""
    cleared = builder.not_(builder.shl(ir.Constant(BYTE, 15), shift))
    builder.atomic_rmw("and", address, cleared, "monotonic")
    bits = builder.shl(builder.zext(value, BYTE), shift)
    builder.atomic_rmw("or", address, bits, order or "monotonic")


def locate(builder: ir.IRBuilder, base: ir.Value, number: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Return the address of the byte of element `number` from `base` on, and its shift in bits."""
    byte = builder.ashr(number, ONE)
    odd = builder.trunc(builder.and_(number, ONE), BYTE)
    shift = builder.shl(odd, ir.Constant(BYTE, 2))
    return builder.gep(base, [byte], source_etype=BYTE), shift
