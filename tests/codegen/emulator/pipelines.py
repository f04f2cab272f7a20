"""Kernels with a producer warp, which fills a ring by tensor copies, and consumers, for tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from tests.codegen.emulator.snippets import run
from tests.codegen.emulator.values import aligned
from tileir.codegen.emulator import SCHEDULES, EmulationError, TensorMap

Change = Callable[[re.Match[str]], str]
STAGES, TILES, ROWS, COLUMNS = 2, 5, 8, 32
STAGE = 4 * ROWS * COLUMNS
"""Bytes."""
KINDS = ("map", "u64")
PIPELINE_THREADS = 96
"""A warp that copies and two that add."""


def waiting(name: str, bar: str, parity: str) -> str:
    """Wait for a phase in a loop, as compilers write it."""
    return (
        f"WAIT_{name}:\nmbarrier.try_wait.parity.shared::cta.b64 %p9, [{bar}], {parity};\n"
        f"@%p9 bra DONE_{name};\nbra WAIT_{name};\nDONE_{name}:\n"
    )


_NEXT = (
    f"add.s32 %r20, %r20, 1;\nsetp.eq.u32 %p5, %r20, {STAGES};\n@%p5 mov.b32 %r20, 0;\n"
    "@%p5 xor.b32 %r21, %r21, 1;\nadd.s32 %r22, %r22, 1;\n"
    f"setp.lt.u32 %p6, %r22, {TILES};\n"
)
_PLACES = (
    "shl.b32 %r23, %r20, 3;\nadd.s32 %r24, %r3, %r23;\nadd.s32 %r25, %r24, 64;\n"
    f"mad.lo.u32 %r26, %r20, {STAGE}, %r4;\n"
)
"""%r24 and %r25: the full and the empty barrier of the stage; %r26: its memory."""

PIPELINE = (
    "mov.b32 %r19, 0;\n"
    f".shared .align 1024 .b8 ring[{STAGES * STAGE}];\n.shared .align 16 .b8 rest[256];\n"
    "mov.b32 %r3, rest;\nmov.b32 %r4, ring;\nsetp.eq.u32 %p1, %r0, 0;\nshr.u32 %r5, %r0, 5;\n"
    "setp.eq.u32 %p2, %r5, 0;\n"
    + "".join(
        f"@%p1 mbarrier.init.shared.b64 [%r3+{8 * stage}], 1;\n"
        f"@%p1 mbarrier.init.shared.b64 [%r3+{64 + 8 * stage}], 2;\n"
        for stage in range(STAGES)
    )
    + "@%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\nmov.b32 %r20, 0;\n"
    "mov.b32 %r22, 0;\n@!%p2 bra CONSUME;\nmov.b32 %r21, 1;\n@!%p1 bra MEET;\nPRODUCE:\n"
    + _PLACES
    + waiting("EMPTY", "%r25", "%r21")
    + f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r24], {STAGE};\n"
    f"mul.lo.u32 %r27, %r22, {ROWS};\n"
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
    " [%r26], [%d0, {0, %r27}], [%r24];\n"
    + _NEXT
    + "@%p6 bra PRODUCE;\nbra MEET;\nCONSUME:\nmov.b32 %r21, 0;\nmov.b32 %r30, 0;\n"
    "and.b32 %r31, %r0, 31;\nsetp.eq.u32 %p3, %r31, 0;\nsub.u32 %r6, %r0, 32;\n"
    "shl.b32 %r7, %r6, 4;\nADD:\n"
    + _PLACES
    + waiting("FULL", "%r24", "%r21")
    + "add.s32 %r28, %r26, %r7;\nld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r28];\n"
    "add.s32 %r10, %r10, %r11;\nadd.s32 %r12, %r12, %r13;\nadd.s32 %r10, %r10, %r12;\n"
    "add.s32 %r29, %r22, 1;\nmad.lo.s32 %r30, %r10, %r29, %r30;\nbar.warp.sync -1;\n"
    "@%p3 mbarrier.arrive.shared::cta.b64 _, [%r25];\n"
    + _NEXT
    + "@%p6 bra ADD;\nMEET:\nbar.sync 1;\n"
    + "".join(
        f"@%p1 mbarrier.inval.shared.b64 [%r3+{8 * stage}];\n"
        f"@%p1 mbarrier.inval.shared.b64 [%r3+{64 + 8 * stage}];\n"
        for stage in range(STAGES)
    )
    + "bar.sync 2;\n@%p2 bra END;\nshl.b32 %r8, %r6, 2;\nadd.s32 %r8, %r8, %r3;\n"
    "st.shared.b32 [%r8], %r30;\nfence.proxy.async.shared::cta;\nbar.sync 3, 64;\n"
    "setp.eq.u32 %p4, %r6, 0;\n@!%p4 bra END;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r3], 256;\n"
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nEND:\n"
)
"""Sums of four neighbours, weighted by tile; then the memory of the mbarriers is used again."""


_MEET = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"


def _for_clusters() -> str:
    """The same for clusters of two blocks: each loads half of a tile for both.

    So the consumers of both must have read a stage before it is filled again.
    """
    changes = (
        ("bar.sync 0;\n", "mov.u32 %r32, %cluster_ctarank;\nmov.b16 %h5, 3;\n" + _MEET),
        (
            f"mul.lo.u32 %r27, %r22, {ROWS};\n",
            (
                f"mul.lo.u32 %r27, %r22, {ROWS};\nmad.lo.u32 %r27, %r32, {ROWS // 2}, %r27;\n"
                f"mad.lo.u32 %r26, %r32, {STAGE // 2}, %r26;\n"
            ),
        ),
        (
            "::bytes [%r26], [%d0, {0, %r27}], [%r24];",
            "::bytes.multicast::cluster [%r26], [%d0, {0, %r27}], [%r24], %h5;",
        ),
        (
            "@%p3 mbarrier.arrive.shared::cta.b64 _, [%r25];\n",
            "".join(
                f"mapa.shared::cluster.u32 %r33, %r25, {rank};\n"
                "@%p3 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r33];\n"
                for rank in range(2)
            ),
        ),
        ("MEET:\nbar.sync 1;\n", "MEET:\n" + _MEET),
        (
            "cp.async.bulk.global",
            ("mul.wide.u32 %d5, %r1, 256;\nadd.s64 %d1, %d1, %d5;\ncp.async.bulk.global"),
        ),
        ("try_wait.parity.shared", "try_wait.parity.acquire.cluster.shared"),
    )
    text = re.sub(r"(init\S+ \[%r3\+(64|72)\], )2", r"\g<1>4", PIPELINE)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


CLUSTER_PIPELINE = _for_clusters()


def pipeline_arguments(blocks: int = 1) -> tuple[TensorMap, np.ndarray, np.ndarray]:
    """A tensor map, the array to write, and what comes out; of two blocks the boxes are halves."""
    x = np.random.default_rng(3).integers(-99, 99, (TILES * ROWS, COLUMNS)).astype(np.int32)
    tiles = x.reshape(TILES, -1, 4).sum(axis=2) * np.arange(1, TILES + 1)[:, None]
    box = (COLUMNS, ROWS // blocks)
    made = TensorMap("s32", aligned(x), (COLUMNS, TILES * ROWS), (4 * COLUMNS,), box)
    expected = np.tile(tiles.sum(axis=0).astype(np.int32), blocks)
    return made, aligned(np.zeros(64 * blocks, np.int32)), expected


def pipeline_verdict(body: str, schedules: tuple[str, ...] = SCHEDULES, blocks: int = 1) -> str:
    """What is noticed: a kind of error, "wrong", or nothing; several blocks are a cluster."""
    for schedule in schedules:
        made, out, expected = pipeline_arguments(blocks)
        try:
            run(body, made, out, threads=PIPELINE_THREADS, parameters=KINDS, schedule=schedule,
                limit=20000, blocks=blocks, cluster=blocks)  # fmt: skip
        except EmulationError as problem:
            return problem.kind
        if (out != expected).any():
            return "wrong"
    return ""


def pipeline_mutants(body: str, pattern: str, change: Change) -> Iterator[tuple[str, str]]:
    """The line that is changed, and the whole changed text, for each place of a pattern."""
    for found in re.finditer(pattern, body):
        start = body.rfind("\n", 0, found.start()) + 1
        line = body[start : body.find("\n", found.end())]
        yield line, body[: found.start()] + change(found) + body[found.end() :]
