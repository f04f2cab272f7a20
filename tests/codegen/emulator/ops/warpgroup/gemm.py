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

SIDE, DEPTH, TILE = 64, 64, 64 * 64 * 2
"""Rows and columns of the sums; k of a tile; bytes of a tile."""
SLOT = 2 * TILE
"""Bytes of a slot: a tile of A, then one of B."""
SWIZZLED = 1 << 62 | (1024 >> 4) << 32 | 1 << 16
"""The descriptor of a K-major tile in lines of 128 bytes, but for its address."""

HEAD = (
    ".version 8.8\n.target sm_90a\n.address_size 64\n{more}"
    ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u32 p3{parameters})"
    "\n.reqntid 128\n{{\n"
    ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b32 %s<32>;\n.reg .b64 %d<32>;\n"
    ".shared .align 1024 .b8 tiles[{shared}];\n"
    "ld.param.u64 %d0, [p0];\nld.param.u64 %d1, [p1];\nld.param.u64 %d2, [p2];\n"
    "ld.param.u32 %r1, [p3];\nmov.u32 %r0, %tid.x;\nmov.u32 %r2, tiles;\nshr.u32 %r3, %r1, 6;\n"
)
"""%r0 is the thread, %r1 k, %r2 the tiles, %r3 how many of them there are."""

COPY = (
    # Piece %r0 + 128 i of a tile is in row %r0 / 8 + 16 i. %d3 and %d4 are the addresses of this
    # thread's first pieces in A and B, %d5 the bytes of 16 rows, %r4 its first place in a tile.
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
    HEAD.format(more="", parameters="", shared=2 * SLOT)
    + COPY
    + CLEAR
    + f"mov.b32 %r11, 0;\nmov.b32 %r12, 0;\n{copies('0')}"
    + "trip:\ncp.async.wait_group 0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
    + f"xor.b32 %r13, %r12, {SLOT};\nadd.u32 %r11, %r11, 1;\nsetp.ge.u32 %p1, %r11, %r3;\n"
    + f"@%p1 bra multiply;\n{copies('%r13')}multiply:\n{products('%r12')}"
    + f"mov.b32 %r12, %r13;\n@!%p1 bra trip;\n{STORE}ret;\n}}\n"
)
"""Threads copy tiles with cp.async, and show them to the asynchronous proxy."""


def multiplied(ptx: str, k: int, plan_more: Any = None, **more: Any) -> tuple[Any, Any]:
    """What a kernel computes, and what NumPy does."""
    random = np.random.default_rng(k)
    a, b = (aligned(random.standard_normal((SIDE, k)).astype(np.float16)) for _ in range(2))
    out = aligned(np.zeros((SIDE, SIDE), np.float32))
    kinds = ("u64", "u64", "u64", "u32")
    launch(ptx, {**plan(kinds, 128), **(plan_more or {})}, 1, [a, b, out, k], **more)
    return out, a.astype(np.float64) @ b.astype(np.float64).T
