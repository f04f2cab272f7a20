"""`mbarrier`: phases, counts, states, what they order, and how they go wrong."""

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
    WRITE,
    fails,
    kinds,
    made,
    wait,
)
from tests.codegen.emulator.snippets import run
from tileir.codegen.emulator import SCHEDULES, EmulationError

TURNED = list(range(63, -1, -1))


def result(body: str, schedule: str = "lock-step") -> list[int]:
    out = np.full(64, -1, np.int32)
    run(body, out, schedule=schedule)
    return out.tolist()


WAITS = {
    "parity": wait(0),
    "generic address": "cvt.u64.u32 %d6, %r3;\ncvta.shared.u64 %d6, %d6;\nW:\n"
    "mbarrier.try_wait.parity.b64 %p9, [%d6], 0;\n@!%p9 bra W;\n",
    "state": "W:\nmbarrier.try_wait.shared.b64 %p9, [%r3], %d5;\n@!%p9 bra W;\n",
    "time limit": "W:\nmbarrier.try_wait.parity.shared.b64 %p9, [%r3], 0, 20;\n@!%p9 bra W;\n",
    "test": "W:\nmbarrier.test_wait.shared.b64 %p9, [%r3], %d5;\n@!%p9 bra W;\n",
    "test of a parity": "W:\nmbarrier.test_wait.parity.shared.b64 %p9, [%r3], 0;\n@!%p9 bra W;\n",
    "scope": wait(0, more=".acquire.cluster"),
}


@pytest.mark.parametrize("schedule", EVERY)
@pytest.mark.parametrize("name", WAITS)
def test_arrivals_order_what_was_written_before(name: str, schedule: str) -> None:
    body = MEMORY + made(64) + OWN + WRITE + ARRIVE + WAITS[name] + READ + KEEP
    assert result(body, schedule) == TURNED


@pytest.mark.parametrize("schedule", EVERY)
def test_phases_follow_each_other(schedule: str) -> None:
    """Each round of the loop is a phase; the parity of the phase that is asked for alternates."""
    body = (
        MEMORY
        + made(64)
        + OWN
        + "mov.b32 %r9, 0;\nmov.b32 %r8, 0;\nLOOP:\nand.b32 %r10, %r9, 1;\n"
        + "xor.b32 %r11, %r8, %r0;\nst.shared.b32 [%r6], %r11;\n"
        + ARRIVE
        + "W:\nmbarrier.try_wait.parity.shared.b64 %p9, [%r3], %r10;\n@!%p9 bra W;\n"
        + READ
        + "add.s32 %r9, %r9, 1;\nbar.sync 1;\nsetp.lt.u32 %p2, %r9, 5;\n@%p2 bra LOOP;\n"
        + KEEP
    )
    words = np.zeros(64, int)
    for _ in range(5):
        words = (words ^ np.arange(64))[::-1]
    assert result(body, schedule) == words.tolist()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_counts_of_arrivals(schedule: str) -> None:
    """32 threads arrive three times each at once, and the others once."""
    body = (
        MEMORY
        + made(128)
        + OWN
        + WRITE
        + "setp.lt.u32 %p2, %r0, 32;\nselp.b32 %r9, 3, 1, %p2;\n"
        + "mbarrier.arrive.shared.b64 _, [%r3], %r9;\n"
        + wait(0)
        + READ
        + KEEP
    )
    assert result(body, schedule) == TURNED


def test_the_phase_before_the_first_is_complete() -> None:
    body = (
        MEMORY
        + made(64)
        + OWN
        + (
            "mbarrier.test_wait.parity.shared.b64 %p2, [%r3], 1;\n"
            "mbarrier.test_wait.parity.shared.b64 %p3, [%r3], 0;\n"
            "selp.b32 %r8, 1, 0, %p2;\n@%p3 add.s32 %r8, %r8, 2;\n"
        )
        + KEEP
    )
    assert result(body) == [1] * 64


