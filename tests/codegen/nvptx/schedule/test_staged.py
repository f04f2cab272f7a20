"""Staged tiles: every element has a place, and eight lanes never meet in a bank.

Lanes that access 16 bytes each do so eight at a time (CUDA programming guide, "Shared Memory": a
128-bit access is one of a quarter warp), and 32 banks of 4 bytes are eight pieces of 16 bytes wide.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tests.codegen.build import Kernel, tile
from tileir.codegen.layouts.linear_layout import along, combine
from tileir.codegen.nvptx.schedule.staged import bases_in_root, root_of, seen_as, staged_bases

PIECE, PIECES = 16, 8
CASES = [
    (shape, inner, size)
    for shape in ((128, 64), (64, 128), (32, 32), (16, 256), (256, 8), (1, 64, 32), (4, 16, 16))
    for inner in range(1, len(shape))
    for size in (1, 2, 4, 8)
    if shape[inner] * size >= PIECE
]


@cache
def places(shape: tuple[int, ...], inner: int, size: int) -> np.ndarray:
    """The place of each element in bytes, the inner dimension last."""
    bases = staged_bases(shape, inner, size)
    found = np.array([combine(bases, e) * size for e in range(np.prod(shape))]).reshape(shape)
    return np.moveaxis(found, inner, -1)


@pytest.mark.parametrize(("shape", "inner", "size"), CASES, ids=str)
def test_every_element_has_a_place_and_pieces_stay_together(
    shape: tuple[int, ...], inner: int, size: int
) -> None:
    found = places(shape, inner, size)
    assert sorted(found.flat) == list(range(0, found.size * size, size))
    pieces = found.reshape(-1, PIECE // size)
    assert (pieces[:, 0] % PIECE == 0).all()
    assert (np.diff(pieces, axis=1) == size).all()


@pytest.mark.parametrize(("shape", "inner", "size"), CASES, ids=str)
def test_a_piece_of_eight_rows_is_read_without_conflicts(
    shape: tuple[int, ...], inner: int, size: int
) -> None:
    """What `ldmatrix` does."""
    found = places(shape, inner, size)
    rows = found.reshape(-1, found.shape[-1])[:, :: PIECE // size]
    banks = rows.reshape(-1, 8, rows.shape[-1]) // PIECE % PIECES
    assert all(len(set(eight)) == 8 for eight in np.moveaxis(banks, 1, -1).reshape(-1, 8))


@pytest.mark.parametrize(("shape", "inner", "size"), CASES, ids=str)
def test_a_piece_of_four_pairs_of_rows_is_read_without_conflicts(
    shape: tuple[int, ...], inner: int, size: int
) -> None:
    """Rows 0 1 4 5 8 9 12 13: what `ldmatrix` reads to turn single bytes."""
    found = places(shape, inner, size)
    rows = found.reshape(-1, found.shape[-1])[:, :: PIECE // size]
    if len(rows) < 16:
        return
    banks = rows.reshape(-1, 4, 2, 2, rows.shape[-1])[:, :, 0] // PIECE % PIECES
    banks = banks.reshape(-1, 8, rows.shape[-1])
    assert all(len(set(eight)) == 8 for eight in np.moveaxis(banks, 1, -1).reshape(-1, 8))


@pytest.mark.parametrize(("shape", "size"), [((32, 64), 4), ((16, 128), 8), ((64, 16), 8)], ids=str)
def test_single_words_of_four_rows_are_read_without_conflicts(
    shape: tuple[int, int], size: int
) -> None:
    """What factors of tf32 that are turned, and of f64, are read by: 128 bytes at a time."""
    found = places(shape, 1, size)
    columns = PIECE * PIECES // 4 // size
    for row in range(0, shape[0], 4):
        for column in range(0, shape[1], columns):
            words = found[row : row + 4, column : column + columns].flat
            assert len({place // size % (PIECE * PIECES // size) for place in words}) == 4 * columns


@pytest.mark.parametrize(("shape", "inner", "size"), CASES, ids=str)
def test_neighbouring_lanes_write_without_conflicts(
    shape: tuple[int, ...], inner: int, size: int
) -> None:
    order = [*(dim for dim in range(len(shape)) if dim != inner), inner]
    layout = along(shape, order, PIECE // size, 128)
    bases = staged_bases(shape, inner, size)
    for offset in layout.offsets()[:: PIECE // size]:
        for first in range(0, 128, 8):
            elements = {offset ^ layout.of_thread(first + lane) for lane in range(8)}
            banks = {combine(bases, element) * size // PIECE % PIECES for element in elements}
            assert len(banks) == len(elements)


def test_renumbering_ops_compose_the_map() -> None:
    kernel = Kernel("k", "ptr<f16>")
    view = kernel.view(kernel.parameters[0], [1, 8, 32], [1, 8, 32])
    loaded = kernel.load(view, *kernel.zeros(3))
    flat = kernel.op("reshape", loaded, results=[tile("8x32xf16")])
    turned = kernel.op("permute", flat, results=[tile("32x8xf16")], permutation=[1, 0])
    assert root_of(turned) is loaded
    bases = staged_bases((1, 8, 32), 2, 2)
    found, elements = seen_as(turned, bases), bases_in_root(turned)
    for row in range(8):
        for column in range(32):
            assert combine(elements, column * 8 + row) == row * 32 + column
            assert combine(found, column * 8 + row) == combine(bases, row * 32 + column)
    assert seen_as(loaded, bases) == bases
