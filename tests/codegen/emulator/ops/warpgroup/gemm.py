"""A product of f16 matrices as a person writes it for a warpgroup: 64 x 64 sums, 64 of k a trip.

A is 64 x k and B is 64 x k, both with k together; their tiles come to shared memory in two slots,
swizzled by 128 bytes. D = A @ B.T is f32.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.codegen.emulator.ops.warpgroup.kernels import COMMIT, FENCE, WAIT, instruction
from tests.codegen.emulator.snippets import plan
from tests.codegen.emulator.values import aligned
from tileir.codegen.emulator import launch
from tileir.codegen.emulator.memory.tensor_map import TensorMap

SIDE, DEPTH, TILE = 64, 64, 64 * 64 * 2
"""Rows and columns of the sums; k of a tile; bytes of a tile."""
SLOT = 2 * TILE
"""Bytes of a slot: a tile of A, then one of B."""
SWIZZLED = 1 << 62 | (1024 >> 4) << 32 | 1 << 16
"""The descriptor of a K-major tile in lines of 128 bytes, but for its address."""


def head(parameters: tuple[str, ...], threads: int = 128, shared: str = "") -> str:
    """The beginning of a kernel; %r0 is the thread, %r1 k, %r2 the tiles, %r3 how many."""
    declared = ", ".join(f".param {kind}" for kind in parameters)
    return (
        ".version 8.8\n.target sm_90a\n.address_size 64\n"
        f".visible .entry k({declared}, .param .u64 p2, .param .u32 p3)\n.reqntid {threads}\n{{\n"
        ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b32 %s<32>;\n.reg .b64 %d<32>;\n"
        f".shared .align 1024 .b8 tiles[{2 * SLOT}];\n{shared}"
        "ld.param.u64 %d2, [p2];\nld.param.u32 %r1, [p3];\nmov.u32 %r0, %tid.x;\n"
        "mov.u32 %r2, tiles;\nshr.u32 %r3, %r1, 6;\n"
    )


COPY = (
    # Piece %r0 + 128 i of a tile is in row %r0 / 8 + 16 i. %d3 and %d4 are the addresses of this
    # thread's first pieces in A and B, %d5 the bytes of 16 rows, %r4 its first place in a tile.
    "ld.param.u64 %d0, [p0];\nld.param.u64 %d1, [p1];\n"
    "shr.u32 %r5, %r0, 3;\nand.b32 %r6, %r0, 7;\nmul.lo.u32 %r7, %r5, %r1;\nshl.b32 %r7, %r7, 1;\n"
    "shl.b32 %r8, %r6, 4;\nadd.u32 %r7, %r7, %r8;\ncvt.u64.u32 %d6, %r7;\nadd.s64 %d3, %d0, %d6;\n"
    "add.s64 %d4, %d1, %d6;\nmul.wide.u32 %d5, %r1, 32;\nand.b32 %r8, %r5, 7;\n"
    "xor.b32 %r8, %r8, %r6;\nshl.b32 %r8, %r8, 4;\nshl.b32 %r4, %r5, 7;\nadd.u32 %r4, %r4, %r8;\n"
    "add.u32 %r4, %r4, %r2;\n"
)


def copies(slot: str) -> str:
    """Copies of the next tiles to the slot that starts at a register's bytes."""
    lines = [f"add.u32 %r9, %r4, {slot};"]
    for source, tile in (("%d3", 0), ("%d4", TILE)):
        lines.append(f"mov.b64 %d7, {source};")
        for i in range(4):
            lines.append(f"cp.async.cg.shared.global [%r9+{tile + 2048 * i}], [%d7], 16;")
            lines.append("add.s64 %d7, %d7, %d5;")
        lines.append(f"add.s64 {source}, {source}, {2 * DEPTH};")
    return "\n".join([*lines, "cp.async.commit_group;\n"])


def products(slot: str) -> str:
    """The four products of a trip, with the tiles in a slot."""
    steps = "".join(
        instruction("f32.f16.f16", SIDE, "%d10", "%d11", "1, 1, 1, 0, 0")
        + ("add.s64 %d10, %d10, 2;\nadd.s64 %d11, %d11, 2;\n" if step < 3 else "")
        for step in range(4)
    )
    return (
        f"add.u32 %r10, %r2, {slot};\nshr.u32 %r10, %r10, 4;\ncvt.u64.u32 %d10, %r10;\n"
        f"or.b64 %d10, %d10, {SWIZZLED};\nadd.s64 %d11, %d10, {TILE >> 4};\n"
        f"{FENCE}{steps}{COMMIT}{WAIT}"
    )


