"""Products in words of narrow elements, and the same products on CPUs that do not have them."""

from __future__ import annotations

from collections.abc import Iterator

import llvmlite.binding as llvm
import ml_dtypes
import numpy as np
import pytest
from llvmlite.binding.targets import FeatureMap

from tests.codegen.build import Kernel
from tests.codegen.host.lowering.test_mma import DTYPES, integers, product
from tileir.codegen import compile
from tileir.codegen.host.machine import cpu
from tileir.codegen.host.machine.vector_unit import DOT_PRODUCTS, VectorUnit
from tileir.codegen.scalar.machine import Machine
from tileir.errors import KernelError

CPUS = {
    "this one": "",
    "no dot products": "avx512bf16 avx512vnni",
    "AVX2": "avx512",
    "no fma": "avx512 fma",
    "SSE": "avx fma f16c",
}
"""What a CPU is called -> how the names of the features begin that it does not have."""

CACHED = (cpu.identity, cpu.triple_and_layout, cpu._machine, VectorUnit.of_host, Machine.of_host)


@pytest.fixture(params=CPUS)
def missing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The features that the CPU is taken not to have."""
    gone = tuple(CPUS[request.param].split())
    found = llvm.get_host_cpu_features()
    left = FeatureMap({name: has and not name.startswith(gone) for name, has in found.items()})
    monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: left)
    for function in CACHED:
        function.cache_clear()
    yield CPUS[request.param]
    monkeypatch.undo()
    for function in CACHED:
        function.cache_clear()


def assembly_and_result(kernel: Kernel, *args: np.ndarray) -> tuple[str, np.ndarray]:
    compiled = compile(kernel.module(), cache=False)
    compiled[kernel.name].launch(1, args)
    return compiled.assembly, args[-1]


SHAPES = [(128, 64, 32), (1, 16, 4), (8, 32, 512)]
"""Extents M, N, K."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("element", ["f32", "bf16", "f8E4M3FN", "f8E5M2", "i8"])
def test_every_cpu_multiplies_alike(missing: str, element: str, shape: tuple[int, ...]) -> None:
    m, n, k = shape
    low, high = (-128, 128) if element == "i8" else (-4, 5)
    x = integers((m, k), low, high, DTYPES[element], 1)
    y = integers((k, n), low, high, DTYPES[element], 2)
    total = "i32" if element == "i8" else "f32"
    z = integers((m, n), -9, 9, DTYPES[total], 3)
    signs = dict.fromkeys(("signedness_lhs", "signedness_rhs"), "signed") if low < -4 else {}
    kernel = product(element, total, x.shape, y.shape, **signs)
    text, found = assembly_and_result(kernel, x, y, z, np.zeros_like(z))
    np.testing.assert_array_equal(found, x.astype("f8") @ y.astype("f8") + z)
    assert "zmm" not in text or missing in ("", "avx512bf16 avx512vnni")
    used = {"vdpbf16ps": "bf16x2", "vpdpbusd": "i8x4"}
    here = VectorUnit.of_host().dot_products
    for instruction, operand in used.items():
        assert instruction not in text or operand in here


@pytest.mark.parametrize("signs", ["ss", "su", "us", "uu"])
@pytest.mark.parametrize("shape", [(16, 32, 1024), (128, 64, 64)], ids=str)
def test_bytes_of_every_sign(signs: str, shape: tuple[int, int, int]) -> None:
    """All bytes there are, many of them extreme; sums wrap."""
    m, n, k = shape
    choice = np.random.default_rng(3)
    names = {"s": ("signed", np.int8), "u": ("unsigned", np.uint8)}
    (left, left_type), (right, right_type) = (names[sign] for sign in signs)
    x, y = choice.integers(-128, 128, (m, k), np.int8), choice.integers(-128, 128, (k, n), np.int8)
    x[:, ::3], y[::3], x[0], y[:, 0] = -128, -128, -1, -1
    z = choice.integers(-(2**31), 2**31, (m, n)).astype(np.int32)
    kernel = product("i8", "i32", x.shape, y.shape, signedness_lhs=left, signedness_rhs=right)
    text, found = assembly_and_result(kernel, x, y, z, np.zeros_like(z))
    wide = x.view(left_type).astype(np.int64) @ y.view(right_type).astype(np.int64)
    np.testing.assert_array_equal(found, (wide + z).astype(np.int32))
    assert ("vpdpbusd" in text) == ("i8x4" in VectorUnit.of_host().dot_products)


