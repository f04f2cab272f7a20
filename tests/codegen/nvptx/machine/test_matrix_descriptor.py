"""Our matrix descriptors are those of NVIDIA's tileiras for the same tiles, bit by bit.

`tests/golden/tileiras/descriptors.json` has what its machine code for sm_90 says. A tile that lies
in swizzled rows has one descriptor for each part that an instruction multiplies.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tileir.codegen.layouts.linear_layout import dim_bits
from tileir.codegen.layouts.swizzled_rows import swizzled_rows
from tileir.codegen.nvptx.machine.matrix_descriptor import MatrixDescriptor

GOLDEN = Path(__file__).parents[3] / "golden" / "tileiras" / "descriptors.json"
KERNELS: dict[str, Any] = {
    name: kernel for name, kernel in json.loads(GOLDEN.read_text(encoding="utf-8")).items()
    if kernel["tile"]
}  # fmt: skip
UNSWIZZLED = {("f16_64x8x64", "b")}
"""Rows of 16 bytes, for which we have no descriptor."""


def bits(count: int) -> int:
    """How many bits number so many elements."""
    return count.bit_length() - 1


def parts(kernel: dict[str, Any], side: str) -> tuple[list[int], list[int], int, list[int]]:
    """Bytes of the bits of m or n and of k of one part, of an element, and where parts start."""
    m, n, k = kernel["tile"]
    (product,) = kernel["products"]
    wide, deep = (int(each) for each in re.findall(r"x(\d+)", product["instruction"]))
    size = 32 // deep
    rows, step = (m, 64) if side == "a" else (n, wide)
    shape = (rows, k)
    offsets = swizzled_rows(shape, 0 if product[side]["transposed"] else 1, size)
    assert offsets is not None
    (row, _), (column, _) = (dim_bits(shape, dim) for dim in (0, 1))
    across = [size * offset for offset in offsets[row : row + bits(rows)]]
    along = [size * offset for offset in offsets[column : column + bits(k)]]
    starts = [0]
    for each in (*across[bits(step) :], *along[bits(deep) :]):
        starts += [start ^ each for start in starts]
    return across[: bits(step)], along[: bits(deep)], size, sorted(starts)


@pytest.mark.parametrize("side", "ab")
@pytest.mark.parametrize("name", KERNELS)
def test_descriptors_are_those_of_tileiras(name: str, side: str) -> None:
    (product,) = KERNELS[name]["products"]
    golden = product[side]
    if (name, side) in UNSWIZZLED:
        assert golden["mode"] == 0
        return
    across, along, size, starts = parts(KERNELS[name], side)
    found = MatrixDescriptor.of(across, along, size)
    assert found is not None
    word = found.bits
    # The high word is that of the machine code: stride, base offset and swizzle.
    high = golden["stride"] >> 4 | golden["base"] << 17 | golden["mode"] << 30
    assert word >> 32 == high
    assert found.transposed == golden["transposed"]
    columns = 2 ** len(across) * size // found.span
    if found.transposed and columns > 1:
        assert (word >> 16 & 0x3FFF) << 4 == golden["leading"]
    assert word & 0xFFFF == 0
    assert starts == golden["offsets"]


def test_a_wrong_place_has_another_descriptor_or_none() -> None:
    """Of every bit: if it moves, what is encoded changes."""
    across, along, size, _ = parts(KERNELS["f16_128x256x64"], "b")
    right = MatrixDescriptor.of(across, along, size)
    for bit in range(len(across)):
        moved = [*across[:bit], across[bit] ^ 1 << 15, *across[bit + 1 :]]
        assert MatrixDescriptor.of(moved, along, size) != right
    assert MatrixDescriptor.of(across, [each ^ 1 << 15 for each in along], size) != right


def test_modes_of_all_widths_are_there() -> None:
    seen = {(p[side]["transposed"], p[side]["mode"]) for kernel in KERNELS.values()
            for p in kernel["products"] for side in "ab"}  # fmt: skip
    assert seen == {(turned, mode) for turned in (False, True) for mode in (1, 2, 3)} | {(True, 0)}
