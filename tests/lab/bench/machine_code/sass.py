"""What a listing of SASS by nvdisasm says beside opcodes: how loads and copies overlap.

Instructions are read in the order in which they stand, whatever branches over them.
"""

from __future__ import annotations

import re
from collections import Counter

from tileir.resources.cubin import read_cubin
from tileir.resources.machine_code import instructions, multiplies

_REGISTER = re.compile(r"\bR(\d+)(\.64)?\b")
_WAIT = re.compile(r"\bDEPBAR\.LE SB0, 0x(\d+)")


def registers(cubin: bytes) -> int:
    """The most registers that a thread of a kernel in a cubin has."""
    return max(kernel.registers for kernel in read_cubin(cubin).kernels)


def loads_in_flight(listing: str) -> int:
    """The most loads of global memory that a thread has issued and not yet touched the result of.

    Loads whose results go to shared memory do not count.
    """
    waiting: list[set[int]] = []
    most = 0
    for name, operands in instructions(listing):
        touched = _registers(name, operands)
        waiting = [loaded for loaded in waiting if not loaded & touched]
        if name.startswith("LDG."):
            first = _REGISTER.search(operands)
            if first is not None:
                waiting.append(_group(int(first[1]), _words(name)))
                most = max(most, len(waiting))
    return most


def groups_under_way(listing: str) -> int:
    """The most groups of asynchronous copies that are still under way when a wait is over."""
    return max((int(left[1]) for left in _WAIT.finditer(listing)), default=0)


def products(opcodes: Counter[str]) -> int:
    """How many of the instructions multiply matrices."""
    return sum(n for name, n in opcodes.items() if multiplies(name))


def _registers(name: str, operands: str) -> set[int]:
    """Registers that an instruction reads or writes, those of a vector included."""
    found: set[int] = set()
    wide = _words(name) if name.startswith(("LD", "ST")) else 1
    for match in _REGISTER.finditer(operands):
        address = operands.rfind("[", 0, match.start()) > operands.rfind("]", 0, match.start())
        found |= _group(int(match[1]), 2 if match[2] else 1 if address else wide)
    return found


def _group(first: int, count: int) -> set[int]:
    return set(range(first, first + count))


def _words(name: str) -> int:
    parts = name.split(".")
    return 4 if "128" in parts else 2 if "64" in parts else 1
