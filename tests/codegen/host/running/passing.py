"""The ways in which a program can pass the memory of an array."""

from __future__ import annotations

import numpy as np

from tileir import Buffer


class Interface:
    """Memory of another library, with the one attribute of an old protocol."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    @property
    def __array_interface__(self):
        return self._array.__array_interface__


class Exporter:
    """Memory of another library, through DLPack only."""

    def __init__(self, array: np.ndarray, versioned: bool = True) -> None:
        self._array = array
        self._versioned = versioned

    def __dlpack__(self, **arguments):
        if arguments and not self._versioned:
            raise TypeError("unexpected keyword argument")
        return self._array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


WAYS = {
    "array": lambda array: array,
    "interface": Interface,
    "dlpack": Exporter,
    "old dlpack": lambda array: Exporter(array, versioned=False),
    "address": lambda array: array.ctypes.data,
    "numpy address": lambda array: np.uint64(array.ctypes.data),
    "buffer": lambda array: Buffer(array.ctypes.data, array.nbytes),
}
