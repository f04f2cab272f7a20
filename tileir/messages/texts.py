"""Texts from files: as Python strings, and made short and printable for messages."""

from __future__ import annotations

from tileir.formats.errors import shorten

LONGEST_NAME = 80
"""Most characters of a name that a message repeats."""


def decode_text(data: bytes | memoryview) -> str:
    """Return a text of the file as a Python string; invalid UTF-8 becomes lone surrogates."""
    return bytes(data).decode("utf-8", "surrogateescape")


def display(name: str) -> str:
    """Return a name from a file for a message: shortened, and without control characters."""
    return printable(shorten(name, LONGEST_NAME))


def printable(text: str) -> str:
    """Return a text with control characters and lone surrogates escaped."""
    if text.isprintable():  # as nearly all are
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )
