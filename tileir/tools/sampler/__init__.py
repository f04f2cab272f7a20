"""Random valid modules, from the op table: the same seed gives the same bytes everywhere.

    from tileir.sampler import sample
    bytecode = sample(7, "13.4", ops=100)
    data = bytecode.build()

Every op of the version, every kind of type, nested regions, constants, globals, hints and source
locations turn up. What rows cannot say is in `relations` (types) and `attributes` (values); all
that is drawn goes through the builder, so what a sample breaks is a rule that nobody has stated.
Meant for fuzzing and for comparing implementations; the programs compute nothing of use, and may
divide by zero or read anywhere.
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
    """A random valid module.

    seed     0 or more; together with the other two it decides every byte
    version  bytecode version, for example "13.1"
    ops      about how many ops in all functions together; what has to end regions comes on top

    BuildError for arguments that make no sense.
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
