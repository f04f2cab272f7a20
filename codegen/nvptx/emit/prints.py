"""Lowering of prints: one thread of the block calls the printf that the driver provides.

Tiles of several elements are in shared memory, from which that thread loads all of them: all at
once for one call, or one by one where a call cannot take so many; then the output of other blocks
may come in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod

from llvmlite import ir

from tileir.codegen.block.types import Shared
from tileir.codegen.layouts.linear_layout import combine
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.access import integer_type, value_of
from tileir.codegen.printf import Conversion, pieces
from tileir.codegen.scalar.bits import bits_of as plain_bits
from tileir.codegen.scalar.conversions.widening import widen
from tileir.ir import Op, Value
from tileir.types import Element, Pointer, Scalar

from .context import I32, I64, Context, thread_position
from .driver_calls import escaped, one_thread, write

_DOUBLE = ir.DoubleType()
_INTEGERS, _FLOATS = "diuoxXc", "eEfFgGaA"


def print_tko(ctx: Context, op: Op) -> None:
    """Lower print_tko: by one call, so that no other output comes in between."""
    rest, words, arguments = iter(op.operands["args"]), "", []
    with one_thread(ctx):
        for part in pieces(op.attributes["str"]):
            if isinstance(part, str):
                words += escaped(part)
                continue
            value = next(rest)
            kind = value.type
            elements = [_converted(ctx, part, each, kind.element) for each in _all(ctx, value)]
            words += _bracketed([spelled for spelled, _ in elements], kind.shape)
            arguments += [argument for _, given in elements for argument in given]
        write(ctx, words, arguments)


def _all(ctx: Context, value: Value) -> Iterator[ir.Value]:
    """Yield the elements of a tile; those in shared memory are loaded as they are asked for."""
    kind = value.type
    if not isinstance(kind, Shared):
        yield ctx.scalar(value)
        return
    size = integer_type(kind.element).width // 8
    for number in range(prod(kind.shape)):
        yield _loaded(ctx, kind.element, ctx.values[value], combine(kind.offsets, number) * size)


def _loaded(ctx: Context, element: Element, address: ir.Value, immediate: int) -> ir.Value:
    shape = access.AccessShape(integer_type(element).width, 1)
    loaded = access.load(ctx.builder, shape, address, immediate, None, None, access.SHARED)
    return value_of(ctx.builder, loaded[0], element)


def _bracketed(words: list[str], dims: tuple[int, ...]) -> str:
    """Return elements in row-major order, with brackets for each dimension."""
    if not dims:
        return words[0]
    row = len(words) // dims[0]
    rows = (words[start : start + row] for start in range(0, len(words), row))
    return f"[{', '.join(_bracketed(each, dims[1:]) for each in rows)}]"


def print_elements(ctx: Context, op: Op) -> None:
    """Lower print_elements: one by one, with brackets around each row of each dimension.

    The elements of a part are consecutive: the bits that number parts are the highest ones.
    """
    builder, source = ctx.builder, op.operands["source"]
    kind: Shared = source.type
    size, (conversion,) = integer_type(kind.element).width // 8, pieces(op.attributes["conversion"])
    assert isinstance(conversion, Conversion)
    inside = [offset * size for offset in kind.offsets if offset]
    with one_thread(ctx), _counted(ctx, 1 << len(inside)) as here:
        number = builder.add(here, I32(op.attributes["part"] or 0))
        with builder.if_then(builder.icmp_unsigned("!=", number, I32(0))):
            write(ctx, ", ", [])
        _brackets(ctx, kind.shape, number, "[")
        address = builder.add(ctx.values[source], thread_position(builder, here, inside))
        element = _loaded(ctx, kind.element, address, 0)
        write(ctx, *_converted(ctx, conversion, element, kind.element))
        _brackets(ctx, kind.shape, builder.add(number, I32(1)), "]")


def _brackets(ctx: Context, shape: tuple[int, ...], number: ir.Value, bracket: str) -> None:
    """Print a bracket for each dimension of which a row starts, or has ended, at this element."""
    builder = ctx.builder
    for dim in range(len(shape)):
        within = builder.and_(number, ir.Constant(I32, prod(shape[dim:]) - 1))
        with builder.if_then(builder.icmp_unsigned("==", within, ir.Constant(I32, 0))):
            write(ctx, bracket, [])


@contextmanager
def _counted(ctx: Context, count: int) -> Iterator[ir.Value]:
    """Emit the code inside as the body of a loop; yield the number of the iteration."""
    builder, counter = ctx.builder, ctx.variable(I32)
    builder.store(ir.Constant(I32, 0), counter)
    body, after = (builder.append_basic_block(name) for name in ("element", "written"))
    builder.enter_loop(body)
    number = builder.load(counter, typ=I32)
    yield number
    following = builder.add(number, ir.Constant(I32, 1))
    builder.store(following, counter)
    more = builder.icmp_unsigned("<", following, ir.Constant(I32, count))
    builder.cbranch(more, body, after)
    builder.leave_loop(body, after)


def _converted(
    ctx: Context, conversion: Conversion, element: ir.Value, kind: Element
) -> tuple[str, list[ir.Value]]:
    """Return the conversion of C's printf for one element, and its arguments."""
    builder, letter = ctx.builder, conversion.letter
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


LOWERINGS = {"print_elements": print_elements, "print_tko": print_tko}
