"""What roles make of the loops of rings: `for` loops that carry turns, one for each ring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tileir.codegen.block.control_edges import BOUNDS
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Turn
from tileir.ir import Op, Region, Value

from .role_plan import Ring


def first_turn(ring: Ring) -> Op:
    """Return the op that makes the first turn of a ring."""
    kind = Turn(ring.slots, phased=True)
    return make("first_turn", {"ring": ring.rings[0]}, results=[kind], origin=ring.loop)


def advance(ring: Ring, turn: Value, origin: Op) -> Op:
    """Return the op that makes the turn after another one."""
    operands = {"ring": ring.rings[0], "turn": turn}
    return make("advance", operands, results=[turn.type], origin=origin)


def for_loop(
    loop: Op, region: Region, firsts: Sequence[Value], values: Mapping[Value, Value]
) -> Op:
    """Return a `for` with the bounds of a loop, and another body and first carried values."""
    bounds = {slot: mapped(loop.operands[slot], values) for slot in BOUNDS}
    return make(
        "for",
        {**bounds, "initValues": tuple(firsts)},
        {"unsignedCmp": loop.attributes["unsignedCmp"]},
        [value.type for value in firsts],
        [region],
        origin=loop,
    )


def mapped(value: Value, values: Mapping[Value, Value]) -> Value:
    """Return what stands for a value, itself if nothing does."""
    return values.get(value, value)
