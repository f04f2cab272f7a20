"""Counters of the emulator, against numbers that are known or counted by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tileir
from tests.codegen.emulator.snippets import kernel, plan, run
from tests.lab.model.test_fixtures import aligned
from tests.launches import Launch, newest
from tileir.codegen.emulator import launch
from tileir.codegen.emulator.counting.classes import CLASSES, class_of
from tileir.codegen.emulator.counting.counts import LISTED, EmulatedCounts, WarpAccesses
from tileir.codegen.emulator.ptx.locations import source_lines


def only(body: str, *arrays: Any, **more: Any) -> WarpAccesses:
    """The counts of the only access in a body that takes memory of a block or a grid."""
    [found] = accesses(body, *arrays, **more)
    return found


def accesses(body: str, *arrays: Any, **more: Any) -> tuple[WarpAccesses, ...]:
    counts = run(body, *map(aligned, arrays), count=True, **more).counts
    return tuple(sorted(counts.accesses, key=lambda row: row.line))


def shared(
    address: str, opcode: str = "st.shared.b32", value: str = "%r0", **more: Any
) -> WarpAccesses:
    """One warp stores to shared memory, lane %r0 at the address that is computed into %r9."""
    body = f"{address}\n{opcode} [%r9], {value};"
    return only(body, threads=32, shared=1 << 16, races=False, parameters=(), **more)


TILE = 32
LANE_AT = "mad.lo.u32 %r9, %r0, {step}, {start};"


@pytest.mark.parametrize(
    ("step", "wavefronts"),
    [(4, 1), (8, 2), (12, 1), (16, 4), (32, 8), (64, 16), (128, 32), (132, 1), (136, 2), (0, 1)],
)
def test_bank_conflicts_of_strides(step: int, wavefronts: int) -> None:
    """Words at a stride of s fall into banks s apart: 32 / gcd(32, s) of them are different.

    A row of 32 words is 32 ways in conflict when its columns are read, a row of 33 is not.
    """
    found = shared(LANE_AT.format(step=step, start=256), value="%r1")
    assert (found.space, found.requests, found.least) == ("shared", 1, 1)
    assert (found.transactions, found.worst, found.excess) == (
        wavefronts,
        wavefronts,
        wavefronts - 1,
    )


@pytest.mark.parametrize(("pitch", "conflicts"), [(TILE, 31), (TILE + 1, 0)])
def test_transpose_through_shared_memory(pitch: int, conflicts: int) -> None:
    """The classic: 32 warps write rows of a tile and read its columns; padding removes 31 ways."""
    x = np.arange(TILE * TILE, dtype=np.float32).reshape(TILE, TILE)
    z = aligned(np.zeros_like(x))
    body = f"""
    shr.u32 %r2, %r0, 5;
    and.b32 %r3, %r0, 31;
    mad.lo.u32 %r4, %r2, {pitch}, %r3;
    shl.b32 %r4, %r4, 2;
    mad.lo.u32 %r5, %r3, {pitch}, %r2;
    shl.b32 %r5, %r5, 2;
    mul.wide.u32 %d5, %r0, 4;
    add.u64 %d6, %d0, %d5;
    add.u64 %d7, %d1, %d5;
    ld.global.b32 %r6, [%d6];
    st.shared.b32 [%r4], %r6;
    bar.sync 0;
    ld.shared.b32 %r7, [%r5];
    st.global.b32 [%d7], %r7;
    """
    counts = run(body, aligned(x), z, threads=1024, shared=4 * TILE * pitch, count=True).counts
    np.testing.assert_array_equal(z, x.T)
    rows = {row.text.split()[0]: row for row in counts.accesses}
    assert rows["st.shared.b32"].excess == 0
    assert rows["ld.shared.b32"].excess == counts.bank_conflicts == 32 * conflicts
    assert rows["ld.shared.b32"].worst == conflicts + 1
    assert [rows[f"{name}.global.b32"].transactions for name in ("ld", "st")] == [128, 128]
    assert counts.excess_sectors == 0
    assert [(row.text, row.warps) for row in counts.barriers] == [("bar.sync 0", 32)]


def test_what_hits_worst_comes_first() -> None:
    body = "\n".join(
        f"mul.lo.u32 %r9, %r0, {step};\nst.shared.b32 [%r9], %r1;" for step in (4, 64, 8)
    )
    counts = run(body, threads=32, shared=4096, parameters=(), races=False, count=True).counts
    assert [row.excess for row in counts.accesses] == [15, 1, 0]
    assert counts.accesses[0].line < counts.accesses[1].line


def test_wide_accesses_take_turns() -> None:
    """Eight lanes with 16 bytes at a time, or sixteen with 8: neighbours never conflict."""
    wide = "st.shared.v4.b32", "{%r1, %r1, %r1, %r1}"
    found = shared(LANE_AT.format(step=16, start=0), *wide)
    assert (found.transactions, found.least) == (4, 4)
    found = shared(LANE_AT.format(step=8, start=0), "st.shared.v2.b32", "{%r1, %r1}")
    assert (found.transactions, found.least) == (2, 2)
    # Eight lanes at a stride of 32 bytes need each of half of the banks twice.
    found = shared(LANE_AT.format(step=32, start=0), *wide)
    assert (found.transactions, found.least) == (8, 4)
    # Rows of 128 bytes: eight lanes in the same four banks.
    found = shared(LANE_AT.format(step=128, start=0), *wide)
    assert (found.transactions, found.least, found.worst) == (32, 4, 32)


def test_lanes_that_share_a_word() -> None:
    """Parts of a word are one wavefront for all lanes; atomic updates of it take turns."""
    bytewise = "mov.b16 %h1, 0;" + LANE_AT.format(step=1, start=0)
    found = shared(bytewise, "st.shared.b8", "%h1")
    assert (found.transactions, found.least) == (1, 1)
    for address, wavefronts in (("0", 32), ("%r9", 1)):
        body = f"""
        mul.lo.u32 %r9, %r0, 4;
        st.shared.b32 [%r9], 0;
        bar.sync 0;
        mov.u32 %r9, {address};
        red.shared.add.u32 [%r9], 1;
        """
        _, found = accesses(body, threads=32, shared=128, parameters=())
        assert (found.transactions, found.least) == (wavefronts, 1)


@pytest.mark.parametrize(("pitch", "conflicts"), [(128, 28), (144, 0)])
def test_matrices_in_rows_of_128_bytes(pitch: int, conflicts: int) -> None:
    """ldmatrix.x4 reads four times eight rows of 16 bytes; padded rows are free of conflicts."""
    body = f"""
    and.b32 %r2, %r0, 7;
    shr.u32 %r3, %r0, 3;
    mul.lo.u32 %r9, %r2, {pitch};
    mad.lo.u32 %r9, %r3, 16, %r9;
    stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r9], {{%r1, %r1, %r1, %r1}};
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r10, %r11, %r12, %r13}}, [%r9];
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%r10}}, [%r9];
    """
    found = accesses(body, threads=32, shared=8 * pitch, parameters=(), races=False)
    assert [(row.least, row.excess) for row in found] == [(4, conflicts)] * 2 + [
        (1, conflicts // 4)
    ]


@pytest.mark.parametrize(
    ("step", "start", "sectors", "least"),
    [
        (4, 0, 4, 4),  # 128 bytes in a row
        (4, 4, 5, 4),  # the same, but not from the start of a sector
        (8, 0, 8, 4),  # every other word
        (32, 0, 32, 4),  # a sector for each lane
        (128, 0, 32, 4),
        (0, 0, 1, 1),  # one word for all lanes
    ],
)
def test_sectors_of_strides(step: int, start: int, sectors: int, least: int) -> None:
    body = f"mad.lo.u32 %r9, %r0, {step}, {start};\ncvt.u64.u32 %d5, %r9;\nadd.u64 %d5, %d5, %d0;"
    for opcode in (
        "ld.global.b32 %r5, [%d5];",
        "ld.b32 %r5, [%d5];",
        "red.global.add.u32 [%d5], 0;",
    ):
        found = only(f"{body}\n{opcode}", np.zeros(2048, np.int32), threads=32, races=False)
        assert (found.space, found.requests) == ("global", 1)
        assert (found.transactions, found.least, found.worst) == (sectors, least, sectors)


def test_vectors_and_guards() -> None:
    """Five lanes with 16 bytes each are 80 bytes, three sectors; what a guard stops is none."""
    body = """
    mul.wide.u32 %d5, %r0, 16;
    add.u64 %d5, %d5, %d0;
    setp.lt.u32 %p1, %r0, 5;
    @%p1 ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%d5];
    setp.lt.u32 %p2, %r0, 0;
    @%p2 ld.global.b32 %r9, [%d5];
    """
    found = only(body, np.zeros(512, np.int32), threads=64)
    assert (found.requests, found.transactions, found.least) == (1, 3, 3)


def test_asynchronous_copies_access_both_memories() -> None:
    """16 bytes a lane from rows of 512: a sector each, half of it used; the last is skipped."""
    body = """
    mul.wide.u32 %d5, %r0, 512;
    add.u64 %d5, %d5, %d0;
    shl.b32 %r9, %r0, 4;
    setp.eq.u32 %p1, %r0, 31;
    selp.u32 %r8, 0, 16, %p1;
    cp.async.cg.shared.global [%r9], [%d5], 16, %r8;
    cp.async.commit_group;
    cp.async.wait_group 0;
    """
    x = aligned(np.zeros(4096, np.int32))
    counts = run(body, x, threads=32, shared=512, count=True).counts
    found = {row.space: row for row in counts.accesses}
    assert (found["global"].transactions, found["global"].least) == (31, 16)
    assert (found["shared"].transactions, found["shared"].least) == (4, 4)
    assert [row.warps for row in counts.copies] == [1]


def test_products_are_what_the_kernel_multiplies() -> None:
    """A tile of 64x64 is cut into atoms of tensor cores, which are as many operations together."""
    name = "matmul"
    fixture = Launch(name)
    arrays = {n: aligned(a) for n, a in fixture.arrays().items()}
    args = fixture.arguments(arrays)
    compiled = tileir.compile(newest(name), "sm_90", lineinfo=True)
    program = tileir.emulator.load(compiled)
    counts = program[fixture.entry].launch(1, args, count=True).counts
    on_host: list = []
    kernel_on_host = tileir.compile(newest(name), count=True)[fixture.entry]
    kernel_on_host.launch(1, args, on_counts=on_host.append)
    assert counts.product_operations == sum(each.products for each in on_host[0].flops)
    assert counts.products
    assert counts.barriers
    assert all(row.source for row in counts.accesses)
    assert counts.to_json()["classes"][0]["warps"] == max(each.warps for each in counts.classes)
    assert "tensor-core products" in str(counts)


def test_launches_that_do_not_count_have_no_counts() -> None:
    """The code of a block is another one where it counts."""
    text = kernel("st.global.b32 [%d0], %r1;", threads=1)
    z = aligned(np.zeros(1, np.int32))
    assert launch(text, plan(threads=1), 1, [z]).counts is None
    assert launch(text, plan(threads=1), 1, [z], count=True).counts.accesses[0].requests == 1
    assert launch(text, plan(threads=1), 1, [z]).counts is None


@pytest.mark.parametrize(
    ("opcode", "name"),
    [
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "tensor-core products"),
        ("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16", "tensor-core products"),
        ("wgmma.wait_group.sync.aligned", "waits and fences"),
        ("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes",
         "asynchronous copies"),
        ("cp.async.cg.shared.global", "asynchronous copies"),
        ("cp.async.bulk.commit_group", "waits and fences"),
        ("bar.warp.sync", "barriers"),
        ("mbarrier.try_wait.parity.shared::cta.b64", "barriers"),
        ("ld.global.nc.L1::no_allocate.v4.b32", "global memory"),
        ("ld.volatile.shared.b32", "shared memory"),
        ("st.b32", "global memory"),
        ("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32",
         "atomics"),
        ("fma.rn.f32", "floating-point arithmetic"),
        ("div.full.f32", "special functions"),
        ("div.u32", "integer arithmetic"),
        ("setp.lt.f32", "comparisons and selections"),
        ("redux.sync.add.s32", "exchange in a warp"),
    ],
)  # fmt: skip
def test_classes(opcode: str, name: str) -> None:
    assert class_of(opcode) == name
    assert name in dict(CLASSES)


def test_source_lines() -> None:
    lines = '.file 1 "/a/b.py"', ".entry k {", ".loc 1 12 5", "add;", ".loc 1 0 0", "sub;"
    text = "\n".join([*lines, ".loc 1 3 1", "}", "ret;"])
    assert source_lines(text) == {4: "/a/b.py:12"}


def test_a_table_says_what_it_leaves_out() -> None:
    row = WarpAccesses(1, "ld.global.b32 %r1, [%rd1];", "", "global", 1, 4, 4, 4)
    rows = tuple(replace(row, line=line) for line in range(1, LISTED + 4))
    counts = EmulatedCounts("k", (1, 1, 1), (), 0, rows, (), (), ())
    assert str(counts).splitlines()[-1] == "and 3 instructions more, 12 sectors of 32 bytes"
    few = replace(counts, accesses=rows[:LISTED])
    assert str(few).splitlines()[-1].startswith(f"{LISTED:>4} ")
    assert " more" not in str(few)
