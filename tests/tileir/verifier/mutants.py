"""Modules with one thing changed, each determined by a seed and a number.

Number n is about row n of a list of ops, round and round, which has every op at least once: those
with regions and accesses to views, which have most rules, are there more often. Every eighth mutant
is about what lies around the ops. The module that is changed is a small one made for
the op, a random one, or a fixture.
"""

from __future__ import annotations

import random
from functools import cache
from typing import NamedTuple

from tests.corpus import VALID, name_of
from tests.tileir.every_op import module_with
from tests.tileir.verifier.changes import IN_BODIES, TO_MODULES, kind_for
from tests.tileir.verifier.sites import sites
from tests.tileir.verifier.unchecked import write
from tileir import BuildError, Bytecode
from tileir.formats.ops import OPS
from tileir.formats.ops.spec import Op as Spec
from tileir.formats.version import LATEST, SUPPORTED, Version
from tileir.sampler import sample

MINOR_AT = 9
"""Offset of the byte in the header that has the minor version."""

AROUND = 8
"""One in so many mutants is about entries, globals, names and source locations."""

ATTEMPTS = 400
FAITHFUL = 15
"""Attempts after which another op will do: some kinds of changes are for few ops."""

SAMPLES = 60
"""Different random modules of each version."""


class NoMutantError(Exception):
    """No change of the kind asked for can be made."""


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

    `version` and `kind` narrow what is drawn. NoMutantError if nothing of the kind can be made.
    """
    choice = random.Random(f"{seed}/{number}/{version}/{kind}")
    rows = _rows(Version.of(version or LATEST))
    around = kind in TO_MODULES or (not kind and number % AROUND == 0)
    for attempt in range(ATTEMPTS):
        row = rows[number % len(rows)] if attempt < FAITHFUL else choice.choice(rows)
        source, bytecode = _source(choice, row, version)
        found = [site for site in sites(choice, bytecode) if around or site.op.name == row.mnemonic]
        if not found:
            continue
        site = choice.choice(found)
        changes = TO_MODULES if around else IN_BODIES
        name = kind or kind_for(choice, changes, None if around else row)
        try:
            text = changes[name](site)
            data = None if text is None else _written(bytecode)
        except (BuildError, AttributeError, TypeError, ValueError, OverflowError, IndexError):
            continue  # the layout has no room for it
        if data is not None:
            op = "(module)" if around else row.mnemonic
            return Mutant(source, str(bytecode.version), name, op, text, data)
    raise NoMutantError(f"no {kind or 'mutant'} for number {number}")


@cache
def _rows(version: Version) -> list[Spec]:
    """The ops of a version in the order in which mutants are about them."""
    rows = [spec for spec in OPS if spec.in_body and spec.since <= version]
    regions = [spec for spec in rows if spec.regions]
    views = [spec for spec in rows if any(slot.name == "view" for slot in spec.operands)]
    return rows + 3 * regions + views


def _written(bytecode: Bytecode) -> bytes:
    data = write(bytecode)
    claimed = getattr(bytecode, "claimed", None)
    if claimed is not None:
        data = data[:MINOR_AT] + bytes((claimed,)) + data[MINOR_AT + 1 :]
    return data


# What is changed ----------------------------------------------------------------------------------


def _source(choice: random.Random, row: Spec, version: str) -> tuple[str, Bytecode]:
    """A module that has the op, freshly read: nobody has changed it yet."""
    versions = [v for v in SUPPORTED if version in ("", str(v)) and row.since <= v]
    target = choice.choice(versions[-2:] if choice.random() < 0.5 else versions)
    roll = choice.random()
    if roll < 0.25:
        fixtures = [path for path, ops in _fixtures(str(target)) if row.mnemonic in ops]
        if fixtures:
            path = choice.choice(fixtures)
            return name_of(path), _read(path.read_bytes())
    if roll < 0.65:
        for _ in range(4):
            number = choice.randrange(SAMPLES)
            data, ops = _sample(number, target)
            if row.mnemonic in ops:
                return f"sample({number}, {target}, 30)", _read(data)
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
