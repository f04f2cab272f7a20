"""Frames: what a supervisor and its child send each other. A kind, a length, and that many bytes.

The child sends READY once, or FAILED if it cannot start; from then on a REQUEST is answered by one
frame of another kind. No bytes in a frame mean anything here.
"""

from __future__ import annotations

import struct
from typing import IO

_HEAD = struct.Struct("<cQ")

READY = b"r"
"""The child has imported its function; no bytes."""
REQUEST = b"q"
"""To the child: what the function takes."""
ANSWER = b"a"
"""What the function has returned."""
FAILED = b"f"
"""The function has raised an exception, or cannot be imported: its type and message. The child
ends, since nobody knows what is half done."""
OUT_OF_MEMORY = b"m"
"""The function did not get the memory that it asked for; no bytes. The child ends."""
TOO_LONG = b"l"
"""The function has returned more than the most; the number of bytes, as text."""


def frame(kind: bytes, data: bytes = b"") -> bytes:
    """Return the bytes of one frame."""
    return _HEAD.pack(kind, len(data)) + data


def write_frame(stream: IO[bytes], kind: bytes, data: bytes = b"") -> None:
    """Write one frame; OSError if the other side has gone."""
    stream.write(frame(kind, data))
    stream.flush()


def read_frame(stream: IO[bytes], most: int | None = None) -> tuple[bytes, bytes]:
    """Return kind and bytes of the next frame.

    EOFError if the other side has gone, in the middle of a frame too; ValueError for a frame of
    more than `most` bytes, of which none is read then.
    """
    kind, size = _HEAD.unpack(_exactly(stream, _HEAD.size))
    if most is not None and size > most:
        raise ValueError(f"a frame of {size} bytes, where {most} are the most")
    return kind, _exactly(stream, size)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
