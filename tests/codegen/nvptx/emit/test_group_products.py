"""Products by warpgroups, of all types, from loads to stores: on the emulator, against NumPy.

The kernels add up products of tiles of 64 x k and k x 32 with ragged edges. Numbers are such that
every sum is exact, unless a test says otherwise.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.codegen.emulator.values import aligned
from tests.codegen.host.lowering.test_mma import DTYPES
from tests.codegen.nvptx.converted_loops import to_tf32
from tests.codegen.nvptx.decided import decided
from tileir import assemble, emulator
from tileir.codegen import compile
from tileir.codegen.emulator import SCHEDULES
from tileir.codegen.kernel import KernelIR

M, N = 64, 32


class Case(NamedTuple):
    """Elements that are multiplied, those of the sum, k of a tile, what the op says, the atom, the
    dimensions along which the rows of x and of y go in memory, what rows are multiples of, in
    bytes, how many matrices a tile has (several for operands of rank 3), and its rows and columns.
    """

    element: str
    total: str
    k: int
    says: str
    instruction: str
    rows: str = "kk"
    unit: int = 16
    batch: int = 1
    m: int = M
    n: int = N


CASES = [
    Case("f8E4M3FN", "f32", 64, "", "m64n32k32.f32.e4m3.e4m3"),
    Case("f8E4M3FN", "f32", 64, "fast_acc", "m64n32k32.f32.e4m3.e4m3"),
    Case("f8E4M3FN", "f32", 128, "", "m64n32k32.f32.e4m3.e4m3", "mn"),
    Case("f8E5M2", "f16", 32, "fast_acc", "m64n32k32.f16.e5m2.e5m2"),
    Case("f8E5M2", "f16", 256, "", "m64n16k32.f32.e5m2.e5m2"),
    Case("i8", "i32", 64, "signed signed", "m64n32k32.s32.s8.s8"),
    Case("i8", "i32", 64, "signed signed", "m64n32k32.s32.s8.s8", "kn"),
    Case("i8", "i32", 32, "unsigned signed", "m64n32k32.s32.u8.s8", "mk"),
    Case("f16", "f16", 64, "", "m64n32k16.f16.f16.f16", "kn"),
    Case("tf32", "f32", 32, "", "m64n32k8.f32.tf32.tf32"),
    Case("tf32", "f32", 32, "", "m64n32k8.f32.tf32.tf32", "kn"),
    Case("tf32", "f32", 16, "", "m64n32k8.f32.tf32.tf32", "mn"),
]


def name(case: Case) -> str:
    return "-".join(map(str, (*case[:4], case.rows))).replace(" ", "-")


def stored(case: Case) -> str:
    """The elements in memory."""
    return "f32" if case.element == "tf32" else case.element


def text(case: Case) -> str:
    """z = x @ y + z0, with tiles of several rows and columns in the grid."""
    kind, total, k = stored(case), case.total, case.k
    batch = (case.batch,) if case.batch > 1 else ()
    many, one = ("?x", "?,") if batch else ("", "")
    first = "%zero, " if batch else ""
    lines, parameters = [], []
    loads = {}
    for each, wide, own, index in (("x", case.m, "m", "%bx"), ("y", case.n, "n", "%by")):
        along_k = case.rows["xy".index(each)] == "k"
        extents, shape = ((own, "d"), (wide, k)) if along_k else (("d", own), (k, wide))
        shape = (*batch, *shape)
        place = first + (f"{index}, %i" if along_k else f"%i, {index}")
        tensor = f"tensor_view<{many}?x?x{kind}, strides=[{one}?,1]>"
        tile = "x".join(map(str, shape))
        view = f"partition_view<tile=({tile}), padding_value = zero, {tensor}>"
        parameters.append(f"%{each}: tile<ptr<{kind}>>, %{each}p: tile<i32>, %{each}q: tile<i32>")
        step = case.unit * 8 // BITS[kind]
        lines += [
            f"%{each}a = assume div_by<16>, %{each} : tile<ptr<{kind}>>",
            f"%{each}s = assume div_by<{step}>, %{each}p : tile<i32>",
            f"%{each}r = assume div_by<{step}>, %{each}q : tile<i32>",
            (
                f"%{each}t = make_tensor_view %{each}a,"
                f" shape = [{'%b, ' if batch else ''}%{extents[0]}, %{extents[1]}],"
                f" strides = [{f'%{each}r, ' if batch else ''}%{each}s, 1]"
                f" : tile<i32> -> {tensor}"
            ),
            f"%{each}v = make_partition_view %{each}t : {view}",
        ]
        due = (*batch, *((wide, k) if each == "x" else (k, wide)))
        kinds = [f"tile<{tile}x{kind}>", f"tile<{'x'.join(map(str, due))}x{kind}>"]
        multiplied = kinds[1].replace(kind, case.element)
        load = f"%{each}0, %t{each} = load_view_tko weak %{each}v[{place}]"
        made = [f"{load} : {view}, tile<i32> -> {kinds[0]}, token"]
        value = f"%{each}0"
        if along_k != (each == "x"):
            turn = "[0, 2, 1]" if batch else "[1, 0]"
            made.append(f"%{each}1 = permute {value} {turn} : {kinds[0]} -> {kinds[1]}")
            value = f"%{each}1"
        if case.element != kind:
            made.append(f"%{each}2 = ftof {value} : {kinds[1]} -> {multiplied}")
            value = f"%{each}2"
        loads[each] = (made, value, multiplied)
    out = f"tensor_view<{many}?x?x{total}, strides=[{one}?,1]>"
    tile = "x".join(map(str, (*batch, case.m, case.n)))
    out_view, sums = f"partition_view<tile=({tile}), {out}>", f"tile<{tile}x{total}>"
    op = "mmai" if case.element == "i8" else "mmaf"
    (left, x, x_type), (right, y, y_type) = loads["x"], loads["y"]
    before, body = "\n  ".join(lines), "\n    ".join([*left, *right])
    return f"""
