"""Loops that fetch tiles ahead: the right tiles, in any loop; and what is not fetched ahead."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.emulator.values import aligned
from tests.codegen.nvptx.decided import decided
from tests.codegen.nvptx.loops import COLUMNS, DEPTH, ROWS, SUMS, load, loop_over_tiles, view_type
from tests.lab import bench
from tileir import assemble
from tileir.codegen import compile, emulator
from tileir.codegen.kernel import KernelIR
from tileir.gpus import TARGETS

TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
         "i8": np.int8, "i32": np.int32}  # fmt: skip
PROLOGUE = "the prologue of a later loop"
COPY = re.compile(r"cp\.async\.(c[ag])\.shared\.global [^,]*, [^,]*, (\d+)(, (%r\d+|present))?;")


@cache
def kernel(text: str, target: str = "sm_80") -> Any:
    return compile(assemble(text), target)


def copies(text: str, target: str = "sm_80") -> set[tuple[str, int]]:
    """Where copies go through, and how many bytes each has."""
    return {(found[1], int(found[2])) for found in COPY.finditer(kernel(text, target).ptx)}


def stages(text: str, target: str = "sm_80") -> int:
    """How many buffers the ring of the kernel has, 0 if there is none."""
    [waits] = set(re.findall(r"cp\.async\.wait_group (\d+)", kernel(text, target).ptx)) or {-2}
    return int(waits) + 2


def barriers(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """The op behind each barrier outside of the loop, and the accesses that it orders."""
    found = decided(KernelIR.of(assemble(text).functions[0]), "sm_80", "place_barriers")
    ops = found.kernel.body.block.ops
    return [
        (behind.name, op.attributes["pairs"])
        for op, behind in pairwise(ops)
        if op.name == "barrier"
    ]


def check(
    text: str, element: str, size: int, tiles: list[int], bounds: tuple[int, int, int],
    target: str = "sm_80", schedule: str = "random-1", turned: bool = False,
) -> None:  # fmt: skip
    """Launch, and compare with the sum over some tiles of a tensor with `size` columns.

    They lie in memory one after the other if `turned`.
    """
    random = np.random.default_rng(size)
    pitch = -(-size // 16) * 16
    # Small numbers, so that sums are exact in any order.
    x = aligned(random.integers(-4, 5, (ROWS, pitch)).astype(TYPES[element]))
    w = aligned(random.integers(-4, 5, (DEPTH, COLUMNS)).astype(TYPES[element]))
    z = aligned(np.full((ROWS, COLUMNS), 77, TYPES[SUMS[element]]))
    before = x.copy()
    compiled = kernel(text, target)
    args = [aligned(x.T.copy()), w, z, size, ROWS] if turned else [x, w, z, size, pitch]
    args += bounds
    emulator.launch(compiled.ptx, compiled.plan["k"], 1, args, schedule=schedule)
    exact = TYPES[SUMS[element]]
    expected = np.zeros((ROWS, COLUMNS), exact)
    x = before
    for tile in tiles:
        part = np.zeros((ROWS, DEPTH), exact)
        inside = x[:, :size].astype(exact)[:, DEPTH * tile : DEPTH * (tile + 1)]
        part[:, : inside.shape[1]] = inside
        expected += part @ w.astype(exact)
    assert (z == expected).all()


@pytest.mark.parametrize("bounds", [
    # shorter and longer than the ring
    (0, 0, 1), (0, 1, 1), (0, 2, 1), (0, 4, 1), (0, 5, 1), (0, 11, 1),
    (3, 9, 1), (0, 10, 3), (1, 11, 4), (5, 6, 100),
    (4, 2, 1), (-3, -7, 1), (2**31 - 3, 2**31 - 3, 1), (0, 2**31 - 1, 2**30),
])  # fmt: skip
def test_any_number_of_iterations(bounds: tuple[int, int, int]) -> None:
    check(loop_over_tiles(), "f16", 11 * DEPTH, list(range(*bounds)), bounds)


@pytest.mark.parametrize(("bounds", "tiles"), [
    ((-2, 2, 1), [0, 1]),
    # Beyond the tensor everything is zero, also where an index is negative.
    ((-5, -1, 2), []),
])  # fmt: skip
def test_negative_numbers_of_iterations(bounds: tuple[int, int, int], tiles: list[int]) -> None:
    check(loop_over_tiles(), "f16", 11 * DEPTH, tiles, bounds)


@pytest.mark.parametrize(("bounds", "tiles"), [
    # Read as unsigned, a negative bound is a large one.
    ((0, -1, 2**30), [0]), ((-1, 3, 1), []), ((1, 4, 2), [1, 3]), ((-8, -2, 3), []),
])  # fmt: skip
def test_unsigned_bounds(bounds: tuple[int, int, int], tiles: list[int]) -> None:
    text = loop_over_tiles(loop="unsigned %i in (%low to %high, step %step)")
    check(text, "f16", 11 * DEPTH, tiles, bounds)


@pytest.mark.parametrize("schedule", ["lock-step", "ascending", "descending", "random-2"])
def test_in_any_order_of_warps(schedule: str) -> None:
    check(loop_over_tiles(), "f16", 170, list(range(6)), (0, 6, 1), schedule=schedule)


@pytest.mark.parametrize("element", SUMS)
@pytest.mark.parametrize("size", [161, 5])
def test_every_element_type_and_ragged_edges(element: str, size: int) -> None:
    check(loop_over_tiles(element=element), element, size, list(range(6)), (0, 6, 1))


@pytest.mark.parametrize(("element", "strides", "expected"), [
    ("f16", "1, %pitch", ("cg", 16)),
    # The step of the loop is one; nobody knows before.
    ("f32", "%step, %pitch", ("ca", 4)),
])  # fmt: skip
def test_tensors_that_are_not_row_major(
    element: str, strides: str, expected: tuple[str, int]
) -> None:
    text = loop_over_tiles(element=element, strides=strides)
    assert copies(text) == {expected}
    check(text, element, 5 * DEPTH, list(range(5)), (0, 5, 1), turned=True)


def test_an_iteration_that_ends_early_fetches_as_well() -> None:
    body = f"""{load()}
    %two = constant <i32: 2> : tile<i32>
    %rest = remi %i, %two signed : tile<i32>
    %odd = cmpi equal %rest, %zero, signed : tile<i32> -> tile<i1>
    if %odd {{
      continue %acc : tile<{ROWS}x{COLUMNS}xf32>
    }}"""
    text = loop_over_tiles(body)
    assert stages(text)
    check(text, "f16", 11 * DEPTH, [1, 3, 5, 7, 9], (0, 11, 1))


def test_two_loops_share_memory() -> None:
    """A loop in a loop has the ring; the outer one starts it again each time."""
    text = loop_over_tiles()
    start, end = text.index("  %sum = for"), text.index("  \n  %stored")
    inner = text[start:end]
    types = f"tile<{ROWS}x{COLUMNS}xf32>"
    outer = f"""
  %sum = for %j in (%low to %high, step %step) : tile<i32> iter_values(%all = %nothing) -> ({types}) {{
    {inner.replace("%sum =", "%part =").replace("= %nothing", "= %all")}
    continue %part : {types}
  }}
