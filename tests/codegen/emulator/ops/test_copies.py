"""Asynchronous copies: what arrives, when, and what is noticed while they are under way."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from tests.codegen.emulator.snippets import THREADS, run
from tests.codegen.emulator.values import aligned
from tileir.codegen.emulator import SCHEDULES, EmulationError

SLOTS = "shl.b32 %r3, %r0, 4;\ncvt.u64.u32 %d10, %r3;\nadd.s64 %d11, %d0, %d10;\n"
"""%r3 and %d11 are the 16 bytes of the thread in shared and in global memory."""
KEEP = (
    "add.s64 %d12, %d1, %d10;\nld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r3];\n"
    "st.global.v4.b32 [%d12], {%r10, %r11, %r12, %r13};\n"
)
FILL = "mov.b32 %r5, -1;\nst.shared.v4.b32 [%r3], {%r5, %r5, %r5, %r5};\n"


def source() -> np.ndarray:
    return aligned(np.random.default_rng(0).integers(1, 255, (THREADS, 16), np.uint8, True))


def copied(body: str, schedule: str = "lock-step", x: np.ndarray | None = None) -> np.ndarray:
    out = aligned(np.zeros((THREADS, 16), np.uint8))
    run(SLOTS + body, source() if x is None else x, out, shared=2048, schedule=schedule)
    return out


@pytest.mark.parametrize("size", [4, 8, 16])
@pytest.mark.parametrize("spelled", [str, hex])
def test_sizes(size: int, spelled: Callable[[int], str]) -> None:
    body = f"cp.async.ca.shared.global [%r3], [%d11], {spelled(size)};\ncp.async.wait_all;\n"
    out = copied(FILL + body + KEEP)
    np.testing.assert_array_equal(out[:, :size], source()[:, :size])
    assert (out[:, size:] == 255).all()


@pytest.mark.parametrize("size", [4, 8, 16])
def test_a_part_is_read_and_the_rest_is_zero(size: int) -> None:
    """Not a byte more is read: of the last thread, nothing else is there."""
    lengths = np.arange(THREADS) % (size + 1)
    lengths[-1] = 3
    whole = aligned(np.zeros((THREADS, 16), np.uint8))
    whole[:] = source()
    x = whole.ravel()[: 16 * (THREADS - 1) + 3]
    body = (
        f"rem.u32 %r6, %r0, {size + 1};\nsetp.eq.u32 %p1, %r0, {THREADS - 1};\n"
        f"@%p1 mov.b32 %r6, 3;\ncp.async.ca.shared.global [%r3], [%d11], {size}, %r6;\n"
        "cp.async.commit_group;\ncp.async.wait_group 0;\n"
    )
    out = copied(FILL + body + KEEP, x=x)
    there = np.arange(size) < lengths[:, None]
    np.testing.assert_array_equal(out[:, :size], np.where(there, whole[:, :size], 0))


def test_a_source_to_be_ignored() -> None:
    body = (
        "setp.lt.u32 %p1, %r0, 40;\ncp.async.cg.shared.global.L2::128B [%r3], [%d11], 16, %p1;\n"
        "cp.async.wait_all;\n"
    )
    out = copied(body + KEEP)
    np.testing.assert_array_equal(out, np.where(np.arange(THREADS)[:, None] < 40, 0, source()))


def test_a_guard() -> None:
    body = (
        FILL + "setp.lt.u32 %p1, %r0, 40;\n@%p1 cp.async.cg.shared.global [%r3], [%d11], 16;\n"
        "cp.async.commit_group;\ncp.async.wait_group 0;\n"
    )
    out = copied(body + KEEP)
    np.testing.assert_array_equal(out, np.where(np.arange(THREADS)[:, None] < 40, source(), 255))


STAGES, TILES = 3, 6
RING = (
    # A thread copies 4 bytes of each tile; it sums up those of its neighbour, weighted by tile.
    "shl.b32 %r3, %r0, 2;\ncvt.u64.u32 %d10, %r3;\nadd.s64 %d11, %d0, %d10;\n"
    "xor.b32 %r4, %r0, 33;\nshl.b32 %r4, %r4, 2;\nmov.b32 %r9, 0;\n"
    + "".join(
        f"cp.async.ca.shared.global [%r3+{256 * tile}], [%d11+{256 * tile}], 4;\n"
        "cp.async.commit_group;\n"
        for tile in range(STAGES - 1)
    )
    + "".join(
        f"cp.async.wait_group {STAGES - 2};\nbar.sync 0;\n"
        + (
            f"cp.async.ca.shared.global [%r3+{256 * ((tile + STAGES - 1) % STAGES)}],"
            f" [%d11+{256 * (tile + STAGES - 1)}], 4;\n"
            if tile + STAGES - 1 < TILES
            else ""
        )
        + f"cp.async.commit_group;\nld.shared.b32 %r5, [%r4+{256 * (tile % STAGES)}];\n"
        f"mad.lo.s32 %r9, %r5, {tile + 1}, %r9;\n"
        for tile in range(TILES)
    )
    + "add.s64 %d12, %d1, %d10;\nst.global.b32 [%d12], %r9;\n"
)


def through_ring(body: str, schedule: str) -> bool:
    """Whether the sums are right."""
    x = np.random.default_rng(1).integers(-99, 99, (TILES, THREADS)).astype(np.int32)
    out = np.zeros(THREADS, np.int32)
    run(body, x, out, shared=256 * STAGES, schedule=schedule)
    sums = (x * np.arange(1, TILES + 1)[:, None]).sum(axis=0)
    return bool((out == sums[np.arange(THREADS) ^ 33]).all())


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_ring(schedule: str) -> None:
    assert through_ring(RING, schedule)


def mutants() -> list[tuple[str, str]]:
    """One wait, barrier, commit or place of the ring changed; but for commits that nobody needs."""
    changes = {
        f"cp.async.wait_group {STAGES - 2};": ["", f"cp.async.wait_group {STAGES - 1};"],
        "bar.sync 0;": [""],
        "cp.async.commit_group;": [""],
        f", [%d11+{256 * (STAGES - 1)}]": [f", [%d11+{256 * STAGES}]"],
        f"[%r3+{256 * (STAGES - 1)}]": ["[%r3]", "[%r3+256]"],
    }
    needed = len(RING) - len("".join(RING.rpartition("bar.sync")[1:]))
    return [
        (f"{old} at {found.start()}", RING[: found.start()] + new + RING[found.end() :])
        for old, news in changes.items()
        for new in news
        for found in re.finditer(re.escape(old), RING)
        if "commit" not in old or found.start() < needed
    ]


@pytest.mark.parametrize("mutant", mutants(), ids=lambda pair: pair[0])
def test_a_mistake_in_the_ring_is_noticed(mutant: tuple[str, str]) -> None:
    assert any(verdict(mutant[1], schedule) for schedule in SCHEDULES)


def verdict(body: str, schedule: str) -> str:
    """What is noticed: a kind of error, or sums that are wrong."""
    try:
        return "" if through_ring(body, schedule) else "wrong"
    except EmulationError as problem:
        return problem.kind


COPY = "cp.async.ca.shared.global [%r3], [%d11], 4;\n"
WAIT = "cp.async.wait_all;\n"
NEXT = "xor.b32 %r4, %r3, 16;\n"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("poison", COPY + "ld.shared.b32 %r5, [%r3];\n" + WAIT),
        ("poison", COPY + "bar.sync 0;\n" + NEXT + "ld.shared.b32 %r5, [%r4];\n" + WAIT),
        ("poison", COPY + "cp.async.wait_group 0;\nld.shared.b32 %r5, [%r3];\n"),
        ("race", COPY + WAIT + NEXT + "ld.shared.b32 %r5, [%r4];\n"),
        ("race", COPY + "st.shared.b32 [%r3], %r3;\n" + WAIT),
        ("race", COPY + COPY + WAIT),
        ("race", COPY + "atom.shared.add.u32 %r5, [%r3], 1;\n" + WAIT),
        ("race", COPY + "st.global.b32 [%d11], %r3;\n" + WAIT),
        ("race", "st.shared.b32 [%r3], %r3;\n" + NEXT + COPY.replace("%r3", "%r4") + WAIT),
        ("race", FILL + NEXT + "ld.shared.b32 %r5, [%r3];\n" + COPY.replace("%r3", "%r4") + WAIT),
        ("race", "mov.b32 %r3, 0;\n" + COPY + WAIT),
        ("alignment", "cp.async.cg.shared.global [%r3+4], [%d11], 16;\n"),
        ("alignment", "cp.async.cg.shared.global [%r3], [%d11+8], 16;\n"),
        ("alignment", "cp.async.ca.shared.global [%r3], [%d11], 4, 5;\n"),
        ("bounds", "cp.async.cg.shared.global [%r3+2048], [%d11], 16;\n"),
        ("bounds", "cp.async.cg.shared.global [%r3], [%d11+1024], 16;\n"),
        ("syntax", "cp.async.cg.shared.global [%r3], [%d11], 8;\n"),
    ],
)
def test_errors(kind: str, body: str) -> None:
    with pytest.raises(EmulationError) as caught:
        copied(body)
    assert caught.value.kind == kind


def test_a_barrier_after_the_wait_is_for_the_others() -> None:
    """What a thread has waited for it reads itself, and after a barrier so do the others."""
    body = COPY + WAIT + "ld.shared.b32 %r5, [%r3];\nbar.sync 0;\n" + NEXT
    copied(body + "ld.shared.b32 %r5, [%r4];\n")


def test_a_barrier_before_the_wait_is_not() -> None:
    body = COPY + "bar.sync 0;\n" + WAIT + NEXT + "ld.shared.b32 %r5, [%r4];\n"
    with pytest.raises(EmulationError) as caught:
        copied(body, "ascending")
    assert caught.value.kind in ("poison", "race")
