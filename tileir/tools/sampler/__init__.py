"""The sampler: random valid modules, drawn from the op table; a seed gives the same bytes
everywhere.

    from tileir.sampler import sample
    bytecode = sample(7, "13.4", ops=100)
    data = bytecode.build()

Samples have every op of the version, every kind of type, nested regions, constants, globals, hints
and source locations. Rules that rows cannot express are in `relations` (types) and `attributes`
(values). Everything goes through the builder, so a sample that a reader refuses breaks a rule that
is missing here. Samples are meant for fuzzing and for comparing implementations; the programs
compute nothing useful, and may divide by zero or read anywhere.
"""

from __future__ import annotations

import operator

from tileir.builder import Module
from tileir.bytecode import Bytecode
from tileir.errors import BuildError
from tileir.formats.version import LATEST, Version

from .modules import grown

__all__ = ["sample"]


def sample(seed: int, version: Version | str = LATEST, ops: int = 50) -> Bytecode:
    """Return a random valid module.

    seed     0 or more; together with the other two it determines every byte
    version  bytecode version, for example "13.1"
    ops      the approximate number of ops in all functions together, terminators not counted

    Raises BuildError for invalid arguments.
    """
    for name, number in (("seed", seed), ("ops", ops)):
        try:
            natural = operator.index(number) >= 0
        except TypeError:
            natural = False
        if not natural:
            raise BuildError(f"{name} must be a number from 0 on, found {number!r}")
    target = Module(version).version
    return grown(operator.index(seed), target, operator.index(ops)).bytecode()
