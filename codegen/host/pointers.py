"""The memory behind what is passed for a pointer, after checking that its elements fit."""

from __future__ import annotations

import operator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tileir.buffer import Buffer
from tileir.errors import LaunchError
from tileir.types import Scalar

from ..scalar.types import memory_bytes
from .dlpack import from_dlpack
from .extents import Extent, footprint, of_array, of_buffer, of_interface

_OWN = {
    "i1": ("bool", "int8", "uint8"),
    "i8": ("int8", "uint8"),
    "i16": ("int16", "uint16"),
    "i32": ("int32", "uint32"),
    "i64": ("int64", "uint64"),
    "f16": ("float16",),
    "f32": ("float32",),
    "f64": ("float64",),
    "tf32": ("float32", "uint32"),
    "bf16": ("bfloat16", "uint16"),
    "f8E4M3FN": ("float8_e4m3fn", "uint8"),
    "f8E5M2": ("float8_e5m2", "uint8"),
    "f8E8M0FNU": ("float8_e8m0fnu", "uint8"),
    "fnv8E5M3FNU": ("uint8",),
    "f4E2M1FN": ("uint8", "float4_e2m1fn_x2"),
}
"""Element type -> NumPy types whose elements have the same bits; of f4E2M1FN, two elements."""

_FLOATS8 = {names[0]: name for name, names in _OWN.items() if names[0].startswith("float8")}
"""NumPy type -> element type."""

_UNPACKED = "float4_e2m1fn"
"""The type that spends a byte on an element of four bits."""

_PACKING = "pack two a byte into uint8, the even one low: a[..., ::2] & 15 | a[..., 1::2] << 4"
"""What to do about it, `a` being the array viewed as uint8."""


class Memory(NamedTuple):
    """A pointer argument: its address, its extent if that is known, and what keeps it alive."""

    address: int
    extent: Extent | None
    owner: Any


def memory_of(argument: Any, pointee: Scalar, written: bool) -> Memory:
    """The memory that an argument is. LaunchError if it cannot be memory of such elements.

    Read-only memory is refused where the kernel stores (`written`). Of a plain address nothing but
    its alignment can be checked.
    """
    if isinstance(argument, Buffer):
        address, extent = of_buffer(argument)
        memory = Memory(address, extent, argument)
    elif isinstance(argument, int | np.generic):
        memory = Memory(_number(argument), None, argument)
    elif isinstance(argument, np.ndarray) or hasattr(argument, "__array_interface__"):
        memory = _array(of_interface(argument), pointee, written)
    elif hasattr(argument, "__dlpack__"):
        export = from_dlpack(argument)
        _check(export.dtype, export.read_only, pointee, written)
        extent = footprint(export.address, export.shape, export.strides, export.itemsize)
        memory = Memory(export.address, extent, export)
    else:
        memory = Memory(_number(argument), None, argument)
    _aligned(memory.address, pointee)
    return memory


def _array(array: np.ndarray, pointee: Scalar, written: bool) -> Memory:
    if not array.dtype.isnative:
        raise LaunchError(f"expected native byte order, got {array.dtype.str}")
    _check(_name(array.dtype), written and not array.flags.writeable, pointee, written)
    return Memory(array.__array_interface__["data"][0], of_array(array), array)


@cache
def _name(dtype: np.dtype) -> str:
    """NumPy takes its time to spell the name of a type."""
    return dtype.name


def _check(dtype: str, read_only: bool, pointee: Scalar, written: bool) -> None:
    expected = _OWN[pointee.name]
    if dtype == _UNPACKED and pointee.name == "f4E2M1FN":
        raise LaunchError(f"{dtype} arrays have one element a byte; {_PACKING}")
    if dtype not in expected:
        names = " or ".join(map(_both, expected))
        raise LaunchError(f"expected an array of {names}, got {_both(dtype)}")
    if read_only and written:
        raise LaunchError("expected an array that can be written to, got a read-only one")


def _both(dtype: str) -> str:
    """A type by NumPy's name, and by that of Tile IR if it is far from it."""
    return f"{dtype} ({_FLOATS8[dtype]})" if dtype in _FLOATS8 else dtype


def _number(argument: Any) -> int:
    try:
        address = operator.index(argument)
    except TypeError:
        kind = type(argument).__name__
        raise LaunchError(f"expected an array, a Buffer or an address, got {kind}") from None
    if isinstance(argument, bool | np.bool_):
        kind = type(argument).__name__
        raise LaunchError(f"expected an array, a Buffer or an address, got {kind}")
    return address


def _aligned(address: int, pointee: Scalar) -> None:
    if not 0 <= address < 1 << 64:
        raise LaunchError(f"expected an address, got {address}")
    size = memory_bytes(pointee)
    if address % size:
        raise LaunchError(f"expected an address divisible by {size}, got {address:#x}")
