"""Copies NumPy arrays to a GPU for the time of a launch, without another library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from tileir.errors import DeviceError, LaunchError

from . import driver
from .memory import Copy


@contextmanager
def copied(values: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield the arguments with each NumPy array replaced by a copy on the GPU.

    At the end of the block the copies are copied back to writable arrays, unless it raised. An
    array that is passed twice is copied once; of two that overlap otherwise, the last one wins.
    """
    driver.start()
    driver.current_device()
    copies: dict[int, Copy] = {}
    try:
        arguments = [
            _copy(value, copies) if isinstance(value, np.ndarray) else value for value in values
        ]
        yield arguments
        for array in values:
            if id(array) in copies and array.flags.writeable:
                driver.copy_out(array, copies[id(array)].address)
    finally:
        for copy in copies.values():
            with suppress(DeviceError):  # after a kernel failed, the driver refuses to free
                driver.free(copy.address)


def _copy(array: np.ndarray, copies: dict[int, Copy]) -> Copy:
    if not array.flags.forc:
        raise LaunchError("expected an array without gaps in memory")
    if id(array) not in copies:
        address = driver.allocate(array.nbytes)
        copies[id(array)] = Copy(address, array.dtype, not array.flags.writeable)
        driver.copy_in(address, array)
    return copies[id(array)]
