"""The parts that bombs in bytes are put together from, on `tests.formats.small`."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from tests.formats.bombs import SOURCE, opcode
from tests.formats.small import RETURN, YIELD, debug, file, padding, table, varint

I1, SCALAR, TAKES_ONE, I32, TAKES_NONE, I8, F32, POINTER, I32_SCALAR = range(9)
TYPES = (
    b"\x00",  # i1
    b"\x0d\x00\x00",  # tile<i1>
    b"\x10\x01\x01\x00",  # (tile<i1>) -> ()
    b"\x03",  # i32
    b"\x10\x00\x00",  # () -> ()
    b"\x01",  # i8
    b"\x07",  # f32
    b"\x0c\x00\x05",  # ptr<i8>
    b"\x0d\x03\x00",  # tile<i32>
)
"""The types with which those of a bomb begin; their indices are the names above."""

FIRST = len(TYPES)
"""The index of a bomb's first type of its own."""

NAME = b"k"


def extents(sizes: Sequence[int]) -> bytes:
    """A list of sizes, as types have them."""
    return varint(len(sizes)) + struct.pack(f"<{len(sizes)}q", *sizes)


def tile(element: int, *sizes: int) -> bytes:
    """A type: a tile."""
    return b"\x0d" + varint(element) + extents(sizes)


def signature(parameters: Sequence[int], results: Sequence[int] = ()) -> bytes:
    """A type: a signature."""
    return b"\x10" + b"".join(
        varint(len(types)) + b"".join(map(varint, types)) for types in (parameters, results)
    )


def entry(
    name: int = 0,
    signature: int = TAKES_NONE,
    body: bytes = RETURN,
    location: int = 0,
    hints: bytes = b"",
) -> bytes:
    """A kernel, as files before 13.5 have them."""
    flags = bytes([6 if hints else 2])
    head = varint(name) + varint(signature) + flags + varint(location) + hints
    return head + varint(len(body)) + body


def variable(name: int, type: int, value: int) -> bytes:
    """A global."""
    return varint(name) + varint(type) + varint(value) + b"\x00\x00\x00"


def strings(texts: Sequence[bytes], offsets: Sequence[int] | None = None) -> bytes:
    """A String section; with offsets, texts may lie on top of each other."""
    return table(texts, offsets=offsets)


def module(
    functions: Sequence[bytes],
    *,
    texts: Sequence[bytes] | bytes = (NAME,),
    types: Sequence[bytes] = (),
    constants: Sequence[bytes] = (),
    variables: Sequence[bytes] = (),
    records: tuple[int, int, bytes] | None = None,
) -> bytes:
    """A file of those parts; `types` follow `TYPES`, `texts` may be a whole section."""
    sections = [
        (1, 4, texts if isinstance(texts, bytes) else strings(texts)),
        (5, 4, table([*TYPES, *types])),
    ]
    if constants:
        sections.append((4, 8, table([varint(len(c)) + c for c in constants], width=8)))
    if variables:
        sections.append((6, 0, varint(len(variables)) + b"".join(variables)))
    sections.append((2, 8, varint(len(functions)) + b"".join(functions)))
    if records:
        sections.append(records)
    return file(*sections)


def overlapping(count: int, length: int) -> bytes:
    """A String section of `count` strings that all run to the end of `length` bytes.

    Offsets decrease, so each string ends where the section ends.
    """
    offsets = [*range(count - 1, -1, -1)]
    return table([b"x" * length, *[b""] * (count - 1)], offsets=offsets)


def constant(type: int, value: int = 0) -> bytes:
    """An op: a constant."""
    return opcode("constant") + varint(type) + varint(value)


def assume(type: int, predicate: bytes, value: int = 0) -> bytes:
    """An op: an assumption about a value."""
    return opcode("assume") + varint(type) + predicate + varint(value)


def get_global(type: int, name: int) -> bytes:
    """An op: the address of a global."""
    return opcode("get_global") + varint(type) + varint(name)


def array(elements: Sequence[bytes]) -> bytes:
    """An attribute: a list."""
    return b"\x06" + varint(len(elements)) + b"".join(elements)


def dictionary(entries: Sequence[tuple[int, bytes]]) -> bytes:
    """An attribute: a dictionary by numbers of strings."""
    return b"\x0a" + varint(len(entries)) + b"".join(varint(k) + v for k, v in entries)


def hints(entries: Sequence[tuple[int, bytes]]) -> bytes:
    """An attribute: hints by architecture."""
    return b"\x0b" + dictionary(entries)[1:]


def debug_of(records: Sequence[bytes], lists: Sequence[Sequence[int]]) -> tuple[int, int, bytes]:
    """A Debug section: its records, and a list of record numbers for each function."""
    starts, indices = [], []
    for numbers in lists:
        starts.append(len(indices))
        indices += numbers
    payload = varint(len(starts))
    payload += padding(len(payload), 4) + struct.pack(f"<{len(starts)}I", *starts)
    payload += varint(len(indices))
    payload += padding(len(payload), 8) + struct.pack(f"<{len(indices)}Q", *indices)
    return (3, 8, payload + table(records, before=len(payload)))


__all__ = ["RETURN", "SOURCE", "YIELD", "debug", "opcode", "varint"]
