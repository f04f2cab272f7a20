"""What a listing of SASS by nvdisasm says: how often each opcode occurs and how loads overlap; and
what nvdisasm leaves out, registers.

Instructions are read in the order in which they stand, whatever branches over them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

_LINE = re.compile(
    r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)([^;\n]*);", re.MULTILINE
)
_REGISTER = re.compile(r"\bR(\d+)(\.64)?\b")
_REGISTER_COUNT = re.compile(rb"\x04\x2f\x08\x00.{4}(.{4})", re.DOTALL)
"""An attribute of a cubin's section .nv.info: format, name, bytes; then the kernel and a number."""
_WAIT = re.compile(r"\bDEPBAR\.LE SB0, 0x(\d+)")
_PADDING = {"NOP"}
_TENSOR_CORES = re.compile(r"(UTC[A-Z]*|[A-Z]G?)MMA\b")
"""Instructions that multiply matrices: of a warp, of a warpgroup (HGMMA, QGMMA, IGMMA), and of the
tensor cores of Blackwell (UTCHMMA and so on)."""


def opcodes(listing: str) -> Counter[str]:
    """How often each opcode occurs, without what fills up the end."""
    found = Counter(name for name, _ in _instructions(listing))
    for name in _PADDING:
        del found[name]
    # A branch to itself stops what runs past the end.
    found["BRA"] -= 1
    return +found


def registers(cubin: bytes) -> int:
    """How many registers a thread of the kernel in a cubin has."""
    return int.from_bytes(_REGISTER_COUNT.search(cubin)[1], "little")


def loads_in_flight(listing: str) -> int:
    """The most loads of global memory that a thread has issued and not yet touched the result of.

    Loads whose results go to shared memory do not count.
    """
    waiting: list[set[int]] = []
    most = 0
    for name, operands in _instructions(listing):
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


def multiplies(opcode: str) -> bool:
    """Whether an instruction multiplies matrices."""
    return _TENSOR_CORES.match(opcode) is not None


def _instructions(listing: str) -> Iterator[tuple[str, str]]:
    return ((match[1], match[2]) for match in _LINE.finditer(listing))


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
