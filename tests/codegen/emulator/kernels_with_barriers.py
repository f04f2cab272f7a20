"""Kernels in which threads wait for each other, for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.codegen.build import TOKEN, Kernel, Module
from tests.codegen.emulator.snippets import kernel, plan
from tileir.ir import Value
from tileir.types import Tile

SIDE = 32
Made = tuple[Module, tuple[int, ...], Callable[[np.ndarray], np.ndarray]]
"""A module, the shape of its only argument, and what becomes of it."""


def _load(k: Kernel, view: Value, *index: Value, token: Value | None = None) -> list[Value]:
    kind = Tile(view.type.view.element, view.type.tile)
    return k.op("load_view_tko", view, index, token, results=[kind, TOKEN],
                memory_ordering_semantics="weak")  # fmt: skip


def _store(k: Kernel, tile: Value, view: Value, *index: Value, token: Value | None) -> Value:
    return k.op("store_view_tko", tile, view, index, token, results=[TOKEN],
                memory_ordering_semantics="weak")  # fmt: skip


def _turned(k: Kernel, tile: Value) -> Value:
    return k.op("permute", tile, results=[f"{SIDE}x{SIDE}xf32"], permutation=(1, 0))


def transposed_in_place() -> Made:
    """Each element is read by one thread and written by another."""
    k = Kernel("k", "ptr<f32>")
    view = k.view(k.parameters[0], [SIDE, SIDE], [SIDE, SIDE])
    tile, token = _load(k, view, *k.zeros(2))
    _store(k, _turned(k, tile), view, *k.zeros(2), token=token)
    return k.module(), (SIDE, SIDE), lambda x: x.T.copy()


def read_after_write() -> Made:
    """The first part is copied to the second, and that to the third with its halves swapped."""
    k = Kernel("k", "ptr<f32>")
    flat = k.view(k.parameters[0], [3 * SIDE * SIDE], [SIDE * SIDE])
    halves = k.view(k.parameters[0], [3 * SIDE, SIDE], [SIDE, SIDE // 2])
    first, second, third = (k.constant("i32", number) for number in range(3))
    tile, token = _load(k, flat, first)
    token = _store(k, tile, flat, second, token=token)
    left, _ = _load(k, halves, second, first, token=token)
    right, _ = _load(k, halves, second, second, token=token)
    _store(k, left, halves, third, second, token=None)
    _store(k, right, halves, third, first, token=None)

    def expected(x: np.ndarray) -> np.ndarray:
        return np.stack([x[0], x[0], np.roll(x[0], SIDE // 2, axis=1)])

    return k.module(), (3, SIDE, SIDE), expected


def written_twice() -> Made:
    """Zero everywhere, then one in every other column: the second store must win there."""
    k = Kernel("k", "ptr<f32>")
    size, half = SIDE * SIDE, SIDE // 2
    flat = k.view(k.parameters[0], [size], [size])
    columns = k.view(k.parameters[0], [half, SIDE], [half, SIDE], strides=[2, SIDE])
    token = k.op("make_token", results=[TOKEN])
    token = _store(k, k.constant(f"{size}xf32", 0), flat, *k.zeros(1), token=token)
    ones = k.constant(f"{half}x{SIDE}xf32", 0x3F800000)
    _store(k, ones, columns, *k.zeros(2), token=token)

    def expected(x: np.ndarray) -> np.ndarray:
        return np.tile(np.array([1, 0], np.float32), (SIDE, half))

    return k.module(), (SIDE, SIDE), expected


KERNELS_WITH_BARRIERS: dict[str, Callable[[], Made]] = {
    "transposed_in_place": transposed_in_place,
    "read_after_write": read_after_write,
    "written_twice": written_twice,
}


def block_sum() -> tuple[str, dict[str, Any], int]:
    """The sum over a block for all its threads: PTX, plan, threads."""
    threads = 128
    shuffles = "".join(
        f"shfl.sync.bfly.b32 %r6, %r5, {step}, 31, -1;\nadd.s32 %r5, %r5, %r6;\n"
        for step in (16, 8, 4, 2, 1)
    )
    sums = "".join(
        f"ld.shared.b32 %r9, [%d20+{4 * warp}];\nadd.s32 %r10, %r10, %r9;\n" for warp in range(4)
    )
    body = (
        ".shared .align 4 .b8 room[16];\nmov.b64 %d20, room;\n"
        f"mad.lo.u32 %r2, %r1, {threads}, %r0;\nmul.wide.u32 %d10, %r2, 4;\n"
        "add.s64 %d11, %d0, %d10;\nadd.s64 %d12, %d1, %d10;\nld.global.b32 %r5, [%d11+0];\n"
        f"{shuffles}and.b32 %r7, %r0, 31;\nsetp.eq.b32 %p1, %r7, 0;\nshr.u32 %r8, %r0, 5;\n"
        "mul.wide.u32 %d13, %r8, 4;\nadd.s64 %d14, %d20, %d13;\n"
        f"@%p1 st.shared.b32 [%d14+0], %r5;\nbar.sync 0;\nmov.b32 %r10, 0;\n{sums}"
        "st.global.b32 [%d12+0], %r10;"
    )
    kinds = ("u64", "u64")
    return kernel(body, kinds, threads=threads), plan(kinds, threads), threads
