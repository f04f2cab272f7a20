"""The YAML writer, in the style of the Kaitai format gallery, for dicts, lists and scalars.

It is here because this package depends on Construct only. Long texts become blocks, texts of
several lines keep them; lists of scalars stay in one line, everything else is a block.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

WIDTH = 96
WRAP: dict[str, Any] = {"break_on_hyphens": False, "break_long_words": False}

_PLAIN = re.compile(r"[A-Za-z_(][A-Za-z0-9_ .,;()\[\]/+*<>=-]*")
_WORD_WITH_A_MEANING = re.compile(r"(?i)(y|n|yes|no|on|off|true|false|null|~|\.inf|\.nan)")


def scalar(value: object) -> str:
    """Return a scalar in one line, quoted where YAML would read something else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(scalar, value))}]"
    text = str(value)
    if "\n" in text:
        raise ValueError(f"more than one line: {text!r}")
    plain = _PLAIN.fullmatch(text) and not _WORD_WITH_A_MEANING.fullmatch(text)
    if plain and not text.endswith((" ", ":")):
        return text
    return "'" + text.replace("'", "''") + "'"


def lines(value: Mapping | Sequence, indent: int = 0) -> Iterator[str]:
    """Yield the lines of a mapping, or of a list of mappings."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from entry(str(key), item, indent)
        return
    for item in value:
        inner = list(lines(item, indent + 2))
        yield f"{' ' * indent}- {inner[0].lstrip()}"
        yield from inner[1:]


def entry(key: str, value: object, indent: int) -> Iterator[str]:
    """Yield the lines of one key and its value."""
    start = f"{' ' * indent}{key}:"
    if isinstance(value, Mapping) or (isinstance(value, list) and _holds_mappings(value)):
        yield start
        yield from lines(value, indent + 2)
    elif isinstance(value, str) and is_long(value, start):
        yield f"{start} |" if key.startswith("doc") else f"{start} >-"
        inner = " " * (indent + 2)
        for line in (
            value.splitlines() if "\n" in value else textwrap.wrap(value, WIDTH - indent, **WRAP)
        ):
            yield (inner + line).rstrip()
    else:
        yield f"{start} {scalar(value)}"


def _holds_mappings(value: list) -> bool:
    return bool(value) and isinstance(value[0], Mapping)


def is_long(text: str, start: str) -> bool:
    """Whether a text needs a block of its own."""
    return "\n" in text or len(start) + 1 + len(scalar(text)) > WIDTH
