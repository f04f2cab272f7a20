"""A matrix product by hand under all schedules, and that no instruction of it can be spared."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.codegen.emulator.ops.warpgroup.gemm import KERNELS, multiplied
from tileir.codegen.emulator import SCHEDULES, EmulationError


@pytest.mark.sampled(3)
@pytest.mark.parametrize("schedule", [*SCHEDULES, "late-0", "late-3", "late-4"])
@pytest.mark.parametrize("name", KERNELS)
def test_products(name: str, schedule: str) -> None:
    for k in (64, 256):
        found, expected = multiplied(KERNELS[name], k, schedule=schedule)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


Change = str | Callable[[re.Match[str]], str]


def toggled(bits: int) -> Change:
    """Other bits in a descriptor."""
    return lambda match: f"{match[1]}{int(match[2]) ^ bits}"


DESCRIPTOR = r"(or\.b64 %d10, %d10, )(\d+)"
OF_PRODUCTS: dict[str, tuple[str, Change]] = {
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
    "other swizzle": (DESCRIPTOR, toggled(3 << 62)),
    "no swizzle": (DESCRIPTOR, toggled(1 << 62)),
    "other base offset": (DESCRIPTOR, toggled(1 << 49)),
    "other stride": (DESCRIPTOR, toggled(3 << 37)),
    "a sum not cleared": (r"mov\.b32 %s7, 0;", ""),
}
OF_COPIES: dict[str, tuple[str, Change]] = {
    "fewer bytes expected": (r"(expect_tx[^;]*, )16384;", r"\g<1>8192;"),
    "more bytes expected": (r"(expect_tx[^;]*, )16384;", r"\g<1>16400;"),
    "full not waited for": (r"@!%p2 bra full;", ""),
    "other parity": (r"shr\.u32 %r15, %r11, 1;", "mov.b32 %r15, %r11;"),
    "a copy left out": (r"cp\.async\.bulk[^;]*;", ""),
    "other map": (r"mov\.b64 %d13, p1;", "mov.b64 %d13, p0;"),
    "coordinates exchanged": (r"\{%r18, 0\}", "{0, %r18}"),
    "other box": (r"shl\.b32 %r18, (%r\d+), 6;", r"shl.b32 %r18, \1, 5;"),
    "counts one arrival more": (r"(mbarrier\.init[^;]*, )1;", r"\1 2;"),
    "mbarriers not made": (r"mbarrier\.init[^;]*;", ""),
    "mbarriers not shown": (r"fence\.mbarrier_init\.release\.cluster;", ""),
    "every thread copies":
        (r"@%p3 bra (trip|done);\n|or\.pred %p4, %p1, %p3;",
         lambda match: "mov.pred %p4, %p1;" if match[0].startswith("or") else ""),
}  # fmt: skip
MUTATIONS: dict[str, dict[str, tuple[str, Change]]] = {
    "by threads": {
        **OF_PRODUCTS,
        "copies not waited for": (r"cp\.async\.wait_group 0;", ""),
        "copies in no group": (r"cp\.async\.commit_group;", ""),
        "not shown to the asynchronous proxy": (r"fence\.proxy\.async\.shared::cta;", ""),
        "other memory shown": (r"fence\.proxy\.async\.shared::cta", "fence.proxy.async.global"),
        "barrier removed": (r"bar\.sync 0;", ""),
        "tiles not swizzled": (r"xor\.b32 %r8, %r8, %r6;", "mov.b32 %r8, %r6;"),
        "one slot": (r"xor\.b32 %r13, %r12, \d+;", "mov.b32 %r13, %r12;"),
    },
    "by copies": {
        **OF_COPIES,
        "products not waited for": OF_PRODUCTS["products not waited for"],
        "barrier removed": (r"trip:\nbar\.sync 0;", "trip:"),
        "one slot": (r"and\.b32 %r1([34]), (%r\d+), 1;", r"mov.b32 %r1\1, 0;"),
    },
    "by roles": {
        **OF_COPIES,
        "no barrier after mbarriers are made": (r"made:\nbar\.sync 0;", "made:"),
        "registers not fenced": OF_PRODUCTS["registers not fenced"],
        "waits for one group less": OF_PRODUCTS["waits for one group less"],
        "empty not waited for": (r"@!%p2 bra empty;", ""),
        "other parity of empty": (r"xor\.b32 %r15, %r15, 1;", ""),
        "slots not given back": (r"@%p5 mbarrier\.arrive\.[^;]*;", ""),
        "every lane gives back": (r"@%p5 (mbarrier\.arrive)", r"\1"),
        "empty for one warp less": (r"(mbarrier\.init[^;]*, )4;", r"\1 3;"),
        "given back before the wait":
            (r"(wgmma\.wait_group[^;]*;)\s*(bar\.warp\.sync -1;\n@%p5 mbarrier[^;]*;)", r"\2\n\1"),
    },
}  # fmt: skip
EQUIVALENT = {
    # Both coordinates of the copies before the loop are 0.
    ("by copies", "coordinates exchanged"): 2,
    ("by copies", "other box"): 1,
}
"""How many places of a mutation change nothing."""
SCHEDULES_OF_MUTANTS = ("lock-step", "ascending", "descending")


@cache
def verdict(ptx: str) -> str:
    """What is noticed: a kind of error, "wrong", or nothing."""
    for schedule in SCHEDULES_OF_MUTANTS:
        try:
            found, expected = multiplied(ptx, 320, schedule=schedule, limit=20000)
        except EmulationError as problem:
            return problem.kind
        if not np.allclose(found, expected, rtol=1e-5, atol=1e-4):
            return "wrong"
    return ""


CASES = [(kernel, name) for kernel, mutations in MUTATIONS.items() for name in mutations]


def mutants(kernel: str, name: str) -> list[str]:
    """The kernel with each place of a mutation changed alone."""
    ptx, (pattern, change) = KERNELS[kernel], MUTATIONS[kernel][name]
    return [
        ptx[: each.start()]
        + (change(each) if callable(change) else each.expand(change))
        + ptx[each.end() :]
        for each in re.finditer(pattern, ptx)
    ]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("kernel", "name"), CASES)
def test_the_last_place_is_noticed(kernel: str, name: str) -> None:
    assert verdict(mutants(kernel, name)[-1])


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "name"), CASES)
def test_every_place_is_noticed(kernel: str, name: str) -> None:
    missed = [not verdict(mutant) for mutant in mutants(kernel, name)]
    assert sum(missed) == EQUIVALENT.get((kernel, name), 0), missed


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
