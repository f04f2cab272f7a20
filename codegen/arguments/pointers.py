"""The memory that is passed for a pointer, after checking that its elements fit.

The host's launches and the emulator's take it from here.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tileir.errors import LaunchError
from tileir.launch.buffer import Buffer
from tileir.types import Scalar

from .elements import check_address, check_type, check_writable, plain_address
from .extents import Extent, footprint, of_array, of_buffer, of_export, of_interface


class Memory(NamedTuple):
    """A pointer argument: its address, its extent if that is known, and what keeps it alive.

    The owner is an array, a `Buffer`, an `Export`, or the address as it was given.
    """

    address: int
    extent: Extent | None
    owner: Any


def memory_of(argument: Any, pointee: Scalar | None, written: bool) -> Memory:
    """Return the memory that an argument is.

    LaunchError if it cannot be memory of elements of type `pointee` (None: of any type), and if
    it is read-only although the kernel stores to it (`written`). Of a plain address only the
    alignment is checked.
    """
    if isinstance(argument, Buffer):
        address, extent = of_buffer(argument)
        memory = Memory(address, extent, argument)
    elif isinstance(argument, int | np.generic):
        memory = Memory(plain_address(argument), None, argument)
    elif isinstance(argument, np.ndarray) or hasattr(argument, "__array_interface__"):
        memory = _array(of_interface(argument), pointee, written)
    elif hasattr(argument, "__dlpack__"):
        export = of_export(argument)
        _check(export.dtype, export.read_only, pointee, written)
        extent = footprint(export.address, export.shape, export.strides, export.itemsize)
        memory = Memory(export.address, extent, export)
    else:
        memory = Memory(plain_address(argument), None, argument)
    if pointee is not None:
        check_address(memory.address, pointee)
    return memory


def _array(array: np.ndarray, pointee: Scalar | None, written: bool) -> Memory:
    if not array.dtype.isnative:
        raise LaunchError(f"expected native byte order, got {array.dtype.str}")
    _check(_name(array.dtype), not array.flags.writeable, pointee, written)
    return Memory(array.__array_interface__["data"][0], of_array(array), array)


def _check(dtype: str, read_only: bool, pointee: Scalar | None, written: bool) -> None:
    if pointee is not None:
        check_type(dtype, pointee)
    check_writable(read_only, written)


@cache
def _name(dtype: np.dtype) -> str:
    """Return NumPy's name of a type; cached, because NumPy is slow to spell it."""
    return dtype.name
