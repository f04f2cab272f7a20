"""NumPy arrays as arguments of cuTile, which takes arrays in the memory of a GPU only."""

from __future__ import annotations

from typing import Any

import numpy as np


class DeviceArray:
    """An array under the protocol by which libraries share GPU memory; it keeps the array alive."""

    __slots__ = ("__cuda_array_interface__", "_array")

    def __init__(self, array: np.ndarray) -> None:
        self._array = array
        self.__cuda_array_interface__ = array.__array_interface__


def offered(argument: Any) -> Any:
    """An argument of a launch with every NumPy array in it, also in lists and tuples, offered."""
    if isinstance(argument, np.ndarray):
        return DeviceArray(argument)
    if type(argument) in (tuple, list):
        return type(argument)(map(offered, argument))
    return argument
