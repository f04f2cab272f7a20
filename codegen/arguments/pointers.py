"""Host memory from an argument for a pointer parameter, checked to fit its element type.

Launches on the host and on the emulator use it.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tileir.errors import LaunchError
from tileir.launch.array_address import address_of
from tileir.launch.buffer import Buffer
from tileir.types import Scalar

from .elements import check_address, check_type, check_writable, plain_address
from .extents import Extent, footprint, of_array, of_buffer, of_export, of_interface


class HostMemory(NamedTuple):
    """A pointer argument: its address, its extent if known, and the object that owns the memory.

    The owner is an array, a `Buffer`, an `Export`, or the address as it was given.
    """

    address: int
    extent: Extent | None
    owner: Any


def memory_of(argument: Any, pointee: Scalar | None, written: bool) -> HostMemory:
    """Return the memory of an argument.

    LaunchError if it does not fit the element type `pointee` (None: any type), or if it is
    read-only and the kernel stores to it (`written`). Of a plain address only the alignment can
    be checked.
    """
    if isinstance(argument, Buffer):
        address, extent = of_buffer(argument)
        memory = HostMemory(address, extent, argument)
    elif isinstance(argument, int | np.generic):
        memory = HostMemory(plain_address(argument), None, argument)
    elif isinstance(argument, np.ndarray) or hasattr(argument, "__array_interface__"):
        memory = _array(of_interface(argument), pointee, written)
    elif hasattr(argument, "__dlpack__"):
        export = of_export(argument)
        _check(export.dtype, export.read_only, pointee, written)
        extent = footprint(export.address, export.shape, export.strides, export.itemsize)
        memory = HostMemory(export.address, extent, export)
    else:
        memory = HostMemory(plain_address(argument), None, argument)
    if pointee is not None:
        check_address(memory.address, pointee)
    return memory


def _array(array: np.ndarray, pointee: Scalar | None, written: bool) -> HostMemory:
    if not array.dtype.isnative:
        raise LaunchError(f"expected native byte order, got {array.dtype.str}")
    _check(_name(array.dtype), not array.flags.writeable, pointee, written)
    return HostMemory(address_of(array), of_array(array), array)


def _check(dtype: str, read_only: bool, pointee: Scalar | None, written: bool) -> None:
    if pointee is not None:
        check_type(dtype, pointee)
    check_writable(read_only, written)


@cache
def _name(dtype: np.dtype) -> str:
    """Return NumPy's name of a type; cached, as NumPy computes it slowly."""
    return dtype.name
