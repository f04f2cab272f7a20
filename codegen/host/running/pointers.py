"""Host memory from an argument for a pointer parameter, checked to fit its element type."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tileir.codegen.arguments.elements import (
    check_address,
    check_type,
    check_writable,
    plain_address,
)
from tileir.errors import LaunchError
from tileir.launch.buffer import Buffer
from tileir.types import Scalar

from .extents import Extent, footprint, of_array, of_buffer, of_export, of_interface


class HostMemory(NamedTuple):
    """A pointer argument: its address, its extent if known, and the object that owns the memory."""

    address: int
    extent: Extent | None
    owner: Any


def memory_of(argument: Any, pointee: Scalar, written: bool) -> HostMemory:
    """Return the memory of an argument. LaunchError if it does not fit the element type.

    Read-only memory is refused if the kernel stores to it (`written`). Of a plain address only the
    alignment can be checked.
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
        check_type(export.dtype, pointee)
        check_writable(export.read_only, written)
        extent = footprint(export.address, export.shape, export.strides, export.itemsize)
        memory = HostMemory(export.address, extent, export)
    else:
        memory = HostMemory(plain_address(argument), None, argument)
    check_address(memory.address, pointee)
    return memory


def _array(array: np.ndarray, pointee: Scalar, written: bool) -> HostMemory:
    if not array.dtype.isnative:
        raise LaunchError(f"expected native byte order, got {array.dtype.str}")
    check_type(_name(array.dtype), pointee)
    check_writable(not array.flags.writeable, written)
    return HostMemory(array.__array_interface__["data"][0], of_array(array), array)


@cache
def _name(dtype: np.dtype) -> str:
    """Return NumPy's name of a type; cached, as NumPy computes it slowly."""
    return dtype.name
