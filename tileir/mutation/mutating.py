"""Mutants: a module changed at random by a few steps, so that it stays valid."""

from __future__ import annotations

from collections.abc import Iterator

import tileir
from tileir.bytecode import Bytecode
from tileir.errors import BuildError, Diagnostic, TileIRError
from tileir.formats.version import SUPPORTED
from tileir.tools.sampler.draws import Draws

from .steps import Steps

MOST_STEPS = 6
ATTEMPTS = 200
"""Scripts that are tried until one leaves a module that is valid and another one."""

STEPS = {
    name: step
    for name, step in vars(Steps).items()
    if not name.startswith("_") and name not in ("visible", "value_of")
}
"""Name -> step, in one order."""


def mutate(bytecode: Bytecode, seed: int) -> tuple[Bytecode, list[str]]:
    """Return another module, made from a valid one by a few steps, and their names.

    The same module and seed give the same bytes on every machine. The module itself stays as it
    is. BuildError if it is not valid, has no ops, or if nothing could be changed.
    """
    data = bytecode.build()
    broken = next(_errors(Bytecode.parse(data)), None)
    if broken is not None:
        raise BuildError(f"what is not valid is not changed: {broken}")
    for attempt in range(ATTEMPTS):
        made, log = _mutant(data, Draws(seed + (attempt << 64)))
        if made is not None:
            return made, log
    raise BuildError("nothing could be changed so that it stays valid")


def _mutant(data: bytes, draws: Draws) -> tuple[Bytecode | None, list[str]]:
    bytecode, log = Bytecode.parse(data), []
    steps, names = Steps(bytecode, draws), [*STEPS]
    for _ in range(draws.between(1, MOST_STEPS)):
        readable = [each for each in bytecode.functions if each.opaque is None]
        if not readable:
            return None, log
        function = draws.pick(readable)
        steps.ops = list(function.walk())
        if not steps.ops:
            return None, log
        name = draws.pick(names)
        try:
            STEPS[name](steps, function, draws.pick(steps.ops))
        except BuildError:
            continue
        log.append(name)
    try:
        written = bytecode.build()
        if draws.chance(10):
            written = bytecode.to_version(draws.pick(SUPPORTED)).build()
            log.append("to_version")
    except TileIRError:
        return None, log
    made = Bytecode.parse(written)
    return (None if written == data or any(_errors(made)) else made), log


def _errors(bytecode: Bytecode) -> Iterator[Diagnostic]:
    return (each for each in tileir.verify(bytecode) if each.severity == "error")
