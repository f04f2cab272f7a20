"""What a cubin says of its kernels: registers, threads and shared memory.

A cubin is an ELF file. Attributes of kernels stand in its sections .nv.info as records of a format
(4: sized), a name, a size and a value; NVIDIA does not document them, `cuobjdump -elf` names them.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import NamedTuple

_REQUIRED, _MOST = 0x10, 0x05
"""EIATTR_REQNTID and EIATTR_MAX_THREADS, each of three numbers of 32 bits."""
_REGISTERS = 0x2F
"""EIATTR_REGCOUNT: a symbol and a number."""


class Resources(NamedTuple):
    """The most that any kernel of a cubin takes; 0 threads where it does not say how many."""

    registers: int
    threads: int
    shared: int
    """Bytes, without those that a launch adds, and those that the system reserves in it."""


def resources(data: bytes) -> Resources:
    """Read the resources of the kernels in a cubin."""
    registers = threads = shared = 0
    for name, size, content in _sections(data):
        if re.match(r"\.nv\.shared\.(?!reserved)", name):
            shared = max(shared, size)
        elif name.startswith(".nv.info"):
            for attribute, value in _attributes(content):
                if attribute == _REGISTERS:
                    registers = max(registers, struct.unpack("<II", value)[1])
                elif attribute in (_REQUIRED, _MOST):
                    x, y, z = struct.unpack("<III", value[:12])
                    threads = max(threads, x * y * z)
    return Resources(registers, threads, shared)


def _sections(data: bytes) -> Iterator[tuple[str, int, bytes]]:
    """Name, size and content of the sections of an ELF file of 64 bits."""
    (start,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    rows = [struct.unpack_from("<IIQQQQ", data, start + size * row) for row in range(count)]
    table = rows[names][4]
    for name, kind, _, _, offset, length in rows:
        begin = table + name
        text = data[begin : data.index(b"\0", begin)].decode()
        nothing = kind == 8  # SHT_NOBITS
        yield text, length, b"" if nothing else data[offset : offset + length]


def _attributes(content: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(content):
        form, name, size = struct.unpack_from("<BBH", content, at)
        at += 4
        if form == 4:
            yield name, content[at : at + size]
            at += size
