"""`cp.async.bulk`: bytes in a row between global and shared memory, reductions, and groups."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.emulator.ops.hopper.bodies import (
    EVERY,
    MEMORY,
    fails,
    filled,
    kept,
    kinds,
    made,
    wait,
)
from tests.codegen.emulator.snippets import run
from tests.codegen.emulator.values import aligned

EXPECT = "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], {};\n"
LOAD = (
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4+{}], [%d0+{}], {},"
    " [%r3];\n"
)
INSIDE = (
    "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r4+{}],"
    " [%r4+{}], {}, [%r3];\n"
)
STORE = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d1+{}], [%r4+{}], {};\n"
COMMIT, DONE = "cp.async.bulk.commit_group;\n", "cp.async.bulk.wait_group 0;\n"
FENCE = "fence.proxy.async.shared::cta;\nbar.sync 0;\n"


def words(count: int = 256) -> np.ndarray:
    return aligned(np.random.default_rng(1).integers(1, 1 << 31, count).astype(np.int32))


@pytest.mark.parametrize("schedule", EVERY)
def test_from_global_to_shared_memory(schedule: str) -> None:
    """Two copies of one phase, of other lengths, to other places."""
    body = (
        MEMORY
        + made(1)
        + EXPECT.format(16 + 496)
        + LOAD.format(0, 32, 16)
        + LOAD.format(16, 64, 496)
        + wait(0)
        + kept(128, 1)
    )
    x, z = words(), aligned(np.zeros(128, np.int32))
    run(body, x, z, schedule=schedule)
    np.testing.assert_array_equal(z, np.concatenate([x[8:12], x[16:140]]))


@pytest.mark.parametrize("schedule", EVERY)
def test_from_shared_to_global_memory(schedule: str) -> None:
    body = (
        MEMORY
        + filled(128, 0)
        + FENCE
        + STORE.format(16, 0, 256)
        + COMMIT
        + STORE.format(512, 256, 16)
        + COMMIT
        + DONE
    )
    x, z = words(), aligned(np.zeros(256, np.int32))
    run(body, x, z, schedule=schedule)
    expected = np.zeros(256, np.int32)
    expected[4:68], expected[128:132] = x[:64], x[64:68]
    np.testing.assert_array_equal(z, expected)


@pytest.mark.parametrize("schedule", EVERY)
def test_within_shared_memory(schedule: str) -> None:
    body = (
        MEMORY
        + filled(64, 0)
        + made(1)
        + FENCE
        + EXPECT.format(256)
        + INSIDE.format(256, 0, 256)
        + wait(0)
        + kept(128, 1)
    )
    x, z = words(), aligned(np.zeros(128, np.int32))
    run(body, x, z, schedule=schedule)
    np.testing.assert_array_equal(z, np.tile(x[:64], 2))


NUMPY = {
    "add": lambda a, b: a + b,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "inc": lambda a, b: np.where(a >= b, 0, a + 1),
    "dec": lambda a, b: np.where((a == 0) | (a > b), b, a - 1),
}
REDUCTIONS = [
    ("add.u32", np.uint32),
    ("add.s32", np.int32),
    ("add.u64", np.uint64),
    ("inc.u32", np.uint32),
    ("dec.u32", np.uint32),
    ("min.s32", np.int32),
    ("max.u64", np.uint64),
    ("and.b32", np.uint32),
    ("or.b64", np.uint64),
    ("xor.b32", np.uint32),
    ("add.f32", np.float32),
    ("add.noftz.f16", np.float16),
    ("min.f16", np.float16),
    ("add.noftz.bf16", ml_dtypes.bfloat16),
    ("max.bf16", ml_dtypes.bfloat16),
]


@pytest.mark.parametrize("schedule", ["lock-step", "ascending"])
@pytest.mark.parametrize(("name", "kind"), REDUCTIONS, ids=[name for name, _ in REDUCTIONS])
def test_reductions(name: str, kind: Any, schedule: str) -> None:
    source = np.random.default_rng(2)
    x, z = (
        aligned(source.integers(0, 9, 256 // np.dtype(kind).itemsize).astype(kind))
        for _ in range(2)
    )
    expected = NUMPY[name.partition(".")[0]](z, x).astype(kind)
    reduce = STORE.replace("cp.async", "cp.reduce.async").replace("group", f"group.{name}")
    body = MEMORY + filled(64, 0) + FENCE + reduce.format(0, 0, 256) + COMMIT + DONE
    run(body, x, z, schedule=schedule)
    np.testing.assert_array_equal(z.view(np.uint8), expected.view(np.uint8))


@pytest.mark.parametrize("schedule", EVERY)
def test_reductions_of_several_blocks_meet(schedule: str) -> None:
    reduce = STORE.replace("cp.async", "cp.reduce.async").replace("group", "group.add.s32")
    body = MEMORY + filled(64, 0) + FENCE + reduce.format(0, 0, 256) + COMMIT + DONE
    x, z = words(64) // 16, aligned(np.arange(64, dtype=np.int32))
    run(body, x, z, blocks=3, schedule=schedule)
    np.testing.assert_array_equal(z, np.arange(64) + 3 * x)
    stores = body.replace("cp.reduce.async", "cp.async").replace(".add.s32", "")
    assert kinds(stores, x, z, blocks=3, schedules=("lock-step", "ascending")) == {"race"}


@pytest.mark.parametrize("schedule", EVERY)
def test_reductions_within_shared_memory(schedule: str) -> None:
    reduce = INSIDE.replace("cp.async", "cp.reduce.async").replace("bytes", "bytes.add.s32")
    body = (
        MEMORY
        + filled(128, 0)
        + made(1)
        + FENCE
        + EXPECT.format(256)
        + reduce.format(256, 0, 256)
        + wait(0)
        + kept(128, 1)
    )
    x, z = words() // 4, aligned(np.zeros(128, np.int32))
    run(body, x, z, schedule=schedule)
    np.testing.assert_array_equal(z, np.concatenate([x[:64], x[64:128] + x[:64]]))


AGAIN = "@%p1 st.shared.b32 [%r4], 7;\n"


@pytest.mark.parametrize("schedule", EVERY)
def test_sources_may_be_written_once_they_are_read(schedule: str) -> None:
    body = MEMORY + filled(64, 0) + FENCE + STORE.format(0, 0, 256) + COMMIT
    read = "cp.async.bulk.wait_group.read 0;\n"
    x, z = words(), aligned(np.zeros(64, np.int32))
    run(body + read + AGAIN + DONE, x, z, schedule=schedule)
    np.testing.assert_array_equal(z, x[:64])
    fails("race", "still read", body + AGAIN + DONE, x, z, schedule=schedule)
    after = "@%p1 ld.global.b32 %r5, [%d1];\n"
    run(body + DONE + after, x, z, schedule=schedule)
    fails("race", "a bulk copy", body + read + after + DONE, x, z, schedule=schedule)


@pytest.mark.parametrize("schedule", EVERY)
def test_groups_are_counted(schedule: str) -> None:
    """Of two groups the older is waited for: its source is free, that of the other is not."""
    body = (
        MEMORY
        + filled(128, 0)
        + FENCE
        + STORE.format(0, 0, 256)
        + COMMIT
        + STORE.format(256, 256, 256)
        + COMMIT
        + "cp.async.bulk.wait_group.read 1;\n"
        + AGAIN
        + "{}"
        + DONE
    )
    x, z = words(), aligned(np.zeros(128, np.int32))
    run(body.format(""), x, z, schedule=schedule)
    np.testing.assert_array_equal(z, x[:128])
    newer = AGAIN.replace("[%r4]", "[%r4+256]")
    fails("race", "still read", body.format(newer), x, z, schedule=schedule)


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
        {"race", "poison"},
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
    assert "race" in kinds(body, x, z)


def test_a_block_must_not_end_before_its_copies() -> None:
    body = MEMORY + made(1) + EXPECT.format(256) + LOAD.format(0, 0, 256)
    fails("race", "a block ended", body, words())


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
