"""Compilations for GPUs in one file, to take to another machine: a zip of entries of the cache.

A member is called as the entry's file is, and holds the entry: the line of its key, and what is
kept. What comes from elsewhere is only data: each kind has a reader, which refuses what it does not
know, and what has none is not taken. Machine code for the CPU has none, as to load it is to run it;
it cannot pass for anything else, because an entry's own line decides where it is found.

The hash says that an entry belongs to its key. It does not say that a compiler of ours has made
it: whoever gives us a file could have written any PTX into it.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from tileir.launch.archives import DAMAGE, DATE, is_plain, most_bytes
from tileir.messages.texts import display, printable

from .key import Key
from .listing import facts_in
from .store import SUFFIX, Cache

Reader = Callable[[bytes], bytes]
"""Reads what an entry holds, and returns it as this release writes it; ValueError if it cannot."""

_MEMBER = re.compile(rf"([0-9a-f]{{64}}){re.escape(SUFFIX)}")
_MOST_MEMBERS = 1 << 17
_LONGEST = 1 << 28
"""Bytes of the longest entry that is read."""


@dataclass(slots=True)
class Imported:
    """What came of the members of a file: keys that were written, or were there, and refusals."""

    written: list[Key] = field(default_factory=list)
    known: list[Key] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def write_entries(cache: Cache, names: Iterable[str], out: BinaryIO) -> int:
    """Write entries into a file, and return how many; those that are damaged are left out.

    The same entries give the same bytes.
    """
    count = 0
    with zipfile.ZipFile(out, "w") as made:
        for name in sorted(names):
            entry = cache.peek(name)
            if entry is not None:
                member = zipfile.ZipInfo(name + SUFFIX, DATE)
                made.writestr(member, entry, zipfile.ZIP_DEFLATED)
                count += 1
    return count


def read_entries(cache: Cache, file: BinaryIO, readers: Mapping[str, Reader]) -> Imported:
    """Take entries of the kinds in `readers` from a file; ValueError for what is no such file.

    Entries that the cache has stay as they are. No more is read than the cache may hold, or than a
    file of its size is expected to have.
    """
    done = Imported()
    most = min(cache.limit, most_bytes(file.seek(0, io.SEEK_END)))
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            if len(members) > _MOST_MEMBERS:
                raise ValueError(f"it has {len(members)} members; {_MOST_MEMBERS} are read")
            room = most
            for member in members:
                room -= member.file_size
                if room < 0:
                    raise ValueError(f"its members have more than {most} bytes, the limit")
                _take(cache, archive, member, readers, done)
    except DAMAGE as problem:
        raise ValueError(str(problem) or type(problem).__name__) from None
    return done


def _take(
    cache: Cache,
    archive: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    readers: Mapping[str, Reader],
    done: Imported,
) -> None:
    """Take one member, or say why it is refused."""
    named = _MEMBER.fullmatch(member.filename)
    try:
        if named is None:
            raise ValueError("it has no name of an entry")
        if member.file_size > _LONGEST:
            raise ValueError(f"it has {member.file_size} bytes")
        if not is_plain(member):
            raise ValueError("it is neither stored nor deflated")
        with archive.open(member) as opened:
            entry = opened.read(_LONGEST + 1)
        line, _, contents = entry.partition(b"\n")
        key, facts = Key.of_line(line), facts_in(line)
        if key.name != named[1] or facts is None:
            raise ValueError("it is not the entry of its name")
        reader = readers.get(facts["kind"])
        if reader is None:
            raise ValueError(f"{facts['kind']} is not taken from elsewhere")
        kept = line + b"\n" + reader(contents)
    except DAMAGE as problem:
        why = printable(str(problem)) or type(problem).__name__
        done.refused.append(f"{display(member.filename)}: {why}")
        return
    if cache.peek(key.name) is not None:
        done.known.append(key)
    elif cache.put(key.name, kept):
        done.written.append(key)
    else:
        done.refused.append(f"{display(member.filename)}: it cannot be written")
