"""Barriers of a block: who waits for whom, what they order, and how they go wrong."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.emulator.snippets import run
from tileir.codegen.emulator import SCHEDULES, EmulationError

WIDE = 128
AT = "mul.wide.u32 %d10, %r0, 4;\nadd.s64 %d11, %d0, %d10;\n"
TURNED = "sub.s32 %r3, 127, %r0;\nmul.wide.u32 %d12, %r3, 4;\nadd.s64 %d13, %d0, %d12;\n"
WRITE, READ = "st.global.b32 [%d11], %r0;\n", "ld.global.b32 %r5, [%d13];\n"
RESULT = "add.s64 %d14, %d1, %d10;\nst.global.b32 [%d14], %r5;\n"


def turned(middle: str, schedule: str, **more: object) -> np.ndarray:
    """Each thread writes an element, and reads that of its counterpart in the other half."""
    x, z = np.full(WIDE, -1, np.int32), np.zeros(WIDE, np.int32)
    run(AT + TURNED + WRITE + middle + READ + RESULT, x, z, threads=WIDE, schedule=schedule, **more)
    return z


BARRIERS = (
    "bar.sync 0;", "barrier.sync 5;", "bar.sync 3, 128;", "barrier.cta.sync.aligned 0;",
    "bar.cta.sync 1;",
)  # fmt: skip


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("barrier", BARRIERS)
def test_a_barrier_orders(barrier: str, schedule: str) -> None:
    assert turned(barrier, schedule).tolist() == list(range(WIDE - 1, -1, -1))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_without_a_barrier_there_is_a_race(schedule: str) -> None:
    with pytest.raises(EmulationError) as caught:
        turned("", schedule)
    assert caught.value.kind == "race"
    assert caught.value.schedule == schedule


def test_without_a_barrier_some_schedule_gives_other_results() -> None:
    found = [turned("", schedule, races=False).tolist() for schedule in SCHEDULES]
    right = list(range(WIDE - 1, -1, -1))
    assert found[0] == right
    assert found[1] != right
    assert found[2] != right


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_reading_before_a_write_needs_a_barrier_too(schedule: str) -> None:
    x, z = np.arange(WIDE, dtype=np.int32), np.zeros(WIDE, np.int32)
    body = AT + TURNED + READ + RESULT + "{barrier}st.global.b32 [%d11], 0;"
    run(body.format(barrier="bar.sync 0;\n"), x, z, threads=WIDE, schedule=schedule)
    assert not x.any()
    with pytest.raises(EmulationError, match="race"):
        run(body.format(barrier=""), x, z, threads=WIDE, schedule=schedule)


def test_a_barrier_of_a_warp_orders_only_the_warp() -> None:
    inside = AT + "xor.b32 %r3, %r0, 1;\nmul.wide.u32 %d12, %r3, 4;\nadd.s64 %d13, %d0, %d12;\n"
    x, z = np.full(WIDE, -1, np.int32), np.zeros(WIDE, np.int32)
    run(inside + WRITE + "bar.warp.sync -1;\n" + READ + RESULT, x, z, threads=WIDE)
    assert z.tolist() == [k ^ 1 for k in range(WIDE)]
    with pytest.raises(EmulationError, match="race"):
        run(inside + WRITE + READ + RESULT, x, z, threads=WIDE)
    with pytest.raises(EmulationError, match="race"):
        turned("bar.warp.sync -1;\n", "lock-step")


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_named_barriers_join_some_warps(schedule: str) -> None:
    """Warps 0 and 3 meet at barrier 1, warps 1 and 2 at barrier 2: each with its counterpart."""
    body = (
        "add.s32 %r6, %r0, 32;\nand.b32 %r6, %r6, 64;\nsetp.eq.b32 %p1, %r6, 0;\n"
        "@%p1 bra OUTER;\nbar.sync 2, 64;\nbra.uni J;\nOUTER:\nbar.sync 1, 64;\nJ:\n"
    )
    assert turned(body, schedule).tolist() == list(range(WIDE - 1, -1, -1))
    wrong = body.replace("add.s32 %r6, %r0, 32", "mov.b32 %r6, %r0")
    with pytest.raises(EmulationError, match="race"):
        turned(wrong, schedule)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_producers_arrive_and_do_not_wait(schedule: str) -> None:
    """The lower half writes and arrives; the upper half waits, and reads what the lower wrote."""
    body = (
        AT + TURNED + "setp.lt.u32 %p1, %r0, 64;\n@!%p1 bra READER;\n" + WRITE
        + "bar.arrive 1, 128;\nbra.uni END;\nREADER:\nbar.sync 1, 128;\n" + READ + RESULT + "END:\n"
    )  # fmt: skip
    x, z = np.full(WIDE, -1, np.int32), np.zeros(WIDE, np.int32)
    run(body, x, z, threads=WIDE, schedule=schedule)
    assert z.tolist() == [0] * 64 + list(range(63, -1, -1))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_what_waits_does_not_order_what_has_arrived(schedule: str) -> None:
    """Those who arrive know nothing of those who wait."""
    body = (
        AT + TURNED + "setp.lt.u32 %p1, %r0, 64;\n@!%p1 bra WRITER;\nbar.arrive 1, 128;\n" + READ
        + RESULT + "bra.uni END;\nWRITER:\n" + WRITE + "bar.sync 1, 128;\nEND:\n"
    )  # fmt: skip
    with pytest.raises(EmulationError, match="race"):
        run(body, *np.zeros((2, WIDE), np.int32), threads=WIDE, schedule=schedule)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_guard_keeps_whole_warps_from_a_barrier(schedule: str) -> None:
    """The same as with branches around it."""
    text = AT + TURNED + WRITE + "setp.lt.u32 %p1, %r0, {};\n@%p1 bar.sync 1, 64;\n"
    x, z = np.zeros((2, WIDE), np.int32)
    run(text.format(64), x, z, threads=WIDE, schedule=schedule)
    with pytest.raises(EmulationError, match="deadlock"):
        run(text.format(32), x, z, threads=WIDE, schedule=schedule)
    with pytest.raises(EmulationError, match="part of the warp"):
        run(text.format(50), x, z, threads=WIDE, schedule=schedule)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_barriers_with_a_result(schedule: str) -> None:
    body = (
        AT + "setp.lt.u32 %p1, %r0, 50;\nbar.red.popc.u32 %r5, 0, %p1;\n"
        "bar.red.and.pred %p2, 0, 128, %p1;\nbarrier.red.or.aligned.pred %p3, 1, !%p1;\n"
        "selp.b32 %r6, 1000, 0, %p2;\nselp.b32 %r7, 2000, 0, %p3;\nadd.s32 %r5, %r5, %r6;\n"
        "add.s32 %r5, %r5, %r7;\nst.global.b32 [%d11], %r5;"
    )
    z = np.zeros(WIDE, np.int32)
    found = run(body, z, threads=WIDE, schedule=schedule)
    assert z.tolist() == [2050] * WIDE
    assert found.warp_instructions["bar.red.popc.u32"] == 4


LOW = "setp.lt.u32 %p1, %r0, {};\n@%p1 bra J;\n"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (LOW.format(64) + "bar.sync 0;\nbar.sync 0;\nJ:\nbar.sync 1;", "deadlock"),
        (LOW.format(64) + "bar.sync 1, 128;\nJ:\n", "deadlock"),
        (LOW.format(16) + "bar.sync 0;\nJ:\n", "barrier"),
        ("bar.sync 1, 96;", "barrier"),
        ("bar.sync 1, 100;", "barrier"),
        ("bar.sync 16;", "barrier"),
        (LOW.format(64) + "bar.sync 1, 96;\nbra K;\nJ:\nbar.sync 1, 128;\nK:\n", "barrier"),
    ],
)
def test_barriers_that_go_wrong(body: str, kind: str) -> None:
    with pytest.raises(EmulationError) as caught:
        run(body, np.zeros(1), threads=WIDE)
    assert caught.value.kind == kind
    assert "bar.sync" in str(caught.value)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_blocks_race_with_each_other(schedule: str) -> None:
    z = np.zeros(WIDE, np.int32)
    body = AT + "st.global.b32 [%d11], %r1;"
    with pytest.raises(EmulationError) as caught:
        run(body, z, blocks=2, threads=WIDE, schedule=schedule)
    assert caught.value.kind == "race"
    same = body.replace("%r1;", "7;")
    run(same, z, blocks=2, threads=WIDE, schedule=schedule)


def test_bytes_of_one_word_are_apart() -> None:
    z = np.zeros(WIDE, np.uint8)
    body = "cvt.u64.u32 %d10, %r0;\nadd.s64 %d11, %d0, %d10;\nst.global.b8 [%d11], %r0;"
    run(body, z, threads=WIDE, schedule="ascending")
    assert z.tolist() == list(range(WIDE))
    with pytest.raises(EmulationError, match="race"):
        run(body.replace("cvt.u64.u32 %d10, %r0;", "shr.u32 %r3, %r0, 1;\ncvt.u64.u32 %d10, %r3;"),
            z, threads=WIDE)  # fmt: skip


def test_shared_memory_races() -> None:
    body = (
        ".shared .align 4 .b8 room[512];\nmov.b64 %d5, room;\nadd.s64 %d6, %d5, %d10;\n"
        "st.shared.b32 [%d6], %r0;\n{barrier}ld.shared.b32 %r5, [%d5+508];\n"
        "st.global.b32 [%d11], %r5;"
    )
    z = np.zeros(WIDE, np.int32)
    run(AT + body.format(barrier="bar.sync 0;\n"), z, threads=WIDE)
    assert z.tolist() == [WIDE - 1] * WIDE
    for schedule in SCHEDULES:
        with pytest.raises(EmulationError, match=r"race|poison"):
            run(AT + body.format(barrier=""), z, threads=WIDE, schedule=schedule)
