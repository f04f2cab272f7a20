"""Lowering of the ops on multicast memory, of which every device has a replica.

PTX has such instructions for words of 32 and 64 bits only. 16-bit elements are accessed in pairs
where they are known to be adjacent and aligned; a single one is accessed as half of the word around
it, whose other half stays as it is.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.analysis.memory_ops import is_weak
from tileir.codegen.block.accesses import worked_on
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.access import bits_of, value_of
from tileir.codegen.scalar.constants import constant, padding_bits
from tileir.ir import Op
from tileir.types import Scalar

from .atomics import MODES
from .context import I32, I64, Context
from .sequences.tile_accesses import Address, TileAccess, owner_of, space_of

_HALF = 16


def load_reduce(ctx: Context, op: Op) -> None:
    """Lower multimem_load_reduce_view_tko: each element is reduced over all replicas."""
    builder, kind = ctx.builder, op.operands["view"].type
    element = kind.view.element
    name = f"multimem.ld_reduce{space_of(op)}.{_reduction(op, element)}"
    padding = constant(element, padding_bits(element, kind.padding))
    padding = bits_of(builder, padding, element)

    def move(address: Address, predicate: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        other = _joined(builder, [padding] * _per_word(element))
        if element.bits != _HALF:
            return [access.load_by(builder, name, address, predicate, other)]
        shift = None
        if len(offsets) == 1:
            address, shift = _word_around(builder, address)
        word = access.load_by(builder, name, address, predicate, other)
        if shift is not None:
            return [builder.trunc(builder.lshr(word, shift), padding.type)]
        return [
            builder.trunc(word, padding.type),
            builder.trunc(builder.lshr(word, I32(_HALF)), padding.type),
        ]

    layout = ctx.layout(worked_on(op))
    loaded = TileAccess.of(ctx, op, layout, owner_of(ctx, op, layout)).run(move)
    ctx.define(op.results[0], {o: value_of(builder, bits, element) for o, bits in loaded.items()})


def reduce(ctx: Context, op: Op) -> None:
    """Lower multimem_reduce_view_tko; to the other half of a word -0 is added."""
    element = op.operands["tile"].type.element
    name = f"multimem.red{space_of(op)}.{_reduction(op, element)}"

    def single(address: Address, predicate: ir.Value | None, bits: ir.Value) -> None:
        builder = ctx.builder
        address, shift = _word_around(builder, address)
        negative = I32(1 << _HALF - 1 | 1 << 2 * _HALF - 1)
        kept = builder.and_(negative, builder.not_(builder.shl(I32(0xFFFF), shift)))
        word = builder.or_(builder.shl(builder.zext(bits, I32), shift), kept)
        access.update(builder, name, address, predicate, word)

    _write(ctx, op, name, single)


def store(ctx: Context, op: Op) -> None:
    """Lower multimem_store_view_tko; the bits of a half are cleared, then set, by reductions."""
    element = op.operands["tile"].type.element
    space = space_of(op)
    kind = f"{element.name}x2" if element.bits == _HALF else f"b{element.bits}"
    ordered = space if not is_weak(op) else f".relaxed.sys{space}"

    def single(address: Address, predicate: ir.Value | None, bits: ir.Value) -> None:
        builder = ctx.builder
        address, shift = _word_around(builder, address)
        mask = builder.not_(builder.shl(I32(0xFFFF), shift))
        access.update(builder, f"multimem.red{ordered}.and.b32", address, predicate, mask)
        word = builder.shl(builder.zext(bits, I32), shift)
        access.update(builder, f"multimem.red{ordered}.or.b32", address, predicate, word)

    _write(ctx, op, f"multimem.st{space}.{kind}", single)


def _write(ctx: Context, op: Op, name: str, single) -> None:
    """Emit an instruction for each word of the tile, and `single` for half a word."""
    builder, element = ctx.builder, op.operands["tile"].type.element
    layout, tile = ctx.layout(worked_on(op)), ctx.fragment(worked_on(op))
    bits = {offset: bits_of(builder, value, element) for offset, value in tile.items()}

    def move(address: Address, predicate: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        if len(offsets) < _per_word(element):
            single(address, predicate, bits[offsets[0]])
        else:
            word = _joined(builder, [bits[offset] for offset in offsets])
            access.update(builder, name, address, predicate, word)
        return []

    TileAccess.of(ctx, op, layout, owner_of(ctx, op, layout)).run(move)


def _per_word(element: Scalar) -> int:
    return 2 if element.bits == _HALF else 1


def _reduction(op: Op, element: Scalar) -> str:
    """Return the end of an instruction's name: operation and type."""
    name, letter = MODES[op.attributes["reduction"]]
    if element.bits == _HALF:
        return f"{name}.{element.name}x2"
    return f"{name}.{'f' if element.is_float else letter}{element.bits}"


def _joined(builder: ir.IRBuilder, parts: list[ir.Value]) -> ir.Value:
    """Return one word, or two halves packed into one."""
    if len(parts) == 1:
        return parts[0]
    low, high = (builder.zext(part, I32) for part in parts)
    return builder.or_(low, builder.shl(high, I32(_HALF)))


def _word_around(builder: ir.IRBuilder, address: Address) -> tuple[Address, ir.Value]:
    """Return the address of the word that a half is in, and the half's shift in bits."""
    address = builder.add(address[0], I64(address[1]))
    within = builder.and_(builder.trunc(address, I32), I32(2))
    return (builder.and_(address, I64(~3)), 0), builder.shl(within, I32(3))


LOWERINGS = {
    "multimem_load_reduce_view_tko": load_reduce,
    "multimem_reduce_view_tko": reduce,
    "multimem_store_view_tko": store,
}
