"""What the text of a kernel says about its memory accesses, before it runs."""

from __future__ import annotations

import re

from .syntax import Entry
from .types import width

_MEMORY = re.compile(r"(ld|st|atom|red|cp|ldmatrix|stmatrix|multimem)\b")
_TYPE = re.compile(r"\.([busf]|bf)(8|16|32|64|128)(x2)?$")
_ORDERING = re.compile(r"(fence(?!\.proxy)|membar|\w+\.(?:\w+\.)*(acquire|release|acq_rel))\b.*")


def granules(entry: Entry) -> dict[str, int]:
    """The smallest word that each space is accessed with, in bytes."""
    found = {"global": 4, "shared": 4}
    for statement in entry.statements:
        kind = _TYPE.search(statement.opcode)
        if not _MEMORY.match(statement.opcode) or not kind or ".param" in statement.opcode:
            continue
        size = min(width("".join(part or "" for part in kind.groups())), 4)
        spaces = [space for space in found if f".{space}" in statement.opcode] or list(found)
        for space in spaces:
            found[space] = min(found[space], size)
    return found


def orders_threads(entry: Entry) -> bool:
    """Whether anything but barriers orders threads, of several blocks too."""
    return any(_ORDERING.match(statement.opcode) for statement in entry.statements)
