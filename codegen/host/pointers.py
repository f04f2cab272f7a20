"""The address behind what is passed for a pointer, after checking that its elements fit."""

from __future__ import annotations

import operator
from functools import cache
from typing import Any

import numpy as np

from tileir.buffer import Buffer
from tileir.errors import LaunchError
from tileir.types import Scalar

from ..scalar.types import memory_bytes
from .dlpack import from_dlpack

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
    "f4E2M1FN": ("uint8",),
}
"""Element type -> NumPy types whose elements have the same bits."""


def address_of(argument: Any, pointee: Scalar, written: bool) -> tuple[int, Any]:
    """The address, and the object that keeps the memory alive.

    Read-only memory is refused where the kernel stores (`written`).
    """
    owner = argument
    if isinstance(argument, Buffer):
        address = argument.address
    elif isinstance(argument, int | np.generic):
        address = _number(argument)
    elif isinstance(argument, np.ndarray) or hasattr(argument, "__array_interface__"):
        owner = np.asarray(argument)
        address = _array(owner, pointee, written)
    elif hasattr(argument, "__dlpack__"):
        address, dtype, read_only, owner = from_dlpack(argument)
        _check(dtype, read_only, pointee, written)
    else:
        address = _number(argument)
    _aligned(address, pointee)
    return address, owner


def _array(array: np.ndarray, pointee: Scalar, written: bool) -> int:
    if not array.dtype.isnative:
        raise LaunchError(f"expected native byte order, got {array.dtype.str}")
    _check(_name(array.dtype), written and not array.flags.writeable, pointee, written)
    return array.__array_interface__["data"][0]


@cache
def _name(dtype: np.dtype) -> str:
    """NumPy takes its time to spell the name of a type."""
    return dtype.name


def _check(dtype: str, read_only: bool, pointee: Scalar, written: bool) -> None:
    expected = _OWN[pointee.name]
    if dtype not in expected:
        raise LaunchError(f"expected an array of {' or '.join(expected)}, got {dtype}")
    if read_only and written:
        raise LaunchError("expected an array that can be written to, got a read-only one")


def _number(argument: Any) -> int:
    try:
        address = operator.index(argument)
    except TypeError:
        kind = type(argument).__name__
        raise LaunchError(f"expected an array, a Buffer or an address, got {kind}") from None
    if isinstance(argument, bool):
        raise LaunchError("expected an array, a Buffer or an address, got bool")
    return address


def _aligned(address: int, pointee: Scalar) -> None:
    if not 0 <= address < 1 << 64:
        raise LaunchError(f"expected an address, got {address}")
    size = memory_bytes(pointee)
    if address % size:
        raise LaunchError(f"expected an address divisible by {size}, got {address:#x}")
