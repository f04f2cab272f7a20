"""Messages in a stream, each with a header that says its length, as language servers have them."""

from __future__ import annotations

from typing import BinaryIO

_LINE = 256
"""Most bytes of a line of a header."""
_LINES = 16
_PIECE = 1 << 16


class FramingError(Exception):
    """What follows in the stream cannot be told apart; the message says why."""


class TooLong(Exception):
    """A message was longer than the most; the stream is behind it."""


def read_message(stream: BinaryIO, most: int) -> bytes | None:
    """Return the next message, None at the end of the stream.

    TooLong for one of more than `most` bytes, which is passed by; FramingError for a header that is
    none; EOFError if the stream ends within a message.
    """
    size = _size(stream)
    if size is None:
        return None
    if size > most:
        _pass_by(stream, size)
        raise TooLong(f"a message of {size} bytes, where {most} are the most")
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def write_message(stream: BinaryIO, data: bytes) -> None:
    """Write a message; OSError if nobody reads."""
    stream.write(b"Content-Length: %d\r\n\r\n" % len(data))
    stream.write(data)
    stream.flush()


def _size(stream: BinaryIO) -> int | None:
    """Read a header, and return the length of what follows; None at the end of the stream."""
    size = None
    for number in range(_LINES):
        line = stream.readline(_LINE)
        if not line and not number:
            return None
        if not line.endswith(b"\n"):
            if len(line) < _LINE:
                raise EOFError
            raise FramingError(f"a line of a header of more than {_LINE} bytes")
        line = line.strip()
        if not line:
            if size is None:
                raise FramingError("a header without Content-Length")
            return size
        name, colon, value = line.partition(b":")
        if not colon:
            raise FramingError("a line of a header without a colon")
        if name.strip().lower() == b"content-length":
            value = value.strip()
            if not value.isdigit() or len(value) > 18:
                raise FramingError("Content-Length is not a number of bytes")
            size = int(value)
    raise FramingError(f"a header of more than {_LINES} lines")


def _pass_by(stream: BinaryIO, size: int) -> None:
    while size:
        passed = len(stream.read(min(size, _PIECE)))
        if not passed:
            raise EOFError
        size -= passed
