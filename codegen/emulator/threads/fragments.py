"""Fragments: how the lanes of a warp hold the matrices of matrix instructions.

Four lanes form a group (`lane / 4`). A 32-bit register of a lane holds neighbouring elements: of A
along a row, of B along a column, of C and D along a row. The first registers of all lanes cover 8
rows of A (columns of B, rows of C), one for each group; further registers first go 8 rows down,
then along the row. All shapes and types follow this one rule. In a product of a warpgroup, each of
its four warps holds 16 of the 64 rows of A and D like that.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from .lanes import WARP

ROWS = 8
"""Rows that the eight groups of four lanes cover."""


@cache
def a_indices(m: int, k: int, each: int) -> tuple[np.ndarray, np.ndarray]:
    """Return row and column in A (m x k) of every element: shape (registers, lanes, each).

    `each`: elements in a register. An f64 has one register of 64 bits.
    """
    register, lane, part = _axes(m * k // (WARP * each), each)
    down = m // ROWS
    row = lane // 4 + ROWS * (register % down)
    column = lane % 4 * each + part + 4 * each * (register // down)
    return row, column


@cache
def b_indices(k: int, n: int, each: int) -> tuple[np.ndarray, np.ndarray]:
    """Return row and column in B (k x n), which is laid out as A transposed."""
    column, row = a_indices(n, k, each)
    return row, column


@cache
def c_indices(m: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return row and column in C (m x n) of neighbours, of any type: shape (pairs, lanes, 2)."""
    return a_indices(m, n, 2)


def _axes(registers: int, each: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first, second, third = np.ix_(np.arange(registers), np.arange(WARP), np.arange(each))
    return first, second, third


def gather(elements: np.ndarray, indices: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return matrices from fragments: (registers, warps, lanes, each) to (warps, rows, columns)."""
    row, column = np.broadcast_arrays(*indices)
    shape = row.max() + 1, column.max() + 1
    out = np.empty((elements.shape[1], *shape), elements.dtype)
    out[:, row, column] = elements.swapaxes(0, 1)
    return out


def scatter(matrices: np.ndarray, indices: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return fragments from matrices: the inverse of `gather`."""
    return matrices[:, *indices].swapaxes(0, 1)
