"""Which op is which function, on which elements, with which attributes."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from tileir.ir import Op

from .. import ptx
from ..flush import flush
from ..halves import HALVES, narrow, widen
from .accelerated import has_approximations
from .arctangent import atan2
from .exponential import exp, exp2
from .hyperbolic import cosh, sinh, tanh
from .integral import ceil, floor
from .logarithm import log, log2
from .powers import fpowf, fpowi
from .remainder import remf
from .roots import rsqrt
from .terms import Term
from .trigonometric import cos, sin, tan


def _emitter(function: Callable[..., Term]) -> Callable[..., ir.Value]:
    """The function as an emitter: halves by way of f32, subnormals flushed if the op says so."""

    def emit(builder: ir.IRBuilder, op: Op, *arguments: ir.Value) -> ir.Value:
        element = op.result.type.element
        half = element.name in HALVES
        flushed = op.attributes.get("flush_to_zero")
        if flushed and function is exp2 and has_approximations(Term(builder, arguments[0])):
            return ptx.exp2(builder, arguments[0], flushed=True)
        terms = []
        for operand, value in zip(op.operands.values(), arguments, strict=True):
            if operand.type.element == element:
                value = widen(builder, value, element) if half else value
                value = flush(builder, value) if flushed else value
            terms.append(Term(builder, value))
        result = function(*terms).value
        if flushed:
            return flush(builder, result)
        return narrow(builder, result, element) if half else result

    return emit


_FUNCTIONS = (
    atan2, ceil, cos, cosh, exp, exp2, floor, fpowf, fpowi, log, log2, remf, rsqrt, sin, sinh, tan,
    tanh,
)  # fmt: skip

OPS = {function.__name__: _emitter(function) for function in _FUNCTIONS}
"""The exact results serve for approximate modes too: those only allow a larger error."""
