"""Small files put together byte by byte, for tests of what no producer writes."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import accumulate

from tileir.formats.ops import BY_NAME

RETURN = bytes([BY_NAME["return"].opcode, 0, 0])
YIELD = bytes([BY_NAME["yield"].opcode, 0, 0])
EMPTY_SIGNATURE = b"\x10\x00\x00"


def varint(value: int) -> bytes:
    """LEB128, the shortest form."""
    out = []
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def padding(size: int, alignment: int) -> bytes:
    """What brings `size` bytes to a multiple of the alignment."""
    return b"\xcb" * (-size % alignment)


def table(
    entries: Sequence[bytes],
    before: int = 0,
    *,
    width: int = 4,
    offsets: Sequence[int] | None = None,
    count: bytes | None = None,
) -> bytes:
    """An offset table of offsets of `width` bytes; `before` bytes of the payload precede it.

    `offsets` and `count` may be told to lie.
    """
    if offsets is None:
        offsets = list(accumulate(map(len, entries), initial=0))[:-1]
    count = varint(len(entries)) if count is None else count
    index = struct.pack(f"<{len(offsets)}{'Q' if width == 8 else 'I'}", *offsets)
    return count + padding(before + len(count), width) + index + b"".join(entries)


def file(*sections: tuple[int, int, bytes], version: tuple[int, int] = (13, 4)) -> bytes:
    """A file of sections (number, alignment, payload); alignment 0 is none."""
    data = b"\x7fTileIR\x00" + bytes([*version, 0, 0])
    for number, alignment, payload in sections:
        data += bytes([number | (0x80 if alignment else 0)]) + varint(len(payload))
        if alignment:
            data += varint(alignment)
            data += padding(len(data), alignment)
        data += payload
    return data + b"\x00"


def kernel(
    types: Sequence[bytes],
    body: bytes = RETURN,
    *,
    location: int = 0,
    signature: int = 0,
    hints: bytes = b"",
) -> tuple[tuple[int, int, bytes], ...]:
    """String, Type and Func sections of one kernel, as files before 13.5 have them."""
    entry = b"\x00" + varint(signature) + bytes([6 if hints else 2]) + varint(location) + hints
    return (
        (1, 4, table([b"kern", b"key"])),
        (5, 4, table(types)),
        (2, 8, b"\x01" + entry + varint(len(body)) + body),
    )


def debug(records: Sequence[bytes], ops: int = 1) -> tuple[int, int, bytes]:
    """A Debug section whose one list names the last record for everything."""
    payload = b"\x01\xcb\xcb\xcb" + struct.pack("<I", 0) + varint(ops + 1)
    indices = struct.pack(f"<{ops + 1}Q", *[len(records)] * (ops + 1))
    payload += padding(len(payload), 8) + indices
    return (3, 8, payload + table(records, before=len(payload)))
