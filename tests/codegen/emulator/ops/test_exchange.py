"""Exchanges within a warp: shuffles, votes, matches, reductions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.emulator.snippets import THREADS, run
from tileir.codegen.emulator import SCHEDULES, EmulationError

STORE = (
    "mul.wide.u32 %d10, %r0, 8;\nadd.s64 %d11, %d0, %d10;\n"
    "selp.b32 %r6, 1, 0, %p5;\nst.global.v2.b32 [%d11], {%r5, %r6};"
)
START = "mul.lo.u32 %r4, %r0, 10;\nsetp.eq.b32 %p5, %r0, %r0;\nand.b32 %r3, %r0, 31;\n"


def results(body: str, schedule: str = "lock-step", start: str = START) -> np.ndarray:
    z = np.full((THREADS, 2), -1, np.int32)
    run(start + body + STORE, z, schedule=schedule)
    return z


def shuffled(mode: str, lane: int, b: int, c: int) -> tuple[int, bool]:
    """As the PTX manual's program does it."""
    segment, clamp, b = c >> 8 & 31, c & 31, b & 31
    highest, lowest = (lane & segment) | (clamp & ~segment), lane & segment
    source = {
        "up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": lowest | (b & ~segment),
    }[mode]  # fmt: skip
    inside = source >= highest if mode == "up" else source <= highest
    return (source if inside else lane), inside


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
@pytest.mark.parametrize("c", [31, 0, 0x181F, 0x1C00, 0x1003, 7])
@pytest.mark.parametrize("b", [0, 1, 5, 16, 33])
def test_shuffle(mode: str, b: int, c: int) -> None:
    z = results(f"shfl.sync.{mode}.b32 %r5|%p5, %r4, {b}, {c}, -1;\n")
    for thread in range(THREADS):
        source, inside = shuffled(mode, thread % 32, b, c)
        assert z[thread].tolist() == [10 * (thread // 32 * 32 + source), inside]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_sum_by_shuffles(schedule: str) -> None:
    body = "mov.b32 %r5, %r4;\n" + "".join(
        f"shfl.sync.bfly.b32 %r7, %r5, {step}, 31, -1;\nadd.s32 %r5, %r5, %r7;\n"
        for step in (16, 8, 4, 2, 1)
    )
    expected = 10 * np.arange(THREADS).reshape(2, 32).sum(axis=1).repeat(32)
    np.testing.assert_array_equal(results(body, schedule)[:, 0], expected)


def test_votes() -> None:
    low = "setp.lt.u32 %p1, %r0, 40;\n"
    z = results(low + "vote.sync.ballot.b32 %r5, %p1, -1;\nvote.sync.all.pred %p5, %p1, -1;\n")
    assert z[:, 0].view(np.uint32).tolist() == [2**32 - 1] * 32 + [255] * 32
    assert z[:, 1].tolist() == [1] * 32 + [0] * 32
    for mode, expected in (("any", 1), ("uni", 0)):
        z = results(low + f"mov.b32 %r5, 0;\nvote.sync.{mode}.pred %p5, !%p1, -1;\n")
        assert z[:, 1].tolist() == [0 if mode == "any" else 1] * 32 + [expected] * 32


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_groups_of_a_warp(schedule: str) -> None:
    """Odd and even lanes exchange among themselves, in different branches or in one."""
    part = (
        "and.b32 %r8, %r0, 1;\nsetp.eq.b32 %p1, %r8, 0;\n"
        "selp.b32 %r9, 0x55555555, 0xAAAAAAAA, %p1;\n"
    )
    sums = [10 * sum(range(start, start + 32, 2)) for start in (0, 1, 32, 33)]
    expected = [sums[2 * (k // 32) + k % 2] for k in range(THREADS)]
    together = part + "redux.sync.add.s32 %r5, %r4, %r9;\n"
    assert results(together, schedule)[:, 0].tolist() == expected
    apart = (
        part + "@%p1 bra EVEN;\nredux.sync.add.s32 %r5, %r4, 0xAAAAAAAA;\nbra BOTH;\n"
        "EVEN:\nredux.sync.add.s32 %r5, %r4, 0x55555555;\nBOTH:\n"
    )
    assert results(apart, schedule)[:, 0].tolist() == expected


@pytest.mark.parametrize(
    ("name", "function"),
    [("add.s32", np.add), ("add.u32", np.add), ("min.s32", np.minimum), ("max.s32", np.maximum),
     ("min.u32", np.minimum), ("max.u32", np.maximum), ("and.b32", np.bitwise_and),
     ("or.b32", np.bitwise_or), ("xor.b32", np.bitwise_xor)],
)  # fmt: skip
def test_reductions(name: str, function: np.ufunc) -> None:
    body = f"mul.lo.u32 %r4, %r0, 0x9E3779B9;\nredux.sync.{name} %r5, %r4, -1;\n"
    kind = np.int32 if ".s" in name else np.uint32
    values = (np.arange(THREADS, dtype=np.uint64) * 0x9E3779B9).astype(np.uint32).view(kind)
    expected = function.reduce(values.reshape(2, 32), axis=1, dtype=kind).repeat(32)
    np.testing.assert_array_equal(results(body)[:, 0].view(kind), expected)


def test_matches() -> None:
    z = results("shr.u32 %r4, %r0, 3;\nmatch.any.sync.b32 %r5, %r4, -1;\n")
    expected = [255 << (k % 32 // 8 * 8) for k in range(THREADS)]
    assert z[:, 0].view(np.uint32).tolist() == expected
    z = results("shr.u32 %r4, %r0, 5;\nmatch.all.sync.b32 %r5|%p5, %r4, -1;\n")
    assert z.view(np.uint32).tolist() == [[2**32 - 1, 1]] * THREADS
    z = results("shr.u32 %r4, %r0, 4;\nmatch.all.sync.b32 %r5|%p5, %r4, -1;\n")
    assert z.tolist() == [[0, 0]] * THREADS


def test_leaders_and_active_lanes() -> None:
    body = "mov.b32 %r5, 7;\nsetp.ge.u32 %p1, %r3, 4;\n@!%p1 bra J;\n"
    z = results(body + "elect.sync %r5|%p5, 0xFFFFFFF0;\nJ:\n")
    assert z[:, 0].tolist() == ([7] * 4 + [4] * 28) * 2
    assert z[:, 1].tolist() == ([1] * 4 + [1] + [0] * 27) * 2
    z = results(body + "activemask.b32 %r5;\nJ:\n")
    assert z[:, 0].view(np.uint32).tolist() == ([7] * 4 + [0xFFFFFFF0] * 28) * 2


HALF = "setp.lt.u32 %p1, %r3, 16;\n"
FIRST = "shfl.sync.idx.b32 %r5, %r4, 0, 31,"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("shfl.sync.idx.b32 %r5, %r4, 0, 31, 0xFFFFFFFE;\n", "warp"),
        (f"{HALF}@%p1 bra J;\n{FIRST} -1;\nJ:\nbar.warp.sync -1;\n", "deadlock"),
        (f"{HALF}@%p1 bra J;\n{FIRST} 0xFFFF0000;\nJ:\n", "warp"),
        (f"{HALF}@%p1 exit;\n{FIRST} -1;\n", "warp"),
    ],
)  # fmt: skip
def test_partners_that_are_not_there(body: str, kind: str) -> None:
    with pytest.raises(EmulationError) as caught:
        results(body)
    assert caught.value.kind == kind
    assert "sync" in str(caught.value)
