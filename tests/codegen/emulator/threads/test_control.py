"""Branches: lanes part, go around loops a different number of times, and meet again."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.codegen.emulator.snippets import THREADS, kernel, plan, run
from tileir.codegen.emulator import SCHEDULES, EmulationError, UnsupportedPtxError, launch

STORE = "mul.wide.u32 %d10, %r0, 4;\nadd.s64 %d11, %d0, %d10;\nst.global.b32 [%d11], %r5;"


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_loops_of_different_length(schedule: str) -> None:
    """Collatz: how many steps until 1."""
    body = (
        "add.s32 %r4, %r0, 1;\nmov.b32 %r5, 0;\nLOOP:\nsetp.eq.b32 %p1, %r4, 1;\n@%p1 bra DONE;\n"
        "add.s32 %r5, %r5, 1;\nand.b32 %r6, %r4, 1;\nsetp.eq.b32 %p2, %r6, 0;\n@%p2 bra EVEN;\n"
        "mad.lo.s32 %r4, %r4, 3, 1;\nbra.uni LOOP;\nEVEN:\nshr.u32 %r4, %r4, 1;\nbra LOOP;\n"
        f"DONE:\n{STORE}"
    )
    z = np.zeros(THREADS, np.int32)
    run(body, z, schedule=schedule)

    def steps(number: int) -> int:
        return 0 if number == 1 else 1 + steps(number // 2 if number % 2 == 0 else 3 * number + 1)

    assert z.tolist() == [steps(k + 1) for k in range(THREADS)]


def test_labels_of_scopes() -> None:
    """Of a name, the label of the innermost scope; a branch also leaves its scope."""
    count = "{{ AGAIN: add.s32 %r5, %r5, {by}; setp.lt.s32 %p1, %r5, {to}; @%p1 bra AGAIN; }}\n"
    body = (
        "mov.b32 %r5, 0;\n" + count.format(by=3, to=10) + count.format(by=5, to=30)
        + f"{{ bra.uni AGAIN; }}\nmov.b32 %r5, 0;\nAGAIN:\n{STORE}"
    )  # fmt: skip
    z = np.zeros(THREADS, np.int32)
    run(body, z)
    assert (z == 32).all()


def test_the_closing_brace_ends_threads() -> None:
    z = np.zeros(THREADS, np.int32)
    ptx = kernel(f"mov.b32 %r5, 3;\n{STORE}").replace("ret;", "")
    launch(ptx, plan(), 1, [z])
    assert (z == 3).all()


@pytest.mark.parametrize(
    ("branch", "problem"),
    [
        ("bra NOWHERE;", "unknown: no label NOWHERE"),
        ("brx.idx %r1, TABLE;", "unknown: no list of labels TABLE"),
        ("brx.idx %r1;", "syntax: brx.idx takes an index and a list of labels"),
    ],
)
def test_a_branch_to_nowhere(branch: str, problem: str) -> None:
    with pytest.raises(UnsupportedPtxError, match=problem):
        run(branch, np.zeros(THREADS, np.int32))


def test_lanes_that_part_meet_again() -> None:
    """After the branches the warp is whole: as many warp instructions as if it had not parted."""
    body = (
        "setp.lt.u32 %p1, %r0, 7;\n@%p1 bra LOW;\nmov.b32 %r5, 1;\nbra.uni BOTH;\n"
        f"LOW:\nmov.b32 %r5, 2;\nBOTH:\n{STORE}"
    )
    z = np.zeros(THREADS, np.int32)
    found = run(body, z)
    assert z.tolist() == [2] * 7 + [1] * (THREADS - 7)
    assert found.thread_instructions["mov.b32"] == THREADS
    assert found.warp_instructions["mov.b32"] == 3
    assert found.warp_instructions["st.global.b32"] == 2
    assert found.thread_instructions["st.global.b32"] == THREADS


def test_a_table_of_branches() -> None:
    body = (
        "and.b32 %r4, %r0, 3;\nT: .branchtargets A, B, C, A;\nbrx.idx %r4, T;\n"
        "A:\nmov.b32 %r5, 10;\nbra E;\nB:\nmov.b32 %r5, 20;\nbra E;\nC:\nmov.b32 %r5, 30;\n"
        f"E:\n{STORE}"
    )
    z = np.zeros(THREADS, np.int32)
    run(body, z)
    assert z.tolist() == [10, 20, 30, 10] * (THREADS // 4)


def test_some_threads_end_early() -> None:
    body = f"setp.gt.u32 %p1, %r0, 40;\nmov.b32 %r5, 1;\n@%p1 exit;\nbar.sync 0;\n{STORE}"
    z = np.zeros(THREADS, np.int32)
    with pytest.raises(EmulationError, match="part of the warp"):
        run(body.replace("@%p1 exit", "@!%p1 bra J;\nbar.sync 0;\nJ:\nmov.b32 %r5, 1"), z)
    run(body, z)
    assert z.tolist() == [1] * 41 + [0] * 23


def test_blocks_that_are_no_whole_warps() -> None:
    body = f"mov.b32 %r5, 5;\nbar.sync 0;\n{STORE}"
    z = np.zeros(THREADS, np.int32)
    run(body, z, threads=37)
    assert z.tolist() == [5] * 37 + [0] * 27


def test_a_loop_without_end() -> None:
    with pytest.raises(EmulationError) as caught:
        run("L:\nadd.s32 %r0, %r0, 1;\nbra L;", np.zeros(1), limit=1000)
    assert caught.value.kind == "livelock"


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_thread_that_spins_does_not_starve_others(schedule: str) -> None:
    """All wait for the last thread, which is beyond the loop in the text."""
    body = (
        "setp.eq.u32 %p1, %r0, 63;\n@%p1 bra SET;\nL:\nld.relaxed.gpu.global.b32 %r5, [%d0];\n"
        "setp.eq.b32 %p2, %r5, 0;\n@%p2 bra L;\nbra END;\n"
        "SET:\nst.relaxed.gpu.global.b32 [%d0], 1;\nEND:"
    )
    z = np.zeros(1, np.int32)
    run(body, z, schedule=schedule)
    assert z[0] == 1


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("frobnicate.b32 %r2, %r3;", "unknown"),
        ("add.f13 %r2, %r3, %r4;", "unknown"),
        ("bra NOWHERE;", "unknown"),
        ("mov.b32 %r2, nothing;", "unknown"),
        ("mov.b32 %r2, %r99;", "unknown"),
        ("add.s32 %r2, %r0;", "syntax"),
        ("add.s64 %d2, %r0, %r0;", "syntax"),
        ("add.s32 %p1, %r0, %r0;", "syntax"),
        ("ld.global.b32 %r2, %d0;", "syntax"),
    ],
)
def test_text_that_is_not_understood(body: str, kind: str) -> None:
    with pytest.raises(EmulationError) as caught:
        run(body, np.zeros(1))
    assert caught.value.kind == kind
    assert caught.value.line is not None
    assert body.rstrip(";") in str(caught.value)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_lanes_wait_behind_a_loop_for_the_slowest(schedule: str) -> None:
    """However long it takes: the barrier is for whole warps."""
    body = (
        "mul.lo.u32 %r5, %r0, 7;\nL:\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra OUT;\n"
        "sub.u32 %r5, %r5, 1;\nbra L;\nOUT:\nbar.sync 0;\n"
    )
    z = np.zeros(THREADS, np.int32)
    run(body + STORE, z, schedule=schedule)
    assert not z.any()


BLOCKS = {
    "HEAD": "setp.ge.u32 %p1, %r6, %r4;\n@%p1 bra LEFT;\nbra.uni BODY;",
    "BODY": "add.s32 %r6, %r6, 1;\nand.b32 %r7, %r6, 1;\nadd.s32 %r7, %r7, %r0;\n"
    "and.b32 %r7, %r7, 1;\nsetp.eq.u32 %p2, %r7, 0;\n@%p2 bra EVEN;\nbra.uni ODD;",
    "EVEN": "add.s32 %r5, %r5, 2;\nsetp.eq.u32 %p3, %r0, 2;\n@%p3 bra HEAD;\nbra.uni WHOLE;",
    "ODD": "add.s32 %r5, %r5, 3;\nbra.uni WHOLE;",
    "WHOLE": "add.s32 %r5, %r5, 16;\nbra.uni HEAD;",
    "LEFT": f"bar.sync 0;\n{STORE}\nret;",
}
"""Lanes go around a loop as often as their number says; each has two ways, and one lane a third."""


@pytest.mark.parametrize("seed", range(12))
def test_where_lanes_meet_is_not_where_the_text_has_it(seed: int) -> None:
    """Whole warps come to the barrier behind the loop, in whatever order the blocks are written."""
    labels = random.Random(seed).sample(list(BLOCKS), len(BLOCKS))
    body = "mov.b32 %r5, 0;\nmov.b32 %r6, 0;\nand.b32 %r4, %r0, 7;\nbra.uni HEAD;\n"
    z = np.zeros(THREADS, np.int32)
    found = run(body + "".join(f"{each}:\n{BLOCKS[each]}\n" for each in labels), z)

    def total(thread: int) -> int:
        kinds = [(step + thread) % 2 for step in range(1, thread % 8 + 1)]
        whole = [16 * (odd or thread != 2) for odd in kinds]
        return sum(whole) + sum(2 + odd for odd in kinds)

    assert z.tolist() == [total(k) for k in range(THREADS)]
    # All lanes of a warp that go around are together in each turn.
    assert found.warp_instructions["setp.ge.u32"] == 8 * THREADS // 32


def test_a_join_in_front_of_one_of_its_arms() -> None:
    """LLVM puts it there, and ptxas still lets the lanes meet before the barrier."""
    body = (
        "mov.b32 %r5, 1;\nsetp.lt.u32 %p1, %r0, 7;\nbra.uni PART;\n"
        f"BOTH:\nbar.sync 0;\n{STORE}\nret;\n"
        "PART:\n@%p1 bra BOTH;\nmov.b32 %r5, 2;\nbra.uni BOTH;"
    )
    z = np.zeros(THREADS, np.int32)
    run(body, z)
    assert z.tolist() == [1] * 7 + [2] * (THREADS - 7)
