"""Every row of the instruction table has an example, and NVIDIA's assembler knows each example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.codegen.emulator.snippets import kernel
from tileir.codegen.emulator.ptx.blocks import cut, resolve
from tileir.codegen.emulator.ptx.control import BRANCHES
from tileir.codegen.emulator.ptx.syntax import read
from tileir.codegen.emulator.ptx.table import ROWS, look_up

EXAMPLES = """
mov.pred %p2, %p1; mov.b32 %r5, %r6; mov.u64 %d5, 7; mov.f32 %r5, 0f3F800000;
mov.b16 {%b0, %b1}, %h5; mov.b16 %h5, {%b0, %b1}; mov.b32 {%h5, %h6}, %r5;
mov.b32 %r5, {%h5, %h6}; mov.b32 {%b0, %b1, %b2, %b3}, %r5; mov.b32 %r5, {%b0, %b1, %b2, %b3};
mov.b64 {%r5, %r6}, %d5; mov.b64 %d5, {%r5, %r6}; mov.b64 {%h5, %h6, %h7, %h8}, %d5;
mov.b64 %d5, {%h5, %h6, %h7, %h8};
prmt.b32 %r5, %r6, %r7, 0x3210; prmt.b32.f4e %r5, %r6, %r7, %r8;
cvta.global.u64 %d5, %d6; cvta.to.global.u64 %d5, %d6; cvta.shared.u64 %d5, %d6;
cvta.to.shared.u64 %d5, %d6; cvta.local.u64 %d5, %d6; cvta.to.local.u64 %d5, %d6;
isspacep.shared %p1, %d5;
add.rn.f32 %r5, %r6, %r7; sub.rz.ftz.f32 %r5, %r6, %r7; mul.rp.sat.f32 %r5, %r6, %r7;
add.rm.f64 %d5, %d6, %d7; add.rn.f16 %h5, %h6, %h7; sub.bf16 %h5, %h6, %h7;
mul.rn.bf16x2 %r5, %r6, %r7; add.rn.f32x2 %d5, %d6, %d7; sub.rn.f32x2 %d5, %d6, %d7;
mul.rn.f32x2 %d5, %d6, %d7; fma.rn.f32x2 %d5, %d6, %d7, %d8;
div.rn.f32 %r5, %r6, %r7; div.full.f32 %r5, %r6, %r7; div.approx.f32 %r5, %r6, %r7;
fma.rn.f32 %r5, %r6, %r7, %r8; fma.rn.relu.f16 %h5, %h6, %h7, %h8;
fma.rn.bf16x2 %r5, %r6, %r7, %r8;
min.f32 %r5, %r6, %r7; max.NaN.f32 %r5, %r6, %r7, %r8; max.f64 %d5, %d6, %d7;
min.xorsign.abs.f32 %r5, %r6, %r7;
max.f16x2 %r5, %r6, %r7; ex2.approx.f32 %r5, %r6; tanh.approx.f32 %r5, %r6;
rsqrt.approx.f64 %d5, %d6; ex2.approx.ftz.bf16 %h5, %h6; tanh.approx.f16x2 %r5, %r6;
rcp.rn.f32 %r5, %r6; sqrt.rm.f64 %d5, %d6; testp.finite.f32 %p1, %r5;
neg.f32 %r5, %r6; neg.bf16x2 %r5, %r6; abs.f64 %d5, %d6; abs.f16 %h5, %h6;
copysign.f32 %r5, %r6, %r7;
cp.async.ca.shared.global [%r5], [%d0], 8, %r6; cp.async.cg.shared.global [%r5], [%d0], 16, %p1;
cp.async.commit_group; cp.async.wait_group 2; cp.async.wait_all;
atom.global.add.u32 %r5, [%d0], %r6; atom.acq_rel.gpu.global.min.s64 %d5, [%d0], %d6;
atom.shared.or.b32 %r5, [%d5], %r6; atom.exch.b64 %d5, [%d6], %d7;
atom.global.inc.u32 %r5, [%d0], %r6; atom.global.add.noftz.f16x2 %r5, [%d0], %r6;
atom.global.add.v2.f32 {%r5, %r6}, [%d0], {%r7, %r8};
atom.global.v2.f32.add {%r5, %r6}, [%d0], {%r7, %r8};
red.global.add.f64 [%d0], %d5; red.relaxed.gpu.global.max.u32 [%d0], %r5;
red.shared.xor.b32 [%d5], %r6; red.global.dec.u32 [%d0], %r5;
red.global.add.noftz.bf16 [%d0], %h5; red.global.add.v4.f32 [%d0], {%r5, %r6, %r7, %r8};
red.global.v4.f32.add [%d0], {%r5, %r6, %r7, %r8};
red.release.gpu.global.add.noftz.v4.f16x2 [%d0], {%r5, %r6, %r7, %r8};
red.global.v2.bf16x2.min.noftz [%d0], {%r5, %r6};
red.max.noftz.v4.bf16 [%d0], {%h5, %h6, %h7, %h8};
red.global.v2.f16.add.noftz [%d0], {%h5, %h6};
atom.global.max.noftz.v2.bf16x2 {%r5, %r6}, [%d0], {%r7, %r8};
atom.v2.f16x2.add.noftz {%r5, %r6}, [%d0], {%r7, %r8};
atom.global.min.noftz.v2.f16 {%h5, %h6}, [%d0], {%h7, %h8};
atom.global.v2.bf16.add.noftz {%h5, %h6}, [%d0], {%h7, %h8};
atom.global.cas.b32 %r5, [%d0], %r6, %r7;
multimem.ld_reduce.weak.global.max.f16x2 %r5, [%d0]; multimem.st.release.sys.global.b64 [%d0], %d5;
multimem.red.relaxed.gpu.global.add.f32 [%d0], %r5;
cvt.u16.u32 %h5, %r5; cvt.sat.s8.s32 %r5, %r6; cvt.rn.f16.s32 %h5, %r5;
cvt.rzi.s64.f32 %d5, %r5; cvt.rn.bf16.f32 %h5, %r5; cvt.rna.tf32.f32 %r5, %r6;
cvt.rn.relu.f16x2.f32 %r5, %r6, %r7; cvt.rn.satfinite.e4m3x2.f32 %h5, %r5, %r6;
cvt.rn.satfinite.relu.e5m2x2.f16x2 %h5, %r5; cvt.rn.f16x2.e4m3x2 %r5, %h5;
cvt.rn.f16x2.e3m2x2 %r5, %h5; cvt.rn.f16x2.e2m1x2 %r5, %b0;
cvt.rn.satfinite.e2m1x2.f32 %b0, %r5, %r6;
shfl.sync.up.b32 %r5, %r6, 1, 0, -1; shfl.sync.idx.b32 %r5|%p1, %r6, %r7, 31, -1;
match.any.sync.b32 %r5, %r6, -1; match.all.sync.b64 %r5|%p1, %d5, -1;
vote.sync.any.pred %p1, %p2, -1; vote.sync.ballot.b32 %r5, !%p2, -1;
redux.sync.add.u32 %r5, %r6, -1; redux.sync.xor.b32 %r5, %r6, -1;
elect.sync %r5|%p1, -1; activemask.b32 %r5;
add.s32 %r5, %r6, -1; sub.u64 %d5, %d6, %d7; mul.lo.s16 %h5, %h6, %h7; mul.hi.u64 %d5, %d6, %d7;
div.s32 %r5, %r6, %r7; rem.u16 %h5, %h6, %h7; min.u32 %r5, %r6, %r7; max.s64 %d5, %d6, %d7;
min.relu.s32 %r5, %r6, %r7; max.relu.s32 %r5, %r6, 7;
and.b16 %h5, %h6, 255; or.b32 %r5, %r6, %r7; xor.b64 %d5, %d6, %d7;
add.sat.s32 %r5, %r6, %r7; sub.sat.s32 %r5, %r6, %r7; mul.wide.u16 %r5, %h5, %h6;
mad.lo.s64 %d5, %d6, %d7, %d8; mad.hi.s32 %r5, %r6, %r7, %r8; mad.wide.s32 %d5, %r5, 4, %d6;
mul24.lo.s32 %r5, %r6, %r7; not.b32 %r5, %r6; neg.s16 %h5, %h6; abs.s64 %d5, %d6;
cnot.b32 %r5, %r6; shl.b16 %h5, %h6, 3; shr.s32 %r5, %r6, %r7; shr.b64 %d5, %d6, 1;
bfe.s32 %r5, %r6, 3, 5; bfi.b64 %d5, %d6, %d7, 1, 2; shf.l.wrap.b32 %r5, %r6, %r7, %r8;
mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r5, %r6}, {%r7, %r8}, {%r9}, {%r10, %r11};
mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r5, %r6, %r7, %r8}, {%r9, %r10, %r11, %r12},
 {%r13, %r14}, {%r15, %r16, %r17, %r18};
mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%r5, %r6, %r7, %r8}, {%r9, %r10}, {%r11},
 {%r15, %r16, %r17, %r18};
mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d5, %d6}, {%d7}, {%d8}, {%d9, %d10};
mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%d5, %d6, %d7, %d8}, {%d9, %d10}, {%d11},
 {%d12, %d13, %d14, %d15};
mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e5m2.f16 {%r5, %r6}, {%r7, %r8}, {%r9}, {%r10, %r11};
mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%r5, %r6}, {%r7}, {%r8}, {%r9, %r10};
mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {%r5, %r6, %r7, %r8},
 {%r9, %r10, %r11, %r12}, {%r13, %r14}, {%r15, %r16, %r17, %r18};
ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r5, %r6, %r7, %r8}, [%r9+32];
stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r9], {%r5, %r6};
movmatrix.sync.aligned.m8n8.trans.b16 %r5, %r6;
add.cc.u32 %r5, %r6, %r7; addc.cc.s64 %d5, %d6, %d7; subc.u32 %r5, %r6, %r7;
mad.lo.cc.u32 %r5, %r6, %r7, %r8; madc.hi.cc.u64 %d5, %d6, %d7, %d8; madc.lo.s32 %r5, %r6, %r7, %r8;
add.rn.f32.f16 %r5, %h6, %r7; sub.rz.sat.f32.bf16 %r5, %h6, %r7; fma.rm.f32.bf16 %r5, %h6, %h7, %r8;
popc.b64 %r5, %d5; clz.b32 %r5, %r6; bfind.s64 %r5, %d5; brev.b32 %r5, %r6;
dp4a.u32.s32 %r5, %r6, %r7, %r8; sad.u32 %r5, %r6, %r7, %r8;
ld.param.b64 %d5, [p0]; ld.global.nc.v4.b32 {%r5, %r6, %r7, %r8}, [%d0+16];
ld.volatile.shared.u8 %h5, [%d5]; ld.acquire.gpu.global.b32 %r5, [%d0];
ld.global.L1::no_allocate.L2::128B.b32 %r5, [%d0]; ldu.global.b32 %r5, [%d0];
st.global.cs.v2.b64 [%d0], {%d5, %d6}; st.release.gpu.b32 [%d0], %r5; st.local.b32 [%d5], 7;
prefetch.global.L2 [%d0]; prefetchu.L1 [%d0];
setp.lt.f16x2 %p1|%p2, %r5, %r6; setp.gtu.bf16x2 %p1|%p2, %r5, %r6;
setp.lt.and.s32 %p1, %r5, %r6, %p2; setp.eq.f32 %p1, %r5, 0f00000000;
setp.ls.or.u32 %p1|%p2, %r5, %r6, %p3; setp.num.f64 %p1|%p2, %d5, %d6;
set.lt.u32.f32 %r5, %r6, %r7; selp.f32 %r5, %r6, 0f3F800000, %p1;
and.pred %p1, %p2, %p3; or.pred %p1, %p2, %p3; xor.pred %p1, %p2, %p3; not.pred %p1, %p2;
bar.sync 0; barrier.cta.arrive 1, 64; bar.red.popc.u32 %r5, 0, %p1;
bar.red.popc.u32 %r5, 0, 64, %p1; barrier.cta.red.or.aligned.pred %p2, 0, %p1;
bar.red.and.pred %p2, 0, 64, %p1; bar.warp.sync -1; membar.gl; fence.acq_rel.gpu;
fence.proxy.async; fence.proxy.async.shared::cta; fence.proxy.alias; griddepcontrol.wait;
nanosleep.u32 20; trap;
cvta.param.u64 %d5, %d6; cvta.to.param.u64 %d5, %d6; cvta.to.shared::cluster.u64 %d5, %d6;
mbarrier.init.shared.b64 [%r5], 4; mbarrier.inval.shared::cta.b64 [%r5];
mbarrier.arrive.shared.b64 %d5, [%r5];
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5], 2;
mbarrier.arrive_drop.shared.b64 %d5, [%r5], %r6;
mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r5], %r6;
mbarrier.arrive.noComplete.release.cta.shared.b64 %d5, [%r5], 2;
mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r5], 64;
mbarrier.complete_tx.shared::cta.b64 [%r5], 64;
mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r5], %r6, 1000;
mbarrier.try_wait.shared.b64 %p1, [%r5], %d5; mbarrier.test_wait.parity.shared.b64 %p1, [%r5], 0;
mbarrier.test_wait.b64 %p1, [%d5], %d6; mbarrier.pending_count.b64 %r5, %d5;
cp.async.mbarrier.arrive.noinc.shared.b64 [%r5]; fence.mbarrier_init.release.cluster;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%d0], %r6, [%r7];
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r5], [%d0], 64,
 [%r7], %d5;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r5], [%d0],
 64, [%r7], %h5;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint
 [%r5], [%d0], 64, [%r7], %h5, %d5;
cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5], [%r6], 64, [%r7];
cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r5], 64;
cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%d0], [%r5], 64, %d5;
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%d0], [%r5], 64;
cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.f32 [%d0], [%r5], 64, %d5;
cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.u32 [%r5], [%r6],
 64, [%r7];
cp.async.bulk.prefetch.L2.global [%d0], 64;
cp.async.bulk.prefetch.L2.global.L2::cache_hint [%d0], 64, %d5;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 1; cp.async.bulk.wait_group.read 0;
cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r5], [%d5, {%r6, 0}],
 [%r7];
cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r5],
 [%d5, {%r6, 0, 1, 2, 3}], [%r7];
cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint
 [%r5], [%d5, {%r6}], [%r7], %d6;
{WIDE}.multicast::cluster [%r5], [%d5, {%r6, 0, 1}], [%r7], %h5;
{WIDE}.multicast::cluster.L2::cache_hint [%r5], [%d5, {%r6, 0, 1}], [%r7], %h5, %d6;
cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%d5, {%r6, 0, 1, 2, 3}], [%r5];
cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group.L2::cache_hint
 [%d5, {%r6, 0, 1, 2, 3}], [%r5], %d6;
cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%d5, {%r6, 0}], [%r5];
cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.bulk_group.L2::cache_hint [%d5, {%r6, 0}],
 [%r5], %d6;
cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%d5, {%r6, 0}];
cp.async.bulk.prefetch.tensor.2d.L2.global.L2::cache_hint [%d5, {%r6, 0}], %d6;
prefetch.tensormap [%d5];
barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;
mapa.shared::cluster.u32 %r5, %r6, 1; mapa.u64 %d5, %d6, %r5;
getctarank.shared::cluster.u32 %r5, %r6; getctarank.u64 %r5, %d5;
setmaxnreg.inc.sync.aligned.u32 232; ld.shared::cluster.b32 %r5, [%r6];
{ .param .b32 out; call.uni (out), vprintf, (first, second); }
""".replace(
    "{WIDE}",
    "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes",
)
"""At least one for each row, but for those of sm_90a."""
OF_90A = """
wgmma.fence.sync.aligned; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r5, %r6, %r7, %r8}, %d5, %d6, %p1, 1, -1, 0, 1;
wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 {%r5, %r6, %r7, %r8},
 {%r9, %r10, %r11, %r12}, %d6, 1, 1, 1, 1;
wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r5, %r6, %r7, %r8}, %d5, %d6, 0, 1, 1, 0, 0;
wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r5, %r6, %r7, %r8},
 {%r9, %r10, %r11, %r12}, %d6, 0, 1, 1, 0;
wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%r5, %r6, %r7, %r8}, %d5, %d6, %p1, 1, 1;
wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%r5, %r6, %r7, %r8},
 {%r9, %r10, %r11, %r12}, %d6, %p1, 1, 1;
wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {%r5, %r6, %r7, %r8}, %d5, %d6, %p1, 1, 1;
wgmma.mma_async.sync.aligned.m64n8k32.f16.e5m2.e4m3 {%r5, %r6},
 {%r9, %r10, %r11, %r12}, %d6, %p1, 1, 1;
wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8.satfinite {%r5, %r6, %r7, %r8}, %d5, %d6, %p1;
wgmma.mma_async.sync.aligned.m64n8k32.satfinite.s32.u8.u8 {%r5, %r6, %r7, %r8},
 {%r9, %r10, %r11, %r12}, %d6, %p1;
"""
CALL = ".extern .func (.param .b32 out) vprintf (.param .b64 a, .param .b64 b);"
BODY = (
    ".reg .b8 %b<4>;\n{ .param .b64 first; .param .b64 second;\n"
    "st.param.b64 [first], %d5; st.param.b64 [second], %d5;\n"
)


def text(target: str = "sm_100a") -> str:
    examples = OF_90A if target == "sm_90a" else EXAMPLES
    body = BODY + examples.replace("; ", ";\n") + "}"
    return kernel(body, target=target, before=CALL)


TARGETS = ("sm_100a", "sm_90a")


def test_every_row_has_an_example() -> None:
    entries = [read(text(target)).entries["k"] for target in TARGETS]
    blocks = [block for entry in entries for block in cut(entry)[0]]
    statements = [each for block in blocks for each in block.statements]
    used = {id(resolve(each).row) for each in statements if each.opcode not in BRANCHES}
    missing = [row.pattern.pattern for row in ROWS if id(row) not in used]
    assert not missing


@pytest.mark.oracle
@pytest.mark.parametrize("target", TARGETS)
def test_the_examples_are_ptx(target: str, tool, tmp_path: Path) -> None:
    source = tmp_path / "examples.ptx"
    source.write_text(text(target))
    done = tool("ptxas", f"-arch={target}", "-O0", "-o", tmp_path / "examples.cubin", source)
    lines = source.read_text().splitlines()
    said = (done.stdout + done.stderr).decode()
    numbers = sorted({int(number) for number in re.findall(r"line (\d+);", said)})
    assert done.returncode == 0, [lines[number - 1] for number in numbers] + [said]


REFUSED = {
    "fma.rn.sat.relu.f16": "%h5, %h6, %h7, %h8",
    "fma.rn.relu.sat.f16": "%h5, %h6, %h7, %h8",
    "fma.rn.ftz.sat.relu.f16x2": "%r5, %r6, %r7, %r8",
    "fma.rn.sat.relu.bf16x2": "%r5, %r6, %r7, %r8",
    "fma.rn.relu.f32": "%r5, %r6, %r7, %r8",
    "fma.rn.ftz.sat.relu.f32": "%r5, %r6, %r7, %r8",
    "fma.rn.relu.f64": "%d5, %d6, %d7, %d8",
    "mad.rn.relu.f32": "%r5, %r6, %r7, %r8",
}
"""Opcodes with modifiers that do not go together -> operands that would fit."""


@pytest.mark.parametrize("opcode", REFUSED)
def test_modifiers_that_do_not_go_together(opcode: str) -> None:
    assert look_up(opcode) is None
    one = opcode.replace(".sat", "").replace(".relu", "")
    assert look_up(one) is not None


@pytest.mark.oracle
@pytest.mark.parametrize("opcode", REFUSED)
def test_modifiers_that_ptx_does_not_combine(opcode: str, tool, tmp_path: Path) -> None:
    """It is the modifiers that are refused: without them, the same line is PTX."""
    source = tmp_path / "k.ptx"
    codes = []
    for name in (opcode, opcode.replace(".sat", "").replace(".relu", "")):
        source.write_text(kernel(f"{name} {REFUSED[opcode]};", target="sm_100a"))
        done = tool("ptxas", "-arch=sm_100a", "-o", tmp_path / "k.cubin", source)
        codes.append(done.returncode)
    assert codes[0] != 0 == codes[1], done.stderr
