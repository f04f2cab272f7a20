"""The errors of this package: unreadable bytes, and records that cannot be written."""

from __future__ import annotations

LONGEST_PATH = 160
"""The most characters of a path in a message; `BytecodeError.path` has all of it."""


def shorten(text: str, longest: int) -> str:
    """Return a text for a message, cut in the middle if it is longer than `longest`."""
    return text if len(text) <= longest else f"{text[: longest // 2]}...{text[-longest // 2 :]}"


class TileIRError(Exception):
    """The base class of every error that tileir raises on purpose."""


class BytecodeError(TileIRError, ValueError):
    """The bytes are not readable as Tile IR bytecode.

    kind      one of KINDS, stable, for programs
    offset    offset in the file, in bytes, of the field that is wrong
    section   name of its section, or "header"
    path      path of the field inside the section, for example ``functions[0].body[3].opcode``
    expected  text: what would be right
    found     text: what is there
    hint      text: what to do about it, or ""
    """

    KINDS = (
        "truncated",
        "bad_magic",
        "version",
        "preview",
        "alignment",
        "unknown_section",
        "missing_section",
        "unknown_tag",
        "unknown_opcode",
        "not_available",
        "bad_index",
        "bad_offset",
        "bad_value",
        "leftover",
        "noncanonical",
        "limit",
    )

    def __init__(
        self,
        kind: str,
        *,
        offset: int,
        section: str,
        path: str = "",
        expected: str,
        found: str,
        hint: str = "",
    ) -> None:
        self.kind = kind
        self.offset = offset
        self.section = section
        self.path = path
        self.expected = expected
        self.found = found
        self.hint = hint
        super().__init__(str(self))

    def __str__(self) -> str:
        path = shorten(self.path, LONGEST_PATH)
        where = f"{self.section}: {path}" if path else self.section
        text = f"at 0x{self.offset:x} in {where}: expected {self.expected}, found {self.found}"
        return f"{text} ({self.hint})" if self.hint else text

    def __reduce__(self):
        return _rebuild, (
            self.kind,
            self.offset,
            self.section,
            self.path,
            self.expected,
            self.found,
            self.hint,
        )


def _rebuild(kind, offset, section, path, expected, found, hint):
    return BytecodeError(
        kind,
        offset=offset,
        section=section,
        path=path,
        expected=expected,
        found=found,
        hint=hint,
    )


class BuildError(TileIRError, ValueError):
    """A record cannot be written as Tile IR bytecode (of the asked version)."""
