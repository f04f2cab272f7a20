"""atan2: one division, a polynomial, and a multiple of pi/4."""

from __future__ import annotations

import math

from .binary import DOUBLE, SINGLE
from .double_word import split
from .polynomial import Coefficients, horner
from .terms import Expr, flip_sign, fma, magnitude, sign_bit

# (atan(t) - t) / t^3 in t^2, on |t| <= 0.55; relative error of the angle: 2^-29.9, 2^-58.5
ATAN: Coefficients = {
    SINGLE: (-0.33333313, 0.19998749, -0.14258707, 0.10835589, -0.076073565, 0.03372145),
    DOUBLE: (
        -0.33333333333333126, 0.19999999999946502, -0.14285714280835451, 0.11111110885499192,
        -0.09090902901475068, 0.07692197915109951, -0.06665341698699619, 0.05871131342291039,
        -0.05195356339542675, 0.04468033270529625, -0.03437426982028303, 0.020040163716188355,
        -0.006257449350536832,
    ),
}  # fmt: skip

_PI_QUARTER = "0.785398163397448309615660845819875721049292349843776455243736148"
_TURN = 0.55
"""Limit of tangents; above it pi/4 is subtracted from the angle. Below tan(pi/8) it loses bits."""


def atan2(y: Expr, x: Expr) -> Expr:
    """Return the angle of (x, y), between -pi and pi; zeros and infinities as in C."""
    height, width = magnitude(y), magnitude(x)
    steep = height > width
    long, short = steep.choose(height, width), steep.choose(width, height)
    # Scale to moderate sizes, exactly, so that neither sum nor comparison over- or underflows.
    limit = 2.0 ** (x.format.bias - 27)
    scale = (long > limit).choose(x.like(0.25), 1.0)
    scale = (long < 1.0 / limit).choose(x.like(2.0**60), scale)
    long, short = long * scale, short * scale

    diagonal = short.equals(long)
    turned = short > long * _TURN
    turned = turned | (diagonal & short.equals(math.inf))
    over = turned.choose(short - long, short)
    under = turned.choose(short + long, long)
    tangent = diagonal.choose(x.like(0.0), over) / diagonal.choose(x.like(1.0), under)

    # The angle is that many times pi/4, plus or minus the arctangent of `tangent`.
    quarters = turned.choose(x.like(1.0), 0.0)
    quarters = steep.choose(2.0 - quarters, quarters)
    left = (x.bits() & x.format.sign).differs(0)
    quarters = left.choose(4.0 - quarters, quarters)
    square = tangent * tangent
    arc = fma(tangent * square, horner(square, ATAN), tangent)
    arc = (steep ^ left).choose(-arc, arc)
    # pi/4 is cut to so few bits that its multiples are exact.
    high, low = split(_PI_QUARTER, x.format, x.format.fraction - 2)
    return flip_sign(fma(quarters, high, fma(quarters, low, arc)), sign_bit(y))
