"""Operands that are converted when they are read: which ones, and that products stay right."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.nvptx.converted_loops import M, N, Side, launch, text
from tests.codegen.nvptx.decided import decided
from tileir import assemble
from tileir.codegen import compile, emulator
from tileir.codegen.block.text.printing import printed
from tileir.codegen.block.text.reading import parsed
from tileir.codegen.kernel import KernelIR

F8, F8_TURNED = Side("f8E4M3FN", "f8E4M3FN"), Side("f8E4M3FN", "f8E4M3FN", turned=True)
E5, E5_TURNED = Side("f8E5M2", "f8E5M2"), Side("f8E5M2", "f8E5M2", turned=True)
TF32, TF32_TURNED = Side("f32", "tf32"), Side("f32", "tf32", turned=True)
F16, F16_TURNED = Side("f16", "f16"), Side("f16", "f16", turned=True)
I8, I8_TURNED = Side("i8", "f16"), Side("i8", "f16", turned=True)
U8 = Side("i8", "f16", signedness="unsigned")
F8_AS_F16 = Side("f8E4M3FN", "f16", turned=True)
READ, DEAR, NOT_AHEAD = "read", "dear_reads", "not_ahead"


@cache
def kernel(x: Side, y: Side, target: str) -> Any:
    return compile(assemble(text(x, y)), target)


def readings(source: str, target: str) -> dict[str, str]:
    """Slot -> the reason why its operand is converted when it is read, or is not."""
    found = decided(KernelIR.of(assemble(source).functions[0]), target, "choose_atoms")
    return {slot: reading.reason.id for (_, slot), reading in found.readings.items()}


def check(x: Side, y: Side, target: str, schedule: str, *shape: int) -> None:
    args, expected = launch(x, y, *shape)
    compiled = kernel(x, y, target)
    emulator.launch(compiled.ptx, compiled.plan["k"], 1, args, schedule=schedule)
    np.testing.assert_array_equal(args[-2], expected)


PAIRS = [
    (F8, F8_TURNED, "sm_90"), (F8, F8, "sm_90"), (F8_TURNED, F8, "sm_100"), (F8, F8, "sm_89"),
    (F8_TURNED, F8_TURNED, "sm_90a"), (E5, E5_TURNED, "sm_90"), (E5, E5, "sm_80"),
    (F8, F8_TURNED, "sm_80"), (F8_TURNED, F8, "sm_86"),
    (TF32, TF32, "sm_90"), (TF32, TF32_TURNED, "sm_90"), (TF32, TF32_TURNED, "sm_80"),
    (F16, I8, "sm_80"), (F16, I8_TURNED, "sm_80"), (I8_TURNED, F16_TURNED, "sm_90"),
    (F16, U8, "sm_90"), (I8, I8_TURNED, "sm_90"), (F16, F8_AS_F16, "sm_90"),
    (F16_TURNED, F8_AS_F16, "sm_120"),
]  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_products_are_right(number: int) -> None:
    """Whole tiles, and tiles at the edge of each dimension."""
    x, y, target = PAIRS[number]
    check(x, y, target, "random-1", M, 96, N)
    check(x, y, target, "random-2", M - 9, 75, N - 27)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("schedule", ["lock-step", "ascending", "descending", "late-1"])
@pytest.mark.parametrize("sides", [(F8, F8_TURNED), (TF32, TF32_TURNED), (F16, I8)])
def test_in_any_order_of_warps(sides: tuple[Side, Side], schedule: str) -> None:
    check(*sides, "sm_90", schedule, M - 3, 170, N - 5)


@pytest.mark.parametrize(("x", "y", "target", "expected"), [
    (F8, F8_TURNED, "sm_90", {"lhs": READ, "rhs": READ}),
    # Without cvt it takes several instructions; or else tensor cores take them as they are.
    (F8, F8_TURNED, "sm_80", {"lhs": READ, "rhs": DEAR}),
    (F8, F8_TURNED, "sm_89", {}), (F8, F8_TURNED, "sm_120", {}),
    (E5, E5_TURNED, "sm_80", {"lhs": READ, "rhs": READ}),
    (TF32, TF32_TURNED, "sm_90", {"lhs": READ, "rhs": READ}),
    # Every warp reads all of the left tile's rows that it has, and more of the right one.
    (TF32, TF32_TURNED, "sm_80", {"lhs": READ, "rhs": DEAR}),
    (F16, I8, "sm_80", {"rhs": READ}), (F16, I8_TURNED, "sm_90", {"rhs": READ}),
    (F16, I8, "sm_75", {"rhs": NOT_AHEAD}), (F16, F16, "sm_80", {}),
])  # fmt: skip
def test_what_is_converted_when_it_is_read(
    x: Side, y: Side, target: str, expected: dict[str, str]
) -> None:
    assert readings(text(x, y), target) == expected


def test_all_uses_of_a_tile_agree() -> None:
    """What is printed, or stored, or multiplied without the conversion, is needed in registers."""
    more = '%p = print_tko "%d", %y0 : tile<32x64xi8> -> token'
    assert readings(text(F16, I8, more), "sm_80") == {"rhs": "other_use"}


@pytest.mark.parametrize(("x", "y", "target"), [
    (F8, F8_TURNED, "sm_90"), (TF32, TF32_TURNED, "sm_90"), (TF32, TF32, "sm_120"),
    (F16, I8, "sm_80"), (F16, I8_TURNED, "sm_90"), (E5, E5, "sm_90"),
])  # fmt: skip
def test_whatever_is_converted_when_it_is_read_is_copied(x: Side, y: Side, target: str) -> None:
    """No tile of the loop passes through registers on its way to shared memory."""
    ptx = kernel(x, y, target).ptx
    assert not re.search(r"\bld\.global", ptx)
    assert "cp.async" in ptx


def test_block_ir_says_how_operands_are_converted() -> None:
    found = decided(KernelIR.of(assemble(text(F16, I8)).functions[0]), "sm_80", "pipeline_loops")
    spelled = printed([found.kernel])
    assert 'rhs_conversion = "signed"' in spelled
    assert printed(parsed(spelled)) == spelled


def test_numbers_that_are_no_numbers_stay_so() -> None:
    """Infinities, NaNs of any payload, subnormal numbers and the largest ones, as tf32."""
    bits = [0x7F800000, 0xFF800000, 0x7F800001, 0xFFFFFFFF, 0x7FFFFFFF, 0x7F7FFFFF, 0x00001000,
            0x00003000, 0x80000FFF, 0x3F801000, 0x3F803000, 0x3F800FFF]  # fmt: skip
    values = np.array(bits, np.uint32).view(np.float32)
    for target in ("sm_80", "sm_90"):
        args, _ = launch(TF32, TF32, M, 32, N)
        x, y, z = args[0], args[4], args[8]
        x[:], y[:] = 0, 0
        x[: len(values), 0] = values
        y[0, :] = 1
        compiled = kernel(TF32, TF32, target)
        emulator.launch(compiled.ptx, compiled.plan["k"], 1, args)
        found = z[: len(values), 0]
        rounded = [0x7F800000, 0xFF800000, None, None, None, 0x7F800000, 0, 0x4000, 0x80000000,
                   0x3F800000, 0x3F804000, 0x3F800000]  # fmt: skip
        for value, expected in zip(found, rounded, strict=True):
            if expected is None:
                assert np.isnan(value)
            else:
                assert value == np.array(expected, np.uint32).view(np.float32), (target, expected)


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90"])
def test_every_e4m3_is_converted_exactly(target: str) -> None:
    """All numbers, in both operands, times one; both NaN, which a row or column of sums shows."""
    numbers = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e4m3fn)
    finite = numbers[np.isfinite(numbers.astype(np.float32))]
    one = np.eye(N, dtype=np.float32).astype(numbers.dtype)
    compiled = kernel(F8, F8, target)
    args, _ = launch(F8, F8, M, 32, N)
    x, y, z = args[0], args[4], args[8]
    for pattern, identity, found in ((x, y, z), (y.T, x, z.T)):
        pattern[:], identity[:] = 0, one[: len(identity), : identity.shape[1]]
        for place, number in enumerate(finite):
            pattern[divmod(place, 32)] = number
        pattern[8, 0], pattern[9, 31] = numbers[0x7F], numbers[0xFF]
        emulator.launch(compiled.ptx, compiled.plan["k"], 1, args)
        seen = found[:8, :32].reshape(-1)[: len(finite)]
        np.testing.assert_array_equal(seen, finite.astype(np.float32))
        assert np.isnan(found[8:10]).all()
        assert not np.isnan(found[10:]).any()
