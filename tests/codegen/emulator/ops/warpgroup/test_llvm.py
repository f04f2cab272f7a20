"""Products that LLVM compiles from inline assembly: it may copy sums before they are there."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.codegen.emulator.ops.warpgroup.kernels import (
    COMMIT,
    FENCE,
    WAIT,
    instruction,
    of_threads,
    values,
    words_of,
)
from tests.codegen.emulator.ops.warpgroup.layouts import dense
from tests.codegen.emulator.snippets import plan
from tests.codegen.emulator.test_llvm_output import emitted
from tests.codegen.emulator.values import aligned
from tileir.codegen.emulator import SCHEDULES, EmulationError, launch

N, STEPS, TRIPS = 32, 4, 3
SUMS = words_of("f32", N)
TILES = [dense("k", 1, rows, 64, 2) for rows in (64, N)]
NBYTES = sum(tile.nbytes for tile in TILES)


def assembly(lines: str, more: list[str]) -> str:
    """A call of inline assembly that takes the sums and returns them; `more` are i64 operands."""
    sums = ",".join(["=f"] * SUMS)
    tied = ",".join(str(i) for i in range(SUMS))
    constraints = ",".join([sums, *["l"] * len(more), tied, "~{memory}"])
    given = ", ".join([*(f"i64 {each}" for each in more), *(f"float %IN{i}" for i in range(SUMS))])
    return f'asm sideeffect "{lines}", "{constraints}"({given})'


def issue() -> str:
    """Inline assembly of the products of a trip; operands after the sums are A and B."""
    a, b = f"${SUMS}", f"${SUMS + 1}"
    braced = "{" + ", ".join(f"${i}" for i in range(SUMS)) + "}"
    one = instruction("f32.f16.f16", N, "da", "db", "1, 1, 1, 0, 0")
    one = re.sub(r"\{.*?\}", lambda match: braced, one)
    step = "add.s64 da, da, 2; add.s64 db, db, 2;"
    return (
        f"{{ .reg .b64 da, db; mov.b64 da, {a}; mov.b64 db, {b}; {FENCE}"
        + step.join([one] * STEPS)
        + f"{COMMIT} }}"
    ).replace("\n", " ")


def kernel(*calls: str) -> str:
    """A loop over trips, each of some calls on the sums; %a and %b are the descriptors."""
    kind = "{" + ", ".join(["float"] * SUMS) + "}"
    copies = "".join(
        f"  %x{i} = add i32 %thread, {128 * i}\n"
        f"  %g{i} = getelementptr <4 x i32>, ptr addrspace(1) %image, i32 %x{i}\n"
        f"  %w{i} = load <4 x i32>, ptr addrspace(1) %g{i}, align 16\n"
        f"  %s{i} = getelementptr <4 x i32>, ptr addrspace(3) @smem, i32 %x{i}\n"
        f"  store <4 x i32> %w{i}, ptr addrspace(3) %s{i}, align 16\n"
        for i in range(NBYTES // 2048)
    )
    phis = "".join(
        f"  %v{i} = phi float [ 0.0, %entry ], [ %c{len(calls)}_{i}, %trip ]\n" for i in range(SUMS)
    )
    body, last = "", "%v"
    for place, call in enumerate(calls, 1):
        given = re.sub(r"%IN(\d+)", lambda match, last=last: f"{last}{match[1]}", call)
        body += f"  %r{place} = call {kind} {given}\n" + "".join(
            f"  %c{place}_{i} = extractvalue {kind} %r{place}, {i}\n" for i in range(SUMS)
        )
        last = f"%c{place}_"
    stores = "".join(
        f"  %o{i} = getelementptr float, ptr addrspace(1) %mine, i32 {i}\n"
        f"  store float {last}{i}, ptr addrspace(1) %o{i}\n"
        for i in range(SUMS)
    )
    return f"""
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
@smem = external addrspace(3) global [0 x i8], align 1024
define ptx_kernel void @k(ptr addrspace(1) align 16 %image, ptr addrspace(1) %out, i32 %trips)
    "nvvm.reqntid"="128" {{
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
{copies}
  call void asm sideeffect "fence.proxy.async.shared::cta;", "~{{memory}}"()
  call void @llvm.nvvm.barrier0()
  br label %trip
trip:
  %i = phi i32 [ 0, %entry ], [ %next, %trip ]
{phis}{body}
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %trips
  br i1 %again, label %trip, label %done
done:
  %first = mul i32 %thread, {SUMS}
  %mine = getelementptr float, ptr addrspace(1) %out, i32 %first
{stores}
  ret void
}}
"""


DESCRIPTORS = [str(TILES[0].descriptor(0)), str(TILES[1].descriptor(TILES[0].nbytes))]
TOGETHER = assembly(issue() + WAIT.replace("\n", ""), DESCRIPTORS)
ISSUE, WAITING = assembly(issue(), DESCRIPTORS), assembly(WAIT.replace("\n", ""), [])
CALLS = {"together": (TOGETHER,), "issue, then wait": (ISSUE, WAITING)}


def multiplied(ptx: str, schedule: str) -> tuple[np.ndarray, np.ndarray]:
    """What a kernel computes, and what NumPy does."""
    factors = [values("f16", (tile.rows, tile.depth), tile.rows) for tile in TILES]
    images = [tile.image(each) for tile, each in zip(TILES, factors, strict=True)]
    out = aligned(np.zeros((128, SUMS), np.uint32))
    about = plan(("u64", "u64", "u32"), threads=128, shared=NBYTES)
    launch(ptx, about, 1, [aligned(np.concatenate(images)), out, TRIPS], schedule=schedule)
    a, b = (each.astype(float) for each in factors)
    return of_threads(out, N, "f32"), TRIPS * (a @ b.T)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", CALLS)
def test_sums_go_through_loops(name: str, schedule: str) -> None:
    """Sums that are tied to the operands of each piece of assembly stay in their registers."""
    found, expected = multiplied(emitted(kernel(*CALLS[name])), schedule)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


def test_sums_that_are_copied_are_noticed() -> None:
    """LLVM knows nothing of products under way: what comes between issue and wait is too early."""
    scaled = assembly("mul.rn.f32 $0, $0, 0f3F800000;", [])
    with pytest.raises(EmulationError, match="nothing has waited for") as caught:
        multiplied(emitted(kernel(ISSUE, scaled, WAITING)), "lock-step")
    assert caught.value.kind == "poison"
