"""The rule about the header of a file, of which everything else is a matter of reading."""

from __future__ import annotations

from tileir.bytecode import Bytecode
from tileir.formats.container import PREVIEW_BIT
from tileir.formats.version import LATEST
from tileir.verifier.catalogue import declare

TAG = declare(
    "header-tag",
    "The tag in the header is 0. Bit 0 announces public-preview content, which only the newest "
    "version can have, and no other bit has a meaning; readers of older versions ignored them all, "
    "those of 13.5 refuse such a file. A file of version 13.5 with another bit cannot be read.",
    "set the two bytes at 0xa to 0",
)
OFFSET = 10
"""The offset of the tag, in bytes."""


def tag_problem(bytecode: Bytecode) -> str | None:
    """Return what is wrong with the tag in a module's header."""
    if not bytecode.tag or bytecode.version.preview:
        return None
    if bytecode.tag == PREVIEW_BIT:
        return (
            f"public-preview bytecode at version {bytecode.version}.{PREVIEW_BIT} is not readable; "
            f"preview content is only valid at the current version {LATEST}"
        )
    return f"header has unrecognized version tag bits (0x{bytecode.tag & ~PREVIEW_BIT:X})"
