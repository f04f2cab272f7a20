"""Exponentials: a power of two times a polynomial on half an octave either side of 1.

The argument is split by adding a number so large that the sum has no fraction; the low bits of the
sum are then the exponent plus twice the bias. The power of two is applied in two multiplications,
as it may be out of range although the result, large or subnormal, is not: only the second one
rounds.
"""

from __future__ import annotations

import struct

from llvmlite import ir

from tileir.codegen.scalar.machine import machine_of

from . import accelerated
from .binary import DOUBLE, SINGLE, BinaryFormat
from .double_word import split
from .polynomial import Coefficients, horner
from .terms import Expr, clamp, fma

LN2 = "0.693147180559945309417232121458176568075500134360255254120680009"
LOG2_E = "1.442695040888963407359924681001892137426645954152985934135449407"

# (e^r - 1 - r) / r^2 on |r| <= ln(2)/2; relative error of e^r: 2^-28.0, 2^-57.8
EXP: Coefficients = {
    SINGLE: (0.49999988, 0.16666518, 0.04166965, 0.008368947, 0.0013745326),
    DOUBLE: (
        0.5000000000000012, 0.16666666666666471, 0.04166666666651975, 0.008333333333458665,
        0.0013888888945921057, 0.00019841269581196487, 2.4801491030993337e-05,
        2.755752164644174e-06, 2.763090755114223e-07, 2.5020074850572813e-08,
    ),
}  # fmt: skip

# (2^r - 1) / r on |r| <= 1/2; relative error of 2^r: 2^-28.1, 2^-57.3
EXP2: Coefficients = {
    SINGLE: (0.6931472, 0.24022645, 0.055503592, 0.009618841, 0.0013391137, 0.00015238003),
    DOUBLE: (
        0.6931471805599453, 0.24022650695910133, 0.05550410866482226, 0.009618129107593498,
        0.0013333558146380684, 0.00015403530457765643, 1.5252733805465552e-05,
        1.3215435000410267e-06, 1.017808679598926e-07, 7.0738262339844386e-09,
        4.449951771300947e-10,
    ),
}  # fmt: skip

_EXP_BOUNDS = {SINGLE: (-104.0, 90.0), DOUBLE: (-746.0, 711.0)}
"""Arguments beyond these bounds give zero or infinity, also for half of e^x."""

EXP2_BOUNDS = {SINGLE: (-151.0, 129.0), DOUBLE: (-1076.0, 1025.0)}
"""Arguments beyond these bounds give zero or infinity."""


def _magic(form: BinaryFormat) -> float:
    """Return the number to add that rounds a number to an integer, in the sum's low bits."""
    return float(3 << (form.fraction - 1)) + 2 * form.bias


def whole_and_rest(power: Expr) -> tuple[Expr, Expr]:
    """Split an exponent within bounds: its sum with `_magic`, and the exact rest."""
    total = power + _magic(power.format)
    return total, power - (total - _magic(power.format))


def scaled(mantissa: Expr, total: Expr) -> Expr:
    """Multiply a number near 1 by two to the power that was added to `_magic`."""
    form, exponent = total.format, total.bits()
    if form == SINGLE and machine_of(total.builder).scales:
        return _by_instruction(mantissa, exponent)
    half = exponent >> 1
    for part in (half, exponent - half):
        mantissa = mantissa * (part << form.fraction).as_float(mantissa.type)
    return mantissa


def _by_instruction(mantissa: Expr, exponent: Expr) -> Expr:
    """Multiply by the power of two whose exponent the bits have, beside those of `_magic`."""
    builder, kind = mantissa.builder, exponent.type
    zero = int.from_bytes(struct.pack("<f", _magic(SINGLE)), "little")
    power = builder.sub(exponent.value, ir.Constant(kind, zero))
    signature = ir.FunctionType(mantissa.type, [mantissa.type, kind])
    scale = builder.module.declare_intrinsic("llvm.ldexp", (mantissa.type, kind), signature)
    return Expr(builder, builder.call(scale, [mantissa.value, power]))


def _parts(x: Expr, magic: float) -> tuple[Expr, Expr]:
    """Split e^x into a number near 1 and the exponent of a power of two, added to `magic`."""
    total = fma(x, split(LOG2_E, x.format)[0], magic)
    octaves = total - magic
    high, low = split(LN2, x.format)
    rest = fma(octaves, -low, fma(octaves, -high, x))
    return fma(fma(horner(rest, EXP), rest, 1.0), rest, 1.0), total


def exp(x: Expr) -> Expr:
    """e^x."""
    form = x.format
    if accelerated.has_approximations(x):
        return accelerated.exp(x, LOG2_E)
    return scaled(*_parts(clamp(x, *_EXP_BOUNDS[form]), _magic(form)))


def exp_quarter(absolute: Expr) -> Expr:
    """e^x / 4 for x >= 0, with a power of two that is normal, or infinite."""
    form = absolute.format
    high = _EXP_BOUNDS[form][1]
    bounded = (absolute > high).choose(absolute.like(high), absolute)
    mantissa, total = _parts(bounded, _magic(form) - form.bias - 2)
    return mantissa * (total.bits() << form.fraction).as_float(absolute.type)


def exp2(x: Expr) -> Expr:
    """2^x."""
    if accelerated.has_approximations(x):
        return accelerated.exp2(x)
    total, rest = whole_and_rest(clamp(x, *EXP2_BOUNDS[x.format]))
    return scaled(fma(rest, horner(rest, EXP2), 1.0), total)
