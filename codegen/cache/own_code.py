"""The hash of all our source files, which says by which compiler an entry of the cache was made.

Hashing them takes longer than all else that a kernel from the cache needs. So the hash is kept
beside the compiled modules of Python, on the same terms: in `__pycache__` or where Python was told
to keep these, and not at all if it was told so. It holds as long as no file has changed by size and
times; the time that Unix calls ctime changes with the contents, whatever happens to the others.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import time
from collections.abc import Iterator
from importlib.util import cache_from_source
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import tileir
from tileir import formats

_SETTLED = 2_000_000_000
"""Nanoseconds after which a change of a file surely has another time than the one before."""


class Source(NamedTuple):
    """A source file: its path, and what changes with its contents."""

    path: str
    size: int
    modified: int
    changed: int
    inode: int


def digest() -> str | None:
    """Return the hash of all our source files; None if there are none. OSError if unreadable."""
    files = sources()
    if not files:
        return None
    facts = repr(list(map(tuple, files)))  # without names, which takes half as long
    state = hashlib.sha256(facts.encode(errors="surrogateescape")).hexdigest()
    kept = _kept()
    if kept is not None:
        with contextlib.suppress(OSError, ValueError):
            before, found = kept.read_text("ascii").split()
            if before == state and len(found) == len(state):
                return found
    made = _hashed(files)
    settled = max(file.changed for file in files) < time.time_ns() - _SETTLED
    if kept is not None and settled and not sys.dont_write_bytecode:
        _keep(kept, f"{state} {made}")
    return made


def sources() -> list[Source]:
    """Return all source files of the three layers, in an order independent of the machine."""
    folders = (tileir.__path__[0], formats.__path__[0], str(Path(__file__).parents[1]))
    return [file for folder in folders for file in _in(folder)]


def _in(folder: str) -> Iterator[Source]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=attrgetter("name")):
            if entry.name.endswith(".py"):
                found = entry.stat()
                times = found.st_mtime_ns, found.st_ctime_ns
                yield Source(entry.path, found.st_size, *times, found.st_ino)
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _in(entry.path)


def _hashed(files: list[Source]) -> str:
    made = hashlib.sha256()
    for file in files:
        data = Path(file.path).read_bytes()
        name = Path(*Path(file.path).parts[-3:])
        made.update(f"{name}\0{len(data)}\0".encode(errors="replace"))
        made.update(data)
    return made.hexdigest()


def _kept() -> Path | None:
    """Return where the hash is kept; None where Python keeps nothing."""
    try:
        return Path(cache_from_source(__file__)).with_suffix(".sources")
    except (NotImplementedError, NameError):
        return None


def _keep(path: Path, text: str) -> None:
    """Write the file, whole or not at all."""
    unfinished = path.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(text, "ascii")
        os.replace(unfinished, path)
