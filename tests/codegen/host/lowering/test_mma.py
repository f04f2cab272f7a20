"""Matrix products against NumPy: exactly where every partial sum is exact, closely elsewhere."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.build import Kernel, tile
from tileir.codegen import compile
from tileir.codegen.host.lowering.chapters.microkernel import K_BLOCK, Product
from tileir.codegen.host.machine.vector_unit import VectorUnit
from tileir.ir.floats import value_of

DTYPES = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i32": np.int32,
}
FLOATS = [
    ("f8E4M3FN", "f16"), ("f8E4M3FN", "f32"), ("f8E5M2", "f16"), ("f8E5M2", "f32"), ("f16", "f16"),
    ("f16", "f32"), ("bf16", "f32"), ("f32", "f32"), ("f64", "f64"),
]  # fmt: skip
SHAPES = [
    (128, 64, 32), (1, 1, 1), (1, 64, 1), (64, 1, 8), (1, 1, 64), (2, 2, 2), (4, 16, 128),
    (16, 8, 512), (1, 512, 4), (512, 1, 4), (8, 4, 1024), (32, 2, 16),
]  # fmt: skip
"""Extents M, N, K."""

BATCHES = [(), (4,), (1,)]
SIGNS = ["ss", "su", "us", "uu"]


def product(
    element: str, total: str, left: tuple[int, ...], right: tuple[int, ...], **attributes: Any
) -> Kernel:
    """A kernel that stores left @ right + acc of four arrays that are one tile each."""
    shape = (*left[:-1], right[-1])
    kernel = Kernel("product", *(f"ptr<{name}>" for name in (element, element, total, total)))
    x, y, z = (
        kernel.load(kernel.view(pointer, extents, extents), *kernel.zeros(len(extents)))
        for pointer, extents in zip(kernel.parameters, (left, right, shape), strict=False)
    )
    name = "mmai" if element == "i8" else "mmaf"
    kind = tile("x".join(map(str, (*shape, total))))
    value = kernel.op(name, x, y, z, results=[kind], **attributes)
    kernel.store(value, kernel.view(kernel.parameters[3], shape, shape), *kernel.zeros(len(shape)))
    return kernel


def run(kernel: Kernel, *args: np.ndarray) -> None:
    compile(kernel.module())[kernel.name].launch(1, args)


def integers(
    shape: tuple[int, ...], low: int, high: int, dtype: Any, seed: int = 0
) -> np.ndarray:  # fmt: skip
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("number", range(len(SHAPES)), ids=lambda number: str(SHAPES[number]))
@pytest.mark.parametrize(("element", "total"), FLOATS, ids=str)
def test_small_integers_are_multiplied_exactly(element: str, total: str, number: int) -> None:
    (m, n, k), batch = SHAPES[number], BATCHES[number % len(BATCHES)]
    x = integers((*batch, m, k), -1, 2, DTYPES[element], 1)
    y = integers((*batch, k, n), -2, 3, DTYPES[element], 2)
    z = integers((*batch, m, n), -9, 9, DTYPES[total], 3)
    found = np.full(z.shape, 77, z.dtype)
    run(product(element, total, x.shape, y.shape), x, y, z, found)
    expected = x.astype(np.float64) @ y.astype(np.float64) + z.astype(np.float64)
    np.testing.assert_array_equal(found, expected.astype(z.dtype))


@pytest.mark.parametrize("number", range(len(SHAPES)), ids=lambda number: str(SHAPES[number]))
def test_bytes_are_multiplied_exactly_and_sums_wrap(number: int) -> None:
    (m, n, k), signs = SHAPES[number], SIGNS[number % len(SIGNS)]
    names = {"s": ("signed", np.int8), "u": ("unsigned", np.uint8)}
    (left, left_type), (right, right_type) = (names[sign] for sign in signs)
    x, y = integers((m, k), -128, 128, np.int8, 1), integers((k, n), -128, 128, np.int8, 2)
    x[:, ::2], y[::2] = -1, -1  # 255 if unsigned
    z = integers((m, n), -(2**31), 2**31, np.int32, 3)
    found = np.zeros_like(z)
    kernel = product(
        "i8", "i32", x.shape, y.shape, signedness_lhs=left, signedness_rhs=right
    )  # fmt: skip
    run(kernel, x, y, z, found)
    wide = x.view(left_type).astype(np.int64) @ y.view(right_type).astype(np.int64)
    np.testing.assert_array_equal(found, (wide + z).astype(np.int32))


def test_long_sums_of_large_bytes_are_exact() -> None:
    """All ones of eight bits: in f32 alone more than `K_BLOCK` such products would be rounded."""
    k = 8 * K_BLOCK
    x, y = np.full((2, k), 255, np.uint8), np.full((k, 4), 255, np.uint8)
    x[0, 0] = 254
    z, found = np.zeros((2, 4), np.int32), np.zeros((2, 4), np.int32)
    signs = {"signedness_lhs": "unsigned", "signedness_rhs": "unsigned"}
    run(product("i8", "i32", x.shape, y.shape, **signs), x, y, z, found)
    np.testing.assert_array_equal(found, x.astype(np.int32) @ y.astype(np.int32))


@pytest.mark.parametrize(("element", "total"), FLOATS, ids=str)
def test_any_numbers_are_multiplied_closely(element: str, total: str) -> None:
    """The error of a sum is at most its length times the rounding error of its magnitudes."""
    m, n, k = 32, 64, 512
    choice = np.random.default_rng(4)
    x, y, z = (
        choice.standard_normal(extents).astype(DTYPES[name])
        for extents, name in (((m, k), element), ((k, n), element), ((m, n), total))
    )
    found = np.zeros_like(z)
    run(product(element, total, x.shape, y.shape), x, y, z, found)
    wide = [array.astype(np.longdouble) for array in (x, y, z)]
    expected = wide[0] @ wide[1] + wide[2]
    magnitude = abs(wide[0]) @ abs(wide[1]) + abs(wide[2])
    each = np.finfo(np.float64 if total == "f64" else np.float32).eps / 2
    last = ml_dtypes.finfo(DTYPES[total]).eps / 2
    bound = (k + 1) * each * magnitude + last * abs(expected)
    assert (abs(found.astype(np.longdouble) - expected) <= bound).all()


def scaled(element: str, scale: str, shared: int, m: int, n: int, k: int, batch: int) -> Kernel:
    """A kernel that stores the scaled product of five arrays that are one tile each."""
    shapes = [
        (batch, m, k), (batch, k, n), (batch, m, n), (batch, m, k // shared),
        (batch, k // shared, n), (batch, m, n),
    ]  # fmt: skip
    names = (element, element, "f32", scale, scale, "f32")
    kernel = Kernel("scaled", *(f"ptr<{name}>" for name in names))
    views = [
        kernel.view(pointer, shape, shape)
        for pointer, shape in zip(kernel.parameters, shapes, strict=True)
    ]
    loaded = [kernel.load(view, *kernel.zeros(3)) for view in views[:-1]]
    value = kernel.op("mmaf_scaled", *loaded, results=[f"{batch}x{m}x{n}xf32"])
    kernel.store(value, views[-1], *kernel.zeros(3))
    return kernel


def packed(array: np.ndarray) -> np.ndarray:
    """As a tensor has it: two elements of four bits share a byte."""
    if array.dtype != ml_dtypes.float4_e2m1fn:
        return array
    low, high = (array.view(np.uint8).reshape(-1, 2)[:, part] & 15 for part in (0, 1))
    return low | high << 4


SCALED = [
    ("f8E4M3FN", "f8E8M0FNU", 32), ("f8E5M2", "f8E8M0FNU", 32), ("f4E2M1FN", "f8E8M0FNU", 16),
    ("f4E2M1FN", "f8E8M0FNU", 32), ("f4E2M1FN", "f8E4M3FN", 16),
    ("f4E2M1FN", "fnv8E5M3FNU", 16),
]  # fmt: skip


@pytest.mark.parametrize("reach", [4, 120], ids=["usual", "extreme"])
@pytest.mark.parametrize(("element", "scale", "shared"), SCALED, ids=str)
def test_scaled_numbers_are_multiplied(element: str, scale: str, shared: int, reach: int) -> None:
    """With extreme scales the factors, and single products, are too large or too small for f32."""
    m, n, k, batch = 8, 16, 64, 2
    choice = np.random.default_rng(7)

    def data(*shape: int) -> np.ndarray:
        return choice.choice([-4, -1.5, -1, -0.5, 0, 1, 2, 3, 6], shape).astype(DTYPES[element])

    def scales(sign: int, *shape: int) -> np.ndarray:
        if scale == "f8E4M3FN":
            finite = choice.integers(0, 0x7F, shape, np.uint8)
            return finite.view(DTYPES[scale])
        if scale == "fnv8E5M3FNU":
            return choice.integers(0, 0xFF, shape, np.uint8)
        powers = sign * reach + choice.integers(-3, 4, shape)
        return np.ldexp(1.0, powers).astype(DTYPES[scale])

    x, y = data(batch, m, k), data(batch, k, n)
    x_scale = scales(1, batch, m, k // shared)
    y_scale = scales(-1, batch, k // shared, n)
    z = choice.integers(-4, 5, (batch, m, n)).astype(np.float32)
    found = np.zeros_like(z)
    kernel = scaled(element, scale, shared, m, n, k, batch)
    run(kernel, packed(x), packed(y), z, x_scale, y_scale, found)
    if scale == "fnv8E5M3FNU":
        numbers = np.array([value_of(scale, pattern) for pattern in range(256)])
        x_scale, y_scale = numbers[x_scale], numbers[y_scale]
    wide = [array.astype(np.float64) for array in (x, x_scale, y, y_scale)]
    left = wide[0] * wide[1].repeat(shared, 2)
    right = wide[2] * wide[3].repeat(shared, 1)
    np.testing.assert_array_equal(found, (left @ right + z).astype(np.float32))


def test_a_scale_that_is_no_number_spoils_its_row() -> None:
    kernel = scaled("f8E4M3FN", "f8E8M0FNU", 32, 4, 8, 64, 1)
    x, y = np.ones((1, 4, 64), DTYPES["f8E4M3FN"]), np.ones((1, 64, 8), DTYPES["f8E4M3FN"])
    scales = np.full((1, 4, 2), 127, np.uint8), np.full((1, 2, 8), 127, np.uint8)
    scales[0][0, 2, 1] = 255
    z, found = np.zeros((1, 4, 8), np.float32), np.zeros((1, 4, 8), np.float32)
    run(kernel, x, y, z, *(array.view(DTYPES["f8E8M0FNU"]) for array in scales), found)
    assert np.isnan(found[0, 2]).all()
    assert (found[0, [0, 1, 3]] == 64).all()


def test_halves_are_summed_in_f32() -> None:
    """A sum in f16 would stop at 2048, where one is half of the distance to the next number."""
    x, y = np.ones((2, 4096), np.float16), np.ones((4096, 2), np.float16)
    z, found = np.zeros((2, 2), np.float16), np.zeros((2, 2), np.float16)
    run(product("f16", "f16", x.shape, y.shape), x, y, z, found)
    assert (found == 4096).all()


@pytest.mark.parametrize("shape", [(8, 32, 16), (2, 1, 4)], ids=str)
def test_special_values_take_part(shape: tuple[int, int, int]) -> None:
    """Zero times infinity is no number, however the zero got there."""
    m, n, k = shape
    x, y = np.zeros((m, k), np.float32), np.ones((k, n), np.float32)
    y[1, 0] = np.inf
    x[1, 2] = np.nan
    z = np.zeros((m, n), np.float32)
    found = z.copy()
    run(product("f32", "f32", x.shape, y.shape), x, y, z, found)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(found, x @ y + z)
    assert np.isnan(found[:, 0]).all()


def test_the_accumulator_is_there_afterwards() -> None:
    """Also if it is a factor, and the result of one product a factor of the next."""
    kernel = Kernel("squares", "ptr<f32>", "ptr<f32>", "ptr<f32>")
    view = [kernel.view(pointer, (16, 16), (16, 16)) for pointer in kernel.parameters]
    x = kernel.load(view[0], *kernel.zeros(2))
    square = kernel.op("mmaf", x, x, x, results=["16x16xf32"])
    cube = kernel.op("mmaf", square, x, square, results=["16x16xf32"])
    total = kernel.op("mmaf", x, cube, square, results=["16x16xf32"])
    kernel.store(total, view[1], *kernel.zeros(2))
    kernel.store(x, view[2], *kernel.zeros(2))
    given = integers((16, 16), -2, 3, np.float32)
    found, same = np.zeros_like(given), np.zeros_like(given)
    run(kernel, given, found, same)
    square = given @ given + given
    np.testing.assert_array_equal(found, given @ (square @ given + square) + square)
    np.testing.assert_array_equal(same, given)


def test_factors_are_computed_on_the_way() -> None:
    """A transposed and a broadcast factor, one with arithmetic, one that crosses the edge."""
    kernel = Kernel("computed", "ptr<f32>", "ptr<f32>", "ptr<f32>")
    source, row, target = kernel.parameters
    x = kernel.load(kernel.view(source, (13, 32), (16, 32), padding="zero"), *kernel.zeros(2))
    turned = kernel.op("permute", x, results=["32x16xf32"], permutation=(1, 0))
    one = kernel.load(kernel.view(row, (1, 32), (1, 32)), *kernel.zeros(2))
    wide = kernel.op("broadcast", one, results=["16x32xf32"])
    left = kernel.op("negf", x, results=["16x32xf32"])
    zero = kernel.constant("16x16xf32", 0)
    total = kernel.op("mmaf", left, turned, zero, results=["16x16xf32"])
    total = kernel.op("mmaf", wide, turned, total, results=["16x16xf32"])
    kernel.store(total, kernel.view(target, (16, 16), (16, 16)), *kernel.zeros(2))
    x, y = integers((13, 32), -4, 5, np.float32, 1), integers((1, 32), -4, 5, np.float32, 2)
    found = np.zeros((16, 16), np.float32)
    run(kernel, x, y, found)
    whole = np.vstack([x, np.zeros((3, 32), np.float32)])
    np.testing.assert_array_equal(found, (y - whole) @ whole.T)


@pytest.mark.parametrize("extent", [64, 50], ids=["inside", "edge"])
def test_factors_are_read_the_way_they_lie(extent: int) -> None:
    """Both are stored transposed: once the view turns them, once a permute does."""
    kernel = Kernel("turned", "ptr<f16>", "ptr<f16>", "ptr<f32>")
    left, right, target = kernel.parameters
    x = kernel.view(left, (1, extent, 16), (1, 16, 64), dim_map=(0, 2, 1), padding="zero")
    x = kernel.op("reshape", kernel.load(x, *kernel.zeros(3)), results=["16x64xf16"])
    y = kernel.load(kernel.view(right, (32, extent), (32, 64), padding="zero"), *kernel.zeros(2))
    y = kernel.op("negf", y, results=["32x64xf16"])
    y = kernel.op("permute", y, results=["64x32xf16"], permutation=(1, 0))
    zero = kernel.constant("16x32xf32", 0)
    total = kernel.op("mmaf", x, y, zero, results=["16x32xf32"])
    kernel.store(total, kernel.view(target, (16, 32), (16, 32)), *kernel.zeros(2))
    x = integers((1, extent, 16), -4, 5, np.float16, 1)
    y = integers((32, extent), -4, 5, np.float16, 2)
    found = np.zeros((16, 32), np.float32)
    run(kernel, x, y, found)
    np.testing.assert_array_equal(found, -(x[0].T.astype(np.float32) @ y.T.astype(np.float32)))


def test_code_does_not_grow_with_the_tile() -> None:
    sizes = [
        len(compile(product("f16", "f32", (m, k), (k, n)).module()).assembly)
        for m, n, k in ((64, 64, 512), (256, 512, 1024))
    ]
    assert sizes[1] < 1.1 * sizes[0]


@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_blocks_fit_the_registers(
    bits: int, shape: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VectorUnit, "of_host", lambda: VectorUnit(bits, 8))
    found = Product("f32", "f32", *shape)
    rows, vectors = found.block
    assert rows * vectors <= 8
    assert found.m % rows == found.n % found.width == 0
    assert 32 * found.lanes <= bits
    assert rows * vectors == 8 or found.m * found.n < 8 * bits // 32 or found.n < found.lanes * 2


@pytest.mark.parametrize("bits", [128, 256])
def test_narrower_registers_give_the_same(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VectorUnit, "of_host", lambda: VectorUnit(bits, 8))
    x, y = integers((16, 64), -4, 5, np.float16, 1), integers((64, 32), -4, 5, np.float16, 2)
    z = integers((16, 32), -4, 5, np.float32, 3)
    found = np.zeros_like(z)
    run(product("f16", "f32", x.shape, y.shape), x, y, z, found)
    np.testing.assert_array_equal(found, x.astype(np.float32) @ y.astype(np.float32) + z)
