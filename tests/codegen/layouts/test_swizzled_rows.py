"""Swizzled rows, against the figures of the PTX ISA ("Swizzling modes")."""

from __future__ import annotations

from itertools import product

import pytest

from tileir.codegen.layouts.linear_layout import combine
from tileir.codegen.layouts.swizzled_rows import SPANS, pattern_bytes, span_of, swizzled_rows

CHUNKS = {
    128: [[chunk ^ row for chunk in range(8)] for row in range(8)],
    64: [[chunk ^ row // 2 for chunk in range(4)] for row in range(8)],
    32: [[chunk ^ row // 4 for chunk in range(2)] for row in range(8)],
}
"""Width of a row -> where each chunk of 16 bytes lies in the rows of a pattern."""


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("span", SPANS)
def test_chunks_lie_where_the_figures_have_them(span: int, size: int) -> None:
    columns = span // size
    offsets = swizzled_rows((16, columns), 1, size)
    assert offsets is not None
    for row, column in product(range(16), range(columns)):
        chunk, within = divmod(column * size, 16)
        expected = row * span + CHUNKS[span][row % 8][chunk] * 16 + within
        assert combine(offsets, row * columns + column) * size == expected


@pytest.mark.parametrize("inner", [0, 1])
def test_what_does_not_fit_in_a_row_lies_behind_all_rows(inner: int) -> None:
    offsets = swizzled_rows((128, 128), inner, 2)
    assert offsets is not None
    assert sorted(combine(offsets, number) for number in range(1 << 14)) == list(range(1 << 14))
    half = 64 if inner else 64 * 128
    assert combine(offsets, half) == 64 * 128


def test_too_short_rows_have_no_swizzle() -> None:
    assert swizzled_rows((64, 8), 1, 2) is None
    assert swizzled_rows((64, 16), 1, 2) is not None


@pytest.mark.parametrize("shape", [(64, 64), (64, 32), (128, 16), (8, 64, 64)])
def test_the_width_is_found_again(shape: tuple[int, ...]) -> None:
    for inner in range(len(shape) - 2, len(shape)):
        offsets = swizzled_rows(shape, inner, 2)
        assert offsets is not None
        assert span_of(offsets, 2) == min(2 * shape[inner], 128)
    plain = tuple(1 << bit for bit in range(12))
    assert span_of(plain, 2) is None


def test_a_pattern_is_eight_rows() -> None:
    assert [pattern_bytes(span) for span in SPANS] == [1024, 512, 256]
