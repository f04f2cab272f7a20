"""What children compute that measure: nothing at all, or the verb, and whether it was compiled."""

from __future__ import annotations

import dataclasses

from tileir.batches import answering
from tileir.batches.answers import Answer

NOTHING, COUNTING = f"{__name__}:nothing", f"{__name__}:counting"


def nothing(data: bytes) -> bytes:
    """Answer at once: what is left is what it takes to ask."""
    return Answer(seconds=0.0).packed()


def counting(data: bytes) -> bytes:
    """Answer as always, with how many modules were compiled for that."""
    from tileir.codegen import fresh

    compiled = 0
    original = fresh.check_rules

    def check(*arguments: object) -> None:
        nonlocal compiled
        compiled += 1
        original(*arguments)  # type: ignore[arg-type]

    fresh.check_rules = check  # type: ignore[assignment]
    try:
        made = Answer.unpacked(answering.answer(data))
    finally:
        fresh.check_rules = original
    return dataclasses.replace(made, result={"compiled": compiled}).packed()
