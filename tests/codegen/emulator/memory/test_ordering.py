"""Order between threads by releases, acquires and fences: what has it, and what only seems to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.codegen.emulator.snippets import THREADS, kernel, plan, run
from tileir.codegen.emulator import BETWEEN_BLOCKS, SCHEDULES, EmulationError, launch
from tileir.codegen.emulator.memory import releases
from tileir.codegen.emulator.threads import scopes

X = np.arange(THREADS, dtype=np.int32)
ORDERS = (*SCHEDULES, *BETWEEN_BLOCKS)

ADDRESSES = """
setp.ne.u32 %p1, %r0, 0;
mul.wide.u32 %d10, %r0, 4;
add.s64 %d11, %d0, %d10;
sub.s64 %d12, %d0, %d10;
mad.lo.u32 %r7, %r1, 64, %r0;
mul.wide.u32 %d10, %r7, 4;
add.s64 %d13, %d2, %d10;
"""
"""Of the thread's own place in the array %d0, that of the mirrored thread less 252, and its result
in %d2; %d1 is a flag."""

HAND_OVER = (
    ADDRESSES
    + """
setp.ne.u32 %p2, %r1, 0;
@%p2 bra TAKE;
st.global.b32 [%d11], %r0;
bar.sync 0;
@%p1 bra END;
SEND;
bra.uni END;
TAKE:
@%p1 bra WAITED;
SPIN:
RECEIVE;
setp.eq.u32 %p3, %r5, 0;
@%p3 bra SPIN;
THEN;
WAITED:
bar.sync 0;
ld.global.b32 %r6, [%d12+252];
st.global.b32 [%d13], %r6;
END:
"""
)
"""Block 0 writes an array and sends word of it; the others wait for that, and read it."""

STORE, LOAD = "st.relaxed.gpu.global.b32 [%d1], 1", "ld.relaxed.gpu.global.b32 %r5, [%d1]"
RELEASE, ACQUIRE = (each.replace("relaxed", to) for each, to in
                    ((STORE, "release"), (LOAD, "acquire")))  # fmt: skip
SENDING = {
    "store": RELEASE,
    "exchange": "atom.release.gpu.global.exch.b32 %r5, [%d1], 1",
    "sum": "red.release.sys.global.add.u32 [%d1], 1",
    "compare and swap": "atom.acq_rel.gpu.global.cas.b32 %r5, [%d1], 0, 1",
    "fence and store": f"fence.acq_rel.gpu;\n{STORE}",
    "fence and volatile store": "membar.gl;\nst.volatile.global.b32 [%d1], 1",
    "fence and sum": "fence.sc.sys;\nred.global.add.u32 [%d1], 1",
    "release and store": f"{RELEASE.replace(', 1', ', 0')};\n{STORE}",
    "release and relaxed sum": f"{RELEASE};\nred.relaxed.gpu.global.add.u32 [%d1], 1",
}
RECEIVING = {
    "load": (ACQUIRE, ""),
    "sum": ("atom.acquire.gpu.global.add.u32 %r5, [%d1], 0", ""),
    "failing swap": ("atom.acquire.sys.global.cas.b32 %r5, [%d1], 99, 98", ""),
    "load and fence": (LOAD, "fence.acq_rel.gpu"),
    "volatile load and fence": ("ld.volatile.global.b32 %r5, [%d1]", "membar.sys"),
    "sum and fence": ("atom.global.add.u32 %r5, [%d1], 0", "fence.sc.gpu"),
    "load and acquire": (LOAD, ACQUIRE.replace("r5", "r8")),
}
NO_ORDER = {
    "relaxed store": (STORE, ACQUIRE, ""),
    "relaxed load": (RELEASE, LOAD, ""),
    "weak store": ("st.global.b32 [%d1], 1", ACQUIRE, ""),
    "weak load": (RELEASE, "ld.global.b32 %r5, [%d1]", ""),
    "release to the block": (RELEASE.replace("gpu", "cta"), ACQUIRE, ""),
    "acquire from the block": (RELEASE, ACQUIRE.replace("gpu", "cta"), ""),
    "release to the cluster": (RELEASE.replace("gpu", "cluster"), ACQUIRE, ""),
    "fence for the block": (f"fence.acq_rel.cta;\n{STORE}", ACQUIRE, ""),
    "fence too late": (f"{STORE};\nfence.acq_rel.gpu", ACQUIRE, ""),
    "fence of the reader for the block": (RELEASE, LOAD, "membar.cta"),
    "fence of another kind": (f"fence.proxy.alias;\n{STORE}", ACQUIRE, ""),
    "fences, and a weak store": ("membar.gl;\nst.global.b32 [%d1], 1", LOAD, "membar.gl"),
    "acquire for release": ("atom.acquire.gpu.global.add.u32 %r5, [%d1], 1", ACQUIRE, ""),
    "release for acquire": (RELEASE, "atom.release.gpu.global.add.u32 %r5, [%d1], 0", ""),
    "release of something else": (f"{RELEASE.replace('d1]', 'd1+4]')};\n{STORE}", ACQUIRE, ""),
    "acquire of something else": (RELEASE, LOAD, ACQUIRE.replace("r5, [%d1]", "r8, [%d1+4]")),
    "store after the release": (f"{RELEASE};\nst.global.b32 [%d0], 7", ACQUIRE, ""),
    "swap that fails":
        (f"atom.release.gpu.global.cas.b32 %r5, [%d1], 9, 1;\n{STORE.replace('d1]', 'd1+4]')}",
         ACQUIRE.replace("d1]", "d1+4]"), ""),
}  # fmt: skip


def handed_over(body: str, blocks: int = 3, **more: Any) -> np.ndarray:
    x, flag, out = X * 0 - 1, np.zeros(2, np.int32), np.zeros((blocks, THREADS), np.int32)
    run(body, x, flag, out, blocks=blocks, limit=20_000, **more)
    return out


def filled(send: str, receive: str, then: str = "") -> str:
    body = HAND_OVER.replace("SEND;", f"{send};").replace("RECEIVE;", f"{receive};")
    return body.replace("THEN;", f"{then};" if then else "")


def race(body: str, *arrays: np.ndarray, **more: Any) -> None:
    with pytest.raises(EmulationError) as caught:
        run(body, *arrays, **more) if arrays else handed_over(body, **more)
    assert caught.value.kind == "race"


@pytest.mark.parametrize("receiving", RECEIVING)
@pytest.mark.parametrize("sending", SENDING)
def test_word_is_sent_and_received(sending: str, receiving: str) -> None:
    out = handed_over(filled(SENDING[sending], *RECEIVING[receiving]))
    assert (out[1:] == X[::-1]).all()


@pytest.mark.parametrize("schedule", ORDERS)
@pytest.mark.parametrize("way", NO_ORDER)
def test_what_does_not_order_blocks(way: str, schedule: str) -> None:
    race(filled(*NO_ORDER[way]), schedule=schedule)


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_release_is_of_one_thread_without_a_barrier(schedule: str) -> None:
    body = filled(RELEASE, ACQUIRE)
    assert (handed_over(body, schedule=schedule)[1:] == X[::-1]).all()
    race(body.replace("bar.sync 0;", "", 1), schedule=schedule)
    first, _, last = body.rpartition("bar.sync 0;")
    race(first + last, schedule=schedule)


@pytest.mark.parametrize("schedule", ORDERS)
@pytest.mark.parametrize("order", ["relaxed", "acq_rel"])
def test_atomics_elsewhere_order_only_who_reads_from_whom(order: str, schedule: str) -> None:
    """Each block writes its place and reads its neighbour's: of two, one comes first."""
    body = (
        "@%p9 ret;\nmul.wide.u32 %d10, %r1, 4;\nadd.s64 %d11, %d0, %d10;\nxor.b32 %r5, %r1, 1;\n"
        "mul.wide.u32 %d10, %r5, 4;\nadd.s64 %d12, %d0, %d10;\nst.global.b32 [%d11], 1;\n"
        f"atom.{order}.gpu.global.add.u32 %r6, [%d1], 1;\nld.global.b32 %r7, [%d12];"
    )
    body = "setp.ne.u32 %p9, %r0, 0;\n" + body
    race(body, np.zeros(4, np.int32), np.zeros(1, np.int32), blocks=4, schedule=schedule)


