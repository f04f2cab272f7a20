"""What children compute that measure: nothing at all, or the verb, and whether it was compiled."""

from __future__ import annotations

import dataclasses

from tileir.batches import child
from tileir.batches.protocol import Response

NOTHING, COUNTING = f"{__name__}:nothing", f"{__name__}:counting"


def nothing(data: bytes) -> bytes:
    """Response at once: what is left is what it takes to ask."""
    return Response(seconds=0.0).packed()


def counting(data: bytes) -> bytes:
    """Response as always, with how many modules were compiled for that."""
    from tileir.codegen import fresh

    compiled = 0
    original = fresh.check_rules

    def check(*arguments: object) -> None:
        nonlocal compiled
        compiled += 1
        original(*arguments)  # type: ignore[arg-type]

    fresh.check_rules = check  # type: ignore[assignment]
    try:
        made = Response.unpacked(child.respond(data))
    finally:
        fresh.check_rules = original
    return dataclasses.replace(made, result={"compiled": compiled}).packed()
