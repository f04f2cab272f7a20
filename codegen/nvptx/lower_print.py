"""Lowering of print_tko: one thread of the block calls the printf that a driver provides.

Tiles of several elements go through shared memory, where that thread finds all of them, and are
written element by element in loops; what other blocks print may come in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod

from llvmlite import ir

from tileir.ir import Op, Value
from tileir.types import Pointer, Scalar

from ..printf import Conversion, pieces
from ..scalar.bits import bits_of as plain_bits
from ..scalar.types import OPAQUE
from ..scalar.widening import widen
from . import access
from .access import integer_type, value_of
from .fragments import I32, I64, Context
from .lower_messages import text
from .one_thread import one_thread
from .row_major import staged

_DOUBLE = ir.DoubleType()
_INTEGERS, _FLOATS = "diuoxXc", "eEfFgGaA"
_PRINTF = "vprintf"


def print_tko(ctx: Context, op: Op) -> None:
    values = list(op.operands["args"])
    parts, rest = list(pieces(op.attributes["str"])), iter(values)
    if all(value.type.rank == 0 for value in values):
        with one_thread(ctx):
            _whole(ctx, parts, rest)
    else:
        for part in parts:
            if isinstance(part, str):
                with one_thread(ctx):
                    _write(ctx, _escaped(part), [])
            else:
                _tile(ctx, part, next(rest))
    ctx.shared.forget()


def _whole(ctx: Context, parts: list[str | Conversion], rest: Iterator) -> None:
    """Everything in one call, so that nothing comes in between."""
    words, arguments = "", []
    for part in parts:
        if isinstance(part, str):
            words += _escaped(part)
            continue
        value = next(rest)
        element = ctx.fragment(value, ctx.uniform)[0]
        spelled, argument = _converted(ctx, part, element, value)
        words += spelled
        arguments += argument
    _write(ctx, words, arguments)


def _tile(ctx: Context, conversion: Conversion, value: Value) -> None:
    """The elements in order, a pair of brackets around each row of each dimension."""
    if value.type.size == 1:
        element = ctx.fragment(value, ctx.uniform)[0]
        words, arguments = _converted(ctx, conversion, element, value)
        with one_thread(ctx):
            _write(ctx, "[" * value.type.rank + words + "]" * value.type.rank, arguments)
        return
    kind = integer_type(value.type.element)
    shape, size = access.Shape(kind.width, 1), kind.width // 8
    builder = ctx.builder
    for piece in staged(ctx, value, ctx.assignment.computed(value)[0]):
        with one_thread(ctx), _counted(ctx, piece.size // size) as here:
            number = builder.add(here, ir.Constant(I32, piece.start // size))
            with builder.if_then(builder.icmp_unsigned("!=", number, ir.Constant(I32, 0))):
                _write(ctx, ", ", [])
            _brackets(ctx, value, number, "[")
            address = builder.add(piece.base, builder.mul(here, ir.Constant(I32, size)))
            (bits,) = access.load(builder, shape, address, 0, None, None, access.SHARED)
            element = value_of(builder, bits, value.type.element)
            _write(ctx, *_converted(ctx, conversion, element, value))
            _brackets(ctx, value, builder.add(number, ir.Constant(I32, 1)), "]")


def _brackets(ctx: Context, value: Value, number: ir.Value, bracket: str) -> None:
    """One for each dimension of which a row starts, or has just ended, at this element."""
    builder, shape = ctx.builder, value.type.shape
    for dim in range(len(shape)):
        within = builder.and_(number, ir.Constant(I32, prod(shape[dim:]) - 1))
        with builder.if_then(builder.icmp_unsigned("==", within, ir.Constant(I32, 0))):
            _write(ctx, bracket, [])


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


def _escaped(words: str) -> str:
    return words.replace("%", "%%")


def _write(ctx: Context, words: str, arguments: list[ir.Value]) -> None:
    """Call printf. Arguments of eight bytes each lie in a buffer."""
    builder, module = ctx.builder, ctx.builder.module
    kind = ir.FunctionType(I32, [OPAQUE, OPAQUE])
    function = module.globals.get(_PRINTF) or ir.Function(module, kind, _PRINTF)
    buffer: ir.Value = ir.Constant(OPAQUE, None)
    if arguments:
        buffer = ctx.variable(ir.ArrayType(I64, len(arguments)))
        for number, argument in enumerate(arguments):
            bits = argument if argument.type == I64 else builder.bitcast(argument, I64)
            place = builder.gep(buffer, [I64(0), I64(number)], inbounds=True)
            builder.store(bits, place)
    builder.call(function, [text(ctx, words), buffer])


LOWERINGS = {"print_tko": print_tko}
