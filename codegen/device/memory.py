"""The memory of a GPU behind what is passed for a pointer."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tileir.buffer import Buffer
from tileir.errors import LaunchError
from tileir.types import Scalar

from ..arguments.dlpack import CUDA_DEVICES, from_dlpack
from ..arguments.elements import buffer_span, check_address, check_type, plain_address
from . import driver

_LEGACY_STREAM = 1
"""How both protocols spell the default stream; 0 would be ambiguous."""


class Memory(NamedTuple):
    """A pointer argument: its address, its device if that is known, and what keeps it alive."""

    address: int
    device: int | None
    owner: Any


class Copy(NamedTuple):
    """Memory of the GPU that is a copy of an array."""

    address: int
    dtype: np.dtype


def memory_of(argument: Any, pointee: Scalar, stream: int) -> Memory:
    """The memory that an argument is; LaunchError if it cannot be memory of such elements.

    What its owner has put into other streams is waited for: by the launch's `stream` (DLPack), or
    here (`__cuda_array_interface__`). Of Buffers and plain addresses only the alignment is checked.
    """
    if isinstance(argument, Buffer):
        memory = Memory(buffer_span(argument)[0], None, argument)
    elif isinstance(argument, Copy):
        check_type(argument.dtype.name, pointee)
        memory = Memory(argument.address, None, argument)
    elif hasattr(argument, "__dlpack_device__"):
        memory = _exported(argument, pointee, stream)
    elif hasattr(argument, "__cuda_array_interface__"):
        memory = _interface(argument, pointee, stream)
    elif hasattr(argument, "__array_interface__") and not isinstance(argument, np.generic):
        raise LaunchError(_host(argument))
    else:
        memory = Memory(plain_address(argument), None, argument)
    check_address(memory.address, pointee)
    return memory


def _exported(argument: Any, pointee: Scalar, stream: int) -> Memory:
    if argument.__dlpack_device__()[0] not in CUDA_DEVICES:
        raise LaunchError(_host(argument))
    export = from_dlpack(argument, stream=stream or _LEGACY_STREAM)
    check_type(export.dtype, pointee)
    return Memory(export.address, export.device[1], export)


def _host(argument: Any) -> str:
    kind = f"{type(argument).__module__.partition('.')[0]}.{type(argument).__name__}"
    return (
        f"expected memory of a GPU, got a {kind} that is elsewhere; put it there first, as "
        "torch.as_tensor(array, device='cuda') and cupy.asarray(array) do"
    )


def _interface(argument: Any, pointee: Scalar, stream: int) -> Memory:
    try:
        interface = argument.__cuda_array_interface__
        address, _ = interface["data"]
        dtype = np.dtype(interface["typestr"])
        owned_by, empty = interface.get("stream"), 0 in interface["shape"]
    except Exception as problem:
        raise LaunchError(f"its __cuda_array_interface__ cannot be used: {problem}") from None
    if not dtype.isnative:
        raise LaunchError(f"expected native byte order, got {dtype.str}")
    check_type(dtype.name, pointee)
    if owned_by not in (None, stream or _LEGACY_STREAM):
        driver.synchronize(owned_by)
    return Memory(address or 0, None if empty else driver.device_of(address), argument)
