"""Files of version 13.6, which nobody knows: written with the fake future, read without it.

The tables of `tests.formats.future` know more than the real ones: an op, a type, a kind of
attribute, flags and a section. What they write is called 13.6 here, so that a reader without them
meets each of those as it will meet what NVIDIA comes up with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from tests.formats.evolution import (
    FLOAT,
    RETURN,
    STEPS,
    TYPES,
    hints,
    module,
    records,
    tags,
    unary,
    versions_with,
)
from tests.formats.future import V250_1, future
from tests.formats.small import file
from tileir.formats import codec
from tileir.formats.cursor import Slice
from tileir.formats.sections import BY_NAME

STATED = (13, 6)
"""The version that the files state."""

INTERVAL = {"variant": "Interval", "low": -4, "high": 3}
TWIST = unary("twist")
KNOWN, TWISTED, ASSUMED, HINTED = "known", "twisted", "assumed", "hinted"
SIGNATURE = {"variant": "func", "parameters": [2, 4], "results": []}
"""The type of each kernel: its parameters are scalars."""


def stated(data: bytes, version: tuple[int, int] = STATED) -> bytes:
    """The bytes of a file, with another version in the header."""
    return data[:8] + bytes(version) + data[10:]


@cache
def steps() -> dict[str, bytes]:
    """A file of 13.6 for each step of the future, by its name."""
    with future():
        return {step.name: stated(module(versions_with(step)[0], step.new)) for step in STEPS}


def entry(name: int, ops: Sequence[Mapping], given: Mapping | None = None) -> dict:
    """The record of a kernel, by the index of its name."""
    return {
        "name": name,
        "signature": len(TYPES),
        "flags": 2,
        "location": 0,
        "hints": given or {"variant": "OptimizationHints", "entries": []},
        "argument_attributes": {"variant": "Array", "elements": []},
        "body": [*ops, RETURN],
    }


@cache
def whole(*names: str) -> bytes:
    """A file of 13.6 with a new section, and kernels of those names in that order.

    `KNOWN` has nothing new, `TWISTED` a new op behind a known one, `ASSUMED` a new kind of
    attribute in an op, `HINTED` one in its hints, which ends what is known of the Func section.
    """
    assume = {"variant": "assume", "result_types": [4], "predicate": INTERVAL, "value": FLOAT}
    kernels = {
        KNOWN: (5, [unary("absf")], None),
        TWISTED: (6, [unary("absf"), TWIST, unary("negf")], None),
        ASSUMED: (7, [unary("negf"), assume], None),
        HINTED: (8, [], hints(INTERVAL)),
    }
    with future():
        made = records(V250_1, {"notes": {"notes": [5, 6]}})
        made["String"]["entries"] += [Slice(0, name.encode()) for name in kernels]
        made["Type"]["entries"].append(dict(SIGNATURE))
        made["Func"] = [entry(*kernels[name]) for name in names]
        parts = []
        for name, record in sorted(made.items(), key=lambda item: BY_NAME[item[0]].rank):
            payload = codec.build_named(name, record, V250_1, tags(made))
            parts.append((BY_NAME[name].number, BY_NAME[name].alignment, payload))
        return stated(file(*parts, version=V250_1))
