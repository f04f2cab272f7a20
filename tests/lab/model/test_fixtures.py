"""The model against NumPy: every fixture gives what its author computed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.launches import NAMES, Launch, newest

from . import run

ALIGNMENT = 256
"""Bytes; kernels may assume as much of the arrays that they are made for."""


def aligned(array: np.ndarray) -> np.ndarray:
    """A copy at an aligned address."""
    room = np.empty(array.nbytes + ALIGNMENT, np.uint8)
    start = -room.ctypes.data % ALIGNMENT
    copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


@pytest.mark.parametrize("name", NAMES)
def test_fixture_gives_what_numpy_gives(name: str) -> None:
    launch = Launch(name)
    arrays = {array: aligned(held) for array, held in launch.arrays().items()}
    run(newest(name), launch.entry, launch.grid, launch.arguments(arrays))
    launch.check(arrays)
