"""Which arrays fit a pointer parameter: element types, alignment, plain addresses."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from tileir.codegen.scalar.sizes import memory_bytes
from tileir.errors import LaunchError
from tileir.launch.buffer import Buffer
from tileir.types import Scalar

DTYPES = {
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
"""Element type -> NumPy types whose elements have the same bits (f4E2M1FN: two elements a byte)."""

_FLOATS8 = {names[0]: name for name, names in DTYPES.items() if names[0].startswith("float8")}
"""NumPy type -> element type."""

_UNPACKED = "float4_e2m1fn"
"""ml_dtypes' type that stores one 4-bit element in a byte."""

_PACKING = "pack two a byte into uint8, the even one low: a[..., ::2] & 15 | a[..., 1::2] << 4"
"""How to convert such an array; `a` is the array viewed as uint8."""


def check_type(dtype: str, pointee: Scalar) -> None:
    """Raise LaunchError unless arrays of this type, by NumPy's name, have such elements."""
    expected = DTYPES[pointee.name]
    if dtype == _UNPACKED and pointee.name == "f4E2M1FN":
        raise LaunchError(f"{dtype} arrays have one element a byte; {_PACKING}")
    if dtype not in expected:
        names = " or ".join(map(_both, expected))
        raise LaunchError(f"expected an array of {names}, got {_both(dtype)}")


def _both(dtype: str) -> str:
    """Return NumPy's name of a type, with Tile IR's name if that differs much."""
    return f"{dtype} ({_FLOATS8[dtype]})" if dtype in _FLOATS8 else dtype


def plain_address(argument: Any) -> int:
    """Return an address that is given as an integer; LaunchError for anything else."""
    try:
        address = operator.index(argument)
    except TypeError:
        kind = type(argument).__name__
        raise LaunchError(f"expected an array, a Buffer or an address, got {kind}") from None
    if isinstance(argument, bool | np.bool_):
        kind = type(argument).__name__
        raise LaunchError(f"expected an array, a Buffer or an address, got {kind}")
    return address


def check_address(address: int, pointee: Scalar) -> None:
    """Raise LaunchError for a number that is no address, or not aligned to such elements."""
    if not 0 <= address < 1 << 64:
        raise LaunchError(f"expected an address, got {address}")
    size = memory_bytes(pointee)
    if address % size:
        raise LaunchError(f"expected an address divisible by {size}, got {address:#x}")


def check_writable(read_only: bool, written: bool) -> None:
    """Raise LaunchError for read-only memory that the kernel writes to."""
    if read_only and written:
        raise LaunchError("expected an array that can be written to, got a read-only one")


def buffer_span(buffer: Buffer) -> tuple[int, int]:
    """Return address and size in bytes of a Buffer; LaunchError if they are invalid."""
    try:
        address, size = operator.index(buffer.address), operator.index(buffer.nbytes)
    except TypeError:
        raise LaunchError(f"expected whole numbers in the Buffer, got {buffer}") from None
    if size < 0 or not 0 <= address <= (1 << 64) - size:
        raise LaunchError(f"expected an address and a size in bytes, got {buffer}")
    return address, size
