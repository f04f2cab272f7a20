"""Atomic updates: of the same place by many threads, of all types, and as vectors."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.emulator.snippets import THREADS, run
from tileir.codegen.emulator import BETWEEN_BLOCKS, SCHEDULES, EmulationError

WHOLE: dict[str, Callable[[int, int], int]] = {
    "add": lambda old, a: old + a,
    "min": min,
    "max": max,
    "and": lambda old, a: old & a,
    "or": lambda old, a: old | a,
    "xor": lambda old, a: old ^ a,
    "exch": lambda old, a: a,
    "inc": lambda old, a: 0 if old >= a else old + 1,
    "dec": lambda old, a: a if old == 0 or old > a else old - 1,
}
ROWS = [
    *(("add", kind) for kind in ("u32", "s32", "u64")),
    *((name, kind) for name in ("min", "max") for kind in ("u32", "s32", "u64", "s64")),
    *((name, kind) for name in ("and", "or", "xor", "exch") for kind in ("b32", "b64")),
    ("inc", "u32"), ("dec", "u32"),
]  # fmt: skip


def one_by_one(function: Callable[[int, int], int], start: int, operands: list[int], bits: int,
               signed: bool) -> tuple[list[int], int]:  # fmt: skip
    old, seen = start, []
    for operand in operands:
        seen.append(old)
        old = function(old, operand) & ((1 << bits) - 1)
        old -= (old >> (bits - 1) << bits) if signed else 0
    return seen, old


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize(("name", "kind"), ROWS)
def test_updates_of_one_place(name: str, kind: str, space: str) -> None:
    bits, signed = int(kind[1:]), kind[0] == "s"
    letter = {32: "r", 64: "d"}[bits]
    values = np.random.default_rng(5).integers(0, 1 << 63, THREADS, np.uint64)
    dtype = np.dtype(f"{'i' if signed else 'u'}{bits // 8}")
    x = (values >> np.uint64(1)).astype(f"u{bits // 8}").view(dtype)
    z, place = np.zeros(THREADS, dtype), np.full(1, 12345, dtype)
    text = (
        f"mul.wide.u32 %d10, %r0, {bits // 8};\n"
        "add.s64 %d11, %d0, %d10;\nadd.s64 %d12, %d1, %d10;\n"
        f"ld.global.b{bits} %{letter}20, [%d11];\n"
    )
    if space == "shared":
        text += (
            ".shared .align 8 .b8 room[8];\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra J;\n"
            f"ld.global.b{bits} %{letter}22, [%d2];\nst.shared.b{bits} [room], %{letter}22;\nJ:\n"
            f"bar.sync 0;\natom.shared.{name}.{kind} %{letter}21, [room], %{letter}20;\n"
            f"bar.sync 0;\n@%p1 bra K;\nld.shared.b{bits} %{letter}22, [room];\n"
            f"st.global.b{bits} [%d2], %{letter}22;\nK:\n"
        )
    else:
        text += f"atom.relaxed.gpu.global.{name}.{kind} %{letter}21, [%d2], %{letter}20;\n"
    run(text + f"st.global.b{bits} [%d12], %{letter}21;", x, z, place)
    seen, last = one_by_one(WHOLE[name], 12345, x.tolist(), bits, signed)
    assert z.tolist() == seen
    assert place.tolist() == [last]


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_compare_and_swap(bits: int) -> None:
    """Each thread raises the number by one if it finds its own number: all do, in order."""
    letter = {16: "h", 32: "r", 64: "d"}[bits]
    body = (
        f"cvt.u{bits}.u32 %{letter}20, %r0;\n"
        f"add.s32 %r3, %r0, 1;\ncvt.u{bits}.u32 %{letter}21, %r3;\n"
        f"atom.global.cas.b{bits} %{letter}22, [%d0], %{letter}20, %{letter}21;"
    )
    place = np.zeros(1, f"u{bits // 8}")
    run(body.replace("cvt.u32.u32", "mov.b32"), place)
    assert place[0] == THREADS


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [("f32", np.float32), ("f64", np.float64), ("noftz.f16", np.float16),
     ("noftz.bf16", ml_dtypes.bfloat16)],
)  # fmt: skip
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_float_sums(kind: str, dtype: type, schedule: str) -> None:
    size = np.dtype(dtype).itemsize
    letter = {2: "h", 4: "r", 8: "d"}[size]
    x = np.random.default_rng(1).integers(0, 4, THREADS).astype(dtype)
    place = np.zeros(1, dtype)
    body = (
        f"mul.wide.u32 %d10, %r0, {size};\nadd.s64 %d11, %d0, %d10;\n"
        f"ld.global.b{8 * size} %{letter}20, [%d11];\nred.global.add.{kind} [%d1], %{letter}20;"
    )
    run(body, x, place, schedule=schedule)
    assert float(place[0]) == float(x.astype(np.float64).sum())


HALVES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}
SUMS = [
    ("add.v2.f32", np.float32, 2), ("add.v4.f32", np.float32, 4), ("v4.f32.add", np.float32, 4),
    *(
        (f"add.noftz.{form}", dtype, elements)
        for name, dtype in HALVES.items()
        for form, elements in (
            (f"{name}x2", 2), (f"v2.{name}x2", 4), (f"v4.{name}x2", 8),
            (f"v2.{name}", 2), (f"v4.{name}", 4), (f"v8.{name}", 8),
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("form", "dtype", "elements"), SUMS)
def test_sums_of_neighbours(form: str, dtype: type, elements: int, schedule: str) -> None:
    """All threads of two blocks add to the same place, each element something else."""
    size = np.dtype(dtype).itemsize
    words = ".v" in form and not form.endswith("f16")
    letter, bits = ("r", 32) if size == 4 or words or form.endswith("x2") else ("h", 16)
    count = elements * size * 8 // bits
    x = np.arange(elements).astype(dtype)
    loads = "".join(
        f"ld.global.b{bits} %{letter}{20 + k}, [%d0+{k * bits // 8}];\n" for k in range(count)
    )
    names = ", ".join(f"%{letter}{20 + k}" for k in range(count))
    operand = f"{{{names}}}" if count > 1 else names
    place = aligned(elements, dtype)
    run(f"{loads}red.relaxed.gpu.global.{form} [%d1], {operand};", x, place, blocks=2,
        schedule=schedule)  # fmt: skip
    # No more than this is exact in bf16: 2 * 64 * 7 = 896, of steps of 4.
    wanted = np.zeros(elements, dtype)
    for _ in range(2 * THREADS):
        wanted = (wanted + x).astype(dtype)
    assert place.tolist() == wanted.tolist()


def aligned(elements: int, dtype: type) -> np.ndarray:
    """Zeros at a multiple of 16."""
    size = np.dtype(dtype).itemsize
    room = np.zeros(elements + 16, dtype)
    start = -room.ctypes.data % 16 // size
    return room[start : start + elements]


@pytest.mark.parametrize("name", ["min", "max"])
def test_extremes_of_neighbours(name: str) -> None:
    x = np.array([3, -1, 7, np.nan, 0, 2, -5, 4], np.float16)
    place = aligned(8, np.float16)
    place[:] = 1
    loads = "ld.global.v4.b32 {%r20, %r21, %r22, %r23}, [%d0];\n"
    start = aligned(8, np.float16)
    start[:] = x
    red = f"red.global.{name}.noftz.v4.f16x2 [%d1], {{%r20, %r21, %r22, %r23}};"
    run(loads + red, start, place)
    numpy = {"min": np.fmin, "max": np.fmax}[name]
    assert place.tolist() == numpy(x, np.float16(1)).tolist()


def test_old_values_of_neighbours() -> None:
    place, seen = aligned(4, np.float32), np.zeros(2, np.float32)
    text = "atom.global.add.v2.f32 {%r5, %r6}, [%d0+8], {0f3F800000, 0f40000000};\n"
    text += "st.global.b32 [%d1], %r5;\nst.global.b32 [%d1+4], %r6;"
    run(text, place, seen, threads=1)
    run(text, place, seen, threads=1)
    assert (place.tolist(), seen.tolist()) == ([0, 0, 2, 4], [1, 2])


def test_vectors_of_sums_are_aligned_as_a_whole() -> None:
    place = aligned(6, np.float32)
    with pytest.raises(EmulationError, match="alignment"):
        run("red.global.add.v4.f32 [%d0+8], {%r0, %r0, %r0, %r0};", place)


@pytest.mark.parametrize(
    "instruction",
    ["red.shared.add.v2.f32 [%d0], {%r5, %r6};", "red.global.min.v2.f32 [%d0], {%r5, %r6};",
     "red.global.add.v2.f16x2 [%d0], {%r5, %r6};", "red.global.min.noftz.f16x2 [%d0], %r5;",
     "red.global.add.noftz.v8.f16x2 [%d0], {%r5, %r6, %r5, %r6, %r5, %r6, %r5, %r6};",
     "red.global.add.v2.u32 [%d0], {%r5, %r6};", "red.acquire.gpu.global.add.u32 [%d0], %r5;"],
)  # fmt: skip
def test_there_is_no_such_instruction(instruction: str) -> None:
    with pytest.raises(EmulationError, match="unknown"):
        run(instruction, aligned(16, np.float32))


@pytest.mark.parametrize("space", [".global", ""])
def test_sums_of_f32_lose_subnormal_numbers_in_global_memory(space: str) -> None:
    place = np.zeros(1, np.float32)
    run(f"red{space}.add.f32 [%d0], 0f00000001;", place)
    assert place[0] == 0


@pytest.mark.parametrize(("space", "address"), [(".shared", "%d6"), ("", "%d5")])
def test_sums_of_f32_keep_subnormal_numbers_in_shared_memory(space: str, address: str) -> None:
    body = (
        "mov.b32 %r5, 0;\nmov.b64 %d6, 0;\ncvta.shared.u64 %d5, %d6;\nsetp.eq.u32 %p1, %r0, 0;\n"
        f"@%p1 st.shared.b32 [%d6], %r5;\nbar.sync 0;\nred{space}.add.f32 [{address}], 0f00000001;"
        "\nbar.sync 0;\nld.shared.b32 %r6, [%d6];\nst.global.b32 [%d0], %r6;"
    )
    place = np.zeros(1, np.float32)
    run(body, place, shared=16)
    assert place.view(np.uint32)[0] == THREADS


def test_updates_do_not_race_with_each_other_but_with_others() -> None:
    z = np.zeros(2, np.int32)
    run("red.global.add.u32 [%d0], 1;", z, blocks=3)
    assert z[0] == 3 * THREADS
    with pytest.raises(EmulationError, match="race"):
        run("red.global.add.u32 [%d0], 1;\nld.global.b32 %r5, [%d0];", z)


@pytest.mark.parametrize("schedule", [*SCHEDULES, *BETWEEN_BLOCKS])
def test_blocks_hand_over_with_release_and_acquire(schedule: str) -> None:
    """Each block waits for the one before it, and adds to what that has written."""
    body = (
        "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra END;\n"
        "L:\nld.acquire.gpu.global.b32 %r5, [%d0];\nsetp.ne.b32 %p2, %r5, %r1;\n@%p2 bra L;\n"
        "ld.global.b32 %r6, [%d1];\nmad.lo.s32 %r6, %r6, 3, 1;\nst.global.b32 [%d1], %r6;\n"
        "add.s32 %r7, %r1, 1;\nst.release.gpu.global.b32 [%d0], %r7;\nEND:"
    )
    flag, total = np.zeros(1, np.int32), np.zeros(1, np.int32)
    run(body, flag, total, blocks=6, schedule=schedule)
    assert (flag[0], total[0]) == (6, (3**6 - 1) // 2)


def test_a_lock_for_one_block_at_a_time() -> None:
    """Those that wait for it must not keep the one that has it from going on."""
    body = (
        "setp.ne.u32 %p1, %r0, 0;\n@%p1 ret;\n"
        "W: atom.acquire.gpu.global.cas.b32 %r5, [%d1], 0, 1;\n"
        "setp.ne.u32 %p1, %r5, 0;\n@%p1 bra W;\nld.global.b32 %r6, [%d0];\nbra.uni A;\n"
        "A: add.s32 %r6, %r6, 1;\nst.global.b32 [%d0], %r6;\nbra.uni B;\n"
        "B: atom.release.gpu.global.exch.b32 %r5, [%d1], 0;"
    )
    count, lock = np.zeros(1, np.int32), np.zeros(1, np.int32)
    run(body, count, lock, blocks=40)
    assert (count[0], lock[0]) == (40, 0)
