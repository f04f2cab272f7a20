"""4-bit elements of views: two in a byte, the even one in bits 3..0.

Addresses come in as if each element had a byte; here they become byte addresses. A store sets the
bits of one element by atomic updates of the word around it, as other threads, also of other blocks,
may store neighbouring elements.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.emit.fragments import I32, I64, EmitContext
from tileir.codegen.nvptx.machine import access
from tileir.codegen.scalar.types import is_packed

_BYTE = access.AccessShape(8, 1)
_NIBBLE = 4


def stores(kernel: KernelIR) -> bool:
    """Whether a kernel stores any; then a load may read a byte that others store to."""
    views = (op.operands["view"].type for op in kernel.walk() if op.name == "store_view_tko")
    return any(is_packed(view.view.element) for view in views)


def load(
    ctx: EmitContext,
    base: ir.Value,
    address: tuple[ir.Value, int],
    predicate: ir.Value | None,
    padding: ir.Value,
    space: str,
) -> ir.Value:
    """Load the element at an address in the tensor that starts at `base`, into a byte's low bits.

    Other threads may store its neighbour at the same time. Only a byte is read, as the word around
    it may reach beyond the array.
    """
    builder = ctx.builder
    if ctx.state.updates_nibbles:
        space = "".join(_strong(space))
    number = _number(builder, base, address)
    address = builder.add(base, builder.ashr(number, I64(1)))
    # Where nothing is read, both halves are the padding.
    both = builder.or_(padding, builder.shl(padding, padding.type(_NIBBLE)))
    (byte,) = access.load(builder, _BYTE, address, 0, predicate, both, space)
    shift = builder.shl(builder.and_(builder.trunc(number, byte.type), byte.type(1)), byte.type(2))
    return builder.and_(builder.lshr(byte, shift), byte.type(15))


def store(
    builder: ir.IRBuilder,
    base: ir.Value,
    address: tuple[ir.Value, int],
    predicate: ir.Value | None,
    bits: ir.Value,
    space: str,
) -> None:
    """Store an element, the low bits of the byte `bits`: clear its bits, then set them."""
    number = _number(builder, base, address)
    byte = builder.add(base, builder.ashr(number, I64(1)))
    within = builder.trunc(builder.and_(byte, I64(3)), I32)
    odd = builder.trunc(builder.and_(number, I64(1)), I32)
    shift = builder.add(builder.shl(within, I32(3)), builder.shl(odd, I32(2)))
    word = (builder.and_(byte, I64(~3)), 0)
    cleared = builder.not_(builder.shl(I32(15), shift))
    order, suffix = _strong(space)
    access.update(builder, f"red{order}{suffix}.and.b32", word, predicate, cleared)
    value = builder.shl(builder.zext(bits, I32), shift)
    access.update(builder, f"red{order}{suffix}.or.b32", word, predicate, value)


def _strong(space: str) -> tuple[str, str]:
    """Return order and scope of an access, made relaxed if it is weak, and its state space."""
    order = ".relaxed.gpu" if space.count(".") < 2 else space.removesuffix(access.GLOBAL)
    return order, access.GLOBAL if space.endswith(access.GLOBAL) else ""


def _number(builder: ir.IRBuilder, base: ir.Value, address: tuple[ir.Value, int]) -> ir.Value:
    """Return the number of the element at an address, i64."""
    number = builder.sub(address[0], base)
    return builder.add(number, I64(address[1])) if address[1] else number
