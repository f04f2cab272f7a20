"""Modules with one thing changed, each determined by a seed and a number.

Number n is about op n of the table, round and round, so every op is met equally often; entries,
globals and the module have rows there too, and stand for changes around bodies. The module that is
changed is a small one made for the op, a random one, or a fixture.
"""

from __future__ import annotations

import random
from functools import cache
from typing import NamedTuple

from tests.corpus import VALID, name_of
from tests.tileir.every_op import module_with
from tests.verifier.changes import IN_BODIES, TO_MODULES
from tests.verifier.sites import Site, sites
from tests.verifier.unchecked import write
from tileir import BuildError, Bytecode
from tileir.formats.ops import OPS
from tileir.formats.version import SUPPORTED, Version
from tileir.sampler import sample

MINOR_AT = 9
"""Offset of the byte in the header that has the minor version."""

ATTEMPTS = 40
SAMPLES = 60
"""Different random modules of each version."""


class Mutant(NamedTuple):
    """A mutant: what it was made from, the kind of change, the op, and what changed in words."""

    source: str
    version: str
    kind: str
    op: str
    change: str
    data: bytes


def kinds() -> list[str]:
    """All kinds of changes."""
    return [*IN_BODIES, *TO_MODULES]


def mutant(seed: int, number: int, version: str = "", kind: str = "") -> Mutant:
    """The mutant of that number, the same bytes on every machine.

    `version` and `kind` narrow what is drawn. LookupError if nothing of the kind can be made.
    """
    choice = random.Random(f"{seed}/{number}/{version}/{kind}")
    rows = [spec for spec in OPS if not version or spec.since <= Version.of(version)]
    for attempt in range(ATTEMPTS):
        row = rows[(number + attempt * (attempt > 4)) % len(rows)]
        changes = IN_BODIES if row.in_body and kind not in TO_MODULES else TO_MODULES
        if kind in IN_BODIES and not row.in_body:
            row, changes = choice.choice([spec for spec in rows if spec.in_body]), IN_BODIES
        source, bytecode = _source(choice, row if row.in_body else None, version)
        found = list(sites(choice, bytecode))
        if row.in_body:
            found = [site for site in found if site.op.name == row.mnemonic]
        if not found:
            continue
        site = choice.choice(found)
        name = kind or choice.choice(list(changes))
        try:
            text = (IN_BODIES | TO_MODULES)[name](site)
            data = None if text is None else _written(bytecode)
        except (BuildError, AttributeError, TypeError, ValueError, OverflowError, IndexError):
            continue  # the layout has no room for it
        if data is not None:
            return Mutant(source, str(bytecode.version), name, row.mnemonic, text, data)
    raise LookupError(f"no {kind or 'mutant'} for number {number}")


def _written(bytecode: Bytecode) -> bytes:
    data = write(bytecode)
    claimed = getattr(bytecode, "claimed", None)
    if claimed is not None:
        data = data[:MINOR_AT] + bytes((claimed,)) + data[MINOR_AT + 1 :]
    return data


# What is changed ----------------------------------------------------------------------------------


def _source(choice: random.Random, row, version: str) -> tuple[str, Bytecode]:
    """A module that has the op, freshly read: nobody has changed it yet."""
    versions = [v for v in SUPPORTED if version in ("", str(v)) and (not row or row.since <= v)]
    target = choice.choice(versions[-2:] if choice.random() < 0.5 else versions)
    roll = choice.random()
    if roll < 0.25:
        fixtures = [path for path, ops in _fixtures(str(target)) if not row or row.mnemonic in ops]
        if fixtures:
            path = choice.choice(fixtures)
            return name_of(path), _read(path.read_bytes())
    if roll < 0.65:
        for _ in range(4):
            number = choice.randrange(SAMPLES)
            data, ops = _sample(number, target)
            if not row or row.mnemonic in ops:
                return f"sample({number}, {target}, 30)", _read(data)
    row = row or choice.choice([spec for spec in OPS if spec.in_body and spec.since <= target])
    return f"{target} {row.mnemonic}", _read(_small(row.mnemonic, target))


def _read(data: bytes) -> Bytecode:
    return Bytecode.parse(data).touch()


def _ops(bytecode: Bytecode) -> frozenset[str]:
    return frozenset(op.name for function in bytecode.functions for op in function.walk())


@cache
def _fixtures(version: str) -> list[tuple]:
    """The fixtures of a version that are not large, and the ops in them."""
    found = [path for path in VALID if path.parent.name == version]
    return [
        (path, _ops(_read(path.read_bytes()))) for path in found if len(path.read_bytes()) < 8192
    ]


@cache
def _sample(number: int, version: Version) -> tuple[bytes, frozenset[str]]:
    bytecode = sample(number, version, 30)
    return bytecode.data, _ops(bytecode)


@cache
def _small(mnemonic: str, version: Version) -> bytes:
    return module_with(next(spec for spec in OPS if spec.mnemonic == mnemonic), version).build()


def everything(choice: random.Random, bytecode: Bytecode) -> list[Site]:
    """All sites of a module, for those who want to make a change of their own."""
    return list(sites(choice, bytecode))
