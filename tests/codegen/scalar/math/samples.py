"""Arguments worth trying: special values, all magnitudes, and where an op is hard."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from tests.codegen.reference import DTYPES, special

_OCTAVES = {"f16": 16, "bf16": 128, "f32": 128, "f64": 1024}
_EXPONENTS = ("exp", "exp2", "cosh", "sinh", "tanh")
_TURNING = ("cos", "sin", "tan")


def every(element: str) -> np.ndarray:
    """All values of a 16-bit format."""
    return np.arange(1 << 16, dtype=np.uint16).view(DTYPES[element])


def corners(element: str) -> np.ndarray:
    """Special values, and numbers beside which something changes."""
    info = ml_dtypes.finfo(DTYPES[element])
    limit = float(_OCTAVES[element])
    natural = limit * np.log(2)
    tiny = float(-np.log2(float(info.smallest_subnormal)))
    points = [0.5, 0.55, np.sqrt(0.5), np.sqrt(2), np.pi / 4, np.pi / 2, np.pi, 100.0, 5.0, 4.0]
    points += [limit, natural, natural + np.log(2), tiny, tiny + 1, tiny * np.log(2), 1e4]
    # Of all f64 the one nearest to a multiple of pi/2, and one of the nearest f32.
    points += [6381956970095103 * 2.0**797, 16367173 * 2.0**72]
    with np.errstate(all="ignore"):
        around = np.array(points).astype(DTYPES[element])
        around = np.concatenate([_beside(around, 1), _beside(around, -1), around, -around])
        return np.concatenate([special(element), around])


def _beside(values: np.ndarray, places: int) -> np.ndarray:
    unsigned = f"u{values.itemsize}"
    return (values.view(unsigned) + np.array(places).astype(unsigned)).view(values.dtype)


def unary(name: str, element: str, count: int, seed: int = 0) -> list[np.ndarray]:
    """About so many arguments of an op with one operand."""
    random = np.random.default_rng(seed)
    return [
        np.concatenate(
            [
                corners(element),
                _any_bits(random, element, count // 3),
                _moderate(random, element, count // 3),
                _hard(random, name, element, count - 2 * (count // 3)),
            ]
        )
    ]


def binary(name: str, elements: tuple[str, str], count: int, seed: int = 0) -> list[np.ndarray]:
    """About so many pairs of arguments: all pairs of corners, then pairs that go together."""
    random = np.random.default_rng(seed)
    first, second = elements
    lhs = corners(first)
    rhs = special(second) if second[0] == "i" else corners(second)
    pairs = [np.repeat(lhs, len(rhs)), np.tile(rhs, len(lhs))]
    part = count // 3
    some = [_any_bits(random, element, part) for element in elements]
    more = [_moderate(random, element, part) for element in elements]
    related = _related(random, name, elements, count - 2 * part)
    return [np.concatenate(parts) for parts in zip(pairs, some, more, related, strict=True)]


def _any_bits(random: np.random.Generator, element: str, count: int) -> np.ndarray:
    dtype = DTYPES[element]
    raw = random.bytes(count * dtype.itemsize)
    if element == "i1":
        return np.frombuffer(raw, np.uint8) % 2 == 1
    return np.frombuffer(raw, dtype)


def _moderate(random: np.random.Generator, element: str, count: int) -> np.ndarray:
    """Numbers of both signs between a thousandth and a thousand."""
    numbers = 10 ** random.uniform(-3, 3, count) * random.choice([-1, 1], count)
    if element == "i1":
        return numbers > 0
    return np.clip(numbers, -127, 127).astype(DTYPES[element]) if element[0] == "i" else (
        numbers.astype(DTYPES[element])
    )  # fmt: skip


def _hard(random: np.random.Generator, name: str, element: str, count: int) -> np.ndarray:
    """Where the op has to work for its digits."""
    if name in _EXPONENTS:
        reach = _OCTAVES[element] * (1.1 if name == "exp2" else 0.8)
        numbers = random.uniform(-reach, reach, count)
    elif name in _TURNING:
        turns = np.round(2 ** random.uniform(0, 40, count)) * random.choice([-1, 1], count)
        numbers = turns * (np.pi / 2)
    else:
        numbers = np.exp2(random.uniform(-0.6, 0.6, count))
    with np.errstate(over="ignore"):
        return numbers.astype(DTYPES[element])


def _related(
    random: np.random.Generator, name: str, elements: tuple[str, str], count: int
) -> list[np.ndarray]:
    """Pairs whose result is neither trivial nor out of range."""
    first, second = elements
    limit = _OCTAVES[first]
    size = np.abs(_any_bits(random, first, count))
    with np.errstate(all="ignore"):
        usable = np.isfinite(size) & (size > 0)
        lhs = np.where(usable, size, 2).astype(size.dtype)
        wide = lhs.astype(np.float64)
        if name == "fpowf":
            power = random.uniform(-1.05, 1.0, count) * limit / np.log2(wide)
            power[: count // 4] = np.round(power[: count // 4])
            return [lhs, power.astype(DTYPES[second])]
        if name == "fpowi":
            rhs = _any_bits(random, second, count)
            number = np.where(rhs == 0, 1, rhs).astype(np.float64)
            base = np.exp2(random.uniform(-1.05, 1.0, count) * limit / number)
            return [(base * random.choice([-1, 1], count)).astype(DTYPES[first]), rhs]
        ratio = np.exp2(random.uniform(-3, 3, count)) * random.choice([-1, 1], count)
        return [lhs, (wide * ratio).astype(DTYPES[second])]
