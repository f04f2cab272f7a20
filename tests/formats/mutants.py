"""Our reader and the Kaitai parser of the mirror on files that are slightly broken.

Both must accept the same mutants, with the same leaves, but for what a mirror cannot say; each of
those reasons is named here. A long run prints its tally:

    python -m tests.formats.mutants 20000 [SEED]
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator

from tests.corpus import VALID
from tileir import BytecodeError
from tileir.formats.version import LATEST, Version

from .schema.mirrored import ours, theirs

TOO_LENIENT = {
    "missing_section": "Kaitai has no rule about all sections together",
    "limit": "Kaitai counts neither depth nor items",
    "bad_offset": "Kaitai has no rule about all offsets of a table together",
}
"""Kinds of error that only we raise, and why."""

NEWER = "only the mirror accepts: a newer version"
"""No list of the mirror ends where something is unknown, so it refuses newer versions."""


def mutants(count: int, seed: int = 0) -> Iterator[bytes]:
    """Fixtures with one to three small changes each."""
    files = [path.read_bytes() for path in VALID]
    choose = random.Random(seed)
    for _ in range(count):
        data = bytearray(choose.choice(files))
        for _ in range(choose.randint(1, 3)):
            mutate(data, choose)
        yield bytes(data)


def mutate(data: bytearray, choose: random.Random) -> None:
    """One change in place: most hit a byte, some insert, cut or stretch a number."""
    at = choose.randrange(8, len(data))
    match choose.randrange(6):
        case 0:
            data[at] ^= 1 << choose.randrange(8)
        case 1:
            data[at] = choose.choice((0, 1, 2, 3, 5, 13, 15, 16, 127, 128, 203, 255))
        case 2:
            data[at] = (data[at] + choose.choice((-1, 1))) % 256
        case 3:
            data.insert(at, choose.randrange(256))
        case 4:
            del data[at : at + choose.randint(1, 4)]
        case 5:  # a varint of the same value, but longer; the byte after it goes
            if data[at] < 128 and at + 1 < len(data):
                data[at : at + 2] = bytes((data[at] | 128, 0))


def version_of_file(data: bytes) -> Version:
    """The version that the header states."""
    return Version(*data[8:10])


def verdict(data: bytes) -> tuple[str, object]:
    """How the two readers compare on a file: a word for the tally, and what there is to say."""
    try:
        mine = ours(data)
    except BytecodeError as error:
        mine = error
    try:
        other = theirs(data)
    except Exception as error:
        other = error
    if isinstance(mine, dict) and version_of_file(data) > LATEST:
        return ("refused", "version") if isinstance(other, Exception) else (NEWER, other)
    if isinstance(mine, dict) and isinstance(other, dict):
        differing = difference(mine, other)
        return ("differ", differing) if differing else ("equal", len(mine))
    if isinstance(mine, BytecodeError) and isinstance(other, Exception):
        return "refused", mine.kind
    if isinstance(mine, BytecodeError):
        return f"only the mirror accepts: {mine.kind}", mine
    return f"only we accept: {type(other).__name__}", other


def difference(mine: dict, other: dict) -> list[tuple]:
    """Paths at which the leaves differ.

    Of entries that lie on top of each other, our trace shows a choice that covers the bytes once;
    entries that it leaves out are not compared.
    """
    shown = {entry_of(path) for path in mine}
    return [
        (path, mine.get(path), other.get(path))
        for path in sorted(mine.keys() | other.keys())
        if mine.get(path) != other.get(path) and entry_of(path) in shown
    ]


def entry_of(path: str) -> str:
    """The first list item of a path, which for a table is the entry: ``debug.records[3]``."""
    found = re.match(r"[\w.]*\[\d+\]", path)
    return found[0] if found else ""


def tally(count: int, seed: int = 0) -> tuple[Counter[str], dict[str, tuple[object, bytes]]]:
    """How many mutants got each verdict, and an example of each."""
    counts: Counter[str] = Counter()
    examples: dict[str, tuple[object, bytes]] = {}
    for data in mutants(count, seed):
        word, detail = verdict(data)
        counts[word] += 1
        examples.setdefault(word, (detail, data))
    return counts, examples


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[1:]] or [1000]
    counts, examples = tally(*numbers)
    for word, number in counts.most_common():
        print(f"{number:7} {word}    e.g. {str(examples[word][0])[:150]}")
