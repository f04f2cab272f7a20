"""Which device the memory in a capsule of DLPack is on, for torch and cupy alike."""

from __future__ import annotations

import ctypes
from typing import Any

CPU, CUDA = 1, 2
"""Types of device in DLPack: kDLCPU and kDLCUDA."""

_DEVICE_TYPE = 8
"""Where a DLTensor has the type of its device: after the address of the data."""

_address_of = ctypes.pythonapi.PyCapsule_GetPointer
_address_of.restype = ctypes.c_void_p
_address_of.argtypes = (ctypes.py_object, ctypes.c_char_p)


def moved(capsule: Any, device: int) -> Any:
    """Return a capsule after changing the type of device that it says its memory is on."""
    place = _address_of(capsule, b"dltensor") + _DEVICE_TYPE
    ctypes.c_int32.from_address(place).value = device
    return capsule
