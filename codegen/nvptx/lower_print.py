"""Lowering of print_tko: one thread of the block calls the printf that a driver provides.

Tiles of several elements go through shared memory, where that thread finds all of them. What one
call cannot take is written element by element; what other blocks print may come in between then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from llvmlite import ir

from tileir.ir import Op, Value
from tileir.types import Pointer, Scalar

from ..printf import Conversion, pieces
from ..scalar.bits import bits_of as plain_bits
from ..scalar.widening import widen
from . import access
from .access import integer_type, value_of
from .fragments import I32, I64, Context
from .lower_pieces import staged_bytes, write_staged
from .shared import ALIGNMENT
from .vprintf import MOST_ARGUMENTS, escaped, write

_DOUBLE = ir.DoubleType()
_INTEGERS, _FLOATS = "diuoxXc", "eEfFgGaA"


def print_tko(ctx: Context, op: Op) -> None:
    builder, values = ctx.builder, list(op.operands["args"])
    readers = _readers(ctx, values)
    parts, rest = list(pieces(op.attributes["str"])), iter(zip(values, readers, strict=True))
    first = builder.icmp_unsigned("==", ctx.thread, ir.Constant(I32, 0))
    with builder.if_then(first):
        if sum(value.type.size for value in values) <= MOST_ARGUMENTS:
            _whole(ctx, parts, rest)
        else:
            for part in parts:
                if isinstance(part, str):
                    write(ctx, escaped(part), [])
                else:
                    _tile(ctx, part, *next(rest))


Reader = Callable[[ir.Value], ir.Value]
"""The element at an index, i32, row-major."""


def _readers(ctx: Context, values: list[Value]) -> list[Reader]:
    """Make all values readable by one thread."""
    starts, end = [], 0
    for value in values:
        starts.append(end)
        if value.type.size > 1:
            end = -(-(end + staged_bytes(value)) // ALIGNMENT) * ALIGNMENT
    if not end:
        return [_single(ctx, value) for value in values]
    base, readers = ctx.shared.reserve(end), []
    for value, start in zip(values, starts, strict=True):
        if value.type.size == 1:
            readers.append(_single(ctx, value))
            continue
        place = ctx.builder.add(base, ir.Constant(I32, start))
        write_staged(ctx, value, ctx.assignment.computed(value)[0], place)
        readers.append(_staged(ctx, value, place))
    ctx.shared.barrier()
    return readers


def _single(ctx: Context, value: Value) -> Reader:
    element = ctx.fragment(value, ctx.uniform)[0]
    return lambda index: element


def _staged(ctx: Context, value: Value, base: ir.Value) -> Reader:
    element = value.type.element
    shape = access.Shape(integer_type(element).width, 1)

    def read(index: ir.Value) -> ir.Value:
        builder = ctx.builder
        size = ir.Constant(I32, shape.bits // 8)
        address = builder.add(base, builder.mul(index, size))
        (bits,) = access.load(builder, shape, address, 0, None, None, access.SHARED)
        return value_of(builder, bits, element)

    return read


def _whole(ctx: Context, parts: list[str | Conversion], rest: Iterator) -> None:
    """Everything in one call, so that nothing comes in between."""
    words, arguments = "", []
    for part in parts:
        if isinstance(part, str):
            words += escaped(part)
            continue
        value, read = next(rest)
        numbers = [ir.Constant(I32, number) for number in range(value.type.size)]
        elements = [_converted(ctx, part, read(number), value) for number in numbers]
        words += _bracketed([spelled for spelled, _ in elements], value.type.shape)
        arguments += [argument for _, given in elements for argument in given]
    write(ctx, words, arguments)


def _bracketed(words: list[str], dims: tuple[int, ...]) -> str:
    """Elements in row-major order, in a pair of brackets for each dimension."""
    if not dims:
        return words[0]
    row = len(words) // dims[0]
    rows = (words[start : start + row] for start in range(0, len(words), row))
    return f"[{', '.join(_bracketed(each, dims[1:]) for each in rows)}]"


def _tile(ctx: Context, conversion: Conversion, value: Value, read: Reader) -> None:
    """The elements in brackets, a pair for each dimension."""

    def write_rows(dims: tuple[int, ...], index: ir.Value) -> None:
        if not dims:
            write(ctx, *_converted(ctx, conversion, read(index), value))
            return
        write(ctx, "[", [])
        with _counted(ctx, dims[0]) as number:
            builder = ctx.builder
            with builder.if_then(builder.icmp_unsigned("!=", number, ir.Constant(I32, 0))):
                write(ctx, ", ", [])
            row = builder.mul(index, ir.Constant(I32, dims[0]))
            write_rows(dims[1:], builder.add(row, number))
        write(ctx, "]", [])

    write_rows(value.type.shape, ir.Constant(I32, 0))


@contextmanager
def _counted(ctx: Context, count: int) -> Iterator[ir.Value]:
    """Code inside is done so many times; its number."""
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
    ctx: Context, conversion: Conversion, element: ir.Value, value: Value
) -> tuple[str, list[ir.Value]]:
    """One element: how C's printf has to be told, and what it is given."""
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
    """The integer cut to so many bits, as i64."""
    if bits.type.width > most:
        bits = builder.trunc(bits, ir.IntType(most))
    if bits.type == I64:
        return bits
    return (builder.sext if signed else builder.zext)(bits, I64)


LOWERINGS = {"print_tko": print_tko}
