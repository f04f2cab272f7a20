"""A matrix product by hand under all schedules, and that no instruction of it can be spared."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.codegen.emulator.ops.warpgroup.gemm import BY_THREADS, multiplied
from tileir.codegen.emulator import SCHEDULES, EmulationError

KERNELS = {"by threads": BY_THREADS}


@pytest.mark.parametrize("schedule", [*SCHEDULES, "late-0", "late-3"])
@pytest.mark.parametrize("name", KERNELS)
def test_products(name: str, schedule: str) -> None:
    for k in (64, 256):
        found, expected = multiplied(KERNELS[name], k, schedule=schedule)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


MUTATIONS = {
    "copies not waited for": (r"cp\.async\.wait_group 0;", ""),
    "copies in no group": (r"cp\.async\.commit_group;", ""),
    "nothing shown to the asynchronous proxy": (r"fence\.proxy\.async\.shared::cta;", ""),
    "other memory shown": (r"fence\.proxy\.async\.shared::cta", "fence.proxy.async.global"),
    "barrier removed": (r"bar\.sync 0;", ""),
    "fence and barrier exchanged":
        (r"fence\.proxy\.async\.shared::cta;\nbar\.sync 0;",
         "bar.sync 0;\nfence.proxy.async.shared::cta;"),
    "registers not fenced": (r"wgmma\.fence\.sync\.aligned;", ""),
    "products in no group": (r"wgmma\.commit_group\.sync\.aligned;", ""),
    "products not waited for": (r"wgmma\.wait_group\.sync\.aligned 0;", ""),
    "waits for one group less": (r"(wgmma\.wait_group\.sync\.aligned) 0;", r"\1 1;"),
    "other step of A": (r"add\.s64 %d10, %d10, 2;", "add.s64 %d10, %d10, 4;"),
    "other step of B": (r"add\.s64 %d11, %d11, 2;", ""),
    "A transposed": (r"1, 1, 1, 0, 0;", "1, 1, 1, 1, 0;"),
    "B transposed": (r"1, 1, 1, 0, 0;", "1, 1, 1, 0, 1;"),
    "A negated": (r"1, 1, 1, 0, 0;", "1, -1, 1, 0, 0;"),
    "sums start anew": (r"1, 1, 1, 0, 0;", "0, 1, 1, 0, 0;"),
    "other swizzle": (r"(or\.b64 %d10, %d10, )(\d+)", lambda m: f"{m[1]}{int(m[2]) ^ 3 << 62}"),
    "no swizzle": (r"(or\.b64 %d10, %d10, )(\d+)", lambda m: f"{m[1]}{int(m[2]) ^ 1 << 62}"),
    "other base offset": (r"(or\.b64 %d10, %d10, )(\d+)", lambda m: f"{m[1]}{int(m[2]) | 1 << 49}"),
    "other stride": (r"(or\.b64 %d10, %d10, )(\d+)", lambda m: f"{m[1]}{int(m[2]) ^ 3 << 37}"),
    "tiles not swizzled": (r"xor\.b32 %r8, %r8, %r6;", "mov.b32 %r8, %r6;"),
    "one slot": (r"xor\.b32 %r13, %r12, \d+;", "mov.b32 %r13, %r12;"),
    "a sum not cleared": (r"mov\.b32 %s7, 0;", ""),
}  # fmt: skip
SCHEDULES_OF_MUTANTS = ("lock-step", "descending")


def verdict(ptx: str) -> str:
    """What is noticed: a kind of error, "wrong", or nothing."""
    for schedule in SCHEDULES_OF_MUTANTS:
        try:
            found, expected = multiplied(ptx, 192, schedule=schedule, limit=20000)
        except EmulationError as problem:
            return problem.kind
        if not np.allclose(found, expected, rtol=1e-5, atol=1e-4):
            return "wrong"
    return ""


@pytest.mark.parametrize("name", MUTATIONS)
def test_mutants_are_noticed(name: str) -> None:
    """Each place is changed alone."""
    pattern, change = MUTATIONS[name]
    found = list(re.finditer(pattern, BY_THREADS))
    assert found
    missed = []
    for each in found:
        new = change(each) if callable(change) else each.expand(change)
        mutant = BY_THREADS[: each.start()] + new + BY_THREADS[each.end() :]
        if not verdict(mutant):
            missed.append(BY_THREADS.count("\n", 0, each.start()) + 1)
    assert not missed


@pytest.mark.oracle
@pytest.mark.parametrize("name", KERNELS)
def test_the_kernels_are_ptx(name: str, tool, tmp_path: Path) -> None:
    source = tmp_path / "k.ptx"
    source.write_text(KERNELS[name])
    done = tool("ptxas", "-arch=sm_90a", "-v", "-o", tmp_path / "k.cubin", source)
    assert done.returncode == 0, done.stderr
    said = (done.stdout + done.stderr).decode()
    assert "C75" not in said
    assert " 0 bytes spill stores" in said