# Chains ---------------------------------------------------------------------------------------

CHAIN = (
    ADDRESSES
    + """
@%p1 ret;
setp.eq.u32 %p2, %r1, 0;
setp.eq.u32 %p3, %r1, 1;
@%p2 bra FIRST;
@%p3 bra SECOND;
THIRD:
ld.relaxed.gpu.global.b32 %r5, [%d1+4];
setp.ne.u32 %p4, %r5, 1;
@%p4 bra THIRD;
ld.acquire.gpu.global.b32 %r5, [%d1];
ld.global.b32 %r6, [%d0];
st.global.b32 [%d13], %r6;
ret;
FIRST:
st.global.b32 [%d0], 5;
st.release.gpu.global.b32 [%d1], 1;
ret;
SECOND:
LINK;
setp.ne.u32 %p4, %r5, 1;
@%p4 bra SECOND;
NEXT;
st.relaxed.gpu.global.b32 [%d1+4], 1;
"""
)
SWAP = "atom.relaxed.gpu.global.cas.b32 %r5, [%d1], 1, 2"
LINKS = {
    "update": (SWAP, ""),
    "own release": (ACQUIRE, "st.release.gpu.global.b32 [%d1], 2"),
    "fence between": (LOAD, "fence.acq_rel.gpu;\nst.relaxed.gpu.global.b32 [%d1], 2"),
}
NO_LINKS = {
    "store": (LOAD, "st.relaxed.gpu.global.b32 [%d1], 2"),
    "release without acquire": (LOAD, "st.release.gpu.global.b32 [%d1], 2"),
    "update in the block": (SWAP.replace("gpu", "cta"), ""),
}


