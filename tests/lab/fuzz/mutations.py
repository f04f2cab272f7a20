"""Mutants: files that are nearly right, each determined by a seed and a number.

Three kinds. *Blind* ones change bytes anywhere. *Framed* ones change one piece of a file (a body, a
table entry) and write the frame around it anew, so that inner decoding is reached. *Swollen* ones
repeat something until the file has tens of kilobytes, which is where cost shows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.corpus import INVALID, VALID, name_of
from tileir import Bytecode, BytecodeError, Version
from tileir.formats.version import LATEST

from .framing import DEBUG, FUNC, HEADER, Framed, Section, Unframed, take_apart, varint

LARGEST = 64 * 1024
"""Bytes of a mutant."""

MINORS = range(8)
"""What the second byte of a version may become: all that exist, and some that do not."""

EDGES = sorted({1 << k for k in range(0, 66, 1)} | {(1 << k) - 1 for k in range(1, 66)} | {0})
"""Numbers at which something may give way."""

NEWER = f"{LATEST.major}.{LATEST.minor + 1}"
"""A version that is newer than any that is known."""

DYNAMIC = 1 << 63
SMALL = 48
"""Value numbers, type indices and counts of real files are mostly below this."""


class Mutant(NamedTuple):
    """A mutant and the name of the file it was made from."""

    source: str
    data: bytes


@dataclass
class Seed:
    """A file to start from."""

    name: str
    data: bytes

    @cached_property
    def bytecode(self) -> Bytecode | None:
        """The file as read, None if it cannot be."""
        try:
            bytecode = Bytecode.parse(self.data)
            _ = bytecode.functions  # the table is only read when asked for
            return bytecode
        except BytecodeError:
            return None

    @cached_property
    def framed(self) -> Framed | None:
        """Its pieces, None if they cannot be told apart."""
        functions = self.bytecode.functions if self.bytecode else ()
        bodies = tuple((f.code.offset, len(f.code.data)) for f in functions)
        try:
            return take_apart(self.data, bodies)
        except Unframed:
            return None

    @cached_property
    def ops(self) -> dict[bytes, list[int]]:
        """Body -> where its ops begin, at all depths, in order."""
        found = {}
        try:
            for function in self.bytecode.functions if self.bytecode else ():
                starts = [op.offset - function.code.offset for op in function.walk()]
                found[bytes(function.code.data)] = starts
        except BytecodeError:
            return {}
        return found


def seeds(version: str = "") -> list[Seed]:
    """Every fixture, or those of one version and the invalid ones, small ones first.

    Of the version `NEWER` there are none; those of the latest are called so.
    """
    own = str(LATEST) if version == NEWER else version
    paths = [path for path in VALID if own in ("", path.parent.name)] + INVALID
    found = [Seed(name_of(path), Path(path).read_bytes()) for path in paths]
    if version == NEWER:
        stated = bytes(Version.of(NEWER))
        found = [Seed(s.name, s.data[:8] + stated + s.data[10:]) for s in found]
    return sorted(found, key=lambda seed: (len(seed.data), seed.name))


def mutant(seed: int, number: int, files: Sequence[Seed], swollen: float = 0.01) -> Mutant:
    """The mutant of that number: the same one for the same seed and files, on every machine.

    The first ones go through the files in order, later ones prefer small files. `swollen` is the
    share that grows to tens of kilobytes.
    """
    choice = random.Random(f"{seed}/{number}")
    pick = number if number < len(files) else min(choice.randrange(len(files)) for _ in range(2))
    file, donor = files[pick], choice.choice(files)
    rounds = choice.choice((1, 1, 1, 2, 2, 3, 5, 9))
    if choice.random() < swollen:
        data = _swell(file, choice)
    elif file.framed is not None and choice.random() < 0.8:
        data = _framed(file, donor, choice, rounds)
    else:
        changed = bytearray(file.data)
        for _ in range(rounds):
            blind(changed, donor.data, choice)
        data = bytes(changed)
    if choice.random() < 0.05:
        data = data[:9] + bytes((choice.choice(MINORS),)) + data[10:]
    return Mutant(file.name, data[:LARGEST])


# Blind --------------------------------------------------------------------------------------

Change = Callable[[bytearray, int, bytes, random.Random], None]


def blind(data: bytearray, donor: bytes, choice: random.Random) -> None:
    """Change some bytes in place; `donor` is where foreign ones come from."""
    position = choice.randrange(len(data)) if data else 0
    choice.choice(CHANGES)(data, position, donor, choice)


def _flip(data: bytearray, at: int, donor: bytes, choice: random.Random) -> None:
    if data:
        data[at] ^= 1 << choice.randrange(8)


def _set(data: bytearray, at: int, donor: bytes, choice: random.Random) -> None:
    data[at : at + 1] = bytes((choice.choice((choice.randrange(256), choice.randrange(SMALL))),))


def _nudge(data: bytearray, at: int, donor: bytes, choice: random.Random) -> None:
    if data:
        data[at] = (data[at] + choice.choice((-2, -1, 1, 2))) % 256


def _insert(data: bytearray, at: int, donor: bytes, choice: random.Random) -> None:
    data[at:at] = choice.randbytes(choice.choice((1, 1, 2, 4, 9)))


def _delete(data: bytearray, at: int, donor: bytes, choice: random.Random) -> None:
    del data[at : at + choice.choice((1, 1, 2, 4, 9))]


def _truncate(data: bytearray, at: int, donor: bytes, choice: random.Random) -> None:
    del data[at:]


def _overlong(data: bytearray, at: int, donor: bytes, choice: random.Random) -> None:
    """The same number in more bytes than it needs, now and then in more than a reader takes."""
    value = data[at] & 127 if data else 0
    data[at : at + 1] = varint(value, choice.choice((2, 2, 3, 5, 9, 10, 11)))


def _edge(data: bytearray, at: int, donor: bytes, choice: random.Random) -> None:
    """A number at the edge of something, as a varint."""
    value = choice.choice(EDGES)
    data[at : at + 1] = varint(value, choice.choice((1, 1, 1, 10)))


def _fixed_edge(data: bytearray, at: int, donor: bytes, choice: random.Random) -> None:
    """The same with a fixed size, as shapes and offsets have it."""
    size = choice.choice((4, 8))
    value = choice.choice((*EDGES, DYNAMIC, -1, -2)) % (1 << 8 * size)
    at -= at % choice.choice((1, size))
    data[at : at + size] = value.to_bytes(size, "little")


def _copy(data: bytearray, at: int, donor: bytes, choice: random.Random) -> None:
    """A range of the same bytes, over others or between them."""
    size, to = choice.choice((1, 2, 4, 8, 20, 60)), choice.randrange(len(data) + 1)
    part = data[at : at + size]
    data[to : to + choice.choice((0, len(part)))] = part


def _splice(data: bytearray, at: int, donor: bytes, choice: random.Random) -> None:
    """A range of other bytes, over some or between them."""
    begin, size = choice.randrange(len(donor) + 1), choice.choice((2, 8, 30, 100))
    part = donor[begin : begin + size]
    data[at : at + choice.choice((0, len(part)))] = part


CHANGES: tuple[Change, ...] = (
    _flip, _flip, _set, _set, _nudge, _nudge, _insert, _delete, _truncate,
    _overlong, _edge, _fixed_edge, _copy, _splice,
)  # fmt: skip


# Framed -------------------------------------------------------------------------------------


def _framed(file: Seed, donor: Seed, choice: random.Random, rounds: int) -> bytes:
    made = file.framed.copy()
    for _ in range(rounds):
        if not made.sections:
            break
        weights = [6 if section.number == FUNC else 2 for section in made.sections]
        section = choice.choices(made.sections, weights)[0]
        dice = choice.random()
        if dice < 0.04:
            _rearrange(made, donor, choice)
        elif dice < 0.06:
            section.alignment = choice.choice((0, 1, 2, 3, 4, 8, 16, 64, 1 << 20))
        elif dice < 0.16:
            _relist(section, donor, choice)
        elif dice < 0.30 and section.number == FUNC:
            _reorder_ops(section, file, donor, choice)
        else:
            _change_piece(section, donor, choice)
    return made.data()


def _change_piece(section: Section, donor: Seed, choice: random.Random) -> None:
    """One piece changed blindly; bodies more often than what stands before them."""
    which = choice.randrange(-1 if section.number == DEBUG else 0, len(section.pieces) or 1)
    if section.number == FUNC and choice.random() < 0.8:
        which |= 1
    piece = section.pieces[which] if 0 <= which < len(section.pieces) else section.front
    data = bytearray(piece)
    blind(data, _foreign(section, donor, choice), choice)
    if 0 <= which < len(section.pieces):
        section.pieces[which] = bytes(data)
    else:
        section.front = bytes(data)


def _relist(section: Section, donor: Seed, choice: random.Random) -> None:
    """Pieces dropped, doubled, swapped, or taken from another file."""
    pieces, which = section.pieces, choice.randrange(len(section.pieces) or 1)
    foreign = _foreign(section, donor, choice)
    match choice.randrange(5):
        case 0:
            del pieces[which : which + 1]
        case 1:
            pieces[which:which] = pieces[which : which + 1]
        case 2:
            choice.shuffle(pieces)
        case 3:
            pieces[which : which + 1] = [foreign]
        case 4 if section.functions is not None:
            section.functions = choice.choice((0, 1, 2, choice.choice(EDGES)))
        case 4:
            pieces.insert(which, foreign)


def _foreign(section: Section, donor: Seed, choice: random.Random) -> bytes:
    """A piece of the same section of another file, if it has one."""
    for other in donor.framed.sections if donor.framed else ():
        if other.number == section.number and other.pieces:
            return choice.choice(other.pieces)
    return donor.data


def _rearrange(made: Framed, donor: Seed, choice: random.Random) -> None:
    """Sections dropped, doubled, shuffled, or taken from another file."""
    which = choice.randrange(len(made.sections))
    match choice.randrange(4):
        case 0:
            del made.sections[which]
        case 1:
            made.sections.append(made.sections[which])
        case 2:
            choice.shuffle(made.sections)
        case 3 if donor.framed and donor.framed.sections:
            made.sections[which] = choice.choice(donor.framed.copy().sections)


def _reorder_ops(section: Section, file: Seed, donor: Seed, choice: random.Random) -> None:
    """Whole ops dropped, doubled, moved, or taken from another file."""
    which = choice.randrange(len(section.pieces) or 1) | 1
    body = section.pieces[which] if which < len(section.pieces) else b""
    ops = _cut(body, file.ops.get(body, []))
    if len(ops) < 2:
        return
    at = choice.randrange(len(ops))
    match choice.randrange(4):
        case 0:
            del ops[at]
        case 1:
            ops[at:at] = ops[at : at + choice.choice((1, 2, 4))]
        case 2:
            ops.insert(choice.randrange(len(ops)), ops.pop(at))
        case 3:
            other, starts = choice.choice([*donor.ops.items(), (b"", [])])
            foreign = _cut(other, starts)
            begin = choice.randrange(len(foreign) or 1)
            ops[at:at] = foreign[begin : begin + choice.choice((1, 2, 4))]
    section.pieces[which] = b"".join(ops)


def _cut(body: bytes, starts: list[int]) -> list[bytes]:
    bounds = [0, *(start for start in starts if start), len(body)]
    return [body[a:b] for a, b in pairwise(bounds)]


# Swollen ------------------------------------------------------------------------------------


def _swell(file: Seed, choice: random.Random) -> bytes:
    """Something repeated many times, sometimes with a change behind it."""
    target = choice.randrange(LARGEST // 8, LARGEST)
    if file.framed is None or not file.framed.sections:
        return file.data[:HEADER] + file.data[HEADER:] * (target // (len(file.data) + 1))
    made = file.framed.copy()
    section = choice.choice(made.sections)
    which = choice.randrange(len(section.pieces) or 1)
    if section.number == FUNC:
        which |= 1
    piece = section.pieces[which] if which < len(section.pieces) else b"\x00"
    if choice.random() < 0.3 and section.functions is None:
        section.pieces += [piece] * min(target // (len(piece) + 4), 16_000)
    else:
        ops = _cut(piece, file.ops.get(piece, [])) or [piece]
        begin = choice.randrange(len(piece) or 1)
        part = choice.choice((choice.choice(ops), piece[begin : begin + choice.randrange(1, 30)]))
        at = choice.choice((begin, piece.find(part)))
        grown = piece[:at] + part * (target // (len(part) or 1)) + piece[at:]
        section.pieces[which : which + 1] = [grown]
    if choice.random() < 0.5:
        _change_piece(section, file, choice)
    return made.data()
