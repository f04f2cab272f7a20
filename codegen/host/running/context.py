"""The struct that machine code shares with its launch: stop flag, callback, extents of memory.

Machine code gets the address of a `LaunchContext` as its last argument. Loops read `stop` at their
back edge and return when it is not 0. A kernel reports to its launch by calling `report`.
`extents` has a row for each pointer parameter, in order, then one for each allocation named at the
launch: the first address and the one behind the last, both 0 where the extent is unknown.
`exclusion` is the address of the lock for updates of memory, `counts` that of the table of a
`Tally`, for kernels that count.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from tileir.codegen.arguments.extents import Extent

from . import exclusion

REPORT = ctypes.CFUNCTYPE(
    None,
    ctypes.c_int32,
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.c_int32,
)
"""`void report(i32 site, i64 index, ptr data, i32 x, i32 y, i32 z)`: the number of the site in the
kernel's table, the number of an element, an address of data (both as the site defines), and the
reporting block."""


ALIGNMENT = 64
"""Alignment of a thread's workspace and of every buffer in it, in bytes."""


class Range(ctypes.Structure):
    """A row of the table of extents."""

    _fields_ = [("low", ctypes.c_int64), ("high", ctypes.c_int64)]


class LaunchContext(ctypes.Structure):
    """The struct; lowered code relies on its layout."""

    _fields_ = [
        ("stop", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("report", REPORT),
        ("extents", ctypes.POINTER(Range)),
        ("count", ctypes.c_int64),
        ("exclusion", ctypes.c_void_p),
        ("counts", ctypes.c_void_p),
    ]


def make_context(extents: Sequence[Extent | None]) -> LaunchContext:
    """Make a context without a callback; it keeps the table alive."""
    if not extents:
        return LaunchContext(exclusion=exclusion.ADDRESS)
    table = (Range * len(extents))(*(Range(*_signed(extent)) for extent in extents))
    return LaunchContext(extents=table, count=len(extents), exclusion=exclusion.ADDRESS)


def _signed(extent: Extent | None) -> Extent:
    """Reinterpret two addresses as signed numbers, as the fields of a `Range` are."""
    low, high = extent or (0, 0)
    return ctypes.c_int64(low).value, ctypes.c_int64(high).value