CLEAR = "".join(f"mov.b32 %s{i}, 0;\n" for i in range(32))
STORE = (
    # A thread has columns 8 j + 2 (lane % 4) and the next one of rows 16 warp + lane / 4 (+ 8).
    "shr.u32 %r20, %r0, 5;\nshl.b32 %r20, %r20, 4;\nand.b32 %r21, %r0, 31;\n"
    "shr.u32 %r22, %r21, 2;\nadd.u32 %r20, %r20, %r22;\nand.b32 %r21, %r21, 3;\n"
    "shl.b32 %r20, %r20, 8;\n"
    "shl.b32 %r21, %r21, 3;\nadd.u32 %r20, %r20, %r21;\ncvt.u64.u32 %d20, %r20;\n"
    "add.s64 %d20, %d2, %d20;\n"
    + "".join(
        f"st.global.v2.b32 [%d20+{32 * j + 2048 * half}],"
        f" {{%s{4 * j + 2 * half}, %s{4 * j + 2 * half + 1}}};\n"
        for j in range(8)
        for half in range(2)
    )
)

BY_THREADS = (
    head((".u64 p0", ".u64 p1"))
    + COPY
    + CLEAR
    + f"mov.b32 %r11, 0;\nmov.b32 %r12, 0;\n{copies('0')}"
    + "trip:\ncp.async.wait_group 0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
    + f"xor.b32 %r13, %r12, {SLOT};\nadd.u32 %r11, %r11, 1;\nsetp.ge.u32 %p1, %r11, %r3;\n"
    + f"@%p1 bra multiply;\n{copies('%r13')}multiply:\n{products('%r12')}"
    + f"mov.b32 %r12, %r13;\n@!%p1 bra trip;\n{STORE}ret;\n}}\n"
)
"""Threads copy tiles with cp.async, and show them to the asynchronous proxy."""


MAPS = (".align 64 .b8 p0[128]", ".align 64 .b8 p1[128]")
BARRIERS = ".shared .align 8 .b8 bars[32];\n"
"""Of each slot, one for full (after the other's) and one for empty, 16 bytes further."""


def tensor_copies(slot: str, tile: str) -> str:
    """One thread's copies of the tiles of a trip; registers have the numbers of slot and trip."""
    lines = [
        f"mov.u32 %r16, bars;\nshl.b32 %r17, {slot}, 3;\nadd.u32 %r16, %r16, %r17;",
        f"shl.b32 %r17, {slot}, {SLOT.bit_length() - 1};\nadd.u32 %r17, %r17, %r2;",
        f"shl.b32 %r18, {tile}, 6;\nmov.b64 %d12, p0;\nmov.b64 %d13, p1;",
        "cvta.param.u64 %d12, %d12;\ncvta.param.u64 %d13, %d13;",
        f"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r16], {SLOT};",
    ]
    for address, place in (("%d12", 0), ("%d13", TILE)):
        lines.append(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
            f" [%r17+{place}], [{address}, {{%r18, 0}}], [%r16];"
        )
    return "\n".join(lines) + "\n"


def wait(label: str, slot: str, parity: str, offset: int = 0) -> str:
    """A wait for a phase of an mbarrier; registers have the slot's number and the parity."""
    return (
        f"shl.b32 %r19, {slot}, 3;\nmov.u32 %r23, bars;\nadd.u32 %r19, %r19, %r23;\n{label}:\n"
        f"mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r19+{offset}], {parity};\n"
        f"@!%p2 bra {label};\n"
    )


def initialised(counts: tuple[int, ...]) -> str:
    """Thread 0 makes the mbarriers, for so many arrivals each."""
    inits = "".join(
        f"mbarrier.init.shared.b64 [bars+{8 * i}], {n};\n" for i, n in enumerate(counts)
    )
    return (
        "setp.ne.u32 %p3, %r0, 0;\n@%p3 bra made;\n"
        f"{inits}fence.mbarrier_init.release.cluster;\nmade:\nbar.sync 0;\n"
    )


