"""Warnings about symbols that PTX cannot spell, so that compilers must change them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tileir.verifier.catalogue import WARNING, declare

RESERVED = ("WARP_SZ",)
IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_$]*|[_$][A-Za-z0-9_$]+")
FOREIGN = re.compile(r"[^A-Za-z0-9_$]")

NAME = declare(
    "ptx-name",
    "PTX names are letters, digits, _ and $, and do not start with a digit. Another name of an "
    "entry or a public global is changed on the way, so the host does not find it.",
    "use letters, digits and _",
    WARNING,
)
CLASH = declare(
    "ptx-clash",
    "Two symbols that differ only in characters that PTX does not have become one and the same: "
    "compilers replace each of those by _.",
    "give them names that differ in letters or digits",
    WARNING,
)


def spelled_in_ptx(name: str) -> bool:
    """Whether PTX can have a symbol of that name."""
    return name not in RESERVED and bool(IDENTIFIER.fullmatch(name))


def mangled(name: str) -> str:
    """Return a name with every character that PTX lacks replaced by _."""
    return FOREIGN.sub("_", name)


def clashes(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each name that is the same in PTX as an earlier, different one, with that one."""
    seen: dict[str, str] = {}
    for name in names:
        first = seen.setdefault(mangled(name), name)
        if first != name:
            yield name, first
