"""Descriptors as NVIDIA's tileiras encodes them say what the emulator reads out of them.

`tests/golden/tileiras/descriptors.json` has the descriptors of its machine code for some products
(`tests/lab/bench/machine_code/descriptors.py` wrote it). A factor comes to shared memory by tensor
copies, in boxes as wide as the swizzle. So where each element of the tile is follows from the tile
alone, and all products of a trip together read exactly the tile.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tileir.codegen.emulator.ops.warpgroup.descriptors import Descriptors, mistake

GOLDEN = Path(__file__).parents[4] / "golden" / "tileiras" / "descriptors.json"
KERNELS: dict[str, Any] = {
    name: kernel for name, kernel in json.loads(GOLDEN.read_text(encoding="utf-8")).items()
    if kernel["tile"]
}  # fmt: skip
SPANS = {0: 16, 1: 128, 2: 64, 3: 32}
START = 0x8000


def box_place(outer: int, inner: int, outers: int, span: int) -> int:
    """Where the 16 bytes are that start at byte `inner` of row `outer`, in boxes of `span` bytes.

    CUDA driver API, tensor maps: a swizzle exchanges the pieces in each 128 bytes by the number of
    these 128 bytes.
    """
    box, byte = divmod(inner, span)
    plain = box * outers * span + outer * span + byte
    pieces = span // 16
    line = plain // 128 % 8
    return plain ^ (line % pieces) * 16


@pytest.mark.parametrize("side", "ab")
@pytest.mark.parametrize("name", KERNELS)
def test_products_read_the_tile(name: str, side: str) -> None:
    m, n, k = KERNELS[name]["tile"]
    (product,) = KERNELS[name]["products"]
    wide, deep = (int(each) for each in re.findall(r"x(\d+)", product["instruction"]))
    factor, size = product[side], 32 // deep
    rows, step = (m, 64) if side == "a" else (n, wide)
    transposed, span = factor["transposed"], SPANS[factor["mode"]]
    outers = k if transposed else rows
    starts = set()
    for first in range(0, rows, step):
        for depth in range(0, k, deep):
            if transposed:
                place = [[box_place(depth + c, (first + r) * size, outers, span)
                          for r in range(0, step, 16 // size)] for c in range(deep)]  # fmt: skip
                start = first * size // span * outers * span + depth * span
            else:
                place = [[box_place(first + r, depth * size + c, outers, span)
                          for c in (0, 16)] for r in range(step)]  # fmt: skip
                start = depth * size // span * outers * span + first * span + depth * size % span
            starts.add(start)
            word = START + start >> 4 | factor["leading"] >> 4 << 16
            word |= factor["stride"] >> 4 << 32 | factor["base"] << 49 | factor["mode"] << 62
            assert not mistake(word)
            found = Descriptors.of(np.array([word], np.uint64))
            address = found.addresses(0, step, deep, size, transposed)[0]
            np.testing.assert_array_equal(address - START, place)
    assert sorted(starts) == factor["offsets"]


def test_all_layouts_are_there() -> None:
    """Both major-nesses, and all swizzles."""
    factors = [product[side] for each in KERNELS.values() for product in each["products"]
               for side in "ab"]  # fmt: skip
    assert {(each["transposed"], each["mode"]) for each in factors} == {
        (False, 1), (False, 2), (False, 3), (True, 0), (True, 1), (True, 2), (True, 3),
    }  # fmt: skip