@pytest.mark.parametrize("schedule", ORDERS)
def test_chains(schedule: str) -> None:
    for link, after in LINKS.values():
        body = CHAIN.replace("LINK;", f"{link};").replace("NEXT;", f"{after};" if after else "")
        assert handed_over(body, schedule=schedule)[2, 0] == 5
    for link, after in NO_LINKS.values():
        body = CHAIN.replace("LINK;", f"{link};").replace("NEXT;", f"{after};" if after else "")
        race(body, schedule=schedule)


LOOK_BACK = """
setp.ne.u32 %p1, %r0, 0;
@%p1 bra MEET;
mul.wide.u32 %d10, %r1, 8;
add.s64 %d11, %d0, %d10;
add.s64 %d12, %d1, %d10;
add.u32 %r5, %r1, 1;
mov.b32 %r6, %r5;
mov.b64 %d13, %d11;
mov.b64 %d14, %d12;
setp.eq.u32 %p2, %r1, 0;
@%p2 bra DONE;
st.global.b32 [%d11], %r5;
st.release.gpu.global.b32 [%d12], 1;
BACK:
sub.s64 %d13, %d13, 8;
sub.s64 %d14, %d14, 8;
WAIT:
ld.acquire.gpu.global.b32 %r7, [%d14];
setp.eq.u32 %p3, %r7, 0;
@%p3 bra WAIT;
setp.eq.u32 %p4, %r7, 2;
@%p4 bra WHOLE;
ld.global.b32 %r8, [%d13];
add.u32 %r6, %r6, %r8;
bra.uni BACK;
WHOLE:
ld.global.b32 %r8, [%d13+4];
add.u32 %r6, %r6, %r8;
DONE:
st.global.b32 [%d11+4], %r6;
st.release.gpu.global.b32 [%d12], 2;
MEET:
bar.sync 0;
mul.wide.u32 %d10, %r1, 8;
add.s64 %d11, %d0, %d10;
ld.global.b32 %r6, [%d11+4];
"""
"""Sums over all blocks before: each tells its own number, then its sum, as soon as it has it."""


@pytest.mark.parametrize("schedule", ORDERS)
def test_sums_that_look_back(schedule: str) -> None:
    blocks = 12
    values, flags = np.zeros((blocks, 2), np.int32), np.zeros((blocks, 2), np.int32)
    run(LOOK_BACK, values, flags, blocks=blocks, schedule=schedule)
    assert (values[:, 1] == np.cumsum(np.arange(1, blocks + 1))).all()
    for before, after in (("st.release", "st.relaxed"), ("ld.acquire", "ld.relaxed")):
        race(LOOK_BACK.replace(before, after), values * 0, flags * 0, blocks=blocks,
             schedule=schedule)  # fmt: skip


TICKETS = """
setp.ne.u32 %p1, %r0, 0;
@%p1 ret;
atom.relaxed.gpu.global.add.u32 %r5, [%d1], 1;
TURN:
ld.acquire.gpu.global.b32 %r6, [%d1+4];
setp.ne.u32 %p2, %r6, %r5;
@%p2 bra TURN;
ld.global.b32 %r7, [%d0];
add.u32 %r7, %r7, 1;
st.global.b32 [%d0], %r7;
add.u32 %r6, %r6, 1;
st.release.gpu.global.b32 [%d1+4], %r6;
"""


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_lock_with_tickets(schedule: str) -> None:
    count, lock = np.zeros(1, np.int32), np.zeros(2, np.int32)
    run(TICKETS, count, lock, blocks=8, schedule=schedule)
    assert (count[0], lock.tolist()) == (8, [8, 8])
    for before, after in (("release", "relaxed"), ("acquire", "relaxed"), (".gpu", ".cta")):
        race(TICKETS.replace(before, after), count * 0, lock * 0, blocks=8, schedule=schedule)


# Scopes ---------------------------------------------------------------------------------------


