"""`cp.async.bulk`: bytes in a row between global and shared memory, reductions, and groups."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.emulator.ops.hopper.bodies import (
    COMMIT,
    DONE,
    EVERY,
    EXPECT,
    FENCE,
    INSIDE,
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


@pytest.mark.parametrize("schedule", EVERY)
def test_threads_may_poll(schedule: str) -> None:
    """Copies end even while all threads go on asking."""
    poll = "POLL:\nmbarrier.test_wait.parity.shared.b64 %p9, [%r3], 0;\n@!%p9 bra POLL;\n"
    body = MEMORY + made(1) + EXPECT.format(256) + LOAD.format(0, 0, 256) + poll + kept(64, 1)
    x, z = words(), aligned(np.zeros(64, np.int32))
    run(body, x, z, schedule=schedule, limit=2000)
    np.testing.assert_array_equal(z, x[:64])
