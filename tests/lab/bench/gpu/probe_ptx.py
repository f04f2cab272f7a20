"""PTX that shows which bytes of shared memory a matrix descriptor names, and where a box goes.

The kernel `operand` fills shared memory as it is told, multiplies once with the operand that a
descriptor of the launch names, and stores the sums. The other operand is in registers where that
can be; else it is 8 columns, whose two distances are equal, so that it does not matter which is
which. The kernel `box` has a tensor copied and stores the bytes of shared memory.
"""

from __future__ import annotations

from tests.lab.bench.gpu.kit.probe import (
    BOX_BYTES,
    DEPTH_BYTES,
    FEW,
    IMAGE_BYTES,
    KINDS,
    MANY,
    THREADS,
    UNIT_BYTES,
)

_HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"
_REGISTERS = ".reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %d<16>;\n"
_UNIT = 128 >> 4 << 16 | 128 >> 4 << 32
"""The descriptor of 8 rows of 32 bytes, in two cores of 8 rows of 16 bytes."""


def operand(kind: str, side: str, transposed: bool) -> str:
    """A kernel for operands of a type, K-major or `transposed`; `side` is "a" or "b".

    Parameters: the bytes of shared memory; the other operand, as its bytes or as the registers of
    each thread; the sums of each thread; the descriptor, with the offset of its start.
    """
    total, size = KINDS[kind].sums, KINDS[kind].size
    n = FEW if side == "a" else MANY
    words = n // 2
    sums = f"{{{', '.join(f'%s{i}' for i in range(words))}}}"
    first = "%d5" if side == "a" else "{%a0, %a1, %a2, %a3}"
    second = "%d6" if side == "a" else "%d5"
    flags = ", 1, 1" if total == "f32" else ""
    if size == 2:
        flags += f", {int(transposed)}, 0" if side == "a" else f", {int(transposed)}"
    copies = "".join(
        f"ld.global.v4.b32 {{%r4, %r5, %r6, %r7}}, [%d7+{at}];\n"
        f"st.shared.v4.b32 [%r2+{at}], {{%r4, %r5, %r6, %r7}};\n"
        for at in range(0, IMAGE_BYTES, 16 * THREADS)
    )
    if side == "a":
        other = (
            f"setp.lt.u32 %p1, %r0, {UNIT_BYTES // 16};\nmov.u32 %r3, unit;\n"
            "add.u32 %r8, %r3, %r1;\ncvt.u64.u32 %d8, %r1;\nadd.s64 %d8, %d1, %d8;\n"
            + "".join(f"mov.b32 %r{i}, 0;\n" for i in range(4, 8))
            + "@%p1 ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%d8];\n"
            "@%p1 st.shared.v4.b32 [%r8], {%r4, %r5, %r6, %r7};\n"
            "and.b32 %r3, %r3, 0x3ffff;\nshr.u32 %r3, %r3, 4;\ncvt.u64.u32 %d6, %r3;\n"
            f"or.b64 %d6, %d6, {_UNIT};\n"
        )
    else:
        other = (
            "cvt.u64.u32 %d8, %r1;\nadd.s64 %d8, %d1, %d8;\n"
            "ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%d8];\n"
        )
    stores = "".join(f"st.global.b32 [%d9+{4 * i}], %s{i};\n" for i in range(words))
    return (
        f"{_HEAD}.visible .entry operand(.param .u64 p0, .param .u64 p1, .param .u64 p2,"
        f" .param .u64 p3)\n.reqntid {THREADS}\n{{\n{_REGISTERS}.reg .b32 %a<4>;\n"
        f".reg .b32 %s<{words}>;\n"
        f".shared .align 1024 .b8 image[{IMAGE_BYTES}];\n"
        f".shared .align 1024 .b8 unit[{UNIT_BYTES}];\n"
        + "".join(f"ld.param.u64 %d{i}, [p{i}];\n" for i in range(4))
        + "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 4;\nmov.u32 %r2, image;\n"
        "mov.u32 %r9, image;\nadd.u32 %r2, %r2, %r1;\ncvt.u64.u32 %d7, %r1;\n"
        f"add.s64 %d7, %d0, %d7;\nmul.wide.u32 %d9, %r0, {4 * words};\nadd.s64 %d9, %d2, %d9;\n"
        + copies
        + other
        + "and.b32 %r9, %r9, 0x3ffff;\nshr.u32 %r9, %r9, 4;\ncvt.u64.u32 %d5, %r9;\n"
        "add.s64 %d5, %d5, %d3;\n"
        "fence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.ne.b32 %p0, %r0, %r0;\n"
        "wgmma.fence.sync.aligned;\n"
        f"wgmma.mma_async.sync.aligned.m64n{n}k{DEPTH_BYTES // size}.{total}.{kind}.{kind}"
        f" {sums}, {first}, {second}, %p0{flags};\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
        f"{stores}ret;\n}}\n"
    )


def box(rank: int) -> str:
    """A kernel that copies a box of so many dimensions.

    Parameters: the tensor map; the bytes of shared memory afterwards; the bytes that arrive; the
    coordinates of the box, the innermost first.
    """
    places = [f"p{3 + axis}" for axis in range(rank)]
    declared = "".join(f", .param .u32 {place}" for place in places)
    coordinates = ", ".join(f"%r{10 + axis}" for axis in range(rank))
    chunks = range(0, BOX_BYTES, 16 * THREADS)
    return (
        f"{_HEAD}.visible .entry box(.param .align 64 .b8 p0[128], .param .u64 p1, .param .u32 p2"
        f"{declared})\n.reqntid {THREADS}\n{{\n{_REGISTERS}"
        f".shared .align 1024 .b8 tile[{BOX_BYTES}];\n.shared .align 8 .b64 bar;\n"
        "mov.b64 %d0, p0;\ncvta.param.u64 %d0, %d0;\nld.param.u64 %d1, [p1];\n"
        "ld.param.u32 %r3, [p2];\n"
        + "".join(f"ld.param.u32 %r{10 + axis}, [{place}];\n" for axis, place in enumerate(places))
        + "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 4;\nmov.u32 %r2, tile;\nmov.u32 %r8, bar;\n"
        "mov.u32 %r9, tile;\nadd.u32 %r2, %r2, %r1;\ncvt.u64.u32 %d2, %r1;\n"
        "add.s64 %d2, %d1, %d2;\nsetp.eq.u32 %p0, %r0, 0;\n"
        + "".join(f"mov.b32 %r{i}, -1;\n" for i in range(4, 8))
        + "".join(f"st.shared.v4.b32 [%r2+{at}], {{%r4, %r5, %r6, %r7}};\n" for at in chunks)
        + "@%p0 mbarrier.init.shared::cta.b64 [%r8], 1;\n"
        "@%p0 fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
        "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], %r3;\n"
        f"@%p0 cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile"
        f".mbarrier::complete_tx::bytes [%r9], [%d0, {{{coordinates}}}], [%r8];\n"
        "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [%r8], 0;\n@!%p1 bra WAIT;\n"
        + "".join(
            f"ld.shared.v4.b32 {{%r4, %r5, %r6, %r7}}, [%r2+{at}];\n"
            f"st.global.v4.b32 [%d2+{at}], {{%r4, %r5, %r6, %r7}};\n"
            for at in chunks
        )
        + "ret;\n}\n"
    )
