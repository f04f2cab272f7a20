"""The errors of approximate instructions on f32: their bounds, and what a launch makes of them.

The bounds are those of the PTX ISA, section "Floating Point Instructions". No GPU errs by as much
everywhere, but none promises less. The same operands always give the same result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from zlib import crc32

import numpy as np

from tileir.codegen.emulator.errors import emulation_error

from .rounding import rounded

APPROXIMATIONS = ("exact", "low", "high", "random-0", "random-1")
"""Results of approximate instructions: the nearest number, the smallest or the largest within the
bound, or one of these two at random; any number may follow `random-`."""
_chosen: ContextVar[str] = ContextVar("approximations", default="exact")

Margin = Callable[[Any, Any, Any], tuple[Any, Any]]
"""From the exact result, the nearest f32 and the last operand to the center and the size of the
error interval."""


def _ulps(count: int) -> Margin:
    """Return a bound in units in the last place, around the correctly rounded result."""

    def margin(exact: Any, nearest: Any, x: Any) -> tuple[Any, Any]:
        unit = np.spacing(np.abs(rounded(exact, "f32", "rz")))
        return nearest.astype(np.float64), count * unit.astype(np.float64)

    return margin


def _relative(error: float) -> Margin:
    return lambda exact, nearest, x: (exact, error * np.abs(exact))


def _wave(exact: Any, nearest: Any, x: Any) -> tuple[Any, Any]:
    """Return the absolute bounds of sin and cos; beyond 100 pi PTX promises none."""
    return exact, np.where(np.abs(x) <= 2 * np.pi, 2**-20.5, 2**-14.7)


def _logarithm(exact: Any, nearest: Any, x: Any) -> tuple[Any, Any]:
    """Return the bound of lg2: absolute around 1, relative elsewhere."""
    return exact, np.where((x > 0.5) & (x < 2), 1.0, np.abs(exact)) * 2.0**-22


BOUNDS: dict[str, Margin] = {
    "ex2": _ulps(2),
    "rcp": _ulps(1),
    "div": _ulps(2),
    "rsqrt": _relative(2**-22.9),
    "sqrt": _relative(2.0**-23),
    "tanh": _relative(2.0**-11),
    "lg2": _logarithm,
    "sin": _wave,
    "cos": _wave,
}


@contextmanager
def approximated(choice: str) -> Iterator[None]:
    """Set the approximation in a `with` block; EmulationError if it is not in `APPROXIMATIONS`."""
    if not isinstance(choice, str) or (
        choice not in APPROXIMATIONS and not re.fullmatch(r"random-\d+", choice)
    ):
        listed = ", ".join(APPROXIMATIONS)
        raise emulation_error("launch", f"no approximations {choice!r}: one of {listed}")
    token = _chosen.set(choice)
    try:
        yield
    finally:
        _chosen.reset(token)


def settle(name: str, exact: Any, *operands: Any) -> Any:
    """Return the f32 that an instruction gives in this launch for an exact result, in doubles.

    Zeros, infinities and NaN are those of the tables in the PTX ISA, whatever the bound.
    """
    nearest = rounded(exact, "f32")
    choice = _chosen.get()
    if choice == "exact":
        return nearest
    center, margin = BOUNDS[name](exact, nearest, operands[-1].astype(np.float64))
    above = rounded(center + margin, "f32", "rm")
    below = rounded(center - margin, "f32", "rp")
    result = np.where(_upwards(choice, name, operands), above, below)
    usual = np.isfinite(result) & (np.signbit(result) == np.signbit(nearest))
    for number in (nearest, *operands):
        usual = usual & np.isfinite(number) & (number != 0)
    return np.where(usual, result, nearest).astype(np.float32)[()]


def _upwards(choice: str, name: str, operands: tuple[Any, ...]) -> Any:
    if not choice.startswith("random-"):
        return choice == "high"
    mixed = np.uint64(crc32(f"{name} {choice}".encode()))
    for operand in operands:
        mixed = (mixed ^ operand.view(np.uint32).astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = mixed ^ (mixed >> np.uint64(29))
    return (mixed >> np.uint64(40)) & np.uint64(1) == 1
