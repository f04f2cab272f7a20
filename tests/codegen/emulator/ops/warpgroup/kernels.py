"""PTX kernels with `wgmma`: shared memory and registers are filled, products follow, sums are kept.

A thread has its own words of two arrays: fragments of A, or whatever is in registers before, and
sums, which are stored at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from tests.codegen.emulator.snippets import plan
from tests.codegen.emulator.values import aligned
from tileir.codegen.emulator import Result, launch

WARPGROUP = 128
DTYPES = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "tf32": np.float32, "f32": np.float32,
    "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2,
    "s8": np.int8, "u8": np.uint8, "s32": np.int32,
}  # fmt: skip
FENCE = "wgmma.fence.sync.aligned;\n"
COMMIT = "wgmma.commit_group.sync.aligned;\n"
WAIT = "wgmma.wait_group.sync.aligned 0;\n"
SHOW = "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
"""What threads stored is shown to the asynchronous proxy, and to each other."""


def braced(prefix: str, count: int) -> str:
    """Registers in braces."""
    return "{" + ", ".join(f"{prefix}{index}" for index in range(count)) + "}"


def depth_of(kind: str) -> int:
    """The k of one instruction: 32 bytes of each row."""
    return 32 // np.dtype(DTYPES[kind]).itemsize


def words_of(kind: str, n: int) -> int:
    """Registers of the sums."""
    return n // 4 if kind == "f16" else n // 2


def instruction(kinds: str, n: int, a: str, b: str, rest: str, finite: str = "") -> str:
    """`wgmma.mma_async` for types like "f32.f16.f16"; `a` and `b` are operands."""
    total, left, _ = kinds.split(".")
    return (
        f"wgmma.mma_async.sync.aligned.m64n{n}k{depth_of(left)}.{kinds}{finite}"
        f" {braced('%s', words_of(total, n))}, {a}, {b}, {rest};\n"
    )


def text(body: str, *, held: int, nbytes: int, sums: int, threads: int = WARPGROUP,
         before: str = "", show: str = SHOW) -> str:  # fmt: skip
    """A kernel that fills `nbytes` of shared memory, `held` registers %a and the `sums` %s.

    %r0 is the thread, %d0, %d1 and %d2 are the image of shared memory, the words before, and the
    sums; there are as many registers %t as %s. `before` comes first, `show` after the stores.
    """
    lines = [before]
    for start in range(0, nbytes, 16 * threads):
        guard = ""
        if start + 16 * threads > nbytes:
            lines.append(f"setp.lt.u32 %p0, %r0, {(nbytes - start) // 16};")
            lines += [f"mov.b32 %r{index}, 0;" for index in range(4, 8)]
            guard = "@%p0 "
        words = "{%r4, %r5, %r6, %r7}"
        lines += [
            f"{guard}ld.global.v4.b32 {words}, [%d3+{start}];",
            f"{guard}st.shared.v4.b32 [%r1+{start}], {words};",
        ]
    names = [f"%a{i}" for i in range(held)] + [f"%s{i}" for i in range(sums)]
    loads = [f"ld.global.b32 {name}, [%d4+{4 * i}];" for i, name in enumerate(names)]
    stores = [f"st.global.b32 [%d5+{4 * i}], %s{i};" for i in range(sums)]
    body = "\n".join([*lines, *loads, show, body, *stores])
    return (
        ".version 8.8\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n"
        f".reqntid {threads}\n{{\n.reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b32 %a<8>;\n"
        f".reg .b32 %s<{max(sums, 1)}>;\n.reg .b32 %t<{max(sums, 1)}>;\n.reg .b64 %d<32>;\n"
        "ld.param.u64 %d0, [p0];\nld.param.u64 %d1, [p1];\nld.param.u64 %d2, [p2];\n"
        "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 4;\ncvt.u64.u32 %d6, %r1;\n"
        f"add.s64 %d3, %d0, %d6;\nmul.wide.u32 %d6, %r0, {4 * max(held + sums, 1)};\n"
        f"add.s64 %d4, %d1, %d6;\nmul.wide.u32 %d6, %r0, {4 * max(sums, 1)};\n"
        f"add.s64 %d5, %d2, %d6;\n{body}\nret;\n}}\n"
    )


def run(ptx: str, image: np.ndarray, before: np.ndarray, sums: int, *, threads: int = WARPGROUP,
        shared: int | None = None, **more: Any) -> np.ndarray:  # fmt: skip
    """Launch such a kernel; the sums of each thread, as words."""
    out = aligned(np.zeros((threads, max(sums, 1)), np.uint32))
    size = image.nbytes if shared is None else shared
    arrays = [aligned(image), aligned(before), out]
    result = launch(ptx, plan(("u64",) * 3, threads, size), 1, arrays, **more)
    assert isinstance(result, Result)
    return out


def joined(kernels: Iterable[str]) -> str:
    """One text of several kernels, for the assembler: each is named by its place."""
    head, bodies = "", []
    for place, each in enumerate(kernels):
        head, body = each.split(".visible", 1)
        bodies.append(body.replace(" k(", f" k{place}(", 1))
    return head + "".join(f".visible{body}" for body in bodies)


def held_by(matrix: np.ndarray, each: int) -> np.ndarray:
    """A matrix of 64 rows in registers, `each` elements in one: (threads, registers), as words.

    Warp w has rows 16w to 16w + 15. PTX ISA, figures of "Register Fragments": of element i, row
    and column follow from the lane's groupID and threadID_in_group.
    """
    columns = matrix.shape[1]
    out = np.zeros((WARPGROUP, 16 * columns // 32), matrix.dtype)
    for thread in range(WARPGROUP):
        warp, lane = divmod(thread, 32)
        group, within = divmod(lane, 4)
        for i in range(out.shape[1]):
            half, register = i % each, i // each
            row = 16 * warp + group + 8 * (register % 2)
            column = each * within + half + 4 * each * (register // 2)
            out[thread, i] = matrix[row, column]
    return np.ascontiguousarray(out).view(np.uint32)


def of_threads(words: np.ndarray, n: int, kind: str) -> np.ndarray:
    """The matrix (64, n) of sums: element i of a lane, as the figures of accumulators have it."""
    elements = words.view(DTYPES[kind])
    out = np.zeros((64, n), elements.dtype)
    for thread in range(WARPGROUP):
        warp, lane = divmod(thread, 32)
        group, within = divmod(lane, 4)
        for i in range(n // 2):
            row = 16 * warp + group + 8 * (i // 2 % 2)
            out[row, 8 * (i // 4) + 2 * within + i % 2] = elements[thread, i]
    return out


def values(kind: str, shape: Sequence[int], seed: int = 0) -> np.ndarray:
    """Random elements of a type; of tf32 with all bits of f32."""
    source = np.random.default_rng(seed)
    dtype = np.dtype(DTYPES[kind])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return source.integers(info.min, info.max, shape, dtype, True)
    return source.standard_normal(shape).astype(dtype)


def read_as(kind: str, matrix: np.ndarray) -> np.ndarray:
    """The numbers that a product sees: tf32 ignores the lower 13 bits."""
    if kind == "tf32":
        return (matrix.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32).astype(float)
    return matrix.astype(float)