entry @k({", ".join(parameters)}, %z: tile<ptr<{total}>>, %zp: tile<i32>, %zq: tile<i32>,
         %b: tile<i32>, %m: tile<i32>, %n: tile<i32>, %d: tile<i32>) {{
  {before}
  %zt = make_tensor_view %z, shape = [{"%b, " if batch else ""}%m, %n],
    strides = [{"%zq, " if batch else ""}%zp, 1] : tile<i32> -> {out}
  %zv = make_partition_view %zt : {out_view}
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %depth = constant <i32: {k}> : tile<i32>
  %count = divi %d, %depth signed rounding<positive_inf> : tile<i32>
  %first, %t = load_view_tko weak %zv[{first}%bx, %by] : {out_view}, tile<i32> -> {sums}, token
  %sum = for %i in (%zero to %count, step %one) : tile<i32>
      iter_values(%acc = %first) -> ({sums}) {{
    {body}
    %next = {op} {x}, {y}, %acc {case.says} : {x_type}, {y_type}, {sums}
    continue %next : {sums}
  }}
  %u = store_view_tko weak %sum, %zv[{first}%bx, %by] token = %t
    : {sums}, {out_view}, tile<i32> -> token
  return
}}
"""


BITS = {"f16": 16, "f32": 32, "f8E4M3FN": 8, "f8E5M2": 8, "i8": 8}


@cache
def kernel(case: Case) -> Any:
    return compile(assemble(text(case)), "sm_90", cache=False)


def launch(
    case: Case, x: np.ndarray, y: np.ndarray, z: np.ndarray, schedule: str = "lock-step"
) -> np.ndarray:
    """Run the kernel on x (m, d) and y (n, d), or several of them, and return x @ y.T + z."""
    (*batch, m, d), n = x.shape, y.shape[-2]
    step = case.unit // x.dtype.itemsize
    args: list[Any] = []
    for each, rows in zip((x, y), case.rows, strict=True):
        turned = each if rows == "k" else each.swapaxes(-1, -2)
        pitch = -(-turned.shape[-1] // step) * step
        if case.unit < 16 and pitch * each.itemsize % 16 == 0:  # which no tensor map describes
            pitch += step
        wide = np.zeros((*turned.shape[:-1], pitch), each.dtype)
        wide[..., : turned.shape[-1]] = turned
        args += [aligned(wide), pitch, pitch * turned.shape[-2]]
    found = aligned(z.copy())
    made = kernel(case)
    grid = (-(-m // case.m), -(-n // case.n))
    args += [found, n, m * n, *(batch or [1]), m, n, d]
    emulator.launch(made.ptx, made.plan["k"], grid, args, schedule=schedule)
    return found


def check(case: Case, m: int, n: int, d: int, schedule: str = "lock-step") -> None:
    """Compare with NumPy, in small integers; in all of eight bits if sums are integers, too."""
    random = np.random.default_rng(m + n + d)
    integers = case.total == "i32"
    low, high = (-128, 128) if integers else (-2, 3)
    batch = (case.batch,) if case.batch > 1 else ()
    x, y = (
        random.integers(low, high, (*batch, rows, d)).astype(DTYPES[stored(case)])
        for rows in (m, n)
    )
    z = random.integers(-9, 10, (*batch, m, n)).astype(DTYPES[case.total])
    signs = case.says.split() if integers else ("", "")
    wide = [
        (each.view(np.uint8) if sign == "unsigned" else each).astype(np.float64)
        for each, sign in zip((x, y), signs, strict=True)
    ]
    expected = (wide[0] @ wide[1].swapaxes(-1, -2) + z.astype(np.float64)).astype(z.dtype)
    np.testing.assert_array_equal(launch(case, x, y, z, schedule), expected)


@pytest.mark.parametrize("case", CASES, ids=name)
def test_each_type_has_its_instruction(case: Case) -> None:
    assert f"wgmma.mma_async.sync.aligned.{case.instruction}" in kernel(case).ptx
    assert "mma.sync" not in kernel(case).ptx


@pytest.mark.parametrize("case", CASES, ids=name)
def test_ragged_tiles_are_multiplied(case: Case) -> None:
    check(case, 70, 40, 3 * case.k - 9)
    check(case, 64, 33, case.k)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("case", [CASES[0], CASES[6], CASES[10]], ids=name)
def test_tiles_are_right_under_every_schedule(case: Case, schedule: str) -> None:
    check(case, 64, 40, 5 * case.k + 7, schedule)


@pytest.mark.parametrize("case", [CASES[5], CASES[6], CASES[9], CASES[11]], ids=name)
def test_other_copies_fill_what_is_read(case: Case) -> None:
    """Rows that are no multiple of 16 bytes apart: the twin has no tensor copies."""
    check(case._replace(unit=4), 70, 40, 3 * case.k - 9, "random-0")


@pytest.mark.parametrize("case", [CASES[0], CASES[2], CASES[6], CASES[10]], ids=name)
def test_batches_are_multiplied(case: Case) -> None:
    """Products of rank 3, by one atom or more for each matrix."""
    many = case._replace(batch=2)
    assert "wgmma" in kernel(many).ptx
    check(many, 60, 32, 2 * case.k + 9, "random-0")


WIDE = Case("f8E4M3FN", "f32", 64, "", "m64n128k32.f32.e4m3.e4m3", m=128, n=256)
"""Accumulators take 128 registers of a thread; products that are added to them may take half."""


@pytest.mark.parametrize("element", ["f8E4M3FN", "f8E5M2"])
def test_wide_products_are_added_column_by_column(element: str) -> None:
    """Each half by itself: the other one would take registers that there are not."""
    case = WIDE._replace(element=element)
    state = decided(KernelIR.of(assemble(text(case)).functions[0]), "sm_90", "to_block_ir")
    added = [op for op in state.kernel.walk() if op.name == "add_columns"]
    assert [op.attributes["first"] for op in added] == [0, 128]
    check(case, 130, 260, 150)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_wide_products_are_right_under_every_schedule(schedule: str) -> None:
    check(WIDE, 128, 256, 3 * WIDE.k - 9, schedule)


def test_fast_sums_stay_whole() -> None:
    """So do narrow tiles, and such whose sums are longer than tensor cores may add."""
    for case in (WIDE._replace(says="fast_acc"), WIDE._replace(n=128), WIDE._replace(k=256, n=128)):
        state = decided(KernelIR.of(assemble(text(case)).functions[0]), "sm_90", "to_block_ir")
        assert not [op for op in state.kernel.walk() if op.name == "add_columns"], case


@pytest.mark.parametrize("k", [32, 256])
def test_sums_of_small_floats_are_long_unless_the_op_says_otherwise(k: int) -> None:
    """Large products in the first 32 along k: behind them, tensor cores would forget small ones.

    The sum of 128 along k is theirs; longer ones are not, in the same tile or in the next one.
    """
    d = 512
    x, y = np.ones((M, d)), np.ones((N, d))
    x[:, :32], y[:, :32] = 448, 448
    x, y = (each.astype(DTYPES["f8E4M3FN"]) for each in (x, y))
    z = np.zeros((M, N), np.float32)
    exact = np.full((M, N), 32 * 448.0**2 + d - 32, np.float32)
    lost = {32: 0, 256: 96}[k]
    long = Case("f8E4M3FN", "f32", k, "", "")
    np.testing.assert_array_equal(launch(long, x, y, z), exact - lost)
    if k <= 128:
        wide = [np.tile(each, (rows // len(each), 1)) for each, rows in ((x, 128), (y, 256))]
        found = launch(WIDE._replace(k=k), *wide, np.zeros((128, 256), np.float32))
        np.testing.assert_array_equal(found, np.full((128, 256), exact[0, 0]))
    short = launch(Case("f8E4M3FN", "f32", k, "fast_acc", ""), x, y, z)
    np.testing.assert_array_equal(short, np.full((M, N), 32 * 448.0**2, np.float32))


@pytest.mark.parametrize("rows", ["kk", "mn"])
def test_numbers_are_rounded_to_tf32_before_tensor_cores_cut_them_off(rows: str) -> None:
    """Halfway between two numbers of tf32, or a little off; ties go to even."""
    random = np.random.default_rng(5)
    x, y = (random.integers(1, 4, (size, 40)).astype(np.float64) for size in (M, N))
    off = random.integers(-1, 2, x.shape) * 2.0**-11 + random.integers(-1, 2, x.shape) * 2.0**-18
    x = (x * (1 + off)).astype(np.float32)
    case = Case("tf32", "f32", 16, "", "", rows)
    found = launch(case, x, y.astype(np.float32), np.zeros((M, N), np.float32))
    np.testing.assert_array_equal(found, (to_tf32(x) @ y.T).astype(np.float32))
    assert (to_tf32(x) != x).any()


@pytest.mark.parametrize(("rows", "copied"), [("kk", 0), ("kn", 1), ("mn", 2)])
def test_copies_round_to_tf32(rows: str, copied: int) -> None:
    """Threads copy only operands whose rows lie along m or n, and round none of them."""
    case = Case("tf32", "f32", 32, "", "", rows)
    state = decided(KernelIR.of(assemble(text(case)).functions[0]), "sm_90", "overlap_products")
    copies = [op for op in state.kernel.walk() if op.name == "copy_shared"]
    assert [op.attributes["conversion"] for op in copies] == [None] * copied
    maps = kernel(case).plan["k"]["tensor_maps"]
    assert [row["element"] for row in maps] == ["tf32", "tf32"]


def test_a_map_that_does_not_round_is_noticed() -> None:
    """By a product of numbers that tensor cores would cut off."""
    case = Case("tf32", "f32", 32, "", "")
    made, x = kernel(case), np.full((M, 32), 1 + 2.0**-11 + 2.0**-20, np.float32)
    y, z = np.eye(N, 32, dtype=np.float32), np.zeros((M, N), np.float32)
    rounded = np.full((M, N), 1 + 2.0**-10, np.float32)
    np.testing.assert_array_equal(launch(case, x, y, z), rounded)
    plan = {**made.plan["k"]}
    plan["tensor_maps"] = [{**row, "element": "f32"} for row in plan["tensor_maps"]]
    args = [aligned(x), 32, 0, aligned(y), 32, 0, aligned(z), N, 0, 1, M, N, 32]
    emulator.launch(made.ptx, plan, 1, args)
    np.testing.assert_array_equal(args[6], np.ones((M, N), np.float32))


LARGE = [
    WIDE,
    WIDE._replace(element="f8E5M2", k=128),
    Case("f16", "f16", 64, "", "", "kn", m=128, n=256),
    Case("i8", "i32", 64, "signed signed", "", "mn", m=128, n=128),
    Case("tf32", "f32", 32, "", "", "kk", m=128, n=256),
    Case("tf32", "f32", 32, "", "", "kn", m=128, n=128),
]


@pytest.mark.oracle
@pytest.mark.parametrize("case", LARGE, ids=lambda case: f"{name(case)}-{case.m}x{case.n}")
def test_large_tiles_spill_no_registers(case: Case, tool, tmp_path: Path) -> None:
    """Neither of the two entries; nor has ptxas products wait for each other (C75xx).

    Sums begin with zero: what loads them and stores them to the same place takes registers, too.
    """
    sums = f"tile<{case.m}x{case.n}x{case.total}>"
    none = f"%none = constant <{case.total}: {'0' if case.total == 'i32' else '0.0'}> : {sums}"
    whole = text(case).replace("(%acc = %first)", "(%acc = %none)")
    made = compile(
        assemble(whole.replace("  %sum = for", f"  {none}\n  %sum = for")), "sm_90", cache=False
    )
    assert made.plan["k"]["roles"]
    assert "mma.sync" not in made.ptx
    file = tmp_path / "k.ptx"
    file.write_text(made.ptx)
    done = tool("ptxas", "-arch=sm_90a", "-v", "-o", tmp_path / "k.cubin", file)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, said
    assert said.count("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads") == 2
    assert "C75" not in said
