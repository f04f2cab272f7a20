"""Clusters: their barrier, memory of other blocks, remote arrivals, and multicasts."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.emulator.ops.hopper.bodies import EVERY, MEMORY, fails, kept, kinds, wait
from tests.codegen.emulator.snippets import kernel, plan, run
from tests.codegen.emulator.values import aligned
from tileir.codegen.emulator import TensorMap, launch

MEET = "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
OWN = (
    "mov.u32 %r5, %cluster_ctarank;\nxor.b32 %r6, %r5, 1;\nshl.b32 %r7, %r0, 2;\n"
    "add.s32 %r7, %r7, %r4;\nmapa.shared::cluster.u32 %r8, %r7, %r6;\n"
    "mad.lo.u32 %r9, %r1, 64, %r0;\nmul.wide.u32 %d10, %r9, 4;\nadd.s64 %d11, %d0, %d10;\n"
    "mad.lo.u32 %r9, %r1, 100, %r0;\n"
)
"""%r7 is the thread's word, %r8 the same in the other block, %d11 its result, %r9 its number."""
WRITE = "st.shared::cluster.b32 [%r8], %r9;\n"
KEEP = "ld.shared.b32 %r10, [%r7];\nst.global.b32 [%d11], %r10;\n"
SWAPPED = np.array([100, 0, 300, 200])[:, None] + np.arange(64)


def result(body: str, schedule: str) -> np.ndarray:
    out = np.zeros((4, 64), np.int32)
    run(MEMORY + body, out, blocks=4, cluster=2, schedule=schedule)
    return out


@pytest.mark.parametrize("schedule", EVERY)
def test_memory_of_another_block(schedule: str) -> None:
    """The first barrier lets the other block begin, the second orders what it writes."""
    np.testing.assert_array_equal(result(OWN + MEET + WRITE + MEET + KEEP, schedule), SWAPPED)


@pytest.mark.parametrize("schedule", EVERY)
def test_generic_addresses(schedule: str) -> None:
    write = (
        "cvt.u64.u32 %d5, %r7;\ncvta.shared.u64 %d5, %d5;\nmapa.u64 %d6, %d5, %r6;\n"
        "st.b32 [%d6], %r9;\ngetctarank.u64 %r11, %d6;\nst.global.b32 [%d11], %r11;\n"
        + MEET
        + "ld.global.b32 %r11, [%d11];\nld.shared.b32 %r10, [%r7];\n"
        "mad.lo.s32 %r10, %r11, 1000, %r10;\nst.global.b32 [%d11], %r10;\n"
    )
    expected = SWAPPED + 1000 * np.array([1, 0, 1, 0])[:, None]
    np.testing.assert_array_equal(result(OWN + MEET + write, schedule), expected)


