"""Checks of the grid of a launch."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from tileir.errors import LaunchError
from tileir.launch.grid_limits import MAX_BLOCKS, MAX_EXTENT

from .shown import shown


def check_grid(symbol: str, grid: int | Sequence[int]) -> tuple[int, int, int]:
    """Return the three extents of a grid; LaunchError if it is invalid."""
    if type(grid) is tuple and len(grid) == 3:
        x, y, z = grid
        if type(x) is type(y) is type(z) is int:
            return _checked_extents(symbol, x, y, z)
    try:
        if not isinstance(grid, int | np.integer | np.ndarray | Sequence) or isinstance(
            grid, bytes | bytearray | memoryview
        ):
            raise TypeError
        given: Any = [grid] if is_number(grid) else grid
        extents = [operator.index(extent) for extent in given]
    except TypeError:
        raise LaunchError(f"{symbol}: the grid must be integers, got {shown(grid)}") from None
    if not 1 <= len(extents) <= 3:
        raise LaunchError(f"{symbol}: the grid must have 1 to 3 extents, got {len(extents)}")
    return _checked_extents(symbol, *extents)


def _checked_extents(symbol: str, x: int, y: int = 1, z: int = 1) -> tuple[int, int, int]:
    for extent in (x, y, z):
        if not 0 <= extent <= MAX_EXTENT:
            raise LaunchError(f"{symbol}: grid extent {extent} is not within 0 to {MAX_EXTENT}")
    if x * y * z > MAX_BLOCKS:
        raise LaunchError(f"{symbol}: a grid of {x}x{y}x{z} blocks has more than {MAX_BLOCKS}")
    return x, y, z


def is_number(value: Any) -> bool:
    """Whether this is an integer of Python or NumPy."""
    return isinstance(value, int | np.integer)
