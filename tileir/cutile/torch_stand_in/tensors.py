"""Tensors on device "cuda" whose memory is the process's: the same bytes, under either device.

Both are real tensors of torch, not wrappers: made through DLPack, whose capsule says on which
device its memory is. Whoever holds the one keeps the memory of the other alive. Views and changes
of shape touch no memory, so torch's functions for the CPU do them on tensors of either device.
"""

from __future__ import annotations

import ctypes
from typing import Any

import torch  # pyright: ignore[reportMissingImports]  # which the tests do without

CPU = torch.device("cpu")
"""Where a program makes another device the default one, this has to be said."""

_CPU, _CUDA = 1, 2
"""Types of device in DLPack: kDLCPU and kDLCUDA."""

_DEVICE_TYPE = 8
"""Where a DLTensor has the type of its device: after the address of the data."""

_ON_CPU = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)

_address_of = ctypes.pythonapi.PyCapsule_GetPointer
_address_of.restype = ctypes.c_void_p
_address_of.argtypes = (ctypes.py_object, ctypes.c_char_p)


def on_cpu(tensor: Any) -> Any:
    """Return a tensor on the CPU with the memory of one on the device, detached from autograd.

    That its elements are to be conjugated or negated when read is no part of the memory.
    """
    alias = _moved(tensor, _CPU)
    if tensor.is_conj():
        alias = torch._conj(alias)
    return torch._neg_view(alias) if tensor.is_neg() else alias


def on_device(tensor: Any) -> Any:
    """Return a tensor on the device with the memory of one on the CPU, detached from autograd."""
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    return _moved(tensor, _CUDA)


def _moved(tensor: Any, device: int) -> Any:
    capsule = torch._C._to_dlpack(tensor)
    place = _address_of(capsule, b"dltensor") + _DEVICE_TYPE
    ctypes.c_int32.from_address(place).value = device
    return torch._C._from_dlpack(capsule)


def as_for_cpu(overload: Any) -> Any:
    """Return an op that calls torch's kernel for the CPU on whatever tensors it is given."""
    redispatch = overload._handle.redispatch_boxed

    def call(*arguments: Any, **options: Any) -> Any:
        return redispatch(_ON_CPU, *arguments, **options)

    return call


_aten = torch.ops.aten
as_strided = as_for_cpu(_aten.as_strided.default)
_set = as_for_cpu(_aten.set_.source_Storage_storage_offset)


def take(tensor: Any, other: Any) -> None:
    """Give a tensor of the device the memory and shape of another one of it."""
    _set(tensor, other.untyped_storage(), other.storage_offset(), other.shape, other.stride())


def reshape(tensor: Any, shape: Any, stride: Any) -> None:
    """Change shape and strides of a tensor in place, within its memory."""
    _set(tensor, tensor.untyped_storage(), tensor.storage_offset(), shape, stride)


def resize_(tensor: Any, size: Any, *, memory_format: Any = None) -> Any:
    """Give a tensor another shape as `Tensor.resize_` does, in new memory if there is too little.

    A program keeps the elements that there were, in the order of memory.
    """
    form = memory_format or torch.contiguous_format
    new = torch.empty(tuple(size), dtype=tensor.dtype, memory_format=form, device=CPU)
    room = tensor.untyped_storage().nbytes() // tensor.itemsize - tensor.storage_offset()
    if new.numel() <= room:
        reshape(tensor, new.shape, new.stride())
        return tensor
    if room:
        torch.as_strided(new, (room,), (1,)).copy_(on_cpu(as_strided(tensor, (room,), (1,))))
    take(tensor, on_device(new))
    return tensor
