"""What is in a cache, for people: compilations with all of their parts, and what decided them."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from .key import CUBIN, LAUNCH_PLAN, LLVM_IR, MACHINE_CODE, PTX, PTX_WITHOUT_TWINS, Key
from .store import Cache, Entry

EMITTED = {
    "ptx": (PTX, PTX_WITHOUT_TWINS),
    "plan": (LAUNCH_PLAN,),
    "llvm": (LLVM_IR,),
    "cubin": (CUBIN,),
}
"""Value of --emit -> the kinds of parts that are it, the best one first."""

_NO_KIND = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """What was kept of one compilation.

    id     a hash of its facts, which all of its parts have in common
    facts  all that decided it: its target, its options, hashes of module and compiler
    parts  kind -> the file
    """

    id: str
    facts: Mapping[str, Any]
    parts: Mapping[str, Entry]

    @property
    def size(self) -> int:
        """The bytes of all parts."""
        return sum(entry.size for entry in self.parts.values())

    @property
    def used(self) -> float:
        """The time of the last use of any part, in seconds."""
        return max(entry.used for entry in self.parts.values())

    def made_by(self, compiler: str | None) -> bool:
        """Whether a compiler of ours with that hash may find it again."""
        return self.facts.get("compiler", compiler) == compiler


def listed(cache: Cache) -> tuple[list[Kept], list[Entry]]:
    """Return what is kept, the least recently used first, and the files that are none of it."""
    found: dict[str, tuple[dict[str, Any], dict[str, Entry]]] = {}
    others = []
    for entry in cache.entries():
        facts = facts_in(cache.line_of(entry.name) if entry.name else None)
        if facts is None:
            others.append(entry)
            continue
        kind = facts.pop("kind")
        common = Key.of(_NO_KIND, facts).name
        found.setdefault(common, (facts, {}))[1][kind] = entry
    kept = [Kept(common, facts, parts) for common, (facts, parts) in found.items()]
    return sorted(kept, key=lambda each: (each.used, each.id)), others


def facts_in(line: bytes | None) -> dict[str, Any] | None:
    """Return the facts in the first line of an entry; None for what no key has written."""
    try:
        facts = None if line is None else json.loads(line)
        kind = facts.get("kind") if isinstance(facts, dict) else None
        if not isinstance(kind, str) or facts is None:
            return None
        if not isinstance(facts.get("target", ""), str):
            return None
        others = {name: value for name, value in facts.items() if name != "kind"}
        return facts if Key.of(kind, others).line == line else None
    except (ValueError, RecursionError):
        return None


def symbols(cache: Cache, kept: Kept) -> list[str]:
    """Return the symbols of the entries that were compiled, as far as a part says them."""
    for kind, read in _SYMBOLS.items():
        entry = cache.peek(kept.parts[kind].name) if kind in kept.parts else None
        if entry is not None:
            try:
                return [str(symbol) for symbol in read(json.loads(entry.split(b"\n", 2)[1]))]
            except (ValueError, KeyError, TypeError, IndexError, RecursionError):
                return []
    return []


def _of_machine_code(head: Any) -> Iterable[str]:
    return [entry["symbol"] for entry in head["entries"]]


def _of_plans(tree: Any) -> Iterable[str]:
    return list(tree["plans"])


_SYMBOLS = {MACHINE_CODE: _of_machine_code, LAUNCH_PLAN: _of_plans}
"""Kind of a part -> the symbols in the first line of what it holds."""


def damaged(cache: Cache) -> list[Entry]:
    """Return the finished files that nobody can use: all of each is read, which takes time."""
    return [entry for entry in cache.entries() if entry.name and is_damaged(cache, entry)]


def is_damaged(cache: Cache, entry: Entry) -> bool:
    """Whether nobody can use a file: all of it is read.

    That holds for what another process has removed meanwhile, and removing it again does no harm.
    """
    contents = cache.peek(entry.name)
    return contents is None or facts_in(contents.partition(b"\n")[0]) is None


class Installed(NamedTuple):
    """A toolkit in a folder of the cache; its size is in bytes, without what links lead to."""

    name: str
    path: str
    files: int
    size: int


def toolkits(cache: Cache) -> list[Installed]:
    """Return the toolkits that were installed beside the entries, by name."""
    found = []
    with contextlib.suppress(OSError):
        found = sorted(each for each in cache.toolkits.iterdir() if each.is_dir())
    return [Installed(each.name, str(each), *_amount(each)) for each in found]


def _amount(folder: Path) -> tuple[int, int]:
    """Return how many files are in and below a folder, and their bytes."""
    sizes = []
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                sizes.append(os.lstat(os.path.join(place, name)).st_size)
    return len(sizes), sum(sizes)
