"""Ops that PTX performs on two elements at a time: conversions of narrow floats, f16 arithmetic."""

from __future__ import annotations

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.ir import Op
from tileir.types import Element

from . import native_halves, ptx
from .bits import BYTE, SHORT
from .conversions.narrowing import narrow
from .conversions.nibbles import takes_nibbles, widen_nibbles
from .conversions.widening import widen
from .machine import machine_of

Pair = tuple[ir.Value, ir.Value]


def takes_pairs(builder: Builder, op: Op, neighbours: bool) -> bool:
    """Whether an op is faster on two elements at a time.

    Halves that are not neighbours would have to be packed into a word first.
    """
    if op.name == "ftof":
        nibbles = takes_nibbles(builder, *_elements(op))
        return nibbles or _reads(builder, op) or _writes(builder, op)
    return neighbours and native_halves.has_instruction(builder, op)


def emit(builder: Builder, op: Op, operands: list[Pair]) -> Pair:
    """Emit an op that takes pairs on two elements of each operand."""
    if op.name == "ftof":
        return _convert(builder, op, *operands)
    return native_halves.emit_pair(builder, op, operands)


def _convert(builder: Builder, op: Op, pair: Pair) -> Pair:
    source, target = _elements(op)
    if takes_nibbles(builder, source, target):
        return widen_nibbles(builder, pair, target)
    if _reads(builder, op):
        low, high = (builder.zext(value, SHORT) for value in pair)
        both = builder.or_(low, builder.shl(high, ir.Constant(SHORT, 8)))
        pair = ptx.widen_pair(builder, both, source.name)
    else:
        pair = tuple(widen(builder, value, source) for value in pair)
    if _writes(builder, op):
        both = ptx.round_pair(builder, *pair, target.name)
        high = builder.lshr(both, ir.Constant(SHORT, 8))
        return builder.trunc(both, BYTE), builder.trunc(high, BYTE)
    mode = op.attributes["rounding_mode"]
    return tuple(narrow(builder, value, target, mode) for value in pair)


def _elements(op: Op) -> tuple[Element, Element]:
    return op.operands["from"].type.element, op.result.type.element


def _reads(builder: Builder, op: Op) -> bool:
    return _has(builder, _elements(op)[0])


def _writes(builder: Builder, op: Op) -> bool:
    source, target = _elements(op)
    nearest = op.attributes["rounding_mode"] == "nearest_even"
    return nearest and source.name != "f64" and _has(builder, target)


def _has(builder: Builder, element: Element) -> bool:
    return element.name in ptx.PAIRS and element.name in machine_of(builder).rounds