def test_states_tell_the_arrivals_that_were_pending() -> None:
    body = (
        MEMORY + made(70) + OWN + "mbarrier.arrive.noComplete.shared.b64 %d5, [%r3], 1;\n"
        "mbarrier.pending_count.b64 %r8, %d5;\n" + KEEP
    )
    assert sorted(result(body, "ascending")) == [*[38] * 32, *[70] * 32]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_threads_that_drop_out(schedule: str) -> None:
    """The upper half takes part in the first phase only."""
    body = (
        MEMORY
        + made(64)
        + OWN
        + WRITE
        + "mov.b32 %r8, 7;\nsetp.lt.u32 %p2, %r0, 32;\n@%p2 bra A;\n"
        "mbarrier.arrive_drop.shared.b64 _, [%r3];\nbra END;\nA:\n"
        + ARRIVE
        + wait(0)
        + READ
        + ARRIVE
        + wait(1)
        + "END:\n"
        + KEEP
    )
    assert result(body, schedule) == [*TURNED[:32], *[7] * 32]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_bytes_hold_up_a_phase(schedule: str) -> None:
    """Bytes may come before anybody expects them, as long as somebody has not arrived."""
    body = (
        MEMORY
        + made(65)
        + OWN
        + WRITE
        + ARRIVE
        + "@%p1 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r3], 48;\n"
        "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], 16;\n"
        "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 32;\n" + wait(0) + READ + KEEP
    )
    assert result(body, schedule) == TURNED
    less = body.replace("_, [%r3], 32", "_, [%r3], 16")
    with pytest.raises(EmulationError, match="-16 bytes pending") as caught:
        result(less, schedule)
    assert caught.value.kind == "deadlock"


def test_who_waits_for_what_is_told() -> None:
    body = MEMORY + made(3) + "@%p1 mbarrier.arrive.shared.b64 _, [%r3];\n" + wait(0)
    fails(
        "deadlock",
        r"64 threads of block \(0, 0, 0\) at the mbarrier at 0x2000, in phase 0 with "
        "2 arrivals and 0 bytes pending",
        body,
        np.zeros(1),
    )


def test_waiting_threads_make_no_steps() -> None:
    """The last thread has much to do before it arrives, and nobody polls meanwhile."""
    late = (
        "setp.ne.u32 %p2, %r0, 63;\n@%p2 bra GO;\nmov.b32 %r9, 0;\nBUSY:\nadd.s32 %r9, %r9, 1;\n"
        "setp.lt.u32 %p3, %r9, 300;\n@%p3 bra BUSY;\nGO:\n"
    )
    body = MEMORY + made(64) + OWN + WRITE + late + ARRIVE + wait(0) + READ + KEEP
    for schedule in SCHEDULES:
        run(body, np.zeros(64, np.int32), schedule=schedule, limit=350)


