"""Texts from files: as Python strings, and inside messages, where they cannot do any harm."""

from __future__ import annotations

from tileir.formats.errors import shorten

LONGEST_NAME = 80
"""Characters of a name that a message repeats."""


def decode_text(data: bytes | memoryview) -> str:
    """Text of the file as a Python string; always possible, and reversible."""
    return bytes(data).decode("utf-8", "surrogateescape")


def display(name: str) -> str:
    """A name from a file inside a message: one line, no control characters, of bearable length."""
    return printable(shorten(name, LONGEST_NAME))


def printable(text: str) -> str:
    """Text for a person: control characters and bytes that are not text are escaped."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )
