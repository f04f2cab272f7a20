"""The two IEEE 754 formats that the math library computes in."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from llvmlite import ir


@dataclass(frozen=True)
class BinaryFormat:
    """A binary format: `width` bits, of which the last `fraction` are the fraction."""

    width: int
    fraction: int

    @property
    def bias(self) -> int:
        """Bias of the exponent; also the largest exponent."""
        return (1 << (self.width - self.fraction - 2)) - 1

    @property
    def pattern(self) -> ir.IntType:
        """Integer type of the bits of a number."""
        return ir.IntType(self.width)

    @property
    def sign(self) -> int:
        """The sign bit."""
        return 1 << (self.width - 1)

    @property
    def smallest_normal(self) -> float:
        """The smallest positive normal number."""
        return 2.0 ** (1 - self.bias)

    def nearest(self, number: Fraction) -> float:
        """Return the number of this format nearest to a number that is no midpoint."""
        return float(np.float32(float(number))) if self.width == 32 else float(number)


SINGLE = BinaryFormat(32, 23)
DOUBLE = BinaryFormat(64, 52)

_FORMATS = {ir.FloatType(): SINGLE, ir.DoubleType(): DOUBLE}


def format_of(kind: ir.Type) -> BinaryFormat:
    """Return the format of LLVM's float or double."""
    return _FORMATS[kind]
