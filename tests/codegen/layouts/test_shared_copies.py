"""Copies from one place in shared memory to another: everything once, and few bank conflicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from tileir.codegen.layouts.linear_layout import LinearLayout, combine
from tileir.codegen.layouts.shared_copies import through_registers
from tileir.codegen.layouts.swizzled_rows import swizzled_rows

LINE, LANES = 128, 32
CASES = [
    ((64, 128), 1, 1, 0, 256), ((128, 128), 1, 0, 1, 256), ((256, 64), 1, 1, 0, 128),
    ((32, 64), 4, 1, 0, 128), ((32, 128), 4, 0, 1, 256), ((128, 32), 4, 1, 1, 256),
    ((32, 32), 1, 1, 0, 128), ((2, 64, 64), 1, 2, 1, 128), ((16, 32), 4, 1, 0, 256),
]  # fmt: skip
"""Shape, bytes of an element, dimensions of rows before and after, threads."""


def conflicts(layout: LinearLayout, offsets: Sequence[int], size: int) -> int:
    """How many of the lanes whose accesses go together access the same bank, at most."""
    width = 4 * size
    together = LINE // width
    found = 0
    for first in range(0, LANES, together):
        places = {combine(offsets, layout.of_thread(lane)) * size
                  for lane in range(first, first + together)}  # fmt: skip
        banks = Counter(place % LINE // width for place in places)
        found = max(found, *banks.values())
    return found


@pytest.mark.parametrize("case", CASES, ids=str)
def test_all_is_copied_by_four_elements(case: tuple) -> None:
    shape, size, before, after, threads = case
    places = [swizzled_rows(shape, inner, size) for inner in (before, after)]
    assert None not in places
    layout = through_registers(*places, size, threads)
    assert layout.is_complete
    assert 1 << len(layout.thread) == threads
    for offsets in places:
        own = {combine(offsets, base) for base in layout.register}
        assert {1, 2} <= own


@pytest.mark.parametrize("case", CASES, ids=str)
def test_few_lanes_access_one_bank(case: tuple) -> None:
    """Two at most, where a tile has enough bits for lanes: those of short rows have none."""
    shape, size, before, after, threads = case
    places = [swizzled_rows(shape, inner, size) for inner in (before, after)]
    layout = through_registers(*places, size, threads)
    least = 4 if shape == (32, 32) else 2
    assert max(conflicts(layout, offsets, size) for offsets in places) <= least
