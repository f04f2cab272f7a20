"""What goes wrong with bulk copies: waits, bytes and fences that are missing, and places."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.emulator.ops.hopper.bodies import (
    COMMIT,
    DONE,
    EVERY,
    EXPECT,
    FENCE,
    LOAD,
    MEMORY,
    STORE,
    fails,
    filled,
    kept,
    kinds,
    made,
    wait,
    words,
)
from tests.codegen.emulator.snippets import run
from tests.codegen.emulator.values import aligned

GOOD = MEMORY + made(1) + EXPECT.format(256) + LOAD.format(0, 0, 256) + wait(0) + kept(64, 1)
STORED = MEMORY + filled(64, 0) + FENCE + STORE.format(0, 0, 256) + COMMIT + DONE
MISTAKES = {
    "wait": (GOOD, wait(0), "", {"poison", "race"}),
    "parity": (GOOD, "[%r3], 0;\n@!", "[%r3], 1;\n@!", {"poison", "deadlock"}),
    "expect_tx": (
        GOOD,
        EXPECT.format(256),
        "@%p1 mbarrier.arrive.shared.b64 _, [%r3];\n",
        {"poison", "race"},
    ),
    "more expected": (GOOD, "[%r3], 256;", "[%r3], 272;", {"deadlock"}),
    "fewer expected": (GOOD, "[%r3], 256;", "[%r3], 240;", {"deadlock"}),
    "every thread issues": (GOOD, "@%p1 cp", "cp", {"race"}),
    "fence of init": (GOOD, "@%p1 fence.mbarrier_init.release.cluster;", "", {"proxy"}),
    "proxy fence": (STORED, "fence.proxy.async.shared::cta;", "", {"proxy"}),
    "proxy fence of another space": (STORED, "async.shared::cta", "async.global", {"proxy"}),
    "proxy fence by one": (STORED, "fence.proxy", "@%p1 fence.proxy", {"proxy"}),
    "barrier after the fence": (
        STORED,
        "shared::cta;\nbar.sync 0;",
        "shared::cta;",
        {"race", "poison", "proxy"},
    ),
    "wait for the group": (STORED, DONE, "", {"race"}),
    "commit": (STORED, COMMIT, "", {"race"}),
    "waits for one less": (STORED, "wait_group 0", "wait_group 1", {"race"}),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_noticed(name: str) -> None:
    body, old, new, expected = MISTAKES[name]
    assert old in body
    x, z = words(), aligned(np.zeros(64, np.int32))
    assert kinds(body, x, z) == {""}
    found = kinds(body.replace(old, new, 1), x, z)
    assert found
    assert found <= expected


def test_generic_writes_before_a_copy_there_need_a_fence() -> None:
    filling = "@%p1 st.shared.b32 [%r4], 3;\n"
    x, z = words(), aligned(np.zeros(64, np.int32))
    body = GOOD.replace("bar.sync 0;\n", filling + "{}bar.sync 0;\n", 1)
    assert kinds(body.format("fence.proxy.async;\n"), x, z) == {""}
    assert kinds(body.format(""), x, z) == {"proxy"}


def test_generic_writes_to_global_memory_need_a_fence_too() -> None:
    """A chain of two copies, or of a store and a copy, in one kernel."""
    x, z = words(), aligned(np.zeros(64, np.int32))
    body = GOOD.replace("bar.sync 0;\n", "@%p1 st.global.b32 [%d0], 3;\n{}bar.sync 0;\n", 1)
    assert kinds(body.format("fence.proxy.async.global;\n"), x, z) == {""}
    assert kinds(body.format("fence.proxy.async;\n"), x, z) == {""}
    assert kinds(body.format("fence.proxy.async.shared::cta;\n"), x, z) == {"proxy"}
    assert kinds(body.format(""), x, z) == {"proxy"}


@pytest.mark.parametrize("schedule", EVERY)
def test_a_copy_reads_what_a_copy_wrote(schedule: str) -> None:
    """Through one proxy no fence is needed, but the wait is."""
    back = LOAD.replace("%d0", "%d1").format(1024, 0, 256)
    ends = DONE + EXPECT.format(256) + back + wait(0)
    body = MEMORY + filled(64, 0) + made(1) + FENCE + STORE.format(0, 0, 256) + COMMIT
    x, z = words(), aligned(np.zeros(64, np.int32))
    run(body + ends, x, z, schedule=schedule)
    fails("race", "a bulk copy", body + ends.replace(DONE, "") + DONE, x, z, schedule=schedule)


def test_the_source_of_a_copy_must_not_change() -> None:
    """Found where the copy is carried out late: the thread itself writes what it copies."""
    body = GOOD.replace(wait(0), "@%p1 st.global.b32 [%d0], 3;\n" + wait(0))
    x, z = words(), aligned(np.zeros(64, np.int32))
    assert "race" in kinds(body, x.copy(), z)
    late, early = (("lock-step",), ("ascending",))
    assert kinds(body, aligned(words()), z, schedules=early, races=False) == {""}
    assert kinds(body, aligned(words()), z, schedules=late, races=False) == {"race"}


def test_a_block_must_not_end_before_its_copies() -> None:
    body = MEMORY + made(1) + EXPECT.format(256) + LOAD.format(0, 0, 256)
    fails("race", "a block ended", body, words())


@pytest.mark.parametrize("schedule", EVERY)
def test_a_block_may_end_when_its_memory_is_read(schedule: str) -> None:
    """What it has stored comes to global memory later."""
    x, z = words(), aligned(np.zeros(64, np.int32))
    body = STORED.replace("wait_group 0", "wait_group.read 0")
    run(body, x, z, schedule=schedule)
    np.testing.assert_array_equal(z, x[:64])
    fails("race", "a block ended without", body.replace("read 0", "read 1"), x, z)


@pytest.mark.parametrize(
    ("kind", "text", "change"),
    [
        ("alignment", "source of a bulk copy", ("[%d0+0]", "[%d0+8]")),
        ("alignment", "destination of a bulk copy", ("[%r4+0]", "[%r4+4]")),
        ("alignment", "size of a bulk copy", ("], 256, [", "], 248, [")),
        ("bounds", "there are", ("[%r4+0]", "[%r4+8192]")),
        ("bounds", "the nearest memory", ("[%d0+0]", "[%d0+1024]")),
        ("barrier", "there is no mbarrier", ("256, [%r3]", "256, [%r3+8]")),
        ("proxy", "was written by thread 0", ("[%r4+0]", "[%r4+7952]")),
    ],
)
def test_errors(kind: str, text: str, change: tuple[str, str]) -> None:
    assert change[0] in GOOD
    fails(kind, text, GOOD.replace(*change), words(), aligned(np.zeros(64, np.int32)))


def test_prefetches_only_hint() -> None:
    run(MEMORY + "cp.async.bulk.prefetch.L2.global [%d0], 64;\n", words())
    fails("alignment", "size", MEMORY + "cp.async.bulk.prefetch.L2.global [%d0], 8;\n", words())
