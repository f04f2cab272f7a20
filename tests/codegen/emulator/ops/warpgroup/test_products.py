"""`wgmma`: products of every type, major-ness, swizzle and width against NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.codegen.emulator.ops.warpgroup.kernels import (
    COMMIT,
    DTYPES,
    FENCE,
    WAIT,
    braced,
    depth_of,
    held_by,
    instruction,
    joined,
    of_threads,
    read_as,
    run,
    text,
    values,
    words_of,
)
from tests.codegen.emulator.ops.warpgroup.layouts import Tile, dense
from tileir.codegen.emulator import SCHEDULES
from tileir.codegen.emulator.ptx.table import look_up

pytestmark = pytest.mark.usefixtures("quiet")

KINDS = [
    "f32.f16.f16", "f16.f16.f16", "f32.bf16.bf16", "f32.tf32.tf32",
    *(f"{d}.{a}.{b}" for d in ("f16", "f32") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")),
    *(f"s32.{a}8.{b}8" for a in "su" for b in "su"),
]  # fmt: skip
MODES = {"none": 0, "128B": 1, "64B": 2, "32B": 3}
LIMIT = {"f16": 2.0**-10, "f32": 2.0**-23, "s32": 0.0}
SHORT = 2.0**-8
"""How far the short sums of 8-bit floats are from exact ones, of the largest summands."""


def scales(kinds: str, turns: tuple[int, ...] = (), signs: tuple[int, int] = (1, 1)) -> str:
    """The immediate operands of a product, after the predicate."""
    parts = [] if kinds.startswith("s32") else [str(sign) for sign in signs]
    turns = turns if "16" in kinds.split(".")[1] else ()
    return ", ".join(["1", *parts, *map(str, turns)])


class Case:
    """One product `a @ b + c` of a warpgroup; without a tile, A is in registers."""

    def __init__(self, kinds: str, n: int, a: Tile | None, b: Tile, seed: int = 0) -> None:
        total, left, right = kinds.split(".")
        self.kinds, self.n, self.tiles = kinds, n, (a, b)
        depth = depth_of(left)
        self.a, self.b = values(left, (64, depth), seed), values(right, (n, depth), seed + 1)
        self.c = values(total, (64, n), seed + 2)
        self.start = a.nbytes if a else 0

    def image(self) -> np.ndarray:
        """Shared memory."""
        a, b = self.tiles
        images = [b.image(self.b)]
        return np.concatenate([a.image(self.a), *images] if a else images)

    def before(self) -> np.ndarray:
        """Registers: the fragment of A, if it is in registers, and sums."""
        left = self.kinds.split(".")[1]
        parts = [] if self.tiles[0] else [held_by(self.a, 4 // np.dtype(DTYPES[left]).itemsize)]
        return np.concatenate([*parts, held_sums(self.c)], axis=1)

    def ptx(self, signs: tuple[int, int] = (1, 1), finite: str = "", guard: str = "") -> str:
        """The kernel."""
        a, b = self.tiles
        turns = tuple(int(tile.major == "mn") for tile in (a, b) if tile)
        total = self.kinds.split(".")[0]
        first = "%d8" if a else braced("%a", 4)
        code = guard + instruction(self.kinds, self.n, first, "%d9",
                                   scales(self.kinds, turns, signs), finite)  # fmt: skip
        descriptors = f"mov.b64 %d9, {b.descriptor(self.start)};\n"
        if a:
            descriptors += f"mov.b64 %d8, {a.descriptor(0)};\n"
        return text(
            descriptors + FENCE + code + COMMIT + WAIT,
            held=0 if a else 4, nbytes=self.image().nbytes, sums=words_of(total, self.n),
        )  # fmt: skip

    def found(self, ptx: str | None = None, **more: object) -> np.ndarray:
        """The sums after the product."""
        total = self.kinds.split(".")[0]
        words = run(ptx or self.ptx(), self.image(), self.before(), words_of(total, self.n), **more)
        return of_threads(words, self.n, total)

    def expected(self, signs: tuple[int, int] = (1, 1)) -> np.ndarray:
        """The exact sums, as doubles."""
        _, left, right = self.kinds.split(".")
        product = read_as(left, self.a) @ read_as(right, self.b).T
        return product * signs[0] * signs[1] + self.c.astype(float)

    def check(self, found: np.ndarray, expected: np.ndarray) -> None:
        """Equal up to one rounding, or, for 8-bit floats, to that of short sums."""
        total, left, _ = self.kinds.split(".")
        if total == "s32":
            wide = expected.astype(np.int64)
            np.testing.assert_array_equal(found, wide.astype(np.int32))
            return
        short = left[0] == "e"
        sizes = np.abs(self.a.astype(float)) @ np.abs(self.b.astype(float)).T + np.abs(expected)
        limit = SHORT if short else LIMIT[total]
        assert (np.abs(found.astype(float) - expected) <= limit * (sizes + 2.0**-10)).all()


def held_sums(matrix: np.ndarray) -> np.ndarray:
    """Sums in registers, two of f16 in one: (threads, registers), as words."""
    pairs = held_by(matrix, 2) if matrix.itemsize == 2 else None
    if pairs is not None:
        return pairs
    # Words take the places of neighbours in a row, in two registers.
    columns = matrix.view(np.uint32)
    halves = [held_by(np.ascontiguousarray(columns[:, parity::2]), 1) for parity in (0, 1)]
    return np.stack(halves, axis=2).reshape(len(halves[0]), -1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kinds", KINDS)
def test_types(kinds: str, mode: str) -> None:
    size = np.dtype(DTYPES[kinds.split(".")[1]]).itemsize
    depth = 32 // size
    tiles = [dense("k", MODES[mode], rows, depth, size, gap=1) for rows in (64, 24)]
    case = Case(kinds, 24, *tiles)
    case.check(case.found(), case.expected())


@pytest.mark.parametrize("kinds", KINDS)
def test_a_first_factor_in_registers(kinds: str) -> None:
    size = np.dtype(DTYPES[kinds.split(".")[1]]).itemsize
    case = Case(kinds, 32, None, dense("k", 1, 32, 32 // size, size))
    case.check(case.found(), case.expected())


@pytest.mark.parametrize("gap", [0, 1])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("majors", [("mn", "k"), ("k", "mn"), ("mn", "mn")], ids="-".join)
def test_majors(majors: tuple[str, str], mode: str, gap: int) -> None:
    """128 columns are two atoms of the widest swizzle."""
    tiles = [dense(major, MODES[mode], rows, 16, 2, gap)
             for major, rows in zip(majors, (64, 128), strict=True)]  # fmt: skip
    case = Case("f32.bf16.bf16", 128, *tiles)
    case.check(case.found(), case.expected())


def test_an_n_major_factor_and_registers() -> None:
    case = Case("f16.f16.f16", 64, None, dense("mn", 2, 64, 16, 2))
    case.check(case.found(), case.expected())


@pytest.mark.parametrize("n", range(8, 257, 8))
def test_widths(n: int) -> None:
    case = Case("f32.f16.f16", n, dense("k", 0, 64, 16, 2), dense("k", 0, n, 16, 2))
    case.check(case.found(), case.expected())


def test_the_widths_of_integers() -> None:
    """Floats have all multiples of 8, integers only some."""
    head = "wgmma.mma_async.sync.aligned.m64n"
    known = [n for n in range(1, 300) if look_up(f"{head}{n}k32.s32.s8.u8")]
    assert known == [8, 16, 24, *range(32, 257, 16)]
    assert [n for n in range(1, 300) if look_up(f"{head}{n}k8.f32.tf32.tf32")] == [
        *range(8, 257, 8)
    ]


@pytest.mark.parametrize("signs", [(1, -1), (-1, 1), (-1, -1)])
def test_factors_are_negated(signs: tuple[int, int]) -> None:
    case = Case("f32.bf16.bf16", 16, dense("k", 1, 64, 16, 2), dense("k", 1, 16, 16, 2))
    case.check(case.found(case.ptx(signs)), case.expected(signs))


@pytest.mark.parametrize("predicate", ["0", "%p1", "!%p2"])
def test_sums_start_anew(predicate: str) -> None:
    """With a false predicate, old sums do not count, and need not have been written."""
    case = Case("f32.f16.f16", 8, dense("k", 1, 64, 16, 2), dense("k", 1, 8, 16, 2))
    ptx = case.ptx().replace("%d9, 1, 1, 1", f"%d9, {predicate}, 1, 1")
    ptx = ptx.replace(FENCE, "setp.ne.u32 %p1, %r0, %r0;\nnot.pred %p2, %p1;\n" + FENCE)
    unwritten = "".join(line for line in ptx.splitlines(True) if "ld.global.b32 %s" not in line)
    case.c[:] = 0
    for code in (ptx, unwritten):
        case.check(case.found(code), case.expected())


@pytest.mark.parametrize("finite", ["", ".satfinite"])
def test_integers_overflow(finite: str) -> None:
    case = Case("s32.u8.s8", 16, dense("k", 1, 64, 32, 1), dense("k", 1, 16, 32, 1))
    case.c[:, ::2] = np.where(case.c[:, ::2] > 0, 2**31 - 1, -(2**31))
    expected = case.expected()
    if finite:
        expected = np.clip(expected, -(2**31), 2**31 - 1)
    case.check(case.found(case.ptx(finite=finite)), expected)
    moved = case.ptx(finite=finite).replace(f".s32.u8.s8{finite}", f"{finite}.s32.u8.s8")
    case.check(case.found(moved), expected)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_guard_takes_whole_warpgroups(schedule: str) -> None:
    case = Case("f32.f16.f16", 8, dense("k", 1, 64, 16, 2), dense("k", 1, 8, 16, 2))
    ptx = case.ptx(guard="@%p3 ")
    for relation, done in (("ge", True), ("lt", False)):
        code = ptx.replace(FENCE, f"setp.{relation}.u32 %p3, %r0, 0;\n" + FENCE)
        found = case.found(code, schedule=schedule)
        case.check(found, case.expected() if done else case.c.astype(float))


@pytest.mark.parametrize("races", [True, False])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_warpgroups_have_descriptors_of_their_own(schedule: str, races: bool) -> None:
    """Two warpgroups share a second factor, and each has 64 rows of the first one."""
    tiles = [dense("k", 1, rows, 16, 2) for rows in (128, 16)]
    a, b = values("f16", (128, 16)), values("f16", (16, 16), 1)
    image = np.concatenate([tile.image(each) for tile, each in zip(tiles, (a, b), strict=True)])
    rows = (tiles[0].nbytes // 2) >> 4
    code = (
        f"mov.b64 %d8, {tiles[0].descriptor(0)};\n"
        f"mov.b64 %d9, {tiles[1].descriptor(tiles[0].nbytes)};\n"
        f"shr.u32 %r8, %r0, 7;\nmul.wide.u32 %d10, %r8, {rows};\nadd.s64 %d8, %d8, %d10;\n"
        + FENCE + instruction("f32.f16.f16", 16, "%d8", "%d9", "0, 1, 1, 0, 0") + COMMIT + WAIT
    )  # fmt: skip
    ptx = text(code, held=0, nbytes=image.nbytes, sums=8, threads=256)
    before = np.zeros((256, 8), np.uint32)
    words = run(ptx, image, before, 8, threads=256, schedule=schedule, races=races)
    found = np.concatenate([of_threads(half, 16, "f32") for half in np.split(words, 2)])
    np.testing.assert_allclose(found, a.astype(float) @ b.astype(float).T, rtol=1e-6, atol=1e-6)


def several() -> list[str]:
    """Kernels of all kinds that the tests run, for the assembler."""
    out = []
    for kinds in KINDS:
        size = np.dtype(DTYPES[kinds.split(".")[1]]).itemsize
        for n in (8, 64, 256):
            b = dense("k", 1, n, 32 // size, size)
            for a in (None, dense("k", 1, 64, 32 // size, size)):
                finite = ".satfinite" if kinds.startswith("s32") and a else ""
                out.append(Case(kinds, n, a, b).ptx(finite=finite))
    majors = [dense(major, 1, 64, 16, 2) for major in ("k", "mn")]
    out += [Case("f32.bf16.bf16", 64, a, b).ptx((1, -1)) for a in (None, *majors) for b in majors]
    return out


@pytest.mark.oracle
def test_the_kernels_are_ptx(tool, tmp_path: Path) -> None:
    source = tmp_path / "k.ptx"
    source.write_text(joined(several()))
    done = tool("ptxas", "-arch=sm_90a", "-O1", "-o", tmp_path / "k.cubin", source)
    assert done.returncode == 0, done.stderr
    assert not done.stdout + done.stderr