def test_within_a_block_its_scope_is_enough() -> None:
    """The second warp takes what the first has written."""
    body = (
        "setp.lt.u32 %p2, %r0, 32;\nsetp.eq.u32 %p3, %r0, 0;\nsetp.ne.u32 %p4, %r0, 32;\n"
        "@%p2 bra SEND;\n@%p4 ret;\nSPIN: ld.acquire.cta.global.b32 %r5, [%d1];\n"
        "setp.eq.u32 %p5, %r5, 0;\n@%p5 bra SPIN;\nld.global.b32 %r6, [%d0];\n"
        "st.global.b32 [%d2], %r6;\nret;\n"
        "SEND: @%p3 st.global.b32 [%d0], 5;\n@%p3 st.release.cta.global.b32 [%d1], 1;"
    )
    x, flag, out = np.zeros((3, 1), np.int32)
    run(body, x, flag, out, schedule="descending")
    assert out[0] == 5
    for before, after in (("st.release", "st.relaxed"), ("ld.acquire", "ld.relaxed")):
        race(body.replace(before, after), x * 0, flag * 0, out * 0, schedule="descending")


@pytest.mark.parametrize("scope", ["cta", "cluster", "gpu", "sys"])
def test_clusters(scope: str) -> None:
    """Block 0 hands over to block 1 of its cluster, or to block 2 of the next."""
    for receiver, reached in ((1, ("cluster", "gpu", "sys")), (2, ("gpu", "sys"))):
        send, receive = (each.replace("gpu", scope) for each in (RELEASE, ACQUIRE))
        body = filled(send, receive).replace(
            "@%p2 bra TAKE;", f"@%p2 bra CHOOSE;\nbra.uni GO;\nCHOOSE:\nsetp.eq.u32 %p4, %r1, "
            f"{receiver};\n@%p4 bra TAKE;\nret;\nGO:",
        )  # fmt: skip
        kinds = ("u64",) * 3
        text = kernel(body, kinds).replace(
            ".reqntid 64\n", ".reqntid 64\n.reqnctapercluster 2, 1, 1\n"
        )
        args = [X * 0 - 1, np.zeros(2, np.int32), np.zeros((4, THREADS), np.int32)]
        about = plan(kinds) | {"cluster": [2, 1, 1]}
        if scope in reached:
            launch(text, about, 4, args, limit=20_000)
            assert (args[2][receiver] == X[::-1]).all()
        else:
            with pytest.raises(EmulationError, match="race"):
                launch(text, about, 4, args, limit=20_000)


@pytest.mark.parametrize(("scope", "fine"), [("cta", False), ("gpu", True), ("sys", True)])
def test_strong_accesses_in_each_others_scopes_are_no_race(scope: str, fine: bool) -> None:
    body = f"red.relaxed.{scope}.global.add.u32 [%d0], 1;"
    z = np.zeros(1, np.int32)
    if fine:
        run(body, z, blocks=2)
        assert z[0] == 2 * THREADS
    else:
        run(body, z)
        race(body, z, blocks=2)
        race(f"setp.eq.u32 %p1, %r1, 0;\n@%p1 {body}\n@!%p1 {body.replace('cta', 'gpu')}", z,
             blocks=2)  # fmt: skip


def test_fences_of_the_kind_sc_come_one_after_the_other() -> None:
    """Of two that raise their flags and look at the other's, one at most finds it down."""
    body = (
        "setp.ne.u32 %p1, %r0, 0;\n@%p1 ret;\nmul.wide.u32 %d10, %r1, 4;\nadd.s64 %d11, %d1, %d10;"
        "\nxor.b32 %r5, %r1, 1;\nmul.wide.u32 %d10, %r5, 4;\nadd.s64 %d12, %d1, %d10;\n"
        "st.relaxed.gpu.global.b32 [%d11], 1;\nfence.sc.gpu;\n"
        "ld.relaxed.gpu.global.b32 %r6, [%d12];\nsetp.ne.u32 %p2, %r6, 0;\n@%p2 ret;\n"
        "st.global.b32 [%d0], %r1;"
    )
    for schedule in ORDERS:
        run(body, np.full(1, 9, np.int32), np.zeros(2, np.int32), blocks=2, schedule=schedule)


# Size -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("clocks", [1 << 22, 1 << 14, 1 << 11, 1 << 10])
def test_launches_of_many_threads(clocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that share a clock are no reason to report what is none, and blocks still race."""
    monkeypatch.setattr(scopes, "CLOCKS", clocks)
    body, blocks = filled(RELEASE, ACQUIRE), 40
    out = handed_over(body, blocks)
    assert (out[1:] == X[::-1]).all()
    race(filled(STORE, ACQUIRE), blocks=blocks)
    race(filled(RELEASE, LOAD), blocks=blocks)


def test_very_many_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releases, "ROOM", 1 << 10)
    for sending in SENDING.values():
        for receiving in RECEIVING.values():
            out = handed_over(filled(sending, *receiving))
            assert (out[1:] == X[::-1]).all()
