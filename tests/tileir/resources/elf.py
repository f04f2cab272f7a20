"""Cubins made by hand: ELF files of 64 bits with the sections that a test wants."""

from __future__ import annotations

import struct
from collections.abc import Mapping

CUDA = 190


def elf(sections: Mapping[str, tuple[int, bytes]], machine: int = CUDA, flags: int = 0) -> bytes:
    """A file with sections of a kind and contents; one of kind 8 has a size and no bytes."""
    names, offset, bodies, headers = b"\0", 64, b"", []
    listed = {".shstrtab": (3, b""), **sections}
    starts = {}
    for name in listed:
        starts[name] = len(names)
        names += name.encode() + b"\0"
    listed[".shstrtab"] = (3, names)
    places = {name: number for number, name in enumerate(listed)}
    for name, (kind, body) in listed.items():
        link, each = (places.get(".strtab", 0), 24) if kind == 2 else (0, 0)
        headers.append(struct.pack(
            "<IIQQQQIIQQ", starts[name], kind, 0, 0, offset, len(body), link, 0, 1, each
        ))  # fmt: skip
        if kind != 8:
            bodies += body
            offset += len(body)
    head = bytearray(64)
    head[:8] = b"\x7fELF\x02\x01\x01\x41"
    struct.pack_into("<HHI", head, 16, 2, machine, 1)
    struct.pack_into("<QI", head, 0x28, offset, flags)
    struct.pack_into("<HHHHHH", head, 0x34, 64, 0, 0, 64, len(headers), 0)
    return bytes(head) + bodies + b"".join(headers)


def symbols(*names: str) -> dict[str, tuple[int, bytes]]:
    """The sections of symbols that are functions, numbered from 1."""
    strings, rows = b"\0", bytes(24)
    for name in names:
        rows += struct.pack("<IBBHQQ", len(strings), 0x12, 0, 1, 0, 0)
        strings += name.encode() + b"\0"
    return {".strtab": (3, strings), ".symtab": (2, rows)}


def sized(name: int, *numbers: int) -> bytes:
    """A record of .nv.info whose value is numbers of 32 bits."""
    return struct.pack(f"<BBH{len(numbers)}I", 4, name, 4 * len(numbers), *numbers)


def short(name: int, number: int) -> bytes:
    """A record of .nv.info whose value is a byte that stands where others have their size."""
    return struct.pack("<BBH", 2, name, number)
