"""How tensor cores add up products: exactly and rounded once, or in short sums.

`wgmma` on 8-bit floats adds with few bits: before the products of one instruction and the old sum
are added, all are aligned to the largest of them, and bits below the 14th from its highest are cut
off. NVIDIA documents none of that; it is what others have measured on Hopper. A kernel that wants
better sums adds them to registers of its own again and again, and one that forgets to is noticed.
"""

from __future__ import annotations

import numpy as np

DIGITS = 14
"""Bits of the largest summand, and of the sum, that are kept."""


def exact(a: np.ndarray, b: np.ndarray, old: np.ndarray) -> np.ndarray:
    """Return `a @ b + old` in doubles; a is (warps, m, k), b (warps, k, n)."""
    return a @ b + old


def short(a: np.ndarray, b: np.ndarray, old: np.ndarray) -> np.ndarray:
    """Return `a @ b + old` as the sum of aligned summands that were cut off."""
    plain = exact(a, b, old)
    summands = np.concatenate(
        [a[:, :, None, :] * b.swapaxes(1, 2)[:, None, :, :], old[..., None]], axis=3
    )
    _, exponent = np.frexp(np.abs(summands).max(axis=3, keepdims=True))
    aligned = np.trunc(np.ldexp(summands, DIGITS - exponent)).sum(axis=3)
    total = cut(np.ldexp(aligned, exponent[..., 0] - DIGITS))
    return np.where(np.isfinite(plain), total, plain)


def cut(numbers: np.ndarray) -> np.ndarray:
    """Return numbers without the bits beyond the kept ones."""
    _, exponent = np.frexp(numbers)
    return np.ldexp(np.trunc(np.ldexp(numbers, DIGITS - exponent)), exponent - DIGITS)
