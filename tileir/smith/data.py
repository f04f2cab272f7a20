"""Contents of arrays: which numbers an op is given, special ones among them."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np

from tileir.ir.arrays import TF32_FRACTION_CUT
from tileir.types import Scalar

from .elements import BITS_ONLY, NUMBERS_OF_BITS, dtype, floats, of_bits, wrapped
from .noise import Noise

Domain = Callable[[Noise, Scalar, int], np.ndarray]
"""Where an operand's numbers come from: a generator, the element type, how many."""


def anything(random: Noise, element: Scalar, count: int) -> np.ndarray:
    """Limits and other special values, numbers of usual size, and any bits at all."""
    special = random.choice(specials(element), count)
    usual, wild = _usual(random, element, count), _wild(random, element, count)
    return _mixed(random, [usual, special, wild])


def related(other: np.ndarray) -> Domain:
    """Anything, but often what the other operand holds at the same place, or its negation."""

    def domain(random: Noise, element: Scalar, count: int) -> np.ndarray:
        drawn = anything(random, element, count)
        if element.bits == 1 or element.name in ("f8E8M0FNU", BITS_ONLY):
            return drawn
        minus = wrapped(-other.astype(object), element) if element.is_integer else -other
        return _mixed(random, [drawn, drawn, other, minus])

    return domain


def _mixed(random: Noise, arrays: list[np.ndarray]) -> np.ndarray:
    """At each place the element of one of the arrays."""
    rows = random.integers(0, len(arrays) - 1, arrays[0].size)
    return np.stack(arrays)[rows, np.arange(arrays[0].size)]


def _usual(random: Noise, element: Scalar, count: int) -> np.ndarray:
    if element.is_integer:
        return wrapped(random.integers(-9, 9, count), element)
    if element.name == "f8E8M0FNU":
        return powers(random, element, count)
    return _floats(4 * random.normal(count), element)


def _floats(numbers: np.ndarray, element: Scalar) -> np.ndarray:
    """Numbers in a type of floats; those that it does not have become ones nearby."""
    with np.errstate(all="ignore"):
        if element.name == BITS_ONLY:
            places = np.searchsorted(NUMBERS_OF_BITS[:-1], np.abs(numbers.astype(np.float64)))
            return np.minimum(places, 254).astype(np.uint8)
        if element.name == "tf32":
            patterns = numbers.astype(np.float32).view(np.uint32)
            return (patterns & np.uint32(-1 << TF32_FRACTION_CUT & 0xFFFFFFFF)).view(np.float32)
        return numbers.astype(dtype(element))


def _wild(random: Noise, element: Scalar, count: int) -> np.ndarray:
    width = 32 if element.name == "tf32" else element.bits
    unused = 0x1FFF if element.name == "tf32" else 0
    patterns = random.words(count)
    patterns &= np.uint64(((1 << width) - 1) & ~unused)
    if element.is_integer:
        return wrapped(patterns.astype(object), element)
    return of_bits(patterns, element)


def specials(element: Scalar) -> np.ndarray:
    """The values that ops stumble over."""
    if element.is_integer:
        half = 1 << (element.bits - 1)
        numbers = [0, 1, 2, 3, 7, -1, -2, half - 1, half - 2, -half, 1 - half, element.bits]
        return wrapped(np.asarray(numbers, object), element)
    if element.name == "f8E8M0FNU":
        return np.array([1, 2, 2.0**-127, 2.0**127, np.nan]).astype(dtype(element))
    if element.name == BITS_ONLY:
        return np.array([0, 1, 7, 8, 0x77, 0x78, 0xF8, 0xFE, 0xFF], np.uint8)
    if element.name == "f4E2M1FN":
        return np.array([0.0, -0.0, 0.5, 1, 6, -6]).astype(dtype(element))
    kind = ml_dtypes.finfo(ml_dtypes.bfloat16 if element.name == "tf32" else dtype(element))
    limits = [kind.max, kind.tiny, kind.smallest_subnormal, kind.tiny - kind.smallest_subnormal]
    numbers = [0.0, 0.0, 1.0, 1.5, 1 + float(kind.eps), 0.1, 3.0, *map(float, limits), np.nan]
    if element.name != "f8E4M3FN":
        numbers.append(np.inf)
    found = _floats(np.asarray(numbers), element)
    return np.concatenate([found, -found])


def between(first: int, last: int) -> Domain:
    """Whole numbers from first to last, both included, in any type that has them."""

    def domain(random: Noise, element: Scalar, count: int) -> np.ndarray:
        numbers = random.integers(first, last, count)
        if element.is_integer:
            return wrapped(numbers, element)
        return _floats(numbers.astype(np.float64), element)

    return domain


def nonzero(random: Noise, element: Scalar, count: int) -> np.ndarray:
    """Integers other than zero."""
    numbers = anything(random, element, count)
    return np.where(numbers == 0, wrapped(1, element), numbers)


def above_lowest(random: Noise, element: Scalar, count: int) -> np.ndarray:
    """Integers whose negation fits."""
    numbers = anything(random, element, count)
    lowest = wrapped(1 << (element.bits - 1), element)
    return np.where(numbers == lowest, wrapped(0, element), numbers)


def inside(lowest: int, highest: int) -> Domain:
    """Floats that become integers from lowest to highest when their fraction is dropped."""

    def domain(random: Noise, element: Scalar, count: int) -> np.ndarray:
        numbers = anything(random, element, count)
        with np.errstate(all="ignore"):
            whole = np.trunc(floats(numbers, element))
        fits = (whole >= lowest) & (whole <= highest) & (whole < 2.0**63 * (1 + (lowest == 0)))
        return np.where(fits, numbers, _floats(np.full(1, 0.5), element))

    return domain


def positive(random: Noise, element: Scalar, count: int) -> np.ndarray:
    """Numbers that a power of two with an exponent of 8 bits is near to, and NaN."""
    numbers = anything(random, element, count)
    with np.errstate(all="ignore"):
        wide = np.abs(floats(numbers, element))
    good = np.isnan(wide) | ((wide >= 2.0**-126) & (wide <= 2.0**127))
    return np.where(good, np.abs(numbers), _floats(np.ones(1), element))


def numbers_only(random: Noise, element: Scalar, count: int) -> np.ndarray:
    """Anything but NaN."""
    found = anything(random, element, count)
    return np.where(np.isnan(floats(found, element)), _floats(np.ones(1), element), found)


def moderate(random: Noise, element: Scalar, count: int) -> np.ndarray:
    """Normal numbers of exponents from -20 to 20."""
    sizes = np.ldexp(1 + random.uniform(count), random.integers(-20, 19, count))
    return _floats(sizes * random.choice([-1.0, 1.0], count), element)


def units(random: Noise, element: Scalar, count: int) -> np.ndarray:
    """Floats from -1 to 1."""
    return _floats(2 * random.uniform(count) - 1, element)


def powers(random: Noise, element: Scalar, count: int) -> np.ndarray:
    """Powers of two from 1/4 to 4."""
    return _floats(np.ldexp(1.0, random.integers(-2, 2, count)), element)
