"""A file as the pieces it consists of, put together again with every length and offset right.

Bytes changed at random mostly break a length, and then nothing behind it is looked at. Here a
section is a list of pieces (entries of a table, bodies, what stands between them): pieces change,
the frame around them is written anew. Written from the format alone: no code of ours frames the
files that our code is tried with.
"""

from __future__ import annotations

import copy
import struct
from dataclasses import dataclass, field

STRING, FUNC, DEBUG, CONSTANT, TYPE = 1, 2, 3, 4, 5
OFFSET_SIZES = {STRING: 4, TYPE: 4, CONSTANT: 8, DEBUG: 4}
"""Section -> bytes of an offset in its table."""

HEADER = 12
FILL = b"\xcb"


def varint(value: int, width: int = 1) -> bytes:
    """LEB128 in at least `width` bytes; more than its shortest form needs is overlong."""
    out = bytearray()
    while value > 127 or len(out) + 1 < width:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


class Unframed(Exception):
    """The bytes are not what a producer writes, so there is no telling the pieces apart."""


@dataclass
class Section:
    """One section. `front` stands before the pieces; what is between them is written anew.

    Of a table the pieces are the entries, and `front` what the payload begins with (the two lists
    of Debug). Of Func they are in turn what precedes a body's length and the body, with `functions`
    as the count. Any other section is one piece.
    """

    number: int
    alignment: int
    pieces: list[bytes]
    front: bytes = b""
    functions: int | None = None

    def payload(self) -> bytes:
        """The section's bytes."""
        if self.number in OFFSET_SIZES:
            return _table(self.front, self.pieces, OFFSET_SIZES[self.number])
        if self.functions is None:
            return self.front + b"".join(self.pieces)
        out = self.front + varint(self.functions)
        for index, piece in enumerate(self.pieces):
            out += varint(len(piece)) * (index % 2) + piece
        return out


@dataclass
class Framed:
    """A whole file: its header and its sections."""

    header: bytes
    sections: list[Section] = field(default_factory=list)

    def copy(self) -> Framed:
        """One that can be changed without changing this one; the pieces themselves never are."""
        made = Framed(self.header)
        for section in self.sections:
            made.sections.append(copy.copy(section))
            made.sections[-1].pieces = list(section.pieces)
        return made

    def data(self) -> bytes:
        """The file's bytes."""
        out = bytearray(self.header)
        for section in self.sections:
            payload = section.payload()
            out.append(section.number | (128 if section.alignment else 0))
            out += varint(len(payload))
            if section.alignment:
                out += varint(section.alignment)
                out += FILL * (-len(out) % section.alignment)
            out += payload
        return bytes(out) + b"\x00"


def _table(front: bytes, pieces: list[bytes], size: int) -> bytes:
    out = front + varint(len(pieces))
    if not pieces:
        return out
    out += FILL * (-len(out) % size)
    offsets, position = [], 0
    for piece in pieces:
        offsets.append(position)
        position += len(piece)
    code = "I" if size == 4 else "Q"
    return out + struct.pack(f"<{len(offsets)}{code}", *offsets) + b"".join(pieces)


# Taking apart -------------------------------------------------------------------------------


def take_apart(data: bytes, bodies: tuple[tuple[int, int], ...] = ()) -> Framed:
    """The pieces of a file. Raises Unframed where they cannot be told.

    `bodies` are the function bodies as (offset, size): finding them takes a decoder.
    """
    try:
        made = _take_apart(data, bodies)
    except (IndexError, ValueError, struct.error):
        raise Unframed from None
    if made.data() != data:
        raise Unframed
    return made


def _take_apart(data: bytes, bodies) -> Framed:
    made = Framed(data[:HEADER])
    position = HEADER
    while data[position]:
        number, position = data[position], position + 1
        size, position = _read(data, position)
        alignment = 0
        if number & 128:
            alignment, position = _read(data, position)
            position += -position % alignment if alignment else 0
        if position + size > len(data):
            raise Unframed
        payload = data[position : position + size]
        if number & 127 == FUNC:
            made.sections.append(_functions(alignment, payload, position, bodies))
        elif number & 127 in OFFSET_SIZES:
            made.sections.append(_entries(number & 127, alignment, payload))
        else:
            made.sections.append(Section(number & 127, alignment, [payload]))
        position += size
    return made


def _read(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte, position = data[position], position + 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
        shift += 7


def _functions(alignment: int, payload: bytes, offset: int, bodies) -> Section:
    count, position = _read(payload, 0)
    made = Section(FUNC, alignment, [], functions=count)
    for begin, size in bodies:
        begin -= offset
        made.pieces.append(payload[position : begin - len(varint(size))])
        made.pieces.append(payload[begin : begin + size])
        position = begin + size
    made.pieces.append(payload[position:])  # none, or a head without a body
    return made


def _entries(number: int, alignment: int, payload: bytes) -> Section:
    position, size = 0, OFFSET_SIZES[number]
    for width in (4, 8) if number == DEBUG else ():
        count, position = _read(payload, position)
        position += -position % width + count * width
    front = payload[:position]
    count, position = _read(payload, position)
    position += -position % size if count else 0
    if count > len(payload):
        raise Unframed
    code = "I" if size == 4 else "Q"
    offsets = struct.unpack_from(f"<{count}{code}", payload, position)
    blob = payload[position + count * size :]
    ends = (*offsets[1:], len(blob))
    pieces = [blob[begin:end] for begin, end in zip(offsets, ends, strict=True)]
    return Section(number, alignment, pieces, front=front)
