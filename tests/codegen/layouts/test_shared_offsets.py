"""Offsets in shared memory: the swizzles byte by byte, as their definitions have them."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tileir.codegen.layouts.shared_offsets import (
    SWIZZLE_BITS,
    alignment,
    elements_at,
    row_bytes,
    swizzle_of,
    swizzled,
    swizzled_offsets,
)

from .random_layouts import image, invertible

SHAPES = [(16, 64), (64, 16), (8, 128), (128, 8), (32, 32), (2, 16, 64), (64, 8, 16)]
SIZES = [1, 2, 4, 8]
SWIZZLES = ["32B", "64B", "128B"]


@pytest.mark.parametrize("swizzle", SWIZZLE_BITS)
def test_it_is_that_of_cutlass(swizzle: str) -> None:
    """Swizzle<B, 4, 3>: of the address's digits, YYY from 7 on are added to ZZZ from 4 on."""
    count = ["none", "32B", "64B", "128B"].index(swizzle)
    for address in range(1 << 12):
        digits = [int(digit) for digit in f"{address:012b}"][::-1]
        for bit in range(count):
            digits[4 + bit] ^= digits[7 + bit]
        assert swizzled(address, swizzle) == sum(d << bit for bit, d in enumerate(digits))
        assert swizzled(swizzled(address, swizzle), swizzle) == address


@pytest.mark.parametrize(
    ("swizzle", "width", "rows_alike", "repeat"),
    [("32B", 32, 4, 256), ("64B", 64, 2, 512), ("128B", 128, 1, 1024)],
)
def test_chunks_of_a_row_are_permuted_by_the_rows_number(
    swizzle: str, width: int, rows_alike: int, repeat: int
) -> None:
    """As in the tables of tensor copies: chunk c of row r goes to c ^ r // n % chunks."""
    assert (row_bytes(swizzle), alignment(swizzle)) == (width, repeat)
    chunks = width // 16
    offsets = swizzled_offsets((64, width), 1, 1, swizzle)
    for row, column in product(range(64), range(width)):
        chunk = column // 16 ^ row // rows_alike % chunks
        assert image(offsets, row * width + column) == row * width + chunk * 16 + column % 16
    base = 3 * repeat
    assert swizzled(base, swizzle) == base
    assert swizzled(base + repeat // 2, swizzle) != base + repeat // 2


@pytest.mark.parametrize("swizzle", SWIZZLES)
@pytest.mark.parametrize("size", SIZES)
def test_tiles_are_boxes_of_rows(swizzle: str, size: int) -> None:
    """Against memory filled element by element, for rows along each dimension."""
    for shape in SHAPES:
        numbers = np.arange(np.prod(shape)).reshape(shape)
        for inner in range(len(shape)):
            own = row_bytes(swizzle) // size
            if shape[inner] < own:
                with pytest.raises(ValueError, match="fewer than"):
                    swizzled_offsets(shape, inner, size, swizzle)
                continue
            offsets = swizzled_offsets(shape, inner, size, swizzle)
            rows = np.moveaxis(numbers, inner, -1).reshape(-1, shape[inner] // own, own)
            for place, element in enumerate(rows.swapaxes(0, 1).ravel()):
                assert image(offsets, int(element)) * size == swizzled(place * size, swizzle)


@pytest.mark.parametrize("size", SIZES)
def test_known_swizzles_are_recognised(size: int) -> None:
    for shape, swizzle in product(SHAPES, SWIZZLES):
        for inner in range(len(shape)):
            if shape[inner] * size < row_bytes(swizzle):
                continue
            offsets = swizzled_offsets(shape, inner, size, swizzle)
            assert swizzle_of(offsets, shape, size) == swizzle
            assert swizzle_of(list(offsets), shape, 2 * size) != swizzle
            for first, second in [(0, 1), (len(offsets) - 1, 0)]:
                other = list(offsets)
                other[first] ^= other[second]
                assert swizzle_of(other, shape, size) == "linear"


def test_rows_along_any_dimension_have_no_swizzle() -> None:
    for shape in SHAPES:
        numbers = np.arange(np.prod(shape)).reshape(shape)
        for inner in range(len(shape)):
            flat = np.moveaxis(numbers, inner, -1).ravel().argsort()
            offsets = [int(flat[1 << bit]) for bit in range(numbers.size.bit_length() - 1)]
            assert swizzle_of(offsets, shape, 2) == "none"
    assert swizzle_of((), (), 4) == "none"
    assert swizzle_of((4, 2, 1), (8,), 4) == "linear"


def test_what_is_too_small_to_be_changed_has_no_swizzle() -> None:
    assert swizzle_of(swizzled_offsets((4, 16), 1, 2, "32B"), (4, 16), 2) == "none"
    assert swizzle_of(swizzled_offsets((8, 16), 1, 2, "32B"), (8, 16), 2) == "32B"


@pytest.mark.parametrize("swizzle", SWIZZLES)
def test_pieces_are_smaller_tiles(swizzle: str) -> None:
    """A tile of 32 rows of which 16 are there, the even ones or those of one half."""
    own = row_bytes(swizzle) // 2
    low = own.bit_length() - 1
    whole = swizzled_offsets((16, own), 1, 2, swizzle)
    for absent in (low, low + 4):
        offsets = swizzled_offsets((32, own), 1, 2, swizzle, 1 << absent)
        assert offsets == (*whole[:absent], 0, *whole[absent:])
        assert swizzle_of(offsets, (32, own), 2) == swizzle


@settings(deadline=None)
@given(st.integers(0, 6).flatmap(invertible))
def test_each_offset_has_its_element(offsets: list[int]) -> None:
    back = elements_at(offsets)
    for element in range(1 << len(offsets)):
        assert image(back, image(offsets, element)) == element


def test_of_elements_in_one_place_the_first_is_found() -> None:
    assert elements_at((1, 0, 2, 2)) == (1, 4)
    assert elements_at(()) == ()
    with pytest.raises(ValueError, match="does not reach"):
        elements_at((1, 4))


def test_a_swizzle_that_is_only_near_is_linear() -> None:
    """Every order of three chunk bits but one is another map."""
    plain = [1 << bit for bit in range(12)]
    found = []
    for order in permutations((8, 16, 32)):
        offsets = list(plain)
        for row, chunk in zip((6, 7, 8), order, strict=True):
            offsets[row] |= chunk  # elements of two bytes: chunks from bit 3 on, rows from 6 on
        found.append(swizzle_of(offsets, (64, 64), 2))
    assert found == ["128B", *["linear"] * 5]
