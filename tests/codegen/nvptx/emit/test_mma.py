"""Matrix products on the emulator, against NumPy: all types, odd shapes, factors of all origins."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.codegen.build import Kernel, tile
from tests.codegen.host.lowering.test_mma import DTYPES, integers, product
from tests.codegen.nvptx import on_emulator
from tests.codegen.nvptx.compiled import compiled
from tileir.codegen import compile
from tileir.codegen.nvptx.schedule import split_operands
from tileir.codegen.nvptx.schedule.staged import SCRATCH
from tileir.gpus import TARGETS

SHAPES = [
    ((4,), 16, 8, 32), ((), 1, 1, 1), ((2,), 32, 64, 4), ((), 8, 64, 64), ((), 64, 4, 8),
    ((), 2, 2, 128),
]  # fmt: skip
"""Batch, extents M, N, K."""
CASES = [
    ("sm_75", "f16", "f16"), ("sm_75", "f16", "f32"), ("sm_75", "bf16", "f32"),
    ("sm_75", "f64", "f64"), ("sm_75", "f8E4M3FN", "f32"), ("sm_80", "f16", "f32"),
    ("sm_80", "bf16", "f32"), ("sm_80", "f32", "f32"), ("sm_80", "f64", "f64"),
    ("sm_80", "f8E5M2", "f16"), ("sm_89", "f8E4M3FN", "f32"), ("sm_89", "f8E5M2", "f32"),
    ("sm_90", "f64", "f64"), ("sm_90", "f16", "f16"),
]  # fmt: skip


def run(kernel: Kernel, target: str, *args: np.ndarray) -> str:
    """Launch on the emulator; returns the PTX."""
    made = compile(kernel.module(), target)
    on_emulator.run(made, kernel.name, 1, list(args))
    return made.ptx


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda number: "-".join(CASES[number]))
def test_small_integers_are_multiplied_exactly(number: int) -> None:
    target, element, total = CASES[number]
    for turn in range(2):
        batch, m, n, k = SHAPES[(2 * number + turn) % len(SHAPES)]
        x = integers((*batch, m, k), -1, 2, DTYPES[element], 1)
        y = integers((*batch, k, n), -2, 3, DTYPES[element], 2)
        z = integers((*batch, m, n), -9, 9, DTYPES[total], 3)
        found = np.full(z.shape, 77, z.dtype)
        run(product(element, total, x.shape, y.shape), target, x, y, z, found)
        expected = x.astype(np.float64) @ y.astype(np.float64) + z.astype(np.float64)
        np.testing.assert_array_equal(found, expected.astype(z.dtype))


def test_llvm_keeps_what_whole_warps_do_out_of_branches() -> None:
    """Instructions that PTX calls aligned may not depend on more conditions than they did."""
    text = compiled("mma_f16").llvm_ir
    for name in ("llvm.nvvm.mma.", "ldmatrix.sync.aligned"):
        lines = [line for line in text.splitlines() if " = call " in line and name in line]
        assert lines
        assert all(" convergent" in line for line in lines)


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_89", "sm_90"])
@pytest.mark.parametrize("element", ["f8E4M3FN", "f8E5M2"])
def test_every_float_of_eight_bits_is_itself_times_one(element: str, target: str) -> None:
    """NaN and infinity, and what they make of the zeros in their row, included."""
    x = np.arange(256, dtype=np.uint8).reshape(16, 16).view(DTYPES[element])
    one, zero = np.eye(16).astype(DTYPES[element]), np.zeros((16, 16), np.float32)
    found = np.ones((16, 16), np.float32)
    run(product(element, "f32", x.shape, one.shape), target, x, one, zero, found)
    with np.errstate(invalid="ignore"):
        expected = x.astype(np.float64) @ one.astype(np.float64)
    np.testing.assert_array_equal(found, expected.astype(np.float32))


@pytest.mark.parametrize("target", ["sm_75", "sm_80"])
def test_bytes_of_either_sign_are_multiplied_and_sums_wrap(target: str) -> None:
    x, y = integers((16, 64), -128, 128, np.int8, 1), integers((64, 32), -128, 128, np.int8, 2)
    z, found = integers((16, 32), -(2**31), 2**31, np.int32, 3), np.zeros((16, 32), np.int32)
    signs = {"signedness_lhs": "signed", "signedness_rhs": "unsigned"}
    run(product("i8", "i32", x.shape, y.shape, **signs), target, x, y, z, found)
    exact = x.astype(np.int64) @ y.view(np.uint8).astype(np.int64) + z
    np.testing.assert_array_equal(found, exact.astype(np.int32))


@pytest.mark.parametrize(
    ("element", "turned", "reads"),
    [
        ("f16", (False, False), {"x4.shared": True, "x4.trans": True}),
        ("f16", (True, True), {"x4.shared": True, "x4.trans": True}),
        ("f16", (True, False), {"x4.shared": False, "x4.trans": True}),
        ("f8E4M3FN", (False, True), {"x4.shared": True, "x4.trans": False}),
        ("f8E4M3FN", (True, False), {"x4.shared": False, "x4.trans": True}),
    ],
)
def test_factors_may_lie_either_way_round(
    element: str, turned: tuple[bool, bool], reads: dict[str, bool]
) -> None:
    """A permuted factor is not moved; `ldmatrix` turns elements of one or two bytes."""
    m, n, k = 32, 32, 64
    x = integers((m, k), -2, 3, DTYPES[element], 1)
    y = integers((k, n), -2, 3, DTYPES[element], 2)
    kernel = Kernel("turned", f"ptr<{element}>", f"ptr<{element}>", "ptr<f32>")
    factors, arrays = [], []
    for array, pointer, turn in zip((x, y), kernel.parameters, turned, strict=False):
        array = np.ascontiguousarray(array.T) if turn else array
        arrays.append(array)
        value = kernel.load(kernel.view(pointer, array.shape, array.shape), *kernel.zeros(2))
        if turn:
            kind = tile(f"{array.shape[1]}x{array.shape[0]}x{element}")
            value = kernel.op("permute", value, results=[kind], permutation=[1, 0])
        factors.append(value)
    pointer = kernel.parameters[2]
    acc = kernel.load(kernel.view(pointer, [m, n], [m, n]), *kernel.zeros(2))
    value = kernel.op("mmaf", *factors, acc, results=[tile(f"{m}x{n}xf32")])
    kernel.store(value, kernel.view(pointer, [m, n], [m, n]), *kernel.zeros(2))
    found = np.zeros((m, n), np.float32)
    ptx = run(kernel, "sm_89", *arrays, found)
    np.testing.assert_array_equal(found, x.astype(np.float32) @ y.astype(np.float32))
    assert "ld.shared.b8" not in ptx
    assert {way: f"ldmatrix.sync.aligned.m8n8.{way}" in ptx for way in reads} == reads


def test_a_sum_becomes_a_factor_without_leaving_its_registers() -> None:
    """Both products are cut along their rows, so no warp needs what another one has."""
    m, n, k, last = 64, 32, 32, 16
    x, y = integers((m, k), -2, 3, np.float16, 1), integers((k, n), -2, 3, np.float16, 2)
    w, found = integers((n, last), -2, 3, np.float16, 3), np.zeros((m, last), np.float32)
    kernel = Kernel("twice", *["ptr<f16>"] * 3, "ptr<f32>")
    left, right, second = (
        kernel.load(kernel.view(pointer, array.shape, array.shape), *kernel.zeros(2))
        for pointer, array in zip(kernel.parameters, (x, y, w), strict=False)
    )
    value = kernel.op("mmaf", left, right, zeros(kernel, m, n), results=[tile(f"{m}x{n}xf32")])
    value = kernel.op(
        "ftof", value, results=[tile(f"{m}x{n}xf16")], rounding_mode="nearest_even"
    )  # fmt: skip
    kind = tile(f"{m}x{last}xf32")
    value = kernel.op("mmaf", value, second, zeros(kernel, m, last), results=[kind])
    shape = [m, last]
    kernel.store(value, kernel.view(kernel.parameters[3], shape, shape), *kernel.zeros(2))
    ptx = run(kernel, "sm_80", x, y, w, found)
    exact = x.astype(np.float32) @ y.astype(np.float32) @ w.astype(np.float32)
    np.testing.assert_array_equal(found, exact)
    between = ptx[ptx.index("mma.sync") : ptx.rindex("mma.sync")]
    assert "st.shared" not in between


def test_llvm_keeps_what_all_lanes_do_out_of_branches() -> None:
    """The PTX ISA leaves an aligned instruction undefined where only some lanes come to it."""
    compiled = compile(product("f16", "f32", (32, 64), (64, 32)).module(), "sm_80")
    calls = [line for line in compiled.llvm_ir.splitlines() if " = call " in line]
    products = [line for line in calls if '@"llvm.nvvm.mma.' in line]
    aligned = products + [line for line in calls if ".sync.aligned." in line and " asm " in line]
    assert products
    assert any("ldmatrix" in line for line in aligned)
    assert all("convergent" in line for line in aligned)


def zeros(kernel: Kernel, *shape: int, element: str = "f32") -> Any:
    return kernel.constant(f"{'x'.join(map(str, shape))}x{element}", 0)


def test_a_long_product_is_a_loop() -> None:
    x, y = integers((32, 128), -1, 2, np.float32, 1), integers((128, 64), -1, 2, np.float32, 2)
    z, found = np.zeros((32, 64), np.float32), np.ones((32, 64), np.float32)
    ptx = run(product("f32", "f32", x.shape, y.shape), "sm_80", x, y, z, found)
    np.testing.assert_array_equal(found, x @ y)
    assert ptx.count("fma.rn.f32") < 128


PIECES = [
    ("sm_75", "f16", "f32", (), 32, 16, 64, 0), ("sm_75", "f64", "f64", (), 16, 8, 64, 0),
    ("sm_80", "bf16", "f32", (2,), 16, 32, 64, 4096), ("sm_86", "f32", "f32", (), 64, 16, 64, 4096),
    ("sm_89", "f8E4M3FN", "f32", (), 64, 16, 128, 0), ("sm_80", "f16", "f16", (), 8, 64, 64, 1024),
]  # fmt: skip
"""The last number is the bytes that tiles may be kept in: none, or room for one of the factors."""


LEAST = 4 << 10
"""Bytes of pieces."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("way", ["loaded", "turned", "computed"])
@pytest.mark.parametrize(
    "number", range(len(PIECES)), ids=lambda number: "-".join(PIECES[number][:3])
)
def test_factors_that_shared_memory_cannot_hold_come_in_pieces(
    number: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, element, total, batch, m, n, k, room = PIECES[number]
    if (way == "turned" and batch) or (way == "computed" and element.startswith("f8")):
        pytest.skip("neither is there")
    row = replace(TARGETS[target], shared_bytes=room + SCRATCH)
    monkeypatch.setitem(TARGETS, target, row)
    monkeypatch.setattr(split_operands, "SCRATCH", LEAST)
    ptx = multiplied(way, element, total, (*batch, m, k), (*batch, k, n), target)
    assert ptx.count("bar.sync") > 1
    if element in ("f16", "bf16"):
        assert "ldmatrix" in ptx


def test_factors_of_which_no_piece_fits_are_moved_to_where_they_are_multiplied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That takes pieces too: of these, threads want different ones."""
    monkeypatch.setitem(TARGETS, "sm_80", replace(TARGETS["sm_80"], shared_bytes=SCRATCH))
    monkeypatch.setattr(split_operands, "SCRATCH", 0)
    multiplied("computed", "f16", "f16", (4, 64, 128), (4, 128, 8), "sm_80")


@pytest.mark.parametrize("target", ["sm_75", "sm_80"])
def test_the_sum_of_pieces_is_rounded_once(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums are above 2048, where f16 has no odd numbers any more."""
    monkeypatch.setitem(TARGETS, target, replace(TARGETS[target], shared_bytes=SCRATCH))
    monkeypatch.setattr(split_operands, "SCRATCH", LEAST)
    ptx = multiplied("computed", "f16", "f16", (32, 64), (64, 32), target, (3, 14))
    assert ptx.count("bar.sync") > 1


def multiplied(
    way: str, element: str, total: str, left: tuple[int, ...], right: tuple[int, ...], target: str,
    ends: tuple[int, int] = (-1, 2),
) -> str:  # fmt: skip
    """Multiply factors that are loaded, perhaps turned or doubled, and compare; the PTX."""
    x, y = (
        integers(shape, *ends, DTYPES[element], seed) for seed, shape in enumerate((left, right), 1)
    )
    kernel = Kernel("pieces", *[f"ptr<{element}>"] * 2, f"ptr<{total}>")
    factors, arrays = [], []
    for array, pointer in zip((x, y), kernel.parameters, strict=False):
        arrays.append(np.ascontiguousarray(array.T) if way == "turned" else array)
        shape = arrays[-1].shape
        value = kernel.load(kernel.view(pointer, shape, shape), *kernel.zeros(len(shape)))
        kind = tile(f"{'x'.join(map(str, array.shape))}x{element}")
        if way == "turned":
            value = kernel.op("permute", value, results=[kind], permutation=[1, 0])
        if way == "computed":
            value = kernel.op(
                "addf", value, value, results=[kind], rounding_mode="nearest_even"
            )  # fmt: skip
        factors.append(value)
    shape = [*left[:-1], right[-1]]
    kind = tile(f"{'x'.join(map(str, shape))}x{total}")
    value = kernel.op("mmaf", *factors, zeros(kernel, *shape, element=total), results=[kind])
    view = kernel.view(kernel.parameters[2], shape, shape)
    kernel.store(value, view, *kernel.zeros(len(shape)))
    found = np.ones(shape, DTYPES[total])
    ptx = run(kernel, target, *arrays, found)
    exact = x.astype(np.float64) @ y.astype(np.float64) * (4 if way == "computed" else 1)
    np.testing.assert_array_equal(found, exact.astype(found.dtype))
    return ptx


@pytest.mark.parametrize("target", ["sm_75", "sm_89"])
def test_scales_at_the_ends_of_their_range_do_not_overflow(target: str) -> None:
    """Twice the largest power of two against the smallest ones; NaN is NaN."""
    m, n, k = 16, 8, 64
    x, y = (integers(s, -4, 5, DTYPES["f8E4M3FN"], 1) for s in ((m, k), (k, n)))
    large, small = np.full((m, 2), 254, np.uint8), np.full((2, n), 1, np.uint8)
    large[3, 1] = 255
    names = ("f8E4M3FN", "f8E4M3FN", "f8E8M0FNU", "f8E8M0FNU", "f32")
    kernel = Kernel("scaled", *(f"ptr<{each}>" for each in names))
    arrays = (x, y, large.view(DTYPES["f8E8M0FNU"]), small.view(DTYPES["f8E8M0FNU"]))
    left, right, left_scale, right_scale = (
        kernel.load(kernel.view(pointer, array.shape, array.shape), *kernel.zeros(2))
        for pointer, array in zip(kernel.parameters, arrays, strict=False)
    )
    value = kernel.op(
        "mmaf_scaled", left, right, zeros(kernel, m, n), left_scale, right_scale,
        results=[tile(f"{m}x{n}xf32")],
    )  # fmt: skip
    shape = [m, n]
    kernel.store(value, kernel.view(kernel.parameters[4], shape, shape), *kernel.zeros(2))
    found = np.zeros((m, n), np.float32)
    run(kernel, target, *arrays, found)
    expected = 2.0 * (x.astype(np.float64) @ y.astype(np.float64))
    expected[3] = np.nan
    np.testing.assert_array_equal(found, expected.astype(np.float32))
