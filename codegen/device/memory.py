"""GPU memory from an argument for a pointer parameter, checked to fit its element type."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from tileir.codegen.arguments.dlpack import CUDA_DEVICES, from_dlpack
from tileir.codegen.arguments.elements import (
    buffer_span,
    check_address,
    check_type,
    check_writable,
    plain_address,
)
from tileir.errors import LaunchError
from tileir.launch.buffer import Buffer
from tileir.types import Scalar

from . import driver
from .streams import handle_of

_LEGACY_STREAM = 1
"""The default stream's number in both protocols, where 0 is ambiguous."""


_ASK = -1
"""Stands for a device that only the driver knows."""


class DeviceMemory(NamedTuple):
    """A pointer argument: all that is known of it without the driver.

    `device` is None if unknown, `owner` keeps the memory alive, and `stream`, if any, is the one
    whose pending work has to finish first.
    """

    address: int
    device: int | None
    owner: Any
    stream: int | None = None


class Copy(NamedTuple):
    """A copy of an array in GPU memory."""

    address: int
    dtype: np.dtype
    read_only: bool = False


def memory_of(argument: Any, pointee: Scalar, stream: int, written: bool) -> DeviceMemory:
    """Return the memory of an argument; LaunchError if it does not fit the element type.

    Read-only memory is refused if the kernel stores to it (`written`). Its owner's pending work in
    other streams is waited for: by the launch's `stream` (DLPack), or by `ready`
    (`__cuda_array_interface__`). Of Buffers and plain addresses only the alignment is checked.
    Needs no driver.
    """
    if isinstance(argument, Buffer):
        memory = DeviceMemory(buffer_span(argument)[0], None, argument)
    elif isinstance(argument, Copy):
        check_type(argument.dtype.name, pointee)
        check_writable(argument.read_only, written)
        memory = DeviceMemory(argument.address, None, argument)
    elif hasattr(argument, "__dlpack_device__"):
        memory = _exported(argument, pointee, stream, written)
    elif hasattr(argument, "__cuda_array_interface__"):
        memory = _interface(argument, pointee, stream, written)
    elif hasattr(argument, "__array_interface__") and not isinstance(argument, np.generic):
        raise LaunchError(_host(argument))
    else:
        memory = DeviceMemory(plain_address(argument), None, argument)
    check_address(memory.address, pointee)
    return memory


def ready(memory: DeviceMemory) -> int | None:
    """Wait until the memory may be used; return its device, None if unknown. Needs the driver."""
    if memory.stream is not None:
        driver.synchronize(memory.stream)
    return driver.device_of(memory.address) if memory.device == _ASK else memory.device


def _exported(argument: Any, pointee: Scalar, stream: int, written: bool) -> DeviceMemory:
    try:
        kind, _ = argument.__dlpack_device__()
    except Exception as problem:
        raise LaunchError(f"its __dlpack_device__ cannot be used: {problem}") from None
    if kind not in CUDA_DEVICES:
        raise LaunchError(_host(argument))
    export = from_dlpack(argument, stream=stream or _LEGACY_STREAM)
    check_type(export.dtype, pointee)
    check_writable(export.read_only, written)
    return DeviceMemory(export.address, export.device[1], export)


def _host(argument: Any) -> str:
    kind = f"{type(argument).__module__.partition('.')[0]}.{type(argument).__name__}"
    return (
        f"expected memory of a GPU, got a {kind} that is elsewhere; put it there first, as "
        "torch.as_tensor(array, device='cuda') and cupy.asarray(array) do"
    )


def _interface(argument: Any, pointee: Scalar, stream: int, written: bool) -> DeviceMemory:
    try:
        interface = argument.__cuda_array_interface__
        start, read_only = interface["data"]
        address = operator.index(start or 0)
        dtype = np.dtype(interface["typestr"])
        owned_by, empty = interface.get("stream"), 0 in interface["shape"]
    except Exception as problem:
        raise LaunchError(f"its __cuda_array_interface__ cannot be used: {problem}") from None
    if not dtype.isnative:
        raise LaunchError(f"expected native byte order, got {dtype.str}")
    check_type(dtype.name, pointee)
    check_writable(bool(read_only), written)
    if owned_by is not None:
        owned_by = handle_of(owned_by)
    other = None if owned_by == (stream or _LEGACY_STREAM) else owned_by
    return DeviceMemory(address, None if empty else _ASK, argument, other)
