"""How the lanes of a warp hold a matrix between them, for the matrix instructions.

With group = lane / 4 and place = lane % 4, a 32-bit register of a lane holds elements that lie next
to each other: of A along a row, of B along a column, of C and D along a row. The first registers of
all lanes cover 8 rows of A (columns of B, rows of C), one group each; further registers first go
8 rows down, then further along. All shapes and types follow this one rule.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from .lanes import WARP

ROWS = 8
"""What the eight groups of four lanes cover."""


@cache
def a_places(m: int, k: int, each: int) -> tuple[np.ndarray, np.ndarray]:
    """Row and column in A (m x k) of every element, shape (registers, lanes, each).

    `each`: elements in a register. An f64 has one register of 64 bits.
    """
    register, lane, part = _indices(m * k // (WARP * each), each)
    down = m // ROWS
    row = lane // 4 + ROWS * (register % down)
    column = lane % 4 * each + part + 4 * each * (register // down)
    return row, column


@cache
def b_places(k: int, n: int, each: int) -> tuple[np.ndarray, np.ndarray]:
    """Row and column in B (k x n): as A, the other way round."""
    column, row = a_places(n, k, each)
    return row, column


@cache
def c_places(m: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Row and column in C (m x n) of two neighbours: shape (pairs, lanes, 2), in any type."""
    return a_places(m, n, 2)


def _indices(registers: int, each: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.ix_(np.arange(registers), np.arange(WARP), np.arange(each))


def gather(elements: np.ndarray, places: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Matrices from what lanes hold: (registers, warps, lanes, each) to (warps, rows, columns)."""
    row, column = np.broadcast_arrays(*places)
    shape = row.max() + 1, column.max() + 1
    out = np.empty((elements.shape[1], *shape), elements.dtype)
    out[:, row, column] = elements.swapaxes(0, 1)
    return out


def scatter(matrices: np.ndarray, places: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The reverse of `gather`."""
    return matrices[:, *places].swapaxes(0, 1)
