"""The emulator notices what is wrong with a ring of copies that matrix products read."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.codegen.emulator.values import aligned
from tests.codegen.nvptx.loops import COLUMNS, DEPTH, ROWS, loop_over_tiles
from tileir import assemble
from tileir.codegen import compile
from tileir.codegen.emulator import EmulationError, launch

LAUNCHES = ((20, (0, 4, 1)), (170, (0, 6, 1)))
"""Columns and bounds: tiles at the edge and beyond it, before the loop and in it."""
SCHEDULES = ("lock-step", "descending")

MUTATIONS = {
    "waits for one less": (r"wait_group (\d)", lambda m: f"wait_group {int(m[1]) + 1}"),
    "does not wait": (r"cp\.async\.wait_group \d;", lambda m: ""),
    "barrier removed": (r"bar\.sync[^;]*;", lambda m: ""),
    "group not closed": (r"cp\.async\.commit_group;", lambda m: ""),
    "edge ignored": (r", 16, %r\d+;", lambda m: ", 16;"),
    "other buffer": (r"(add\.s32 \t%r\d+, %r\d+, )(1024|2048|3072|4096|5120);",
                     lambda m: f"{m[1]}{int(m[2]) - 1024};"),
    "ring not closed": (r"setp\.eq(\.b32 \t%p\d+, %r\d+, %r)", lambda m: f"setp.ne{m[1]}"),
    "swizzle dropped": (r"xor\.b32 (\t%r\d+, %r\d+), %?r?\d+;", lambda m: f"mov.b32 {m[1]};"),
    "other row": (r"(ldmatrix[^[]*\[%r\d+\+)(\d+)\]", lambda m: f"{m[1]}{int(m[2]) ^ 16}]"),
}  # fmt: skip


@cache
def kernel() -> Any:
    return compile(assemble(loop_over_tiles()), "sm_80")


@cache
def arguments(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x and w, and their product as far as x reaches."""
    random = np.random.default_rng(size)
    pitch = -(-size // DEPTH) * DEPTH
    x = random.integers(1, 9, (ROWS, pitch)).astype(np.float16)
    w = random.integers(-9, 9, (DEPTH, COLUMNS)).astype(np.float16)
    inside = np.where(np.arange(pitch) < size, x, 0).astype(np.float32)
    sums = inside.reshape(ROWS, -1, DEPTH).sum(axis=1)
    return aligned(x), aligned(w), sums @ w.astype(np.float32)


def verdict(ptx: str) -> str:
    """What is noticed: a kind of error, "wrong", or nothing."""
    for size, bounds in LAUNCHES:
        x, w, expected = arguments(size)
        for schedule in SCHEDULES:
            z = aligned(np.zeros_like(expected))
            args = [x, w, z, size, x.shape[1], *bounds]
            try:
                launch(ptx, kernel().plan["k"], 1, args, schedule=schedule, limit=20000)
            except EmulationError as problem:
                return problem.kind
            if (z != expected).any():
                return "wrong"
    return ""


def test_the_original_is_right() -> None:
    assert verdict(kernel().ptx) == ""


@pytest.mark.parametrize("name", MUTATIONS)
def test_mutants_are_noticed(name: str) -> None:
    ptx, (pattern, change) = kernel().ptx, MUTATIONS[name]
    found = list(re.finditer(pattern, ptx))
    missed = [
        ptx[ptx.rfind("\n", 0, each.start()) : ptx.find("\n", each.end())]
        for each in found
        if not verdict(ptx[: each.start()] + change(each) + ptx[each.end() :])
    ]
    assert found
    assert not missed