@pytest.mark.parametrize(
    ("kind", "text", "body"),
    [
        (
            "barrier",
            "there is no mbarrier at 0x2008",
            made(64) + "mbarrier.arrive.shared.b64 _, [%r3+8];\n",
        ),
        ("barrier", "there is no mbarrier", "bar.sync 0;\n" + ARRIVE),
        ("barrier", "lives there already", made(64) + made(64)),
        ("barrier", "0, which is not 1 to", "@%p1 mbarrier.init.shared.b64 [%r3], 0;\n"),
        ("barrier", "0, which is not 1 to", made(64) + "mbarrier.arrive.shared.b64 _, [%r3], 0;\n"),
        (
            "barrier",
            "more arrivals than the 63",
            made(63) + "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], 16;\n" + ARRIVE,
        ),
        (
            "barrier",
            "more arrivals",
            made(64) + "mbarrier.arrive.noComplete.shared.b64 %d5, [%r3], 1;\n",
        ),
        (
            "barrier",
            "1048576 bytes are pending",
            made(64) + "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], 1048576;\n",
        ),
        (
            "barrier",
            "no state of this or the last phase",
            made(64) + "mov.b64 %d5, 1;\nmbarrier.test_wait.shared.b64 %p9, [%r3], %d5;\n",
        ),
        (
            "barrier",
            "no state of this or the last phase",
            made(64)
            + ARRIVE
            + ARRIVE.replace("5", "6")
            + ARRIVE.replace("5", "6")
            + "mbarrier.test_wait.shared.b64 %p9, [%r3], %d5;\n",
        ),
        ("alignment", "no multiple of 8", "@%p1 mbarrier.init.shared.b64 [%r3+4], 1;\n"),
        ("bounds", "there are", "@%p1 mbarrier.init.shared.b64 [%r3+32], 1;\n"),
        ("bounds", "not in shared memory", "mbarrier.init.b64 [%d0], 1;\n"),
        ("race", "nothing orders", made(64).replace("bar.sync 0;", "bar.warp.sync -1;") + ARRIVE),
        ("barrier", "no mbarrier.inval has ended", made(64) + "st.shared.b32 [%r3], 1;\n"),
        ("barrier", "no mbarrier.inval has ended", made(64) + "ld.shared.b32 %r5, [%r3+4];\n"),
        (
            "barrier",
            "no mbarrier.inval has ended",
            made(64) + "atom.shared.add.u32 %r5, [%r3], 1;\n",
        ),
        ("barrier", "there is no mbarrier", made(1) + "mbarrier.inval.shared.b64 [%r3];\n"),
        ("race", "nothing orders", made(64) + ARRIVE + "@%p1 mbarrier.inval.shared.b64 [%r3];\n"),
        (
            "barrier",
            "threads wait at it",
            made(65)
            + ARRIVE
            + "@%p1 bra INVAL;\n"
            + wait(0)
            + "bra END;\nINVAL:\nmbarrier.inval.shared.b64 [%r3];\nEND:\n",
        ),
        (
            "poison",
            "never written",
            made(1) + "@%p1 mbarrier.inval.shared.b64 [%r3];\n@%p1 ld.shared.b32 %r5, [%r3];\n",
        ),
        ("deadlock", "1 arrivals", made(65) + ARRIVE + wait(0)),
    ],
)
def test_errors(kind: str, text: str, body: str) -> None:
    fails(kind, text, MEMORY + body, np.zeros(1))


DROPPED = {
    "arrival": (ARRIVE, "mov.b64 %d5, 0;\n"),
    "wait": (wait(0), ""),
    "repetition": ("@!%p9 bra WAIT0;\n", ""),
    "barrier after init": ("bar.sync 0;", ""),
    "other parity": ("[%r3], 0;\n@!", "[%r3], 1;\n@!"),
    "written after arriving": (WRITE + ARRIVE, ARRIVE + WRITE),
    "arrives twice": (ARRIVE, ARRIVE + ARRIVE),
    "relaxed arrival": ("mbarrier.arrive", "mbarrier.arrive.relaxed.cta"),
    "relaxed wait": ("try_wait.parity", "try_wait.parity.relaxed.cta"),
    "one more expected": ("[%r3], 64;", "[%r3], 65;"),
    "one less expected": ("[%r3], 64;", "[%r3], 63;"),
}


@pytest.mark.parametrize("name", DROPPED)
def test_mistakes_are_noticed(name: str) -> None:
    body = MEMORY + made(64) + OWN + WRITE + ARRIVE + wait(0) + READ + KEEP
    old, new = DROPPED[name]
    assert old in body
    assert kinds(body.replace(old, new, 1), np.zeros(64, np.int32)) != {""}


def test_memory_of_a_dead_mbarrier_is_free() -> None:
    body = (
        MEMORY + made(64) + OWN + ARRIVE + wait(0) + "bar.sync 0;\n"
        "@%p1 mbarrier.inval.shared.b64 [%r3];\n@%p1 st.shared.b64 [%r3], 5;\nbar.sync 0;\n"
        "ld.shared.b32 %r8, [%r3];\n" + KEEP
    )
    assert result(body) == [5] * 64
    fails(
        "barrier",
        "no mbarrier.inval has ended",
        body.replace("@%p1 mbarrier.inval.shared.b64 [%r3];\n", ""),
        np.zeros(64, np.int32),
    )
