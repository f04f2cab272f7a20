"""The passes of the reducer, in the order in which they are made until none of them helps."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tileir.bytecode import Bytecode

from .passes import attributes, functions, naming, ops, regions, types
from .passes.candidate import Unit


class Pass(NamedTuple):
    """One kind of change.

    name      what reports call it
    tries     what one unit does, in words
    units     the units for a module, in the order of its ops; the last ones are tried first
    together  whether many units can be tried at once; otherwise they exclude each other
    """

    name: str
    tries: str
    units: Callable[[Bytecode], list[Unit]]
    together: bool = True


DEAD = Pass("dead", "take out ops whose results nobody needs", ops.dead)

PASSES = (
    Pass("functions", "take out a function or a global", functions.functions),
    Pass("erase", "take out an op; zeros are used for its results", ops.erased),
    DEAD,
    Pass("inline", "put a branch or loop body in the place of its op", regions.inlined),
    Pass("else", "empty an else region", regions.without_else),
    Pass("carried", "take out a carried value or a result of a region", regions.carried),
    Pass("forward", "use an operand in the place of a result", ops.forwarded),
    Pass("merge", "use a value from before in the place of a result", ops.merged, together=False),
    Pass("parameters", "take out a parameter", functions.parameters),
    Pass("operands", "take out an operand that may be absent", attributes.operands),
    Pass("locations", "take out a source location", naming.locations),
    Pass("extents", "make an extent smaller wherever it occurs", types.extents, together=False),
    Pass("attributes", "make an attribute plain, a constant zero", attributes.attributes),
    Pass("constants", "make a constant or number smaller", attributes.constants, together=False),
    Pass("elements", "make an element type i32 or f32", types.elements, together=False),
    Pass("names", "take out hints and the producer, shorten names", naming.names),
)
"""Passes that take out most at the least cost come first."""

TABLES = Pass("tables", "write the tables anew, with what is used", lambda bytecode: [])
VERSION = Pass("version", "write an older version", lambda bytecode: [])
"""What the search does by itself, at the start and in the end."""

BY_NAME = {row.name: row for row in (TABLES, *PASSES, VERSION)}
