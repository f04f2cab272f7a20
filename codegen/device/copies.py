"""NumPy arrays on a GPU for the time of a launch, for those who have no library that does it."""

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
    """Arguments with a copy on the GPU in the place of each NumPy array.

    At the end of the block the arrays that can be written to get what is in the copies then, unless
    it raised. An array that is passed twice is copied once; of two that share memory otherwise, the
    last one counts.
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
            with suppress(DeviceError):  # after a failure of a kernel the driver refuses it
                driver.free(copy.address)


def _copy(array: np.ndarray, copies: dict[int, Copy]) -> Copy:
    if not array.flags.forc:
        raise LaunchError("expected an array without gaps in memory")
    if id(array) not in copies:
        address = driver.allocate(array.nbytes)
        copies[id(array)] = Copy(address, array.dtype, not array.flags.writeable)
        driver.copy_in(address, array)
    return copies[id(array)]
