"""Facts about the memory accesses of a kernel, read from its text before it runs."""

from __future__ import annotations

import re

from .syntax import PtxEntry
from .types import width

_MEMORY = re.compile(r"(ld|st|atom|red|cp|ldmatrix|stmatrix|multimem)\b")
_TYPE = re.compile(r"\.([busf]|bf)(8|16|32|64|128)(x2)?$")
_ORDERING = re.compile(
    r"(?!mbarrier|barrier\.cluster|fence\.(?:proxy|mbarrier_init))"
    r"(fence|membar|\w+\.(?:\w+\.)*(acquire|release|acq_rel))\b.*"
)


def granules(entry: PtxEntry) -> dict[str, int]:
    """Return for each space the bytes of the smallest word that the kernel accesses, at most 4."""
    smallest = {"global": 4, "shared": 4}
    for statement in entry.statements:
        kind = _TYPE.search(statement.opcode)
        if not _MEMORY.match(statement.opcode) or not kind or ".param" in statement.opcode:
            continue
        size = min(width("".join(part or "" for part in kind.groups())), 4)
        spaces = [space for space in smallest if f".{space}" in statement.opcode] or list(smallest)
        for space in spaces:
            smallest[space] = min(smallest[space], size)
    return smallest


def orders_threads(entry: PtxEntry) -> bool:
    """Whether the kernel has fences, releases or acquires, which order threads across blocks."""
    return any(_ORDERING.match(statement.opcode) for statement in entry.statements)


def uses_mbarriers(entry: PtxEntry) -> bool:
    """Whether the kernel has mbarriers."""
    return any(statement.opcode.startswith("mbarrier") for statement in entry.statements)
