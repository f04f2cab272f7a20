"""Ops that rearrange elements: their results are index arithmetic and take no memory.

A row says from which elements of which operands an element of the result is computed, and how.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from llvmlite import ir

from tileir.codegen.ops import Family, family_of, traits_of
from tileir.codegen.scalar.bits import bits_of, from_bits
from tileir.codegen.scalar.sizes import packed_bits
from tileir.codegen.scalar.types import llvm_type
from tileir.ir import Op, Value

from .block import Lowering
from .position import INDEX, Position

Need = tuple[Value, Position]


@dataclass(frozen=True, slots=True)
class Inline:
    """`needs` gives the operand elements for the result at a position, `combine` the result.

    `repeats` says whether elements of the operand are read several times.
    """

    needs: Callable[[Lowering, Op, Position], list[Need]]
    combine: Callable[[Lowering, Op, Position, list[ir.Value]], ir.Value]
    repeats: Callable[[Op], bool] = lambda op: False


def _first(lowering: Lowering, op: Op, position: Position, arguments: list[ir.Value]) -> ir.Value:
    return arguments[0]


def _assume(lowering: Lowering, op: Op, position: Position) -> list[Need]:
    return [(op.operands["value"], position)]


def _assumed(lowering: Lowering, op: Op, position: Position, arguments: list[ir.Value]) -> ir.Value:
    lowering.assumed(op, arguments[0], position)
    return arguments[0]


def _gather(lowering: Lowering, op: Op, position: Position) -> list[Need]:
    source: Value = op.operands["source"]
    coordinates = cast("Callable", traits_of(op).coordinates)(op)
    return [(source, position.gathered(source.type.shape, coordinates))]


def _reshape(lowering: Lowering, op: Op, position: Position) -> list[Need]:
    source = op.operands["source"]
    return [(source, position.reshape(source.type.shape))]


def _extract(lowering: Lowering, op: Op, position: Position) -> list[Need]:
    source = op.operands["source"]
    starts = lowering.slice_starts(op, source, op.result)
    return [(source, position.shifted(id(op), source.type.shape, starts))]


def _pack(lowering: Lowering, op: Op, position: Position) -> list[Need]:
    """Return the element that a byte is part of, or all that share the byte."""
    source = op.operands["source"]
    return _regrouped(position, id(op), source, packed_bits(source.type.element), 8)


def _unpack(lowering: Lowering, op: Op, position: Position) -> list[Need]:
    source = op.operands["source"]
    return _regrouped(position, id(op), source, 8, packed_bits(op.result.type.element))


def _regrouped(position: Position, key: int, source: Value, old: int, new: int) -> list[Need]:
    """Return the elements of `old` bits that hold an element of `new` bits."""
    if old >= new:
        shift = (old // new).bit_length() - 1
        return [(source, position.renumbered((key, 0), source.type.shape, -shift, 0))]
    shift = (new // old).bit_length() - 1
    return [
        (source, position.renumbered((key, part), source.type.shape, shift, part))
        for part in range(new // old)
    ]


def _joined(lowering: Lowering, op: Op, position: Position, arguments: list[ir.Value]) -> ir.Value:
    """Reinterpret bits, lowest first."""
    builder = lowering.builder
    source, target = op.operands["source"].type.element, op.result.type.element
    old, new = packed_bits(source), packed_bits(target)
    parts = [bits_of(builder, argument) for argument in arguments]
    if old >= new:
        part = builder.and_(position.linear, ir.Constant(INDEX, old // new - 1))
        shift = builder.mul(part, ir.Constant(INDEX, new))
        if parts[0].type != INDEX:
            shift = builder.trunc(shift, parts[0].type)
        bits = builder.lshr(parts[0], shift)
        return from_bits(builder, builder.trunc(bits, ir.IntType(new)), llvm_type(target))
    kind = ir.IntType(new)
    total = ir.Constant(kind, 0)
    for number, part in enumerate(parts):
        moved = builder.shl(builder.zext(part, kind), ir.Constant(kind, number * old))
        total = builder.or_(total, moved)
    return from_bits(builder, total, llvm_type(target))


def _constant(
    lowering: Lowering, op: Op, position: Position, arguments: list[ir.Value]
) -> ir.Value:
    return lowering.constant_element(op, position)


def _iota(lowering: Lowering, op: Op, position: Position, arguments: list[ir.Value]) -> ir.Value:
    kind = llvm_type(op.result.type.element)
    number = position.linear
    return number if number.type == kind else lowering.builder.trunc(number, kind)


def _nothing(lowering: Lowering, op: Op, position: Position) -> list[Need]:
    return []


def _is_broadcast(op: Op) -> bool:
    return op.operands["source"].type.size > 1


def _splits(op: Op) -> bool:
    return packed_bits(op.operands["source"].type.element) > packed_bits(op.result.type.element)


INLINE = {
    "assume": Inline(_assume, _assumed),
    "broadcast": Inline(_gather, _first, _is_broadcast),
    "constant": Inline(_nothing, _constant),
    "extract": Inline(_extract, _first),
    "iota": Inline(_nothing, _iota),
    "pack": Inline(_pack, _joined, _splits),
    "permute": Inline(_gather, _first),
    "reshape": Inline(_reshape, _first),
    "unpack": Inline(_unpack, _joined, _splits),
}


def is_inline(op: Op) -> bool:
    """Whether the op's tile is computed in the loops that use it, unless `fusion` keeps it."""
    return family_of(op) is Family.ELEMENT_WISE or op.name in INLINE


def moves_elements(op: Op) -> bool:
    """Whether an inline op changes the indices of elements."""
    return op.name in INLINE and op.name != "assume"
