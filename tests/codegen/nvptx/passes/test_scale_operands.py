"""Products of scaled operands: which types have elements times scales, and what comes out."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.build import Kernel, tile
from tests.codegen.host.lowering.test_mma import DTYPES, integers, packed, scaled
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen import compile
from tileir.codegen.nvptx.passes.products.scale_operands import WAYS
from tileir.codegen.nvptx.reasons import Reason
from tileir.ir.floats import value_of

WIDE = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}


def values(element: str) -> np.ndarray:
    bits = 4 if element == "f4E2M1FN" else 8
    return np.array([value_of(element, pattern) for pattern in range(1 << bits)], float)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.scale)
def test_the_type_has_every_element_times_every_scale(way: Any) -> None:
    factors = values(way.scale) / way.divisor
    assert np.array_equal(factors.astype(WIDE[way.type]).astype(np.float64), factors, True)
    exact = values(way.element)[:, None] * factors
    assert np.array_equal(exact.astype(WIDE[way.type]).astype(np.float64), exact, True)
    assert np.isnan(exact).sum() == len(exact) * np.isnan(factors).sum()


def test_others_have_no_such_type() -> None:
    """Beyond elements and scales that share one of the types, nothing is exact."""
    for element in ("f8E4M3FN", "f8E5M2"):
        exact = values(element)[:, None] * values("f8E8M0FNU")[:-1]
        with np.errstate(over="ignore"):
            wide = exact.astype(np.float32).astype(ml_dtypes.bfloat16).astype(np.float64)
        assert not np.array_equal(wide, exact, True)


def operands(element: str, scale: str, run: int, m: int, n: int, k: int, powers: Any) -> list:
    """lhs, rhs, the accumulator and scales, as powers of two and, if they can be, 1.5 of them."""
    x, y = (integers((1, *shape), -2, 3, DTYPES[element], 1) for shape in ((m, k), (k, n)))
    z = integers((1, m, n), -4, 5, np.dtype(np.float32), 2)
    wide = powers((1, m, k // run), 1), powers((1, k // run, n), -1)
    if scale == "fnv8E5M3FNU":
        scales = [(np.log2(each).astype(int) + 15 << 3).astype(np.uint8) for each in wide]
    else:
        scales = [each.astype(DTYPES[scale]) for each in wide]
    return [x, y, z, *scales]


def expected(args: list, run: int) -> np.ndarray:
    x, y, z, *scales = args
    wide = [
        values("fnv8E5M3FNU")[each] if each.dtype == np.uint8 else each.astype(np.float64)
        for each in scales
    ]
    left = x.astype(np.float64) * wide[0].repeat(run, 2)
    right = y.astype(np.float64) * wide[1].repeat(run, 1)
    return (left @ right + z).astype(np.float32)


def usual(shape: tuple[int, ...], sign: int) -> np.ndarray:
    return np.ldexp(1.0, integers(shape, -3, 4, np.dtype(int), 5 + sign))


def extreme(shape: tuple[int, ...], sign: int) -> np.ndarray:
    """Those of rows as large as can be, and those of columns as small."""
    return np.ldexp(1.0, integers(shape, 120, 128, np.dtype(int), 5 + sign) * sign)


def mixed(shape: tuple[int, ...], sign: int) -> np.ndarray:
    """Those of most rows are very small; those of the first warp are not."""
    powers = usual(shape, sign)
    if sign > 0:
        powers[:, 16:] *= 2.0**-120
    return powers


CASES = [
    ("f4E2M1FN", "f8E4M3FN", 16, usual), ("f4E2M1FN", "fnv8E5M3FNU", 32, usual),
    ("f4E2M1FN", "f8E8M0FNU", 16, usual), ("f4E2M1FN", "f8E8M0FNU", 32, extreme),
    ("f8E4M3FN", "f8E8M0FNU", 32, usual), ("f8E5M2", "f8E8M0FNU", 32, extreme),
    ("f8E4M3FN", "f8E8M0FNU", 32, mixed),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
@pytest.mark.parametrize(("element", "scale", "run", "powers"), CASES)
def test_scaled_products(element: str, scale: str, run: int, powers: Any, target: str) -> None:
    m, n, k = 64, 16, 64
    kernel = scaled(element, scale, run, m, n, k, 1)
    args = operands(element, scale, run, m, n, k, powers)
    found = np.zeros((1, m, n), np.float32)
    given = [packed(args[0]), packed(args[1]), *args[2:], found]
    launch(kernel.module(), kernel.name, 1, given, target)
    np.testing.assert_array_equal(found, expected(args, run))
    compiled = compile(kernel.module(), target)
    assert ("wgmma" in compiled.ptx) == (target == "sm_90" and element == "f4E2M1FN")


def test_a_scale_that_is_no_number_spoils_its_row() -> None:
    kernel = scaled("f4E2M1FN", "f8E8M0FNU", 32, 64, 16, 64, 1)
    args = operands("f4E2M1FN", "f8E8M0FNU", 32, 64, 16, 64, usual)
    args[3].view(np.uint8)[0, 9, 1] = 0xFF
    found = np.zeros((1, 64, 16), np.float32)
    launch(kernel.module(), kernel.name, 1, [*map(packed, args[:2]), *args[2:], found], "sm_90")
    assert np.isnan(found[0, 9]).all()
    assert np.isfinite(np.delete(found[0], 9, 0)).all()


def test_why_warpgroups_do_not_multiply() -> None:
    kernel = scaled("f8E4M3FN", "f8E8M0FNU", 32, 64, 16, 64, 1)
    stage = compile(kernel.module(), "sm_90", cache=False).stages["choose_atoms"]
    assert str(Reason("group_scaled", "f8E4M3FN")) in str(stage)


def widened(wide: str) -> Kernel:
    """A kernel that converts the two elements of each byte of one tile."""
    kernel = Kernel("widen", "ptr<i8>", f"ptr<{wide}>")
    source, target = (
        kernel.view(pointer, [size], [size])
        for pointer, size in zip(kernel.parameters, (256, 512), strict=True)
    )
    narrow = kernel.op(
        "unpack", kernel.load(source, *kernel.zeros(1)), results=[tile("512xf4E2M1FN")]
    )
    kind, mode = [tile(f"512x{wide}")], {"rounding_mode": "nearest_even"}
    kernel.store(kernel.op("ftof", narrow, results=kind, **mode), target, *kernel.zeros(1))
    return kernel


@pytest.mark.parametrize("wide", WIDE)
def test_pairs_of_nibbles_become_halves(wide: str) -> None:
    """All pairs, with the signs of zeros."""
    given, found = np.arange(256, dtype=np.uint8), np.zeros(512, WIDE[wide])
    module = widened(wide).module()
    launch(module, "widen", 1, [given, found], "sm_80")
    numbers = values("f4E2M1FN").astype(WIDE[wide])
    both = np.stack([numbers[given & 15], numbers[given >> 4]], 1).ravel()
    np.testing.assert_array_equal(found.view(np.uint16), both.view(np.uint16))
    assert f"fma.rn.{wide}x2" in compile(module, "sm_80").ptx