"""  # noqa: E501
    text = text[:start] + outer + text[end:]
    assert stages(text)
    check(text, "f16", 100, 3 * list(range(3)), (0, 3, 1))


def test_what_is_stored_before_the_loop_is_seen_in_it() -> None:
    """The first tiles are fetched before the loop, so a barrier has to be there."""
    kind, view = f"tile<{ROWS}x{DEPTH}xf16>", view_type()
    before = f"""
  %old, %had = load_view_tko weak %view[%zero, %zero] : {view}, tile<i32> -> {kind}, token
  %new = addf %old, %old : {kind}
  %wrote = store_view_tko weak %new, %view[%zero, %zero] token = %had : {kind}, {view}, tile<i32> -> token
"""  # noqa: E501
    body = load("%tile, %loaded = load_view_tko weak %view[%zero, %i] token = %wrote")
    text = loop_over_tiles(body, before=before)
    assert stages(text)
    around_store = ("store_view_tko", ("load_view_tko before store_view_tko",))
    before_loop = ("pipelined_for", (f"store_view_tko before copy_async in {PROLOGUE}",))
    assert barriers(text) == [around_store, before_loop]
    assert barriers(loop_over_tiles(before=before)) == [around_store]
    # Once more than without the store.
    check(text, "f16", 100, [0, *range(4)], (0, 4, 1), schedule="descending")


@pytest.mark.parametrize(("element", "divisor", "expected"), [
    ("f16", 16, ("cg", 16)), ("f16", 8, ("ca", 8)), ("f16", 4, ("ca", 4)), ("i8", 4, ("ca", 4)),
    ("f32", 1, ("ca", 4)), ("f64", 1, ("ca", 8)), ("f64", 16, ("cg", 16)),
])  # fmt: skip
def test_copies_are_as_wide_as_alignment_allows(
    element: str, divisor: int, expected: tuple[str, int]
) -> None:
    assert copies(loop_over_tiles(element=element, divisor=divisor)) == {expected}


BUFFERS = (
    # f32 factors of 128x64 and 64x128: 64 KB an iteration
    ("matmul_f32", "sm_80", {}, 2),
    ("matmul_f16", "sm_80", {}, 3),
    # 96 of 99 KB
    ("matmul_f16", "sm_86", {}, 3),
    ("attention", "sm_80", {}, 3),
    # Together with the rows that stay
    ("attention", "sm_86", {}, 2),
    # Two blocks share 228 KB; of 113 KB, 112 are used.
    ("matmul_f16", "sm_90", {"minnctapersm": 2}, 3),
    ("attention", "sm_90", {"minnctapersm": 2}, 3),
)


@pytest.mark.parametrize("row", BUFFERS, ids=str)
def test_buffers_fit_shared_memory(row: tuple[str, str, dict[str, int], int]) -> None:
    name, target, options, count = row
    text = (Path(bench.__file__).parent / "kernels" / f"{name}.mlir").read_text()
    compiled = compile(assemble(text), target, **options)
    assert f"cp.async.wait_group {count - 2};" in compiled.ptx
    limit = TARGETS[target].shared_of_each(options.get("minnctapersm", 1))
    assert compiled.plan[name]["dynamic_shared_memory"] <= limit


@pytest.mark.parametrize("text", [
    loop_over_tiles(divisor=2),  # single elements of two bytes
    loop_over_tiles(padding="padding_value = neg_zero, "),
    loop_over_tiles(load(view=view_type(padding="padding_value = nan, ")).replace(
        "%tile", "%view2 = make_partition_view %tensor : "
        + view_type(padding="padding_value = nan, ") + "\n%tile", 1).replace("%view[", "%view2[")),
])  # fmt: skip
def test_what_copies_cannot_do_is_loaded(text: str) -> None:
    assert not stages(text)


def test_a_tile_that_is_wanted_in_registers_too_is_loaded() -> None:
    body = (
        load()
        + f"\n%again = addf %tile, %tile : tile<{ROWS}x{DEPTH}xf16>\n"
        + (
            f"%unused = store_view_tko weak %again, %view[%zero, %high] : tile<{ROWS}x{DEPTH}xf16>,"
            f" {view_type()}, tile<i32> -> token"
        )
    )
    assert not stages(loop_over_tiles(body))


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_with_asynchronous_copies_has_rings(target: str) -> None:
    assert (stages(loop_over_tiles(), target) > 0) == (target != "sm_75")
