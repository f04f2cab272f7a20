"""The emulator reads what LLVM writes for instructions since sm_90, and runs it."""

from __future__ import annotations

import re
from functools import cache

import llvmlite.binding as llvm
import numpy as np
import pytest

from tests.codegen.emulator.snippets import plan
from tests.codegen.emulator.values import aligned
from tileir.codegen.emulator import SCHEDULES, TensorMap, launch
from tileir.codegen.emulator.ptx.blocks import cut
from tileir.codegen.emulator.ptx.syntax import read

TRIPLE = "nvptx64-nvidia-cuda"
S, G, C = "ptr addrspace(3) %s", "ptr addrspace(1) %g", "ptr addrspace(7) %c"
N, L, POINTER = "i32 %i", "i64 %l", "ptr %p"
HINTS = "i16 0, i64 0, i1 0, i1 0"
INTRINSICS = {
    "mbarrier.init.shared": ("void", S, N),
    "mbarrier.inval.shared": ("void", S),
    "mbarrier.arrive.shared": ("i64", S),
    "mbarrier.arrive.noComplete.shared": ("i64", S, N),
    "mbarrier.arrive.drop.shared": ("i64", S),
    "mbarrier.test.wait.shared": ("i1", S, L),
    "mbarrier.pending.count": ("i32", L),
    "cp.async.mbarrier.arrive.shared": ("void", S),
    "cp.async.mbarrier.arrive.noinc.shared": ("void", S),
    "cp.async.bulk.commit.group": ("void",),
    "cp.async.bulk.wait.group": ("void", "i32 1"),
    "cp.async.bulk.wait.group.read": ("void", "i32 0"),
    "cp.async.bulk.global.to.shared.cluster": ("void", C, S, G, N, HINTS),
    "cp.async.bulk.shared.cta.to.cluster": ("void", C, S, S, N),
    "cp.async.bulk.shared.cta.to.global": ("void", G, S, N, "i64 0", "i1 0"),
    "cp.async.bulk.prefetch.L2": ("void", G, N, "i64 0", "i1 0"),
    "cp.async.bulk.tensor.g2s.tile.1d": ("void", C, S, POINTER, N, HINTS, "i32 0"),
    "cp.async.bulk.tensor.g2s.tile.3d": ("void", C, S, POINTER, N, N, N, HINTS, "i32 0"),
    "cp.async.bulk.tensor.s2g.tile.2d": ("void", S, POINTER, N, N, "i64 0", "i1 0"),
    "cp.async.bulk.tensor.reduce.add.tile.2d": ("void", S, POINTER, N, N, "i64 0", "i1 0"),
    "cp.async.bulk.tensor.prefetch.tile.2d": ("void", POINTER, N, N, "i64 0", "i1 0"),
    "mapa": ("ptr", POINTER, N),
    "mapa.shared.cluster": ("ptr addrspace(7)", S, N),
    "getctarank": ("i32", POINTER),
    "getctarank.shared.cluster": ("i32", S),
    "barrier.cluster.arrive.aligned": ("void",),
    "barrier.cluster.arrive.relaxed": ("void",),
    "barrier.cluster.wait.aligned": ("void",),
    "setmaxnreg.inc.sync.aligned.u32": ("void", "i32 232"),
    "setmaxnreg.dec.sync.aligned.u32": ("void", "i32 40"),
    "elect.sync": ("{i32, i1}", "i32 -1"),
}
"""Intrinsics of LLVM's NVPTX target -> result and operands."""


@cache
def machine() -> llvm.TargetMachine:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    return target.create_target_machine(cpu="sm_90a", features="+ptx86", opt=2)


def emitted(text: str) -> str:
    module = llvm.parse_assembly(text)
    module.triple = TRIPLE
    module.verify()
    return machine().emit_assembly(module)


@pytest.mark.parametrize("name", INTRINSICS)
def test_intrinsics_become_instructions_that_are_known(name: str) -> None:
    result, *operands = INTRINSICS[name]
    given = ", ".join(operands)
    types = ", ".join(re.sub(r" [^ ]+$", "", each) for each in given.split(", ") if each)
    kept = "" if result == "void" else f"store volatile {result} %r, ptr %p"
    ptx = emitted(
        f"declare {result} @llvm.nvvm.{name}({types})\n"
        f"define ptx_kernel void @k({S}, {G}, {C}, {N}, {L}, {POINTER}) {{\n"
        f"{'%r = ' if kept else ''}call {result} @llvm.nvvm.{name}({given})\n{kept}\nret void }}"
    )
    assert f"llvm.nvvm.{name}" not in ptx
    blocks, _ = cut(read(ptx).entries["k"])
    assert blocks


BAR = "ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @smem, i32 4096)"
KERNEL = f"""
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(
  ptr addrspace(7), ptr addrspace(3), ptr, i32, i32, i16, i64, i1, i1, i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
@smem = external addrspace(3) global [0 x i8], align 1024
define ptx_kernel void @k(
    ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %map, ptr addrspace(1) %out)
    "nvvm.reqntid"="32" {{
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %thread, 0
  br i1 %first, label %one, label %all
one:
  %to = addrspacecast ptr addrspace(3) @smem to ptr addrspace(7)
  call void @llvm.nvvm.mbarrier.init.shared({BAR}, i32 1)
  call void asm sideeffect "fence.mbarrier_init.release.cluster;", "~{{memory}}"()
  call void asm sideeffect "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;",
    "r,r,~{{memory}}"({BAR}, i32 128)
  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) %to, {BAR}, ptr %map,
    i32 0, i32 3, i16 0, i64 0, i1 0, i1 0, i32 0)
  br label %all
all:
  call void @llvm.nvvm.barrier0()
  br label %wait
wait:
  %done = call i32 asm sideeffect "{{ .reg .pred p;
    mbarrier.try_wait.parity.shared::cta.b64 p, [$1], $2; selp.b32 $0, 1, 0, p; }}",
    "=r,r,r,~{{memory}}"({BAR}, i32 0)
  %again = icmp eq i32 %done, 0
  br i1 %again, label %wait, label %go
go:
  %place = getelementptr i32, ptr addrspace(3) @smem, i32 %thread
  %word = load i32, ptr addrspace(3) %place
  %result = getelementptr i32, ptr addrspace(1) %out, i32 %thread
  store i32 %word, ptr addrspace(1) %result
  ret void
}}
"""


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_kernel_with_a_tensor_copy(schedule: str) -> None:
    """A tensor map as a parameter, an intrinsic, and what has none as inline assembly."""
    x, out = aligned(np.arange(64, dtype=np.int32).reshape(8, 8)), np.zeros(32, np.int32)
    about = plan(("map", "u64"), threads=32, shared=4104)
    launch(emitted(KERNEL), about, 1, [TensorMap("s32", x, (8, 8), (32,), (8, 4)), out],
           schedule=schedule)  # fmt: skip
    np.testing.assert_array_equal(out, x[3:7].ravel())
