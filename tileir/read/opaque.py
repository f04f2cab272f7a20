"""What cannot be read of a file of a newer version: ends of bodies, and what is said of the rest.

The tables tell how long known things are, so an unknown one ends what can be read around it: the
rest of a body is opaque. What refers to something unknown ends there too, though its bytes can be
read.
"""

from __future__ import annotations

from dataclasses import dataclass

from tileir.formats.cursor import Opaque, Slice
from tileir.formats.errors import BytecodeError
from tileir.ir import Block

from .bad_reference import BadReference

Unreadable = BadReference | BytecodeError
"""The errors of what is malformed or refers to nothing."""


@dataclass(frozen=True, slots=True)
class OpaqueEnd:
    """The end of a function's body, which cannot be read.

    offset   of its first byte in the file
    data     its bytes, up to the end of the body
    message  what is unknown, and what is opaque for that
    block    the block that ends before them; the ops around it are not whole either
    """

    offset: int
    data: memoryview | bytes
    message: str
    block: Block


def opaque_from(error: Unreadable, code: Slice, offset: int, path: str = "") -> Opaque:
    """Return the opaque end of the bytes `code` that starts at an offset of the file."""
    data = code.data[offset - code.offset :]
    said = BytecodeError(
        error.kind,
        offset=offset,
        section="Func",
        path=path,
        expected=error.expected,
        found=error.found,
    )
    return Opaque(said, Slice(offset, data))
