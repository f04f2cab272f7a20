"""Directories in a file, put out of sight: who is shown a page need not learn whose disk it was.

They are blanked in the bytes before anything else is done, so that no table, text or message can
have them. Blanks are as many dots as there were bytes; what is shown has three of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tileir.formats.cursor import Span, brief

SHORTEST = 4
"""Bytes of a directory that is blanked: fewer dots could be those of a file."""

DIRECTORIES = re.compile(
    rb"(?:(?<![\w~])[A-Za-z]:|~[\w.-]*|(?<![\w.)]))[/\\](?:[^/\\\x00-\x20\"][^/\\\x00-\x1f\"]*[/\\])+"
)
"""A path from a root, up to its last part."""

BLANK = re.compile(rf"\.{{{SHORTEST},}}(?=[/\\])")
"""A directory that was blanked, as it is found in texts."""

SOURCES = re.compile(r"(?:filename|directory)$|debug\.records\[\d+\]\.name$")
"""The paths of the fields that name strings with paths in them."""

LOOSE = ("unread", "unused", "opaque")
"""Kinds of bytes that may hold texts, and say nothing of where."""

Ranges = list[tuple[int, int]]


def directories(data: bytes, spans: Iterable[Span]) -> Ranges:
    """Return the ranges of bytes that are directories of paths, in the order of the file.

    The spans are all fields of the file whose bytes are `data`.
    """
    texts: dict[int, tuple[int, bytes]] = {}
    named: set[int] = set()
    found: Ranges = []
    for span in spans:
        if span.kind == "text":
            texts[int(span.place[1])] = span.start, data[span.start : span.end]
        elif span.kind == "string" and SOURCES.search(brief(span.place)):
            named.add(int(span.value))
        elif span.kind in LOOSE:
            found += _in(span.start, data[span.start : span.end])
    for number, (start, text) in texts.items():
        found += [_directory(start, text)] if number in named else _in(start, text)
    return sorted((start, end) for start, end in found if end - start >= SHORTEST)


def _in(offset: int, data: bytes) -> Ranges:
    """Return where there are directories in bytes, without the separators at their ends."""
    found = DIRECTORIES.finditer(data)
    return [(offset + match.start(), offset + match.end() - 1) for match in found]


def _directory(offset: int, data: bytes) -> tuple[int, int]:
    """Return where the directory of a path is."""
    path = data.rstrip(b"/\\")
    return offset, offset + max(path.rfind(b"/"), path.rfind(b"\\"), 0)


def blanked(data: bytes, ranges: Ranges) -> bytes:
    """Return the bytes with dots in these ranges."""
    out = bytearray(data)
    for start, end in ranges:
        out[start:end] = b"." * (end - start)
    return bytes(out)


def shortened(text: str) -> str:
    """Return a text in which three dots stand for what was blanked."""
    return BLANK.sub("...", text)
