"""`cp.async.mbarrier.arrive`: arrivals when the copies of a thread are there."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.emulator.ops.hopper.bodies import (
    ARRIVE,
    EVERY,
    KEEP,
    MEMORY,
    OWN,
    READ,
    kinds,
    made,
    wait,
)
from tests.codegen.emulator.snippets import run
from tileir.codegen.emulator import SCHEDULES, EmulationError

COPY = (
    "mul.wide.u32 %d12, %r0, 4;\nadd.s64 %d13, %d1, %d12;\n"
    "cp.async.ca.shared.global [%r6], [%d13], 4;\n"
)
COPIED = "cp.async.mbarrier.arrive{}.shared.b64 [%r3];\n"


@pytest.mark.parametrize("schedule", EVERY)
@pytest.mark.parametrize("counted", [True, False])
def test_copies_arrive(counted: bool, schedule: str) -> None:
    """Without `.noinc` the arrival is one more than those that the mbarrier expects."""
    arrival = COPIED.format(".noinc") if counted else COPIED.format("") + ARRIVE
    body = MEMORY + made(64) + OWN + COPY + arrival + wait(0) + READ + KEEP
    out, x = np.zeros(64, np.int32), np.arange(100, 164, dtype=np.int32)
    run(body, out, x, schedule=schedule)
    assert out.tolist() == x[::-1].tolist()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_copies_after_the_arrival_are_others(schedule: str) -> None:
    body = MEMORY + made(64) + OWN + COPIED.format(".noinc") + COPY + wait(0) + READ + KEEP
    with pytest.raises(EmulationError) as caught:
        run(body, np.zeros(64, np.int32), np.zeros(64, np.int32), schedule=schedule)
    assert caught.value.kind in ("poison", "race")


def test_arrivals_of_copies_order_nothing_else() -> None:
    """What a thread stores itself is not handed over by an arrival of its copies."""
    body = (
        MEMORY
        + made(64)
        + OWN
        + "st.shared.b32 [%r6], %r0;\n"
        + COPIED.format(".noinc")
        + wait(0)
        + READ
        + KEEP
    )
    assert kinds(body, np.zeros(64, np.int32)) == {"race"}


def test_more_arrivals_than_are_expected() -> None:
    """With bytes to come, the phase does not end, and there is nobody to arrive any more."""
    bytes_to_come = "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], 16;\n"
    body = MEMORY + made(63) + bytes_to_come + OWN + COPY + COPIED.format(".noinc") + wait(0)
    assert kinds(body, np.zeros(64, np.int32), np.zeros(64, np.int32)) == {"barrier"}
