"""The rule about bitwise ops that their rows cannot express: the amount of a shift."""

from __future__ import annotations

from tileir.ir import Op
from tileir.verifier.catalogue import suspicion

from .constants import known


@suspicion("shift-amount", "shli", "shri", hint="use select to give what should happen then")
def _shift(op: Op) -> str | None:
    """A shift by the width of the type or more is undefined behaviour. NVIDIA's tools accept such
    a constant."""
    values, width = known(op.operands["rhs"]), op.result.type.element.bits
    for value in values or ():
        if value >= width:
            return f"shifts {width} bits by {value}, which is undefined behaviour"
    return None
