"""Pieces of kernels with mbarriers, for tests: memory, waits, and what is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.codegen.emulator.snippets import run
from tests.codegen.emulator.values import aligned
from tileir.codegen.emulator import SCHEDULES, EmulationError

EVERY = (*SCHEDULES, "later-blocks", "late-0", "late-1")

MEMORY = (
    ".shared .align 1024 .b8 room[8192];\n.shared .align 8 .b64 bar[4];\nmov.b32 %r3, bar;\n"
    "mov.b32 %r4, room;\nsetp.eq.u32 %p1, %r0, 0;\n"
)
"""%r3 is the first of four mbarriers, %r4 the other shared memory, %p1 whether it is thread 0."""

OWN = (
    "shl.b32 %r5, %r0, 2;\nadd.s32 %r6, %r5, %r4;\nxor.b32 %r7, %r5, 252;\n"
    "add.s32 %r7, %r7, %r4;\nmul.wide.u32 %d10, %r0, 4;\nadd.s64 %d11, %d0, %d10;\n"
)
"""%r6 is the thread's word, %r7 that of its counterpart, %d11 its result."""
WRITE, READ = "st.shared.b32 [%r6], %r0;\n", "ld.shared.b32 %r8, [%r7];\n"
KEEP = "st.global.b32 [%d11], %r8;\n"
ARRIVE = "mbarrier.arrive.shared.b64 %d5, [%r3];\n"

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
"""Pieces of bulk copies by thread 0: places, sizes and bytes are to be filled in."""


def made(count: int, fence: str = "fence.mbarrier_init.release.cluster;") -> str:
    """Initialise the first mbarrier."""
    return f"@%p1 mbarrier.init.shared.b64 [%r3], {count};\n@%p1 {fence}\nbar.sync 0;\n"


def wait(parity: int, name: str = "", more: str = "") -> str:
    """Wait at the first mbarrier."""
    return (
        f"WAIT{name}{parity}:\nmbarrier.try_wait.parity{more}.shared.b64 %p9, [%r3], {parity};\n"
        f"@!%p9 bra WAIT{name}{parity};\n"
    )


def kept(words: int, parameter: int) -> str:
    """Copy words of shared memory to an array, by 64 threads."""
    return (
        f"mov.b32 %r50, %r0;\nKEEP:\nsetp.ge.u32 %p10, %r50, {words};\n@%p10 bra KEPT;\n"
        "shl.b32 %r51, %r50, 2;\nadd.s32 %r52, %r51, %r4;\n"
        "ld.shared.b32 %r53, [%r52];\ncvt.u64.u32 %d50, %r51;\n"
        f"add.s64 %d51, %d{parameter}, %d50;\nst.global.b32 [%d51], %r53;\n"
        "add.s32 %r50, %r50, 64;\nbra KEEP;\nKEPT:\n"
    )


def filled(words: int, parameter: int) -> str:
    """Copy words of an array to shared memory, by 64 threads."""
    return (
        f"mov.b32 %r50, %r0;\nFILL:\nsetp.ge.u32 %p10, %r50, {words};\n@%p10 bra FILLED;\n"
        "shl.b32 %r51, %r50, 2;\nadd.s32 %r52, %r51, %r4;\n"
        f"cvt.u64.u32 %d50, %r51;\nadd.s64 %d51, %d{parameter}, %d50;\n"
        "ld.global.b32 %r53, [%d51];\nst.shared.b32 [%r52], %r53;\n"
        "add.s32 %r50, %r50, 64;\nbra FILL;\nFILLED:\n"
    )


def kinds(body: str, *arrays: Any, schedules: tuple[str, ...] = SCHEDULES, **more: Any) -> set[str]:
    """The kinds of the errors under some schedules, "" for none."""
    found = set()
    for schedule in schedules:
        try:
            run(body, *arrays, schedule=schedule, **more)
            found.add("")
        except EmulationError as problem:
            found.add(problem.kind)
    return found


def fails(kind: str, text: str, body: str, *arrays: Any, **more: Any) -> None:
    """The launch must end with an error of this kind, whose message has this text."""
    with pytest.raises(EmulationError, match=text) as caught:
        run(body, *arrays, **more)
    assert caught.value.kind == kind


def words(count: int = 256) -> np.ndarray:
    return aligned(np.random.default_rng(1).integers(1, 1 << 31, count).astype(np.int32))
