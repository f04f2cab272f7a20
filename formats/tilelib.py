"""Tile libraries (.tilelib): an ELF file whose sections are modules and machine code.

NVIDIA publishes no layout. tileiras 13.5.37 makes such files of an interface and implementations
(``--preview-create-tile-lib``), and links them (``--preview=simt -l``); this is what it writes:

    .nvtlifc            the interface: Tile IR bytecode with nothing but extern functions
    .nvtl.0, .nvtl.1    the implementations in the order given: one Tile IR bytecode with what
                        implements the interface, and the machine code that has its symbols

It is a relocatable file for x86-64 without symbols or flags; nothing of that has a meaning. A
library may also have a shared library for an implementation, which generates code when asked to.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from .container import MAGIC
from .cursor import Slice
from .errors import BytecodeError

ELF = b"\x7fELF\x02\x01"
"""The start of an ELF file of 64 bits, little-endian."""

INTERFACE = ".nvtlifc"
IMPLEMENTATION = re.compile(r"\.nvtl\.(0|[1-9][0-9]*)", re.ASCII)
MAX_SECTIONS = 4096

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_NO_BITS = 8
_CUDA = 190

_KINDS = (
    (MAGIC, "Tile IR bytecode"),
    (b"\x50\xed\x55\xba", "fatbin"),
    (b"BC\xc0\xde", "LLVM bitcode"),
    (b"\xed\x43\x4e\x7f", "LTO-IR"),
)


class Part(NamedTuple):
    """A section of a library: its name, what its first bytes say it is, where it lies."""

    name: str
    kind: str
    content: Slice


def parts(data: memoryview) -> tuple[Part, ...]:
    """Return the parts of a library in the order of its sections; BytecodeError if it is none.

    No two have the same name, and none shares bytes with another: so each is a file of its own, and
    a small library cannot mean large ones.
    """
    if bytes(data[: len(ELF)]) != ELF:
        raise _error(0, "a 64-bit ELF file", bytes(data[:6]).hex(" ") or "nothing")
    if len(data) < _HEADER.size:
        raise _error(len(data), "the header of an ELF file", "the end", "truncated")
    header = _HEADER.unpack_from(data)
    start, size, count, names = header[6], header[11], header[12], header[13]
    if size != _SECTION.size or not 0 < count <= MAX_SECTIONS or names >= count:
        text = f"{count} sections of {size} bytes, names in section {names}"
        raise _error(58, f"sections of {_SECTION.size} bytes", text)
    if start + count * size > len(data):
        raise _error(40, f"{count} sections", f"{len(data)} bytes", "truncated")
    table = [_SECTION.unpack_from(data, start + index * size) for index in range(count)]
    texts = _content(data, table[names], start + names * size)
    found: dict[str, Part] = {}
    for index, row in enumerate(table):
        where = start + index * size
        content, name = _content(data, row, where), _name(texts, row[0], where)
        if name in found:
            raise _error(where, "a section of each name", f"a second {name}")
        if name == INTERFACE or IMPLEMENTATION.fullmatch(name):
            found[name] = Part(name, kind_of(content.data), content)
    _check_apart(found.values())
    return tuple(found.values())


def _check_apart(found: Iterable[Part]) -> None:
    """Raise BytecodeError if parts have bytes in common."""
    ordered = sorted(
        (part for part in found if part.content.data), key=lambda it: it.content.offset
    )
    for part, following in pairwise(ordered):
        if following.content.offset < part.content.offset + len(part.content.data):
            text = f"{following.name} in {part.name}"
            raise _error(following.content.offset, "parts that share no bytes", text)


def kind_of(data: memoryview | bytes) -> str:
    """Return what the first bytes of a part say it is."""
    start = bytes(data[:64])
    for magic, kind in _KINDS:
        if start.startswith(magic):
            return kind
    if start.startswith(b"\x7fELF") and len(start) >= 20:
        kind, machine = struct.unpack_from("<HH", start, 16)
        if machine == _CUDA:
            return "cubin"
        return "shared library" if kind == 3 else "object file"
    return "unknown"


def _content(data: memoryview, row: tuple, where: int) -> Slice:
    offset, size = (0, 0) if row[1] == _NO_BITS else (row[4], row[5])
    if offset + size > len(data):
        text = f"{size} bytes at {offset:#x} of {len(data)}"
        raise _error(where, "a section inside of the file", text, "truncated")
    return Slice(offset, data[offset : offset + size])


def _name(texts: Slice, start: int, where: int) -> str:
    """Return a section's name, which ends with a zero byte."""
    head = bytes(texts.data[start : start + 32]).split(b"\0")[0]
    if start >= len(texts.data) and start:
        raise _error(where, "the name of a section", f"offset {start}")
    return head.decode("latin-1")


def _error(offset: int, expected: str, found: str, kind: str = "bad_value") -> BytecodeError:
    return BytecodeError(
        kind, offset=offset, section="library", path="", expected=expected, found=found
    )
