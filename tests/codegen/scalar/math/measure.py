"""The largest error of an op, in units of the last place of the exact result."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mpmath
import numpy as np

from tests.codegen.reference import DTYPES

from .compiled import Function
from .expected import BINARY, EXACT, by_mpmath, by_numpy, unit, widened
from .samples import binary, every, unary

ELEMENTS = ("f16", "bf16", "f32", "f64")
EXPONENTS = ("i1", "i8", "i16", "i32")
_CONFIRMED = 8
"""So many of the worst results are held against mpmath."""


@dataclass(frozen=True)
class Measured:
    """What was found: the worst error in units, where, and results of the wrong kind."""

    name: str
    types: tuple[str, ...]
    samples: int
    error: float
    at: tuple[float, ...]
    wrong: tuple[tuple[float, ...], ...]

    @property
    def bound(self) -> float:
        """What the library promises."""
        return bound(self.name, self.types[0])

    @property
    def good(self) -> bool:
        """Whether the promise is kept."""
        return self.error <= self.bound and not self.wrong


def bound(name: str, element: str) -> float:
    """Units in the last place that the result may be off by."""
    if name in EXACT:
        return 0.5 if name == "sqrt" else 0.0
    return {"f16": 0.501, "bf16": 0.501, "f32": 2.0, "f64": 4.0}[element]


def types_of(name: str, element: str) -> list[tuple[str, ...]]:
    """The operand types with which an op is measured."""
    if name == "fpowi":
        return [(element, exponent) for exponent in EXPONENTS]
    return [(element, element)] if name in BINARY else [(element,)]


def arguments(
    name: str, types: tuple[str, ...], count: int, exhaustive: bool = False, seed: int = 0
) -> list[np.ndarray]:
    """Samples for an op: all there are for one 16-bit operand if asked for."""
    if exhaustive and len(types) == 1 and types[0] in ("f16", "bf16"):
        return [every(types[0])]
    if len(types) == 1:
        return unary(name, types[0], count, seed)
    return binary(name, types, count, seed)


def measure(
    name: str, types: tuple[str, ...], arrays: list[np.ndarray], **attributes: object
) -> Measured:
    """Compile the op for this machine, run it on the samples and compare."""
    return compare(name, types, arrays, Function(name, types, **attributes)(*arrays))


def compare(
    name: str, types: tuple[str, ...], arrays: list[np.ndarray], found: np.ndarray
) -> Measured:  # fmt: skip
    """The worst of the results that were found for these operands."""
    answers = by_numpy(name, arrays)
    wrong = np.flatnonzero(_of_another_kind(found, answers))
    errors = _errors(found, answers, types[0])
    worst, at = 0.0, int(np.argmax(errors))
    for index in np.argsort(errors)[: -_CONFIRMED - 1 : -1]:
        error = _confirmed(name, arrays, found, int(index), types[0], float(errors[index]))
        if error > worst:
            worst, at = error, int(index)
    return Measured(
        name, types, len(found), worst, _row(arrays, at),
        tuple((*_row(arrays, index), float(found[index])) for index in wrong[:5]),
    )  # fmt: skip


def _row(arrays: list[np.ndarray], index: int) -> tuple[float, ...]:
    return tuple(float(widened(array[index : index + 1])[0]) for array in arrays)


def _of_another_kind(found: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """NaN for a number, the wrong sign, or a wrong zero or infinity where the answer is one."""
    wide = widened(found)
    endless = np.isinf(answers) & (wide != answers)
    signs = (np.signbit(wide) != np.signbit(answers)) & ~np.isnan(answers)
    zeros = (answers == 0) & (wide != 0)
    return (np.isnan(wide) != np.isnan(answers)) | endless | zeros | signs


def _errors(found: np.ndarray, answers: np.ndarray, element: str) -> np.ndarray:
    """Distances in units; 0 where the answer is no finite number."""
    wide = widened(found)
    finite = np.isfinite(answers) & ~np.isnan(wide)
    answers, wide = np.where(finite, answers, 1), np.where(finite, wide, 1)
    return np.abs(_reachable(wide, element) - _reachable(answers, element)) / unit(answers, element)


def _reachable(numbers: np.ndarray, element: str) -> np.ndarray:
    """Numbers with infinity, and all beyond it, as the first one that is too large."""
    info = np.finfo(DTYPES[element]) if element != "bf16" else np.finfo(np.float32)
    limit = np.ldexp(numbers.dtype.type(1), int(np.frexp(float(info.max))[1]))
    return np.clip(numbers, -limit, limit)


def _confirmed(
    name: str, arrays: list[np.ndarray], found: np.ndarray, index: int, element: str, error: float
) -> float:
    """The error by mpmath, if it is about a number of moderate size."""
    point = _row(arrays, index)
    result = float(found[index])
    answer = by_numpy(name, [array[index : index + 1] for array in arrays])
    if not (math.isfinite(result) and np.isfinite(answer[0]) and answer[0] and error):
        return error
    with mpmath.workdps(60):
        exact = by_mpmath(name, list(point))
        return float(abs(exact - mpmath.mpf(result)) / mpmath.mpf(float(unit(answer, element)[0])))
