"""The table of math ops: which function computes each, by element type and attributes."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from tileir.codegen.scalar.conversions.halves import HALVES
from tileir.codegen.scalar.conversions.narrowing import narrow
from tileir.codegen.scalar.conversions.widening import widen
from tileir.codegen.scalar.flush import flush
from tileir.codegen.scalar.machine import machine_of
from tileir.ir import Op

from . import accelerated
from .arctangent import atan2
from .exponential import LOG2_E, exp, exp2
from .hyperbolic import cosh, sinh, tanh
from .integral import ceil, floor
from .logarithm import log, log2
from .powers import fpowf, fpowi
from .remainder import remf
from .roots import rsqrt
from .short_powers import short_power
from .terms import Expr
from .trigonometric import cos, sin, tan


def _emitter(function: Callable[..., Expr]) -> Callable[..., ir.Value]:
    """Make an emitter of a function: it computes halves in f32, and flushes subnormals."""

    def emit(builder: ir.IRBuilder, op: Op, *arguments: ir.Value) -> ir.Value:
        element = op.result.type.element
        half = element.name in HALVES
        flushed = op.attributes.get("flush_to_zero")
        modifier = "flushed" if flushed else op.attributes.get("rounding_mode", "")
        if machine_of(builder).ptx and (op.name, modifier) in _BY_INSTRUCTION:
            return _BY_INSTRUCTION[op.name, modifier](Expr(builder, arguments[0])).value
        operands = []
        for operand, value in zip(op.operands.values(), arguments, strict=True):
            if operand.type.element == element:
                value = widen(builder, value, element) if half else value
                value = flush(builder, value) if flushed else value
            operands.append(Expr(builder, value))
        short = short_power(op)
        result = (short(operands[0]) if short else function(*operands)).value
        if flushed:
            return flush(builder, result)
        return narrow(builder, result, element) if half else result

    return emit


_BY_INSTRUCTION: dict[tuple[str, str], Callable[[Expr], Expr]] = {
    ("exp", "approx"): lambda x: accelerated.exp_approx(x, LOG2_E, flushed=False),
    ("exp2", "flushed"): lambda x: accelerated.exp2(x, flushed=True),
    ("rsqrt", "flushed"): lambda x: accelerated.rsqrt(x, flushed=True),
    ("tanh", "approx"): accelerated.tanh_approx,
}
"""Op and mode on f32 -> PTX's instruction, whose error the mode permits."""

_FUNCTIONS = (
    atan2,
    ceil,
    cos,
    cosh,
    exp,
    exp2,
    floor,
    fpowf,
    fpowi,
    log,
    log2,
    remf,
    rsqrt,
    sin,
    sinh,
    tan,
    tanh,
)

OPS = {function.__name__: _emitter(function) for function in _FUNCTIONS}
"""Mnemonic -> emitter; without PTX, approximate modes get the accurate result."""
