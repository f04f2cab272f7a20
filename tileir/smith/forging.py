"""Programs of a seed: of a version, of about so many ops, of some features."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from tileir.errors import BuildError, VersionError
from tileir.formats.version import LATEST, Version
from tileir.launch.described import SCHEMA, described_array
from tileir.messages.wording import did_you_mean
from tileir.tools.sampler.draws import Draws
from tileir.types import Pointer

from .case import Case
from .features import CONTROL
from .program import Program
from .recipes import RECIPES

ATTEMPTS = 100
"""Programs that are tried until one can be written for an older version."""


def smith(
    seed: int,
    ops: int = 100,
    version: Version = LATEST,
    *,
    features: Sequence[str] = (),
    only: Sequence[str] = (),
    undefined: bool = False,
) -> Case:
    """Return a random program that computes, and what it is launched with.

    seed       0 or more; together with the rest it determines every byte
    ops        about how many ops it has
    version    bytecode version
    features   names of `features.FEATURES` or "narrow"; all of them if there are none
    only       ops that it is made of, besides those that load and store
    undefined  whether ops get operands for which they have no meaning, too

    BuildError for wrong arguments.
    """
    for name, number in (("seed", seed), ("ops", ops)):
        if operator.index(number) < 0:
            raise BuildError(f"{name} must be a number from 0 on, found {number}")
    for name in only:
        if name not in RECIPES or name in CONTROL:
            near = did_you_mean(name, [each for each in RECIPES if each not in CONTROL])
            known = name in RECIPES
            what = f"no program is made of {name!r}" if known else f"there is no op {name!r}"
            raise BuildError(f"{what}{near}")
    for attempt in range(ATTEMPTS):
        draws = Draws(seed + (attempt << 64))
        case = Program(draws, ops, version, features=features, only=only, wild=undefined).grow()
        if version == LATEST:
            return case
        try:
            case.bytecode = case.bytecode.to_version(version)
        except (BuildError, VersionError):
            continue
        return case
    raise BuildError(f"no program of such features could be written for {version}")


def description(case: Case, **origin: Any) -> dict[str, Any]:
    """Return the launch of a program as `tileir.launch.described` has it; `origin` is added."""
    types = case.bytecode.function(case.symbol).type.parameters
    arguments = []
    for type, array in zip(types, case.args, strict=True):
        element = type.element
        assert isinstance(element, Pointer), "smith makes pointers only"
        arguments.append(described_array(element.pointee.name, array))
    results = [
        {
            "argument": kept.array,
            "start": kept.start,
            "count": kept.count,
            "dtype": kept.element.name,
            "steps": kept.tolerance.steps,
            "difference": kept.tolerance.difference,
            "flushed": kept.tolerance.flushed,
        }
        for kept in case.kept
    ]
    return {
        "schema": SCHEMA,
        "entry": case.symbol,
        "grid": list(case.grid),
        "arguments": arguments,
        "results": results,
        **origin,
    }
