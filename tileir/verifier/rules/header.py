"""The rules about the header of a file, of which everything else is a matter of reading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tileir.bytecode import Bytecode
from tileir.errors import Diagnostic
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


NEWER = declare(
    "newer-version",
    "The version of the file is one that is known. A newer one may hold what nobody here has seen, "
    "and mean something else by what looks familiar: its files are read as far as they can be, and "
    "never called valid.",
    "a newer tileir may know it; --assume-version says by which version to read it",
)
UNKNOWN_CONTENT = declare(
    "unknown-content",
    "Everything in the file is known. In one of a newer version there may be sections, ops, types, "
    "attributes and flags that are not; as nothing says how long those are, what follows them is "
    "opaque, up to the end of what they are in.",
)


def newer_problems(bytecode: Bytecode) -> Iterator[Diagnostic]:
    """Yield what is wrong with a module of a newer version: that it is one, and what is unknown."""
    if not bytecode.newer:
        return
    text = f"version {bytecode.version} is newer than {LATEST}, the latest that is known"
    where, severity = OFFSET - len(bytecode.original.version.plain), NEWER.severity
    yield Diagnostic(severity, NEWER.id, text, where, op="header", hint=NEWER.hint)
    for one in bytecode.unknown:
        yield replace(one, severity=severity, kind=UNKNOWN_CONTENT.id)


def tag_problem(bytecode: Bytecode) -> str | None:
    """Return what is wrong with the tag in a module's header."""
    if not bytecode.tag or bytecode.version.preview or bytecode.newer:
        return None
    if bytecode.tag == PREVIEW_BIT:
        return (
            f"public-preview bytecode at version {bytecode.version}.{PREVIEW_BIT} is not readable; "
            f"preview content is only valid at the current version {LATEST}"
        )
    return f"header has unrecognized version tag bits (0x{bytecode.tag & ~PREVIEW_BIT:X})"
