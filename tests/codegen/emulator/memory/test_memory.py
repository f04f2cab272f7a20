"""Loads, stores and addresses of all spaces, and what is wrong with them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.emulator.snippets import THREADS, kernel, plan, run
from tests.codegen.emulator.values import aligned
from tileir.codegen.emulator import EmulationError, launch
from tileir.launch.buffer import Buffer

INDEX = "mad.lo.u32 %r2, %r1, 64, %r0;\nmul.wide.u32 %d10, %r2, {size};\n"
AT = INDEX + "add.s64 %d11, %d0, %d10;\nadd.s64 %d12, %d1, %d10;\n"


@pytest.mark.parametrize(
    ("word", "count"),
    [(word, count) for word in (8, 16, 32, 64) for count in (1, 2, 4)] + [(32, 8)],
)
def test_vectors_under_a_guard(word: int, count: int) -> None:
    letter = {8: "h", 16: "h", 32: "r", 64: "d"}[word]
    names = ", ".join(f"%{letter}{20 + place}" for place in range(count))
    operands, vector = (f"{{{names}}}", f".v{count}") if count > 1 else (names, "")
    clear = "".join(f"mov.b{max(word, 16)} %{letter}{20 + k}, {k + 1};\n" for k in range(count))
    body = (
        AT.format(size=word * count // 8) + clear + "setp.lt.u32 %p1, %r0, 50;\n"
        "and.b32 %r3, %r0, 1;\nsetp.eq.b32 %p2, %r3, 0;\n"
        f"@%p1 ld.global{vector}.b{word} {operands}, [%d11+0];\n"
        f"@!%p2 st.global{vector}.b{word} [%d12], {operands};"
    )
    random = np.random.default_rng(word + count)
    x = random.integers(0, 256, (2 * THREADS, word * count // 8), np.uint8)
    x, z = aligned(x), aligned(np.full_like(x, 77))
    run(body, x, z, blocks=2)
    expected = np.full_like(x, 77)
    thread = np.arange(2 * THREADS) % THREADS
    expected[thread % 2 == 1] = x[thread % 2 == 1]
    padding = np.zeros((count, word // 8), np.uint8)
    padding[:, 0] = np.arange(count) + 1
    expected[(thread % 2 == 1) & (thread >= 50)] = padding.ravel()
    np.testing.assert_array_equal(z, expected)


def error(body: str, *arrays: np.ndarray, **more: object) -> EmulationError:
    with pytest.raises(EmulationError) as caught:
        run(body, *arrays, **more)
    return caught.value


LOAD = AT.format(size=4) + "ld.global.b32 %r5, [%d11+{offset}];\nst.global.b32 [%d12], %r5;"


@pytest.mark.parametrize("offset", [4, -4, 4 * THREADS, 1 << 30, -(1 << 40)])
def test_reading_beyond_an_array(offset: int) -> None:
    room = np.zeros(3 * THREADS, np.int32)
    x, z = room[THREADS : 2 * THREADS], np.zeros(THREADS, np.int32)
    found = error(LOAD.format(offset=offset), x, z)
    first = {4: THREADS - 1}.get(offset, 0)
    assert (found.kind, found.threads[0], found.block) == ("bounds", first, (0, 0, 0))
    assert found.address == x.ctypes.data + 4 * first + offset
    assert found.line == 1 + kernel(LOAD.format(offset=offset), ("u64", "u64")).split("\n").index(
        f"ld.global.b32 %r5, [%d11+{offset}];"
    )
    assert "ld.global.b32 %r5" in str(found)


def test_a_store_beyond_an_array_writes_nothing() -> None:
    room = np.zeros(2 * THREADS, np.int32)
    body = AT.format(size=4) + "st.global.b32 [%d11], 5;"
    found = error(body, room[: THREADS - 1], room[:1])
    assert (found.kind, found.threads) == ("bounds", (THREADS - 1,))
    assert not room.any()


def test_the_other_array_may_be_reached() -> None:
    room = np.arange(2 * THREADS, dtype=np.int32)
    run(LOAD.format(offset=4 * THREADS), room[:THREADS], room[THREADS:])
    buffer = Buffer(room.ctypes.data, room.nbytes)
    run(LOAD.format(offset=0), buffer, np.zeros(THREADS, np.int32))


def test_allocations_may_be_reached() -> None:
    x, z = np.arange(THREADS, dtype=np.int32), np.zeros(THREADS, np.int32)
    kinds = ("u64", "u64")
    text = kernel(LOAD.format(offset=0), kinds)
    launch(text, plan(kinds), 1, [x.ctypes.data, z], allocations=[x])
    assert (z == x).all()


def test_a_guard_keeps_a_lane_from_its_access() -> None:
    x, z = np.arange(10, dtype=np.int32), np.zeros(THREADS, np.int32)
    guarded = LOAD.format(offset=0).replace(
        "ld.global", "setp.lt.u32 %p1, %r0, 10;\nmov.b32 %r5, 9;\n@%p1 ld.global"
    )
    run(guarded, x, z)
    assert z.tolist() == [*range(10), *[9] * (THREADS - 10)]


@pytest.mark.parametrize(("kind", "size"), [("b32", 4), ("b64", 8), ("v2.b32", 8), ("v4.b32", 16)])
def test_alignment(kind: str, size: int) -> None:
    x = aligned(np.zeros(4 * THREADS + 8, np.int32))
    names = {"b32": "%r5", "b64": "%d5", "v2.b32": "{%r5, %r6}"}.get(kind, "{%r5, %r6, %r7, %r8}")
    body = AT.format(size=16) + f"ld.global.{kind} {names}, [%d11+{size // 2}];"
    found = error(body, x, x)
    assert (found.kind, found.address) == ("alignment", x.ctypes.data + size // 2)


def test_registers_must_be_written_first() -> None:
    z = np.zeros(THREADS, np.int32)
    found = error("st.global.b32 [%d0], %r9;", z)
    assert (found.kind, len(found.threads)) == ("poison", THREADS)
    found = error("setp.lt.u32 %p1, %r0, 60;\n@%p1 mov.b32 %r9, 1;\nadd.s32 %r9, %r9, 1;", z)
    assert (found.kind, found.threads) == ("poison", (60, 61, 62, 63))
    jump = "setp.lt.u32 %p1, %r0, 60;\n@!%p1 bra J;\nmov.b32 %r9, 1;\nJ:\nadd.s32 %r9, %r9, 1;"
    found = error(jump, z)
    assert (found.kind, found.threads) == ("poison", (60, 61, 62, 63))
    assert "add.s32" in str(found)


def test_a_register_that_may_hold_anything_may_be_read() -> None:
    z = np.zeros(THREADS, np.int32)
    run("// implicit-def: %r9\nand.b32 %r9, %r9, 0;\nst.global.b32 [%d0], %r9;", z)


SHARED = ".shared .align 16 .b8 room[256];\n"
OWN = "mov.b64 %d5, room;\nmul.wide.u32 %d6, %r0, 4;\nadd.s64 %d7, %d5, %d6;\n"


def test_shared_memory_belongs_to_a_block() -> None:
    body = (
        SHARED + OWN + AT.format(size=4).replace("%d1, ", "%d0, ")
        + "st.shared.b32 [%d7], %r2;\nbar.sync 0;\nxor.b32 %r3, %r0, 63;\n"
        "mul.wide.u32 %d6, %r3, 4;\nadd.s64 %d7, %d5, %d6;\n"
        "ld.shared.b32 %r5, [%d7];\nst.global.b32 [%d11], %r5;"
    )  # fmt: skip
    z = np.zeros(3 * THREADS, np.int32)
    run(body, z, blocks=3)
    expected = np.arange(3 * THREADS).reshape(3, THREADS)[:, ::-1].ravel()
    np.testing.assert_array_equal(z, expected)


def test_shared_memory_errors() -> None:
    z = np.zeros(THREADS, np.int32)
    found = error(SHARED + OWN + "ld.shared.b32 %r5, [%d7];", z)
    assert (found.kind, found.address) == ("poison", 0)
    found = error(SHARED + OWN + "st.shared.b32 [%d7+4], 1;", z)
    assert (found.kind, found.threads, found.address) == ("bounds", (63,), 256)
    found = error(SHARED + OWN + "st.shared.b32 [%d7+-4], 1;", z)
    assert (found.kind, found.threads) == ("bounds", (0,))


def test_dynamic_shared_memory_follows_the_static_one() -> None:
    before = ".extern .shared .align 16 .b8 more[];\n"
    body = (
        SHARED + "mov.u32 %r4, more;\nmov.u32 %r5, room;\nshl.b32 %r6, %r0, 2;\n"
        "add.s32 %r4, %r4, %r6;\nst.shared.b32 [%r4], %r0;\nld.shared.b32 %r7, [%r4];\n"
        "mul.wide.u32 %d10, %r0, 4;\nadd.s64 %d11, %d0, %d10;\nst.global.b32 [%d11], %r4;"
    )
    z = np.zeros(THREADS, np.int32)
    run(body, z, before=before, shared=256)
    assert z.tolist() == [256 + 4 * k for k in range(THREADS)]
    with pytest.raises(EmulationError, match="bounds"):
        run(body, z, before=before, shared=252)


def test_generic_addresses() -> None:
    """Even lanes go to shared memory, others to global, with one instruction."""
    body = (
        SHARED + OWN + AT.format(size=4) +
        "cvta.shared.u64 %d7, %d7;\nand.b32 %r3, %r0, 1;\nsetp.eq.b32 %p1, %r3, 0;\n"
        "selp.b64 %d8, %d7, %d11, %p1;\nst.b32 [%d8], %r0;\nld.b32 %r5, [%d8];\n"
        "isspacep.shared %p2, %d8;\nselp.b32 %r6, 1000, 0, %p2;\nadd.s32 %r5, %r5, %r6;\n"
        "st.global.b32 [%d12], %r5;\ncvta.to.shared.u64 %d9, %d7;\n@%p1 ld.shared.b32 %r7, [%d9];"
    )  # fmt: skip
    x, z = np.full(THREADS, -1, np.int32), np.zeros(THREADS, np.int32)
    run(body, x, z)
    thread = np.arange(THREADS)
    np.testing.assert_array_equal(x, np.where(thread % 2 == 0, -1, thread))
    np.testing.assert_array_equal(z, np.where(thread % 2 == 0, thread + 1000, thread))


def test_local_memory_has_no_addresses_of_others() -> None:
    """Nor has shared memory, in the space of the block; a cluster is other blocks."""
    for space in ("local", "shared"):
        body = f".{space} .align 8 .b8 own[8];\nst.{space}.b32 [{{}}], %r0;\n"
        run(body.format("own"), threads=1)
        with pytest.raises(EmulationError) as caught:
            run(body.format(1 << 24), threads=1)
        assert caught.value.kind == "bounds"


def test_local_memory_belongs_to_a_thread() -> None:
    body = (
        ".local .align 8 .b8 own[8];\nmov.b64 %d5, own;\nst.local.b32 [%d5+4], %r0;\n"
        "cvta.local.u64 %d6, %d5;\nld.b32 %r5, [%d6+4];\nadd.s32 %r5, %r5, 1;\n"
        "mul.wide.u32 %d10, %r0, 4;\nadd.s64 %d11, %d0, %d10;\nst.global.b32 [%d11], %r5;"
    )
    z = np.zeros(THREADS, np.int32)
    run(body, z)
    assert z.tolist() == list(range(1, THREADS + 1))
    assert error(body.replace("[%d6+4]", "[%d6+8]"), z).kind == "bounds"
    assert error(body.replace("[%d6+4]", "[%d6]"), z).kind == "poison"


def test_global_variables_and_constants() -> None:
    before = (
        ".global .align 4 .b8 table[8] = {1, 0, 0, 0, 2};\n"
        ".const .align 8 .u64 where[2] = {0, generic(table)};\n.global .align 4 .u32 count;\n"
    )
    body = (
        "mov.b64 %d5, where;\nld.const.b64 %d6, [%d5+8];\nld.b32 %r5, [%d6+4];\n"
        "ld.const.b64 %d7, [where];\natom.global.add.u32 %r6, [count], 1;\n"
        "mul.wide.u32 %d10, %r0, 4;\nadd.s64 %d11, %d0, %d10;\nadd.s32 %r5, %r5, %r6;\n"
        "st.global.b32 [%d11], %r5;"
    )
    z = np.zeros(THREADS, np.int32)
    for _ in range(2):
        run(body, z, before=before)
        assert sorted(z.tolist()) == list(range(2, THREADS + 2))


def test_parameters() -> None:
    kinds = ("u8", "u64", "u16", "u32", "u64")
    body = (
        "ld.param.u8 %h5, [p0];\nld.param.s16 %r6, [p2];\nld.param.s32 %d20, [p3];\n"
        "ld.param.b32 %d21, [p3];\ncvt.u32.u16 %r5, %h5;\nst.global.b32 [%d1], %r5;\n"
        "st.global.b32 [%d1+4], %r6;\nst.global.b64 [%d1+8], %d20;\nst.global.b64 [%d1+16], %d21;\n"
        "ld.param.b64 %d22, [p4];\nst.global.b64 [%d1+24], %d22;"
    )
    z = np.zeros(4, np.int64)
    run(body, 200, z, -5, -7, 1 << 40, parameters=kinds, threads=32)
    assert z[0] == 200 | (-5 << 32)
    assert z[1:].tolist() == [-7, 2**32 - 7, 1 << 40]


def test_parameters_by_address() -> None:
    """Which of two parameters is read may depend on the thread."""
    kinds = ("u64", "u32", "u32")
    body = (
        "setp.lt.u32 %p1, %r0, 10;\nmov.b64 %d5, p1;\nmov.b64 %d6, p2;\n"
        "selp.b64 %d7, %d5, %d6, %p1;\nld.param.b32 %r5, [%d7+{offset}];\n"
        "mad.wide.u32 %d8, %r0, 4, %d0;\nst.global.b32 [%d8], %r5;"
    )
    z = np.zeros(THREADS, np.int32)
    run(body.format(offset=0), z, 7, -9, parameters=kinds)
    assert (z == np.where(np.arange(THREADS) < 10, 7, -9)).all()
    found = error(body.format(offset=4), z, 7, -9, parameters=kinds)
    assert (found.kind, found.threads[0]) == ("bounds", 10)


def test_special_registers() -> None:
    names = ("%tid.x", "%ntid.x", "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y",
             "%nctaid.z", "%laneid", "%warpid", "%lanemask_lt")  # fmt: skip
    stores = "".join(
        f"mov.u32 %r5, {name};\nst.global.b32 [%d11+{4 * place}], %r5;\n"
        for place, name in enumerate(names)
    )
    body = (
        "mov.u32 %r3, %ctaid.y;\nmov.u32 %r4, %ctaid.z;\nmad.lo.u32 %r3, %r4, 3, %r3;\n"
        "mad.lo.u32 %r3, %r3, 2, %r1;\nmad.lo.u32 %r3, %r3, 64, %r0;\n"
        f"mul.wide.u32 %d10, %r3, {4 * len(names)};\nadd.s64 %d11, %d0, %d10;\n{stores}"
    )
    z = np.zeros((2, 3, 2, THREADS, len(names)), np.uint32)
    run(body, z, blocks=(2, 3, 2))
    for zz, y, x, t in np.ndindex(2, 3, 2, THREADS):
        expected = [t, 64, x, y, zz, 2, 3, 2, t % 32, t // 32, (1 << t % 32) - 1]
        assert z[zz, y, x, t].tolist() == expected