def test_ranks_and_numbers() -> None:
    """Clusters of 2 x 2 in a grid of 4 x 2: of each block its rank, its cluster and both sizes."""
    names = ["ctarank", "nctarank", "ctaid.x", "ctaid.y", "nctaid.y"]
    names = [f"%cluster_{name}" for name in names] + [
        "%clusterid.x",
        "%clusterid.y",
        "%nclusterid.x",
    ]
    body = "mov.u32 %r2, %ctaid.y;\nmad.lo.u32 %r2, %r2, 4, %r1;\nmul.wide.u32 %d10, %r2, 32;\n"
    body += "add.s64 %d10, %d0, %d10;\n" + "".join(
        f"mov.u32 %r5, {name};\nst.global.b32 [%d10+{4 * place}], %r5;\n"
        for place, name in enumerate(names)
    )
    out = np.zeros((2, 4, 8), np.int32)
    about = {**plan(), "cluster": [2, 2, 1]}
    launch(kernel(body, directives=".reqnctapercluster 2, 2\n"), about, (4, 2), [out])
    for (y, x), found in zip(np.ndindex(2, 4), out.reshape(8, 8).tolist(), strict=True):
        assert found == [x % 2 + 2 * y, 4, x % 2, y, 2, x // 2, 0, 2]


REMOTE = (
    "@%p1 mbarrier.init.shared.b64 [%r3], 64;\n@%p1 fence.mbarrier_init.release.cluster;\n"
    "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
    "mapa.shared::cluster.u32 %r12, %r3, %r6;\n"
    + WRITE
    + "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12];\n"
    + wait(0, more=".acquire.cluster")
)


@pytest.mark.parametrize("schedule", EVERY)
def test_arrivals_at_another_block(schedule: str) -> None:
    np.testing.assert_array_equal(result(OWN + REMOTE + KEEP + MEET, schedule), SWAPPED)


X = aligned(np.arange(32 * 16, dtype=np.float16).reshape(32, 16))
BOX = TensorMap("f16", X, (16, 32), (32,), (16, 8))
MULTICAST = (
    MEMORY
    + "@%p1 mbarrier.init.shared.b64 [%r3], 1;\n@%p1 fence.mbarrier_init.release.cluster;\n"
    + MEET
    + "mov.u32 %r5, %cluster_ctarank;\nshl.b32 %r6, %r5, 3;\nshl.b32 %r7, %r5, 8;\n"
    "add.s32 %r7, %r7, %r4;\n@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 512;\n"
    "mov.b16 %h5, 3;\n@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile"
    ".mbarrier::complete_tx::bytes.multicast::cluster [%r7], [%d0, {0, %r6}], [%r3], %h5;\n"
    + wait(0)
    + "shl.b32 %r20, %r1, 9;\ncvt.u64.u32 %d20, %r20;\nadd.s64 %d21, %d1, %d20;\n"
    + kept(128, 21)
    + MEET
)
PARAMETERS = ("map", "u64")


def multicast(body: str, schedule: str) -> np.ndarray:
    out = aligned(np.zeros((2, 512), np.uint8))
    run(body, BOX, out, blocks=2, cluster=2, parameters=PARAMETERS, schedule=schedule)
    return out.view(np.float16).reshape(2, 16, 16)


@pytest.mark.parametrize("schedule", EVERY)
def test_multicasts(schedule: str) -> None:
    """Each block loads half of a tile for both."""
    np.testing.assert_array_equal(multicast(MULTICAST, schedule), np.stack([X[:16]] * 2))


@pytest.mark.parametrize("schedule", EVERY)
def test_bytes_of_shared_memory_may_be_copied_to_another_block(schedule: str) -> None:
    body = OWN + (
        "st.shared.b32 [%r7+256], %r9;\n@%p1 mbarrier.init.shared.b64 [%r3], 1;\n"
        "@%p1 fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;\n"
        + MEET
        + "mapa.shared::cluster.u32 %r12, %r3, %r6;\nmapa.shared::cluster.u32 %r13, %r4, %r6;\n"
        "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 256;\n"
        "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
        " [%r13], [%r4+256], 256, [%r12];\n" + wait(0) + KEEP + MEET
    )
    np.testing.assert_array_equal(result(body, schedule), SWAPPED)
    unfenced = body.replace("fence.proxy.async.shared::cta;\n", "")
    found = kinds(MEMORY + unfenced, np.zeros((4, 64), np.int32), blocks=4, cluster=2)
    assert found == {"proxy"}


GOOD = MEMORY + OWN + MEET + WRITE + MEET + KEEP
REMOTELY = MEMORY + OWN + REMOTE + KEEP + MEET
MISTAKES = {
    "first barrier": (GOOD, MEET, ""),
    "second barrier": (GOOD, MEET + KEEP, KEEP),
    "relaxed arrival": (GOOD, "arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\nld",
                        "arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;\nld"),
    "barrier of the block": (GOOD, MEET + KEEP, "bar.sync 0;\n" + KEEP),
    "space of the own block": (GOOD, "st.shared::cluster", "st.shared"),
    "fence of init": (REMOTELY, "@%p1 fence.mbarrier_init.release.cluster;", ""),
    "arrives at its own": (REMOTELY, "[%r12];", "[%r3];"),
    "relaxed remote arrival": (REMOTELY, "arrive.release.cluster", "arrive.relaxed.cluster"),
    "waits for nothing": (REMOTELY, wait(0, more=".acquire.cluster"), ""),
    "does not wait for the cluster": (GOOD, "barrier.cluster.wait.acquire.aligned;\n", ""),
    "ends before others have written": (
        GOOD, WRITE + MEET + KEEP, "setp.eq.u32 %p2, %r5, 0;\n@%p2 bra END;\n" + WRITE + "END:\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_noticed(name: str) -> None:
    body, old, new = MISTAKES[name]
    assert old in body
    out = np.zeros((4, 64), np.int32)
    assert kinds(body, out, blocks=4, cluster=2) == {""}
    changed = body.replace(old, new, 1)
    assert kinds(changed, out, blocks=4, cluster=2, schedules=EVERY) != {""}


MULTICAST_MISTAKES = {
    "first barrier": (MEET, "bar.sync 0;\n"),
    "only to the own block": ("%h5, 3;", "%h5, 1;"),
    "half of the bytes": ("], 512;\nmov", "], 256;\nmov"),
    "the same half": ("shl.b32 %r6, %r5, 3;", "shl.b32 %r6, %r5, 2;"),
    "the same place": ("add.s32 %r7, %r7, %r4;", "mov.b32 %r7, %r4;"),
}


@pytest.mark.parametrize("name", MULTICAST_MISTAKES)
def test_mistakes_of_multicasts_are_noticed(name: str) -> None:
    old, new = MULTICAST_MISTAKES[name]
    assert old in MULTICAST
    out = aligned(np.zeros((2, 512), np.uint8))
    found = kinds(
        MULTICAST.replace(old, new, 1), BOX, out, blocks=2, cluster=2, parameters=PARAMETERS
    )
    assert found != {""} or (out.view(np.float16).reshape(2, 16, 16) != X[:16]).any()


APART = (
    "setp.lt.u32 %p3, %r0, 32;\n@%p3 bra WAITS;\nbar.sync 1, 64;\nbra END;\nWAITS:\n"
    "barrier.cluster.arrive;\nbarrier.cluster.wait;\nEND:\n"
)
ENDS = MEET + "setp.eq.u32 %p3, %r1, 0;\n@!%p3 exit;\n" + WRITE


@pytest.mark.parametrize(
    ("kind", "text", "body"),
    [
        ("bounds", "block 2 of a cluster of 2", "mapa.shared::cluster.u32 %r12, %r4, 2;\n"),
        ("bounds", "space shared::cta", "ld.shared.b32 %r12, [%r8];\n"),
        ("barrier", "arrives twice", "barrier.cluster.arrive;\nbarrier.cluster.arrive;\n"),
        ("barrier", "without having arrived", "barrier.cluster.wait;\n"),
        ("barrier", "only a part of the warp", "@%p1 barrier.cluster.arrive.aligned;\n"),
        ("deadlock", "at the barrier of their cluster, at which 32 have not arrived", APART),
        ("bounds", "may not have begun", WRITE),
        ("bounds", "may end before", MEET + WRITE),
        ("bounds", "has ended", ENDS),
    ],
)
def test_errors(kind: str, text: str, body: str) -> None:
    one = "setp.ne.u32 %p2, %r1, 0;\n@%p2 bra END;\n" if kind == "deadlock" else ""
    body = MEMORY + OWN + one + body
    fails(kind, text, body, np.zeros((2, 64), np.int32), blocks=2, cluster=2)


def test_a_multicast_names_blocks_of_the_cluster() -> None:
    out = aligned(np.zeros((2, 512), np.uint8))
    for mask in (0, 4, 7):
        fails(
            "bounds",
            "of a cluster of 2",
            MULTICAST.replace("%h5, 3", f"%h5, {mask}"),
            BOX,
            out,
            blocks=2,
            cluster=2,
            parameters=PARAMETERS,
        )


def test_a_block_ends_after_what_others_load_for_it() -> None:
    """Found where copies are carried out late."""
    body = MULTICAST.replace(wait(0), "setp.ne.u32 %p2, %r5, 0;\n@%p2 exit;\n" + wait(0))
    body = body.removesuffix(MEET)
    out = aligned(np.zeros((2, 512), np.uint8))
    found = kinds(body, BOX, out, blocks=2, cluster=2, parameters=PARAMETERS)
    assert found & {"bounds", "race"}


def test_guards_keep_threads_from_mapping_addresses() -> None:
    """The others have no address of shared memory to give."""
    body = OWN + (
        "mov.b64 %d5, 0;\n@%p1 cvt.u64.u32 %d5, %r4;\n@%p1 cvta.shared.u64 %d5, %d5;\n"
        "mov.b64 %d6, 0;\nmov.b32 %r11, 9;\n@%p1 mapa.u64 %d6, %d5, 1;\n"
        "@%p1 getctarank.u64 %r11, %d6;\nst.global.b32 [%d11], %r11;\n"
    )
    found = result(body, "lock-step")
    assert found.tolist() == [[1, *[9] * 63]] * 4


@pytest.mark.parametrize("schedule", EVERY)
def test_multicasts_of_bytes_in_a_row(schedule: str) -> None:
    """The first block loads for both; each waits at its own mbarrier."""
    tail = MULTICAST[MULTICAST.index("@%p1 cp.async") :].partition(";\n")[2]
    head = MULTICAST[: MULTICAST.index("@%p1 cp.async")]
    copy = (
        "setp.eq.u32 %p2, %r5, 0;\nand.pred %p2, %p1, %p2;\n@%p2 cp.async.bulk.shared::cluster"
        ".global.mbarrier::complete_tx::bytes.multicast::cluster [%r4], [%d0], 512, [%r3], %h5;\n"
    )
    out = aligned(np.zeros((2, 512), np.uint8))
    run(head + copy + tail, X, out, blocks=2, cluster=2, schedule=schedule)
    np.testing.assert_array_equal(out.view(np.float16).reshape(2, 16, 16), np.stack([X[:16]] * 2))