@pytest.mark.parametrize("kind", ["positive", "signed", "far apart", "tiny"])
@pytest.mark.parametrize("k", [64, 2048])
def test_a_sum_of_bf16_products_is_as_good_as_one_in_f32(kind: str, k: int) -> None:
    """Within K roundings of f32, and what products and factors below the normal ones add."""
    choice = np.random.default_rng(k)
    x, y = choice.standard_normal((2, k, 64), np.float32)
    if kind == "positive":
        x, y = abs(x), abs(y)
    elif kind == "far apart":
        x, y = (each * np.exp2(choice.integers(-30, 30, each.shape)) for each in (x, y))
    elif kind == "tiny":
        x, y = x * 2.0**-70, y * np.exp2(choice.integers(-64, 8, y.shape))
    x, y = (each.astype(ml_dtypes.bfloat16) for each in (x.T.copy(), y))
    z, found = np.zeros((64, 64), np.float32), np.zeros((64, 64), np.float32)
    _, found = assembly_and_result(product("bf16", "f32", x.shape, y.shape), x, y, z, found)
    wide = [each.astype(np.longdouble) for each in (x, y)]
    expected, magnitude = wide[0] @ wide[1], abs(wide[0]) @ abs(wide[1])
    bound = (k + 1) * 2.0**-24 * magnitude + 2 * k * 2.0**-126
    assert (abs(found - expected) <= bound).all()


def test_subnormal_factors_count_as_zero_or_as_they_are() -> None:
    """`vdpbf16ps` takes bf16 below 2**-126 for zero, so at most that times the other factor."""
    x = np.full((16, 64), 2.0**-130, ml_dtypes.bfloat16)
    y = np.full((64, 16), 2.0**100, ml_dtypes.bfloat16)
    z, found = np.ones((16, 16), np.float32), np.zeros((16, 16), np.float32)
    _, found = assembly_and_result(product("bf16", "f32", x.shape, y.shape), x, y, z, found)
    assert (abs(found - 1) <= 64 * 2.0**-126 * 2.0**100).all()


def test_a_feature_is_named_as_llvm_names_it() -> None:
    features = llvm.get_host_cpu_features()
    if features.get("avx512f") is None:
        pytest.skip("LLVM lists other features for this architecture")
    assert {*DOT_PRODUCTS.values()} <= {*features}


TOTALS = {"i8": "i32", "f64": "f64"}
"""Element type -> that of sums of its products, where it is not f32."""


def lying(element: str, batch: int, which: str, m: int, n: int, k: int, **signs: str) -> Kernel:
    """A kernel whose product has operands that are contiguous along M or K: "lhs", "rhs", both."""
    total = TOTALS.get(element, "f32")
    kernel = Kernel("lying", *(f"ptr<{name}>" for name in (element, element, total)))
    tiles = []
    for pointer, slot, shape in zip(
        kernel.parameters, ("lhs", "rhs"), ((batch, m, k), (batch, k, n)), strict=False
    ):
        stored = (batch, shape[2], shape[1]) if slot in which else shape
        value = kernel.load(kernel.view(pointer, stored, stored), *kernel.zeros(3))
        if slot in which:
            kind = f"{'x'.join(map(str, shape))}x{element}"
            value = kernel.op("permute", value, results=[kind], permutation=(0, 2, 1))
        tiles.append(value)
    shape = (batch, m, n)
    kind = f"{batch}x{m}x{n}x{total}"
    zero = kernel.constant(kind, 0)
    name = "mmai" if element == "i8" else "mmaf"
    result = kernel.op(name, *tiles, zero, results=[kind], **signs)
    kernel.store(result, kernel.view(kernel.parameters[2], shape, shape), *kernel.zeros(3))
    return kernel


@pytest.mark.sampled(5)
@pytest.mark.parametrize("shape", [(32, 64, 128), (16, 16, 16), (4, 32, 64), (64, 8, 32)], ids=str)
@pytest.mark.parametrize("which", [("lhs",), ("rhs",), ("lhs", "rhs")], ids=str)
@pytest.mark.parametrize("element", ["f32", "f64", "f16", "bf16", "i8"])
def test_operands_that_lie_across(element: str, which: tuple, shape: tuple[int, ...]) -> None:
    m, n, k = shape
    low, high = (-128, 128) if element == "i8" else (-4, 5)
    x = integers((2, m, k), low, high, DTYPES[element], 1)
    y = integers((2, k, n), low, high, DTYPES[element], 2)
    signs = dict.fromkeys(("signedness_lhs", "signedness_rhs"), "signed") if low < -4 else {}
    arrays = [
        np.ascontiguousarray(each.swapaxes(1, 2)) if slot in which else each
        for slot, each in (("lhs", x), ("rhs", y))
    ]
    found = np.zeros((2, m, n), DTYPES[TOTALS.get(element, "f32")])
    assembly_and_result(lying(element, 2, which, m, n, k, **signs), *arrays, found)
    np.testing.assert_array_equal(found, x.astype("f8") @ y.astype("f8"))


@pytest.mark.parametrize("slot", ["lhs", "rhs"])
def test_an_operand_that_lies_across_is_checked(slot: str) -> None:
    """Checks see each element, so nothing is read in vectors: the last ones are not there."""
    kernel = lying("bf16", 1, (slot,), 32, 32, 32)
    arrays = [np.ones((1, 32, 32), ml_dtypes.bfloat16) for _ in range(2)]
    arrays[slot == "rhs"] = arrays[0][:, :31]
    compiled = compile(kernel.module(), check="memory", cache=False)
    with pytest.raises(KernelError, match="offset"):
        compiled["lying"].launch(1, [*arrays, np.zeros((1, 32, 32), np.float32)])
