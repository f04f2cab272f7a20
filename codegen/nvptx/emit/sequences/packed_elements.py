"""Elements of 4 bits in memory: two in a byte, the even one in bits 3..0.

Their addresses come in as if each had a byte; here they become byte addresses. A thread that holds
both elements of its bytes loads and stores whole bytes; behind the tensor's last element, half of
one may be left, which the thread writes as it was. Where tiles may begin within bytes, two threads
share a byte, also of different blocks: then a store sets the bits of one element by atomic updates
of the word around it, as PTX has none of bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.codegen.nvptx.emit.context import I32, I64
from tileir.codegen.nvptx.machine import access

from .tile_accesses import Address

_BYTE = access.AccessShape(8, 1)
_I8 = ir.IntType(8)
BITS = 4
"""Of an element; where one is a value of its own, it is in the low bits of a byte."""


def load_bytes(
    builder: ir.IRBuilder,
    base: ir.Value,
    address: Address,
    predicate: ir.Value | None,
    padding: ir.Value,
    space: str,
    count: int,
) -> list[ir.Value]:
    """Load `count` elements, of whole bytes, in the tensor that starts at `base`."""
    place = _byte_address(builder, base, _element_number(builder, base, address))
    shape = access.AccessShape(BITS, count)
    nibbles = access.load(builder, shape, place, 0, predicate, padding, space)
    return [builder.zext(nibble, _I8) for nibble in nibbles]


def store_bytes(
    builder: ir.IRBuilder,
    base: ir.Value,
    address: Address,
    predicate: ir.Value | None,
    elements: Sequence[ir.Value],
    space: str,
    second: ir.Value | None,
) -> None:
    """Store elements, of whole bytes, in the tensor that starts at `base`.

    If there are two, `second` says whether the second is inside the tensor, i1; None: it is if the
    first is.
    """
    place = _byte_address(builder, base, _element_number(builder, base, address))
    if second is not None:
        first, other = elements
        half = builder.not_(second)
        half = half if predicate is None else builder.and_(predicate, half)
        relaxed = space.replace(".release", ".relaxed")
        (held,) = access.load(builder, _BYTE, place, 0, half, ir.Constant(_I8, 0), relaxed)
        elements = [first, builder.select(second, other, builder.lshr(held, _I8(BITS)))]
    shape = access.AccessShape(BITS, len(elements))
    access.store(builder, shape, place, 0, predicate, elements, space)


def load_half(
    builder: ir.IRBuilder,
    base: ir.Value,
    address: Address,
    predicate: ir.Value | None,
    padding: ir.Value,
    space: str,
) -> ir.Value:
    """Load the element at an address in the tensor that starts at `base`.

    Only a byte is read, as the word around it may reach beyond the array.
    """
    number = _element_number(builder, base, address)
    place = _byte_address(builder, base, number)
    # Where nothing is read, both halves are the padding.
    twice = builder.or_(padding, builder.shl(padding, _I8(BITS)))
    (byte,) = access.load(builder, _BYTE, place, 0, predicate, twice, space)
    shift = builder.shl(builder.and_(builder.trunc(number, _I8), _I8(1)), _I8(2))
    return builder.and_(builder.lshr(byte, shift), _I8(15))


def store_half(
    builder: ir.IRBuilder,
    base: ir.Value,
    address: Address,
    predicate: ir.Value | None,
    bits: ir.Value,
    space: str,
) -> None:
    """Store an element, the low bits of the byte `bits`: clear its bits, then set them."""
    number = _element_number(builder, base, address)
    byte = _byte_address(builder, base, number)
    within = builder.trunc(builder.and_(byte, I64(3)), I32)
    odd = builder.trunc(builder.and_(number, I64(1)), I32)
    shift = builder.add(builder.shl(within, I32(3)), builder.shl(odd, I32(2)))
    word = (builder.and_(byte, I64(~3)), 0)
    cleared = builder.not_(builder.shl(I32(15), shift))
    order, suffix = strong(space)
    access.update(builder, f"red{order}{suffix}.and.b32", word, predicate, cleared)
    value = builder.shl(builder.zext(bits, I32), shift)
    access.update(builder, f"red{order}{suffix}.or.b32", word, predicate, value)


def strong(space: str) -> tuple[str, str]:
    """Return order and scope of an access, made relaxed if it is weak, and its state space."""
    order = ".relaxed.gpu" if space.count(".") < 2 else space.removesuffix(access.GLOBAL)
    return order, access.GLOBAL if space.endswith(access.GLOBAL) else ""


def _byte_address(builder: ir.IRBuilder, base: ir.Value, number: ir.Value) -> ir.Value:
    return builder.add(base, builder.ashr(number, I64(1)))


def _element_number(builder: ir.IRBuilder, base: ir.Value, address: Address) -> ir.Value:
    """Return the number of the element at an address, i64."""
    number = builder.sub(address[0], base)
    return builder.add(number, I64(address[1])) if address[1] else number
