"""How tensor cores add up products: exactly and rounded once, or in short sums.

`wgmma` on 8-bit floats adds with few bits: before the products of one instruction and the old sum
are added, all are aligned to the largest of them, and bits below the 14th from its highest are cut
off. NVIDIA documents none of that; it is what others have measured on Hopper. A kernel that wants
better sums adds them to registers of its own again and again, and one that forgets to is noticed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

DIGITS = 14
"""Bits of the largest summand, and of the sum, that are kept."""


def exact(a: np.ndarray, b: np.ndarray, old: np.ndarray) -> np.ndarray:
    """Return `a @ b + old` in doubles; a is (warps, m, k), b (warps, k, n)."""
    return a @ b + old


def short(a: np.ndarray, b: np.ndarray, old: np.ndarray) -> np.ndarray:
    """Return `a @ b + old` as the sum of aligned summands that were cut off."""
    plain = exact(a, b, old)
    largest = np.abs(old)
    for summand in _products(a, b):
        np.maximum(largest, np.abs(summand), out=largest)
    _, exponent = np.frexp(largest)
    scale = np.ldexp(1.0, DIGITS - exponent)
    aligned = np.trunc(old * scale)
    for summand in _products(a, b):
        aligned += np.trunc(summand * scale)
    return np.where(np.isfinite(plain), cut(aligned / scale), plain)


def _products(a: np.ndarray, b: np.ndarray) -> Iterator[np.ndarray]:
    """Yield for each k the products of a column and a row."""
    for k in range(a.shape[2]):
        yield a[:, :, k, None] * b[:, None, k, :]


def cut(numbers: np.ndarray) -> np.ndarray:
    """Return numbers without the bits beyond the kept ones."""
    _, exponent = np.frexp(numbers)
    return np.ldexp(np.trunc(np.ldexp(numbers, DIGITS - exponent)), exponent - DIGITS)
