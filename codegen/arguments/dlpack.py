"""Arrays of other libraries through the DLPack protocol, without importing those libraries.

NumPy's own importer rejects bfloat16 and 8-bit floats.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, cast

from tileir.errors import LaunchError

HOST_DEVICES = {1: "CPU", 3: "pinned host memory", 11: "host memory"}
"""Types of DLPack devices whose memory the CPU can use."""

CUDA_DEVICES = {2: "CUDA", 13: "CUDA managed memory"}
"""Types of DLPack devices whose memory a GPU can use."""

_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}
_CODED = {
    10: "float8_e4m3fn",
    12: "float8_e5m2",
    14: "float8_e8m0fnu",
}
_FLOAT4 = 17
_READ_ONLY = 1


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype = ctypes.c_char_p
_name.argtypes = [ctypes.py_object]


@dataclass(frozen=True, slots=True)
class Export:
    """Memory that another library exports.

    `device` is DLPack's type and number of the device that the memory belongs to, `dtype` NumPy's
    name of the element type, `strides` count bytes, and `lender` keeps the memory alive: the
    capsule is not consumed, and the memory is valid as long as the capsule.
    """

    device: tuple[int, int]
    address: int
    dtype: str
    itemsize: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    read_only: bool
    lender: Any


def from_dlpack(source: Any, **asked: Any) -> Export:
    """Export an object with `__dlpack__`; `asked` are arguments for that method."""
    try:
        if getattr(source, "requires_grad", False):  # torch refuses to export it otherwise
            source = source.detach()
        capsule = _capsule(source, asked)
    except Exception as problem:
        raise LaunchError(f"the DLPack export failed: {problem}") from None
    name = _name(capsule)
    address = _pointer(capsule, name)
    read_only = False
    if name == b"dltensor_versioned":
        versioned = _Versioned.from_address(address)
        tensor, read_only = versioned.tensor, bool(versioned.flags & _READ_ONLY)
    else:
        tensor = _Tensor.from_address(address)
    device = tensor.device_type, tensor.device_id
    start = (tensor.data or 0) + tensor.byte_offset
    itemsize = (tensor.bits * tensor.lanes + 7) // 8
    shape = _numbers(tensor.shape, tensor.ndim)
    strides = _numbers(tensor.strides, tensor.ndim) if tensor.strides else _row_major(shape)
    in_bytes = tuple(stride * itemsize for stride in strides)
    lender = (source, capsule)
    return Export(device, start, _dtype(tensor), itemsize, shape, in_bytes, read_only, lender)


def _numbers(address: int | None, count: int) -> tuple[int, ...]:
    return tuple((ctypes.c_int64 * count).from_address(cast(int, address))) if count else ()


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    return tuple(strides)


def _capsule(source: Any, asked: dict[str, Any]) -> Any:
    try:
        return source.__dlpack__(**asked, max_version=(1, 0))
    except TypeError:  # an exporter older than versions
        return source.__dlpack__(**asked)


def _dtype(tensor: _Tensor) -> str:
    if tensor.code == _FLOAT4:
        return "float4_e2m1fn_x2" if tensor.lanes == 2 else "float4_e2m1fn"
    if tensor.lanes != 1:
        return f"vectors of {tensor.lanes}"
    if tensor.code in _CODED:
        return _CODED[tensor.code]
    kind = _KINDS.get(tensor.code, f"DLPack type {tensor.code}, ")
    return kind if kind == "bool" else f"{kind}{tensor.bits}"
