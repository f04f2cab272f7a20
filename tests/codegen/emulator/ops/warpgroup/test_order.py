"""What `wgmma` needs around it: fences, groups, waits, whole warpgroups, one descriptor for all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.codegen.emulator.ops.warpgroup.kernels import (
    COMMIT,
    FENCE,
    SHOW,
    WAIT,
    WARPGROUP,
    held_by,
    instruction,
    joined,
    of_threads,
    run,
    text,
    values,
)
from tests.codegen.emulator.ops.warpgroup.layouts import dense
from tileir.codegen.emulator import SCHEDULES, EmulationError

N, SUMS = 8, 4
TILES = [dense("k", 1, rows, 64, 2) for rows in (64, N)]
"""A and B have four steps along k in a line of 128 bytes."""
A, B = values("f16", (64, 64)), values("f16", (N, 64), 1)
IMAGE = np.concatenate([tile.image(each) for tile, each in zip(TILES, (A, B), strict=True)])
WORDS = TILES[0].descriptor(0), TILES[1].descriptor(TILES[0].nbytes)
DESCRIPTORS = f"mov.b64 %d8, {WORDS[0]};\nmov.b64 %d9, {WORDS[1]};\n"
PRODUCT = instruction("f32.f16.f16", N, "%d8", "%d9", "1, 1, 1, 0, 0")
STEP = "add.s64 %d8, %d8, 2;\nadd.s64 %d9, %d9, 2;\n"
ALL = FENCE + PRODUCT + STEP + PRODUCT + COMMIT + STEP + PRODUCT + STEP + PRODUCT + COMMIT + WAIT
"""A group of two products, and another one."""
FRAGMENT = instruction("f32.f16.f16", N, "{%a0, %a1, %a2, %a3}", "%d9", "1, 1, 1, 0")


def kernel(body: str, show: str = SHOW, threads: int = WARPGROUP) -> str:
    """The kernel of a body, with the descriptors in %d8 and %d9."""
    return text(DESCRIPTORS + body, held=4, nbytes=IMAGE.nbytes, sums=SUMS, show=show,
                threads=threads)  # fmt: skip


def multiplied(
    body: str, schedule: str = "lock-step", show: str = SHOW, threads: int = WARPGROUP
) -> np.ndarray:
    """The sums of a body, which starts with zeros; registers %a have the first step of A."""
    fragment = np.tile(held_by(A[:, :16], 2), (threads // WARPGROUP, 1))
    before = np.concatenate([fragment, np.zeros((threads, SUMS), np.uint32)], axis=1)
    words = run(
        kernel(body, show, threads), IMAGE, before, SUMS, schedule=schedule, threads=threads
    )
    return of_threads(words[-WARPGROUP:], N, "f32")


def exact(steps: int = 4) -> np.ndarray:
    return A[:, : 16 * steps].astype(float) @ B[:, : 16 * steps].astype(float).T


def verdict(body: str, schedule: str = "lock-step", **more: object) -> str:
    """What is noticed: a kind of error, "wrong", or nothing."""
    try:
        found = multiplied(body, schedule, **more)
    except EmulationError as problem:
        return problem.kind
    return "" if np.allclose(found, exact(), rtol=1e-5, atol=1e-5) else "wrong"


@pytest.mark.parametrize("schedule", [*SCHEDULES, "late-0", "late-2"])
def test_steps_and_groups(schedule: str) -> None:
    assert verdict(ALL, schedule) == ""


MISTAKES = {
    "no fence": ("fence", ALL.replace(FENCE, "")),
    "no commit at the end": ("poison", ALL.replace(COMMIT + WAIT, WAIT)),
    "no commit at all": ("poison", ALL.replace(COMMIT, "")),
    "waits for one less": ("poison", ALL.replace("group.sync.aligned 0", "group.sync.aligned 1")),
    "no wait": ("poison", ALL.replace(WAIT, "")),
    "sums read before the wait": ("poison", ALL.replace(WAIT, "mov.b32 %r9, %s1;\n" + WAIT)),
    "sums written before the wait": ("poison", ALL.replace(WAIT, "mov.b32 %s1, 0;\n" + WAIT)),
    "sums written after the fence":
        ("fence", ALL.replace(FENCE, FENCE + "mov.b32 %s1, 0;\n")),
    "sums read after the fence": ("fence", ALL.replace(FENCE, FENCE + "mov.b32 %r9, %s1;\n")),
    "no fence after another access":
        ("fence", ALL.replace(COMMIT + STEP, COMMIT + WAIT + "mov.b32 %r9, %s1;\n" + STEP)),
    "a factor written before the wait":
        ("race", ALL.replace(WAIT, "st.shared.b32 [%r1+1024], %r1;\n" + WAIT)),
    "a step too far": ("wrong", ALL.replace(STEP, STEP.replace("%d8, 2", "%d8, 4"), 1)),
    "a step of the other factor left out":
        ("wrong", ALL.replace("add.s64 %d9, %d9, 2;", "", 1)),
    "A transposed": ("wrong", ALL.replace("1, 0, 0;", "1, 1, 0;")),
    "B transposed": ("bounds", ALL.replace("1, 0, 0;", "1, 0, 1;")),
    "other swizzle": ("wrong", "xor.b64 %d9, %d9, 0xC000000000000000;\n" + ALL),
    "no swizzle": ("wrong", "xor.b64 %d8, %d8, 0x4000000000000000;\n" + ALL),
    "other stride": ("wrong", "sub.s64 %d8, %d8, 0x2000000000;\n" + ALL),
    "other base offset": ("wrong", "or.b64 %d8, %d8, 0x8000000000000;\n" + ALL),
    "a descriptor of one lane":
        ("warp", "setp.eq.u32 %p1, %r0, 77;\n@%p1 add.s64 %d9, %d9, 1;\n" + ALL),
    "a predicate of one warp":
        ("warp", "setp.ge.u32 %p1, %r0, 32;\n" + ALL.replace("%d9, 1,", "%d9, %p1,")),
    "three warps":
        ("warp", "setp.ge.u32 %p1, %r0, 32;\n" + ALL.replace(PRODUCT, "@%p1 " + PRODUCT)),
    "three warps wait":
        ("warp", "setp.ge.u32 %p1, %r0, 32;\n" + ALL.replace(WAIT, "@%p1 " + WAIT)),
    "one warp at a barrier":
        ("deadlock", "setp.ge.u32 %p1, %r0, 32;\n@%p1 bra on;\nbar.sync 0;\non:\n" + ALL),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_noticed(name: str) -> None:
    kind, body = MISTAKES[name]
    assert body not in (ALL, DESCRIPTORS + ALL)
    assert verdict(body) == kind


@pytest.mark.parametrize(
    ("kind", "show"),
    [
        ("proxy", "bar.sync 0;\n"),
        ("proxy", "bar.sync 0;\nfence.proxy.async.shared::cta;\n"),
        ("proxy", "fence.proxy.async.global;\nbar.sync 0;\n"),
        ("race", "fence.proxy.async.shared::cta;\n"),
        ("", "fence.proxy.async;\nbar.sync 0;\n"),
    ],
)
def test_writers_show_what_they_wrote(kind: str, show: str) -> None:
    """Each writer executes the fence, before the barrier; there are two warpgroups."""
    found = {verdict(ALL, schedule, show=show, threads=256) for schedule in SCHEDULES}
    assert kind in found
    assert kind or len(found) == 1


FRAGMENTS = {
    "right": ("", FENCE + FRAGMENT + COMMIT + WAIT + "mov.b32 %a1, 0;\n"),
    "the same fragment twice": ("", FENCE + FRAGMENT + FRAGMENT + COMMIT + WAIT),
    "no fence": ("fence", FRAGMENT + COMMIT + WAIT),
    "written after the fence": ("fence", FENCE + "mov.b32 %a1, 0;\n" + FRAGMENT + COMMIT + WAIT),
    "written before the wait": ("poison", FENCE + FRAGMENT + COMMIT + "mov.b32 %a1, 0;\n" + WAIT),
    "read before the wait": ("poison", FENCE + FRAGMENT + COMMIT + "mov.b32 %r9, %a1;\n" + WAIT),
    "sums as a factor":
        ("poison", FENCE + FRAGMENT + COMMIT + FENCE + FRAGMENT.replace("%a3", "%s3")),
    "sums as a factor after the wait":
        ("fence", FENCE + FRAGMENT + COMMIT + WAIT + FRAGMENT.replace("%a3", "%s3")),
    "a factor as sums":
        ("poison", FENCE + FRAGMENT + FRAGMENT.replace("%s3", "%a3")),
}  # fmt: skip


@pytest.mark.parametrize("name", FRAGMENTS)
def test_registers_of_a_first_factor(name: str) -> None:
    kind, body = FRAGMENTS[name]
    if not kind:
        multiplied(body)
        return
    with pytest.raises(EmulationError) as caught:
        multiplied(body)
    assert caught.value.kind == kind


def test_sums_of_another_shape_need_a_fence() -> None:
    """Accumulators may be shared by products of one shape without a fence between them."""
    wide = instruction("f16.f16.f16", 2 * N, "%d8", "%d8", "0, 1, 1, 0, 0")
    for between, kind in ((FENCE, ""), ("", "fence")):
        body = FENCE + PRODUCT + COMMIT + WAIT + between + wide + COMMIT + WAIT
        if not kind:
            multiplied(body)
            continue
        with pytest.raises(EmulationError, match=r"without wgmma\.fence") as caught:
            multiplied(body)
        assert caught.value.kind == kind


def test_a_product_in_no_group_goes_on() -> None:
    """The wait is for the first group only; the second product may be under way after it."""
    second = PRODUCT.replace("%s", "%t").replace("1, 1, 1,", "0, 1, 1,")
    body = FENCE + PRODUCT + COMMIT + STEP + second + WAIT
    np.testing.assert_allclose(multiplied(body), exact(1), rtol=1e-5, atol=1e-5)
    with pytest.raises(EmulationError, match="nothing has waited for"):
        multiplied(body + "mov.b32 %s1, %t1;\n")
    multiplied(body + COMMIT + WAIT + "mov.b32 %s1, %t1;\n")


def test_all_but_the_newest_group() -> None:
    """The sums of the older group may be read, those of the newer one not yet."""
    second = PRODUCT.replace("%s", "%t").replace("1, 1, 1,", "0, 1, 1,")
    body = FENCE + PRODUCT + COMMIT + STEP + second + COMMIT + WAIT.replace(" 0;", " 1;")
    np.testing.assert_allclose(multiplied(body), exact(1), rtol=1e-5, atol=1e-5)
    for more in ("mov.b32 %s1, %t1;\n", "st.shared.b32 [%r1], %r1;\n"):
        with pytest.raises(EmulationError):
            multiplied(body + more)
        multiplied(body + WAIT + "bar.sync 0;\n" + more)


def test_instructions_in_a_scope_of_their_own() -> None:
    """As LLVM writes inline assembly: a predicate of its own, and registers of f32."""
    registers = ", ".join(f"%f{i}" for i in range(SUMS))
    inner = PRODUCT.replace(
        PRODUCT[PRODUCT.index("{") : PRODUCT.index("}") + 1], f"{{{registers}}}"
    )
    inner = inner.replace("1, 1, 1, 0", "p, 1, 1, 0")
    moves = "".join(f"mov.f32 %f{i}, 0f00000000;\n" for i in range(SUMS))
    back = "".join(f"mov.b32 %s{i}, %f{i};\n" for i in range(SUMS))
    body = (
        f".reg .f32 %f<{SUMS}>;\n{moves}mov.b32 %r9, 1;\n// begin inline asm\n{{\n.reg .pred p;\n"
        f"setp.ne.b32 p, %r9, 0;\n{FENCE}{inner}{COMMIT}{WAIT}}}\n"
        f"// end inline asm\n{back}"
    )
    np.testing.assert_allclose(multiplied(body), exact(1), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("wrong", ["%s0, %s1", "%d20, %d21, %d22, %d23"])
def test_registers_that_hold_no_sums(wrong: str) -> None:
    body = FENCE + PRODUCT.replace("%s0, %s1, %s2, %s3", wrong)
    with pytest.raises(EmulationError, match="expected 4 of 32 bits"):
        multiplied(body)


def test_the_place_is_named() -> None:
    with pytest.raises(EmulationError) as caught:
        multiplied(MISTAKES["no wait"][1])
    assert "nothing has waited for" in str(caught.value)
    assert ": st.global.b32" in str(caught.value)
    assert caught.value.threads == tuple(range(WARPGROUP))


@pytest.mark.oracle
def test_the_kernels_are_ptx(tool, tmp_path: Path) -> None:
    """All mistakes too: they are such as the assembler does not find."""
    source = tmp_path / "k.ptx"
    bodies = [ALL, *(body for _, body in (*MISTAKES.values(), *FRAGMENTS.values()))]
    source.write_text(joined(map(kernel, bodies)))
    done = tool("ptxas", "-arch=sm_90a", "-O1", "-o", tmp_path / "k.cubin", source)
    assert done.returncode == 0, done.stderr


def test_a_block_with_a_part_of_a_warpgroup() -> None:
    """The fifth warp is in no whole warpgroup."""
    ptx = text(FENCE, held=0, nbytes=2560, sums=0, threads=160)
    with pytest.raises(EmulationError, match="only a part of the warpgroup") as caught:
        run(ptx, np.zeros(2560, np.uint8), np.zeros((160, 1), np.uint32), 0, threads=160)
    assert caught.value.threads == tuple(range(128, 160))
