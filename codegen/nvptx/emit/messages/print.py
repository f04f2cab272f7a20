"""Lowering of print_tko: one thread of the block calls the printf that the driver provides.

Tiles of several elements are stored to shared memory, from which that thread loads all of them. If
there are more arguments than one call takes, elements are printed one by one; then the output of
other blocks may come in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod

from llvmlite import ir

from tileir.codegen.nvptx.emit.fragments import I32, I64, EmitContext
from tileir.codegen.nvptx.emit.one_thread import one_thread
from tileir.codegen.nvptx.emit.values.row_major import Piece, staged, staged_together
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.access import integer_type, value_of
from tileir.codegen.printf import Conversion, pieces
from tileir.codegen.scalar.bits import bits_of as plain_bits
from tileir.codegen.scalar.conversions.widening import widen
from tileir.ir import Op, Value
from tileir.types import Pointer, Scalar

from .vprintf import MOST_ARGUMENTS, escaped, write

_DOUBLE = ir.DoubleType()
_INTEGERS, _FLOATS = "diuoxXc", "eEfFgGaA"


def print_tko(ctx: EmitContext, op: Op) -> None:
    """Lower print_tko: by one call if it can take all elements, else element by element."""
    values = list(op.operands["args"])
    parts, rest = list(pieces(op.attributes["str"])), iter(values)
    if sum(value.type.size for value in values) <= MOST_ARGUMENTS:
        _whole(ctx, parts, values)
    else:
        for part in parts:
            if isinstance(part, str):
                with one_thread(ctx):
                    write(ctx, escaped(part), [])
            else:
                _tile(ctx, part, next(rest))


def _whole(ctx: EmitContext, parts: list[str | Conversion], values: list[Value]) -> None:
    """Print everything in one call, so that no other output comes in between."""
    tiles = [value for value in values if value.type.size > 1]
    layouts = [ctx.assignment.defined_in(value)[0] for value in tiles]
    stored = dict(zip(tiles, staged_together(ctx, tiles, layouts), strict=True))
    rest, words, arguments = iter(values), "", []
    with one_thread(ctx):
        for part in parts:
            if isinstance(part, str):
                words += escaped(part)
                continue
            value = next(rest)
            elements = [
                _converted(ctx, part, _element(ctx, value, stored.get(value), I32(number)), value)
                for number in range(value.type.size)
            ]
            words += _bracketed([spelled for spelled, _ in elements], value.type.shape)
            arguments += [argument for _, given in elements for argument in given]
        write(ctx, words, arguments)


def _element(ctx: EmitContext, value: Value, piece: Piece | None, number: ir.Value) -> ir.Value:
    """Return the element with this number in a piece; a single element is in no piece."""
    if piece is None:
        return ctx.fragment(value, ctx.uniform)[0]
    builder, kind = ctx.builder, integer_type(value.type.element)
    offset = builder.mul(number, I32(kind.width // 8))
    address = builder.add(piece.base, offset)
    shape = access.AccessShape(kind.width, 1)
    (bits,) = access.load(builder, shape, address, 0, None, None, access.SHARED)
    return value_of(builder, bits, value.type.element)


def _bracketed(words: list[str], dims: tuple[int, ...]) -> str:
    """Return elements in row-major order, with brackets for each dimension."""
    if not dims:
        return words[0]
    row = len(words) // dims[0]
    rows = (words[start : start + row] for start in range(0, len(words), row))
    return f"[{', '.join(_bracketed(each, dims[1:]) for each in rows)}]"


def _tile(ctx: EmitContext, conversion: Conversion, value: Value) -> None:
    """Print the elements one by one, with brackets around each row of each dimension."""
    builder, rank = ctx.builder, value.type.rank
    if value.type.size == 1:
        words, arguments = _converted(ctx, conversion, _element(ctx, value, None, I32(0)), value)
        with one_thread(ctx):
            write(ctx, "[" * rank + words + "]" * rank, arguments)
        return
    size = integer_type(value.type.element).width // 8
    for piece in staged(ctx, value, ctx.assignment.defined_in(value)[0]):
        with one_thread(ctx), _counted(ctx, piece.size // size) as here:
            number = builder.add(here, I32(piece.start // size))
            with builder.if_then(builder.icmp_unsigned("!=", number, I32(0))):
                write(ctx, ", ", [])
            _brackets(ctx, value, number, "[")
            write(ctx, *_converted(ctx, conversion, _element(ctx, value, piece, here), value))
            _brackets(ctx, value, builder.add(number, I32(1)), "]")


def _brackets(ctx: EmitContext, value: Value, number: ir.Value, bracket: str) -> None:
    """Print a bracket for each dimension of which a row starts, or has ended, at this element."""
    builder, shape = ctx.builder, value.type.shape
    for dim in range(len(shape)):
        within = builder.and_(number, ir.Constant(I32, prod(shape[dim:]) - 1))
        with builder.if_then(builder.icmp_unsigned("==", within, ir.Constant(I32, 0))):
            write(ctx, bracket, [])


@contextmanager
def _counted(ctx: EmitContext, count: int) -> Iterator[ir.Value]:
    """Emit the code inside as the body of a loop; yield the number of the iteration."""
    builder, counter = ctx.builder, ctx.variable(I32)
    builder.store(ir.Constant(I32, 0), counter)
    body, after = (builder.append_basic_block(name) for name in ("element", "written"))
    builder.branch(body)
    builder.position_at_end(body)
    number = builder.load(counter, typ=I32)
    yield number
    following = builder.add(number, ir.Constant(I32, 1))
    builder.store(following, counter)
    more = builder.icmp_unsigned("<", following, ir.Constant(I32, count))
    builder.cbranch(more, body, after)
    builder.position_at_end(after)


def _converted(
    ctx: EmitContext, conversion: Conversion, element: ir.Value, value: Value
) -> tuple[str, list[ir.Value]]:
    """Return the conversion of C's printf for one element, and its arguments."""
    builder, kind, letter = ctx.builder, value.type.element, conversion.letter
    precision = "" if conversion.precision is None else f".{conversion.precision}"
    head = f"%{conversion.flags}{conversion.width}{precision}"
    if isinstance(kind, Scalar) and kind.is_float:
        wide = element if element.type == _DOUBLE else widen(builder, element, kind)
        element = wide if wide.type == _DOUBLE else builder.fpext(wide, _DOUBLE)
    if letter in _FLOATS:
        if element.type != _DOUBLE:
            element = builder.bitcast(_extended(builder, element, 64, False), _DOUBLE)
        return f"{head}{letter}", [element]
    bits = plain_bits(builder, element)
    if letter in _INTEGERS:
        signed = letter in "di" and bits.type.width > 1
        return f"{head}ll{letter}" if letter != "c" else f"{head}c", [
            _extended(builder, bits, conversion.bits, signed)
        ]
    if letter in "psS":
        is_text = letter in "sS" and isinstance(kind, Pointer)
        return f"{head}{'s' if is_text else 'p'}", [_extended(builder, bits, 64, False)]
    return "", []


def _extended(builder: ir.IRBuilder, bits: ir.Value, most: int, signed: bool) -> ir.Value:
    """Return an integer truncated to so many bits, as i64."""
    if bits.type.width > most:
        bits = builder.trunc(bits, ir.IntType(most))
    if bits.type == I64:
        return bits
    return (builder.sext if signed else builder.zext)(bits, I64)


LOWERINGS = {"print_tko": print_tko}
