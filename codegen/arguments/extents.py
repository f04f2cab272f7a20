"""Extents of memory: the address of an argument's first byte, and that behind its last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tileir.errors import LaunchError
from tileir.launch.array_address import address_of
from tileir.launch.buffer import Buffer

from .dlpack import HOST_DEVICES, Export, from_dlpack
from .elements import buffer_span
from .shown import shown

Extent = tuple[int, int]


def footprint(address: int, shape: Sequence[int], strides: Sequence[int], itemsize: int) -> Extent:
    """Return the extent of an array whose first element is at `address`; strides count bytes.

    With negative strides it begins before the first element. Without elements it is empty, but
    never (0, 0), which means an unknown extent.
    """
    if 0 in shape:
        return max(address, 1), max(address, 1)
    offsets = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    low = sum(offset for offset in offsets if offset < 0)
    high = sum(offset for offset in offsets if offset > 0)
    return address + low, address + high + itemsize


def of_array(array: np.ndarray) -> Extent:
    """Return the extent of a NumPy array."""
    return footprint(address_of(array), array.shape, array.strides, array.itemsize)


def of_buffer(buffer: Buffer) -> tuple[int, Extent]:
    """Return address and extent of a Buffer; LaunchError if it has no valid ones."""
    address, size = buffer_span(buffer)
    return address, footprint(address, (size,), (1,), 1)


def of_export(source: Any) -> Export:
    """Export an object with `__dlpack__`; LaunchError if its memory is not host memory."""
    export = from_dlpack(source)
    if export.device[0] not in HOST_DEVICES:
        raise LaunchError(f"expected host memory, got DLPack device {export.device[0]}")
    return export


def of_interface(source: Any) -> np.ndarray:
    """Make an array that shares the memory of an object with `__array_interface__`."""
    try:
        return np.asarray(source)
    except Exception as problem:
        raise LaunchError(f"its __array_interface__ cannot be used: {problem}") from None


def of_allocations(allocations: Iterable[Any]) -> tuple[list[Extent], list[Any]]:
    """Return the extents of memory besides the arguments, and the objects that own it."""
    try:
        listed = list(allocations)
    except TypeError:
        raise LaunchError(f"allocations must be a list, got {shown(allocations)}") from None
    extents, owners = [], []
    for number, item in enumerate(listed):
        try:
            extent, owner = _of_allocation(item)
        except LaunchError as problem:
            raise LaunchError(f"allocation {number}: {problem}") from None
        extents.append(extent)
        owners.append(owner)
    return extents, owners


def _of_allocation(item: Any) -> tuple[Extent, Any]:
    if isinstance(item, Buffer):
        return of_buffer(item)[1], item
    if isinstance(item, np.ndarray) or hasattr(item, "__array_interface__"):
        array = of_interface(item)
        return of_array(array), array
    if hasattr(item, "__dlpack__"):
        memory = of_export(item)
        return footprint(memory.address, memory.shape, memory.strides, memory.itemsize), memory
    raise LaunchError(f"expected an array or a Buffer, got {type(item).__name__}")