SPLIT = "and.b32 %r14, %r11, 1;\nshr.u32 %r15, %r11, 1;\nand.b32 %r15, %r15, 1;\n"
"""Slot and parity of trip %r11."""
BY_COPIES = (
    head(MAPS, shared=BARRIERS)
    + CLEAR
    + initialised((1, 1))
    + "mov.b32 %r11, 0;\n@%p3 bra trip;\n"
    + tensor_copies("%r11", "%r11")
    + "trip:\nbar.sync 0;\nadd.u32 %r12, %r11, 1;\nsetp.ge.u32 %p1, %r12, %r3;\n"
    + "or.pred %p4, %p1, %p3;\nand.b32 %r13, %r12, 1;\n@%p4 bra multiply;\n"
    + tensor_copies("%r13", "%r12")
    + f"multiply:\n{SPLIT}{wait('full', '%r14', '%r15')}"
    + f"shl.b32 %r14, %r14, {SLOT.bit_length() - 1};\n{products('%r14')}"
    + f"mov.b32 %r11, %r12;\n@!%p1 bra trip;\n{STORE}ret;\n}}\n"
)
"""One thread starts tensor copies of the next tiles before all wait for their own."""

BY_ROLES = (
    head(MAPS, threads=256, shared=BARRIERS)
    + initialised((1, 1, 4, 4))
    + "mov.b32 %r11, 0;\nsetp.ge.u32 %p4, %r0, 128;\n@%p4 bra consumer;\n@%p3 bra done;\n"
    + f"producer:\n{SPLIT}xor.b32 %r15, %r15, 1;\n"
    + wait("empty", "%r14", "%r15", 16)
    + tensor_copies("%r14", "%r11")
    + "add.u32 %r11, %r11, 1;\nsetp.lt.u32 %p1, %r11, %r3;\n@%p1 bra producer;\n"
    + "done:\nret;\n"
    + "consumer:\nadd.u32 %r0, %r0, -128;\nand.b32 %r24, %r0, 31;\nsetp.eq.u32 %p5, %r24, 0;\n"
    + f"{CLEAR}next:\n{SPLIT}{wait('full', '%r14', '%r15')}"
    + f"shl.b32 %r24, %r14, {SLOT.bit_length() - 1};\n{products('%r24')}"
    + "bar.warp.sync -1;\n@%p5 mbarrier.arrive.release.cta.shared::cta.b64 _, [%r19+16];\n"
    + "add.u32 %r11, %r11, 1;\nsetp.lt.u32 %p1, %r11, %r3;\n@%p1 bra next;\n"
    + f"{STORE}ret;\n}}\n"
)
"""A warpgroup of which one thread copies, and one that multiplies and gives slots back."""

KERNELS = {"by threads": BY_THREADS, "by copies": BY_COPIES, "by roles": BY_ROLES}


def multiplied(ptx: str, k: int, **more: Any) -> tuple[np.ndarray, np.ndarray]:
    """What a kernel computes, and what NumPy does."""
    random = np.random.default_rng(k)
    a, b = (aligned(random.standard_normal((SIDE, k)).astype(np.float16)) for _ in range(2))
    out = aligned(np.zeros((SIDE, SIDE), np.float32))
    threads = 256 if ".reqntid 256" in ptx else 128
    if "p0[128]" in ptx:
        rows = [{"index": i, "type": "tensor_map", "size": 128, "offset": 128 * i} for i in (0, 1)]
        rows.append({"index": 2, "type": "ptr", "size": 8, "offset": 256})
        rows.append({"index": 3, "type": "i32", "size": 4, "offset": 264})
        maps = [TensorMap("f16", each, (k, SIDE), (2 * k,), (DEPTH, SIDE), swizzle=128)
                for each in (a, b)]  # fmt: skip
        launch(ptx, {**plan((), threads), "parameters": rows}, 1, [*maps, out, k], **more)
    else:
        launch(ptx, plan(("u64", "u64", "u64", "u32"), threads), 1, [a, b, out, k], **more)
    return out, a.astype(np.float64) @ b.astype(np.float64).T
