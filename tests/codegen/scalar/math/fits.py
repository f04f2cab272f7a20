"""How coefficients were found; ``python -m tests.codegen.scalar.math.fits [NAME]`` does it again.

Each table of the library approximates one function of a row here. The fit is by weighted least
squares on Chebyshev nodes; coefficients are rounded one after the other, from the lowest power
up, and the rest is fitted to what is left.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mpmath
import numpy as np
from mpmath import mpf

from tileir.codegen.scalar.math import (
    arctangent,
    exponential,
    hyperbolic,
    logarithm,
    powers,
    trigonometric,
)
from tileir.codegen.scalar.math.binary import DOUBLE, SINGLE, BinaryFormat

Real = Callable[[mpf], mpf]

_DIGITS = 120


def _horner(coefficients: Sequence[mpf], x: mpf) -> mpf:
    """The polynomial, lowest power first; mpmath's own changed its order between releases."""
    total = mpf(0)
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total


@dataclass(frozen=True)
class Fit:
    """P with `whole(x) = known(x) + power(x) * P(variable)`, on an interval of the variable.

    With `squared` the variable is x^2, otherwise x. The interval may end elsewhere for f32.
    """

    module: object
    whole: Real
    known: Real
    power: int
    low: float
    high: float
    squared: bool = False
    high_single: float | None = None

    def between(self, place: mpf, form: BinaryFormat) -> mpf:
        """From -1 ... 1 to the interval."""
        other = form == SINGLE and self.high_single is not None
        low, high = mpf(self.low), mpf(self.high_single if other else self.high)
        return (low + high) / 2 + (high - low) / 2 * place

    def target(self, variable: mpf) -> tuple[mpf, mpf]:
        """What P should be, and by what its error counts, relative to the whole."""
        x = mpmath.sqrt(variable) if self.squared else variable
        whole, factor = self.whole(x), x**self.power
        return (whole - self.known(x)) / factor, factor / whole


_OCTAVE = 0.34661  # a little more than ln(2) / 2
_EIGHTH = 0.6169  # of (pi / 4)^2
_NEAR = 0.3026  # of 0.55^2

FITS = {
    "EXP": Fit(exponential, mpmath.exp, lambda x: 1 + x, 2, -_OCTAVE, _OCTAVE),
    "EXP2": Fit(exponential, lambda x: mpf(2) ** x, lambda x: mpf(1), 1, -0.50001, 0.50001),
    "LOG": Fit(logarithm, lambda x: mpmath.log(1 + x), lambda x: x, 2, -0.29293, 0.41426),
    "SIN": Fit(trigonometric, mpmath.sin, lambda x: x, 3, 0, _EIGHTH, True),
    "COS": Fit(trigonometric, mpmath.cos, lambda x: 1 - x * x / 2, 4, 0, _EIGHTH, True),
    "TAN": Fit(trigonometric, mpmath.tan, lambda x: x, 3, 0, _EIGHTH, True),
    "SINH": Fit(hyperbolic, mpmath.sinh, lambda x: x, 3, 0, 1, True),
    "TANH": Fit(hyperbolic, mpmath.tanh, lambda x: x, 3, 0, _NEAR, True, 1.44),
    "ATAN": Fit(arctangent, mpmath.atan, lambda x: x, 3, 0, _NEAR, True),
    "ATANH": Fit(powers, mpmath.atanh, lambda x: x + x**3 / 3, 5, 0, 0.029444, True),
}


def coefficients(name: str, form: BinaryFormat, count: int) -> list[float]:
    """A new fit with so many coefficients, from the lowest power up."""
    fit = FITS[name]
    with mpmath.workdps(_DIGITS):
        nodes = [fit.between(mpmath.cos(mpmath.pi * (2 * i + 1) / (8 * count + 16)), form)
                 for i in range(4 * count + 8)]  # fmt: skip
        left, weights = (list(part) for part in zip(*map(fit.target, nodes), strict=True))
        found: list[float] = []
        for power in range(count):
            found.append(_lowest(nodes, left, weights, power, count - power, form))
            left = [rest - mpf(found[-1]) * node**power
                    for rest, node in zip(left, nodes, strict=True)]  # fmt: skip
    return found


def _lowest(
    nodes: list[mpf],
    left: list[mpf],
    weights: list[mpf],
    power: int,
    count: int,
    form: BinaryFormat,
) -> float:
    """The first of so many coefficients that fit what is left, from x^power up, rounded."""
    rows = mpmath.matrix(
        [[weight * node ** (power + i) for i in range(count)]
         for node, weight in zip(nodes, weights, strict=True)]
    )  # fmt: skip
    wanted = mpmath.matrix([weight * rest for rest, weight in zip(left, weights, strict=True)])
    solution = mpmath.lu_solve(rows.T * rows, rows.T * wanted)
    return float(np.float32(float(solution[0]))) if form == SINGLE else float(solution[0])


def error(name: str, values: tuple[float, ...], form: BinaryFormat, points: int = 200) -> float:
    """log2 of the largest relative error of the function with these coefficients."""
    fit = FITS[name]
    rounded = [mpf(float(np.float32(v))) if form == SINGLE else mpf(v) for v in values]
    worst = mpf(0)
    with mpmath.workdps(_DIGITS):
        for index in range(points):
            place = fit.between(mpf(2 * index + 1) / points - 1, form)
            target, weight = fit.target(place)
            worst = max(worst, abs((_horner(rounded, place) - target) * weight))
        return float(mpmath.log(worst, 2))


def main() -> None:
    """Print the tables again, and their errors."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.codegen.scalar.math.fits", description=__doc__
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FITS)}")
    for name in parser.parse_args().names or FITS:
        table = getattr(FITS[name].module, name)
        for form in (SINGLE, DOUBLE):
            found = coefficients(name, form, len(table[form]))
            print(f"{name} f{form.width}, relative error 2^{error(name, tuple(found), form):.1f}")
            shown = (np.float32(value) if form == SINGLE else value for value in found)
            print("   ", ", ".join(str(value) for value in shown))


if __name__ == "__main__":
    main()
