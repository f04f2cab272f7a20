"""Linear maps against their definition, on all numbers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tileir.codegen.layouts.linear_maps import (
    Space,
    combine,
    composed,
    rank,
    right_inverse,
    span,
)

from .random_layouts import image, invertible

VECTORS = st.lists(st.integers(0, 31), max_size=6)


@settings(deadline=None)
@given(VECTORS)
def test_a_map_is_linear(bases: list[int]) -> None:
    for number in range(1 << len(bases)):
        assert combine(bases, number) == image(bases, number)
        for other in range(1 << len(bases)):
            added = combine(bases, number) ^ combine(bases, other)
            assert combine(bases, number ^ other) == added


@settings(deadline=None)
@given(st.lists(st.integers(0, 31), max_size=5), VECTORS)
def test_the_second_map_is_applied_to_what_the_first_one_gives(
    before: list[int], after: list[int]
) -> None:
    both = composed(after, before)
    for number in range(1 << len(before)):
        assert image(both, number) == image(after, image(before, number))


@settings(deadline=None)
@given(VECTORS)
def test_the_rank_is_the_logarithm_of_what_is_reached(bases: list[int]) -> None:
    reached = {image(bases, number) for number in range(1 << len(bases))}
    assert len(reached) == 1 << rank(bases)
    assert set(span(bases)) == reached
    assert [image(bases, number) for number in range(1 << len(bases))] == span(bases)


@settings(deadline=None)
@given(VECTORS)
def test_coordinates_lead_back_to_the_vector(bases: list[int]) -> None:
    space = Space(bases)
    reached = {image(bases, number) for number in range(1 << len(bases))}
    needless = [
        bit
        for bit, base in enumerate(bases)
        if base in {image(bases[:bit], number) for number in range(1 << bit)}
    ]
    for vector in range(64):
        coordinates = space.coordinates(vector)
        assert (coordinates is not None) == (vector in reached)
        if coordinates is not None:
            assert image(bases, coordinates) == vector
            assert not any(coordinates >> bit & 1 for bit in needless)


@settings(deadline=None)
@given(VECTORS)
def test_a_vector_is_new_only_once(bases: list[int]) -> None:
    space = Space()
    for count, base in enumerate(bases):
        before = {image(bases[:count], number) for number in range(1 << count)}
        assert space.add(base) == (base not in before)
        assert not space.add(base)


@settings(deadline=None)
@given(st.integers(0, 5).flatmap(invertible))
def test_the_inverse_of_a_permutation_is_its_own(bases: list[int]) -> None:
    back = right_inverse(bases, len(bases))
    for number in range(1 << len(bases)):
        assert image(bases, image(back, number)) == number
        assert image(back, image(bases, number)) == number
    assert right_inverse(back, len(bases)) == tuple(bases)


@settings(deadline=None)
@given(VECTORS, st.integers(0, 5))
def test_a_right_inverse_exists_where_everything_is_reached(bases: list[int], bits: int) -> None:
    reached = {image(bases, number) for number in range(1 << len(bases))}
    if not reached >= set(range(1 << bits)):
        with pytest.raises(ValueError, match="does not reach"):
            right_inverse(bases, bits)
        return
    back = right_inverse(bases, bits)
    assert [image(bases, image(back, number)) for number in range(1 << bits)] == list(
        range(1 << bits)
    )


@settings(deadline=None)
@given(st.data())
def test_the_inverse_of_a_composition_is_that_of_its_parts_backwards(data: st.DataObject) -> None:
    bits = data.draw(st.integers(0, 5))
    first, second = data.draw(invertible(bits)), data.draw(invertible(bits))
    whole = right_inverse(composed(second, first), bits)
    assert whole == composed(right_inverse(first, bits), right_inverse(second, bits))


def test_the_right_inverse_of_a_row_major_matrix_is_the_transposition() -> None:
    """In CuTe's words: the right inverse of (4,8):(8,1) is (8,4):(4,1)."""
    row_major = (8, 16, 1, 2, 4)  # coordinates are numbered with the rows lowest
    assert right_inverse(row_major, 5) == (4, 8, 16, 1, 2)
    assert [4 * (offset % 8) + offset // 8 for offset in range(32)] == [
        image(right_inverse(row_major, 5), offset) for offset in range(32)
    ]


def test_the_inverse_of_a_swizzled_row_is_the_row() -> None:
    """(t, w) -> (t, w ^ t): twice is the identity, of t in the upper two bits."""
    swizzled = (1, 2, 4 | 1, 8 | 2)
    assert [image(swizzled, 4 * t + w) for t in range(4) for w in range(4)] == [
        4 * t + (w ^ t) for t in range(4) for w in range(4)
    ]
    assert right_inverse(swizzled, 4) == swizzled


def test_the_transposition_of_a_square_is_its_own_inverse() -> None:
    """Triton's example of a linear layout of 16 elements."""
    transposed = (4, 8, 1, 2)
    numbers = [image(transposed, number) for number in range(16)]
    assert numbers == [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]
    assert right_inverse(transposed, 4) == composed(transposed, (1, 2, 4, 8)) == transposed
