"""Short sums of 8-bit floats: what is cut off, and that a kernel that trusts them is wrong."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.codegen.emulator.ops.warpgroup.kernels import (
    COMMIT,
    FENCE,
    WAIT,
    instruction,
    of_threads,
    run,
    text,
    values,
)
from tests.codegen.emulator.ops.warpgroup.layouts import dense
from tileir.codegen.emulator.ops.warpgroup.sums import DIGITS, exact, short


def summed(products: list[Fraction], old: Fraction) -> Fraction:
    """The short sum in exact arithmetic: aligned to the largest, cut off, and cut off again."""
    parts = [*products, old]
    top = max(exponent(part) for part in parts)
    total = sum((toward_zero(part, top) for part in parts), Fraction(0))
    return toward_zero(total, exponent(total))


def exponent(number: Fraction) -> int:
    """The e of the largest power of two 2**e that is not above the size of a number; tiny for 0."""
    if not number:
        return -1000
    e = abs(number.numerator).bit_length() - number.denominator.bit_length()
    return e if abs(number) >= Fraction(2) ** e else e - 1


def toward_zero(number: Fraction, top: int) -> Fraction:
    quantum = Fraction(2) ** (top - 13)
    return int(number / quantum) * quantum


def test_sums_are_cut_off() -> None:
    a, b = (values(kind, shape, 3).astype(float) for kind, shape in
            (("e4m3", (1, 4, 32)), ("e5m2", (1, 32, 8))))  # fmt: skip
    old = values("f32", (1, 4, 8), 5).astype(float) * 100
    found = short(a, b, old)
    for row, column in np.ndindex(4, 8):
        products = [Fraction(x * y) for x, y in zip(a[0, row], b[0, :, column], strict=True)]
        assert Fraction(found[0, row, column]) == summed(products, Fraction(old[0, row, column]))
    assert (found != exact(a, b, old)).any()


@pytest.mark.usefixtures("quiet")
def test_numbers_that_are_not_finite_pass() -> None:
    a, b = np.full((1, 2, 4), 448.0), np.full((1, 4, 1), 57344.0)
    a[0, 1, 2], old = np.nan, np.array([[[np.inf], [0.0]]])
    found = short(a, b, old)
    assert np.isposinf(found[0, 0, 0])
    assert np.isnan(found[0, 1, 0])
    assert (short(0 * b.swapaxes(1, 2), 0 * b, np.zeros((1, 1, 1))) == 0).all()


STEPS = 64
"""Instructions, of 32 products each."""
N = 8


TILES = [dense("k", 3, rows, 32, 1) for rows in (64, N)]


def kernel(every: int) -> str:
    """Sums of a loop: after `every` steps %s is added to registers %t."""
    nbytes = sum(tile.nbytes for tile in TILES)
    sums = N // 2
    code = [f"mov.b64 %d8, {TILES[0].descriptor(0)};"]
    code += [f"mov.b64 %d9, {TILES[1].descriptor(TILES[0].nbytes)};"]
    code += [f"mov.b32 %t{i}, 0;" for i in range(sums)]
    for step in range(STEPS):
        anew = int(step % every > 0)
        product = instruction("f32.e4m3.e4m3", N, "%d8", "%d9", f"{anew}, 1, 1")
        code += [FENCE, product, COMMIT, WAIT]
        if (step + 1) % every == 0:
            code += [f"add.rn.f32 %t{i}, %t{i}, %s{i};" for i in range(sums)]
    code += [f"mov.b32 %s{i}, %t{i};" for i in range(sums)]
    return text("\n".join(code), held=0, nbytes=nbytes, sums=sums)


def long_sum(every: int) -> tuple[np.ndarray, np.ndarray]:
    """The sums of a loop, and the exact ones.

    Sums of positive products grow, and lose bits with every step: the more the longer they are.
    """
    a = np.abs(values("e4m3", (64, 32), 1).astype(np.float32)).astype(values("e4m3", (1,)).dtype)
    b = np.abs(values("e4m3", (N, 32), 2).astype(np.float32)).astype(a.dtype)
    image = np.concatenate([tile.image(each) for tile, each in zip(TILES, (a, b), strict=True)])
    words = run(kernel(every), image, np.zeros((128, N // 2), np.uint32), N // 2)
    found = of_threads(words, N, "f32")
    return found.astype(float), STEPS * (a.astype(float) @ b.astype(float).T)


def test_a_missing_promotion_is_noticed() -> None:
    """Sums that go to other registers every four steps are far better than one long sum."""
    found, expected = long_sum(4)
    assert (np.abs(found / expected - 1) < 2.0 ** (5 - DIGITS)).all()
    found, expected = long_sum(STEPS)
    assert (np.abs(found / expected - 1) > 2.0 ** (7 - DIGITS)).all()


@pytest.mark.oracle
def test_the_kernel_is_ptx(tool, tmp_path: Path) -> None:
    source = tmp_path / "k.ptx"
    source.write_text(kernel(4))
    done = tool("ptxas", "-arch=sm_90a", "-o", tmp_path / "k.cubin", source)
    assert done.returncode == 0, done.stderr
