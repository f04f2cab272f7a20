"""`ldmatrix`, `stmatrix`, `movmatrix`: matrices between shared memory and lanes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.emulator.snippets import run
from tests.codegen.emulator.values import aligned
from tileir.codegen.emulator import SCHEDULES, EmulationError

THREADS = 64
WARP = 32

FILL = (
    # Thread t writes the words t, t + 64, ... of its block's 1 KB in shared memory, from array 0.
    "mul.wide.u32 %d10, %r0, 4;\nadd.s64 %d11, %d0, %d10;\nshl.b32 %r3, %r0, 2;\n"
    + "".join(
        f"ld.global.b32 %r5, [%d11+{256 * i}];\nst.shared.b32 [%r3+{256 * i}], %r5;\n"
        for i in range(4)
    )
)
# Lane l names row l of the 32 rows of 16 bytes that belong to its warp.
ROWS = "shl.b32 %r4, %r0, 4;\n"
KEEP = (
    "shl.b32 %r6, %r0, 4;\ncvt.u64.u32 %d12, %r6;\nadd.s64 %d12, %d1, %d12;\n"
    "st.global.v4.b32 [%d12], {%r10, %r11, %r12, %r13};\n"
)
CLEAR = "".join(f"mov.b32 %r{10 + i}, 0;\n" for i in range(4))


def memory() -> np.ndarray:
    """Four matrices of 8 x 8 for each of two warps, all elements different."""
    return aligned(np.arange(2 * 4 * 64, dtype=np.uint16)).reshape(2, 4, 8, 8)


def held(matrices: np.ndarray) -> np.ndarray:
    """Register i of lane l has two elements of row l / 4 of matrix i: shape (lanes, registers)."""
    rows = np.ascontiguousarray(matrices).view(np.uint32).reshape(2, -1, 8, 4)
    lane = np.arange(WARP)
    return rows[:, :, lane // 4, lane % 4].swapaxes(1, 2).reshape(THREADS, -1)


def names(count: int) -> str:
    return "{" + ", ".join(f"%r{10 + i}" for i in range(count)) + "}"


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("trans", ["", ".trans"])
def test_loading(count: int, trans: str, schedule: str) -> None:
    x = memory()
    out = np.zeros((THREADS, 4), np.uint32)
    load = f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {names(count)}, [%r4];\n"
    body = FILL + "bar.sync 0;\n" + ROWS + CLEAR + load + KEEP
    run(body, x.ravel(), out, shared=1024, schedule=schedule)
    part = x[:, :count].swapaxes(2, 3) if trans else x[:, :count]
    np.testing.assert_array_equal(out[:, :count], held(part))


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("trans", ["", ".trans"])
def test_storing(count: int, trans: str) -> None:
    x = memory()
    words = np.zeros((THREADS, 4), np.uint32)
    words[:, :count] = held(x[:, :count])
    out = np.zeros((2, 4, 8, 8), np.uint16)
    body = (
        "shl.b32 %r6, %r0, 4;\ncvt.u64.u32 %d12, %r6;\nadd.s64 %d13, %d0, %d12;\n"
        "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%d13];\nmov.b32 %r5, 0;\n" + ROWS
        + "st.shared.v4.b32 [%r4], {%r5, %r5, %r5, %r5};\nbar.warp.sync -1;\n"
        f"stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%r4], {names(count)};\n"
        "bar.warp.sync -1;\nld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r4];\n" + KEEP
    )  # fmt: skip
    run(body, words, out, shared=1024)
    part = x[:, :count].swapaxes(2, 3) if trans else x[:, :count]
    np.testing.assert_array_equal(out[:, :count], part)
    assert not out[:, count:].any()


def test_a_transposed_register() -> None:
    x = memory()[:, :1]
    out = np.zeros((THREADS, 4), np.uint32)
    body = (
        "mul.wide.u32 %d10, %r0, 4;\nadd.s64 %d11, %d0, %d10;\nld.global.b32 %r5, [%d11];\n"
        + CLEAR + "movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r5;\n" + KEEP
    )  # fmt: skip
    run(body, held(x), out)
    np.testing.assert_array_equal(out[:, :1], held(x.swapaxes(2, 3)))


def attempt(body: str, shared: int = 1024) -> str:
    """The kind of the error."""
    x, out = memory(), np.zeros((THREADS, 4), np.uint32)
    with pytest.raises(EmulationError) as caught:
        run(body, x.ravel(), out, shared=shared)
    return caught.value.kind


LOAD = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r4];\n"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("race", FILL + ROWS + LOAD),
        ("race", FILL + ROWS + LOAD.replace("x4", "x4.trans")),
        ("poison", "shl.b32 %r3, %r0, 2;\n" + ROWS + "st.shared.b32 [%r3], %r3;\n"
         "bar.sync 0;\n" + LOAD),
        ("alignment", FILL + "bar.sync 0;\nshl.b32 %r4, %r0, 3;\n" + LOAD),
        ("bounds", FILL + "bar.sync 0;\nshl.b32 %r4, %r0, 6;\n" + LOAD),
        ("race", FILL + "bar.sync 0;\n" + ROWS + CLEAR
         + LOAD.replace("ld", "st").replace("{%r10, %r11, %r12, %r13}, [%r4]",
                                            "[%r4], {%r10, %r11, %r12, %r3}")
         + "ld.shared.b32 %r5, [%r3];\n"),
    ],
)  # fmt: skip
def test_errors(kind: str, body: str) -> None:
    assert attempt(body) == kind


def test_rows_that_are_not_named_are_not_looked_at() -> None:
    """Of two matrices the upper lanes have no address to give."""
    far = "setp.gt.u32 %p1, %r0, 47;\n@%p1 mov.b32 %r4, 12345;\n"
    out = np.zeros((THREADS, 4), np.uint32)
    load = f"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {names(2)}, [%r4];\n"
    run(FILL + "bar.sync 0;\n" + ROWS + far + CLEAR + load + KEEP, memory().ravel(), out,
        shared=1024)  # fmt: skip
    np.testing.assert_array_equal(out[:, :2], held(memory()[:, :2]))


@pytest.mark.parametrize("b_by_rows", [True, False])
def test_a_product_from_shared_memory(b_by_rows: bool) -> None:
    """A and B lie in shared memory as arrays; what `ldmatrix` loads is what `mma` takes."""
    source = np.random.default_rng(0)
    a, b = (source.standard_normal((16, 16)).astype(np.float16) for _ in range(2))
    b = b[:, :8]
    there = np.zeros((2, 16, 16), np.float16)
    there[0] = a
    # By rows, two matrices lie below each other; by columns, next to each other.
    there[1].ravel()[:128] = b.ravel() if b_by_rows else b.T.ravel()
    rows_of_a = (
        "and.b32 %r7, %r0, 15;\nshr.b32 %r8, %r0, 4;\nand.b32 %r8, %r8, 1;\n"
        "shl.b32 %r7, %r7, 5;\nshl.b32 %r8, %r8, 4;\nadd.u32 %r4, %r7, %r8;\n"
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r4];\n"
    )
    rows_of_b = (
        "and.b32 %r7, %r0, 15;\nshl.b32 %r7, %r7, 4;\nadd.u32 %r4, %r7, 512;\n"
        "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r14, %r15}, [%r4];\n"
        if b_by_rows
        else "and.b32 %r7, %r0, 7;\nshl.b32 %r7, %r7, 5;\nshr.b32 %r8, %r0, 3;\n"
        "and.b32 %r8, %r8, 1;\nshl.b32 %r8, %r8, 4;\nadd.u32 %r4, %r7, %r8;\n"
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r14, %r15}, [%r4+512];\n"
    )
    multiply = (
        "mov.b32 %r9, 0;\nmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r20, %r21, %r22,"
        " %r23}, {%r10, %r11, %r12, %r13}, {%r14, %r15}, {%r9, %r9, %r9, %r9};\n"
    )
    # Both warps find the same.
    store = (
        "and.b32 %r7, %r0, 31;\nshr.b32 %r7, %r7, 2;\nshl.b32 %r7, %r7, 5;\nand.b32 %r8, %r0, 3;\n"
        "shl.b32 %r8, %r8, 3;\nadd.u32 %r7, %r7, %r8;\ncvt.u64.u32 %d10, %r7;\n"
        "add.s64 %d10, %d1, %d10;\nst.global.v2.b32 [%d10], {%r20, %r21};\n"
        "st.global.v2.b32 [%d10+256], {%r22, %r23};\n"
    )
    out = np.zeros((16, 8), np.float32)
    body = FILL + "bar.sync 0;\n" + rows_of_a + rows_of_b + multiply + store
    run(body, there.ravel(), out, shared=1024)
    np.testing.assert_allclose(out, a.astype(float) @ b.astype(float), rtol=1e-6, atol=1e-7)
