"""How an array lies in memory: what launches by roles read of arrays of any library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tileir.errors import LaunchError
from tileir.launch.array_address import address_of
from tileir.launch.buffer import Buffer

from .dlpack import CUDA_DEVICES, from_dlpack
from .extents import of_interface

_NO_WAIT = -1
"""The stream for which an exporter of DLPack waits for nothing; a launch exports once more."""


@dataclass(frozen=True, slots=True)
class ArrayLayout:
    """An array's address, the name of its elements' type, its shape, and its strides in bytes."""

    address: int
    dtype: str
    itemsize: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def layout_of(argument: Any) -> ArrayLayout | None:
    """Return the layout of an array on the host or a GPU; None for numbers, Buffers, addresses.

    LaunchError if what it offers cannot be used.
    """
    if isinstance(argument, int | float | np.generic | Buffer):
        return None
    if isinstance(argument, np.ndarray) or hasattr(argument, "__array_interface__"):
        array = of_interface(argument)
        if not array.dtype.isnative:
            raise LaunchError(f"expected native byte order, got {array.dtype.str}")
        return ArrayLayout(
            address_of(array), array.dtype.name, array.itemsize, array.shape, array.strides
        )
    if hasattr(argument, "__dlpack__"):
        export = from_dlpack(argument, **_unsynchronised(argument))
        return ArrayLayout(
            export.address, export.dtype, export.itemsize, export.shape, export.strides
        )
    if hasattr(argument, "__cuda_array_interface__"):
        return _interface(argument.__cuda_array_interface__)
    return None


def _unsynchronised(argument: Any) -> dict[str, int]:
    """Return the arguments of an export that nobody reads memory through."""
    try:
        on_gpu = argument.__dlpack_device__()[0] in CUDA_DEVICES
    except Exception as problem:
        raise LaunchError(f"its __dlpack_device__ cannot be used: {problem}") from None
    return {"stream": _NO_WAIT} if on_gpu else {}


def _interface(interface: Any) -> ArrayLayout:
    try:
        dtype = np.dtype(interface["typestr"])
        shape = tuple(map(int, interface["shape"]))
        strides = interface.get("strides")
        if strides is None:
            strides = row_major(shape, dtype.itemsize)
        strides = tuple(map(int, strides))
        if len(strides) != len(shape):
            raise ValueError(f"{len(strides)} strides for {len(shape)} dimensions")
        return ArrayLayout(
            int(interface["data"][0] or 0), dtype.name, dtype.itemsize, shape, strides
        )
    except Exception as problem:
        raise LaunchError(f"its __cuda_array_interface__ cannot be used: {problem}") from None


def row_major(shape: tuple[int, ...], step: int) -> tuple[int, ...]:
    """Return the strides of an array of this shape without gaps, whose last one is `step`."""
    strides: list[int] = []
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= max(extent, 1)
    return tuple(strides)


def column_major(shape: tuple[int, ...], step: int) -> tuple[int, ...]:
    """Return the strides of an array of this shape without gaps, whose first one is `step`."""
    return row_major(shape[::-1], step)[::-1]
