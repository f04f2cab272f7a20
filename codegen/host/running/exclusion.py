"""The lock that read-modify-writes of all launches of this process share.

An instruction that locks its line of the cache takes twenty cycles for each element. So kernels
take this lock once for a tile, and update its elements by plain instructions. That makes updates
atomic among all launches of the process, which is what the scope `device` asks for.
"""

from __future__ import annotations

import ctypes
import os
import sys


class Exclusion(ctypes.Structure):
    """The lock, as machine code knows it: `held` is 1 while a thread updates memory.

    `give_way` is a function of the system, `int()`, that lets another thread run. What follows
    keeps other data out of the lock's line of the cache.
    """

    _fields_ = [
        ("held", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("give_way", ctypes.c_void_p),
        ("apart", ctypes.c_char * 112),
    ]


def _give_way() -> int:
    """Return the address of the function that lets another thread run."""
    if sys.platform == "win32":
        function = ctypes.WinDLL("kernel32").SwitchToThread
    else:
        function = ctypes.CDLL(None).sched_yield
    return ctypes.cast(function, ctypes.c_void_p).value or 0


EXCLUSION = Exclusion(give_way=_give_way())
"""The lock of this process."""

ADDRESS = ctypes.addressof(EXCLUSION)


def _free() -> None:
    """Open the lock in the child of a fork, which has no thread that could."""
    EXCLUSION.held = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free)
