"""Places in shared memory: all different, and in different banks for lanes that go together."""

from __future__ import annotations

from itertools import product

import pytest

from tileir.codegen.layouts.algebra import product as product_of
from tileir.codegen.layouts.linear_layout import LinearLayout, along, blocked, for_scan
from tileir.codegen.layouts.swizzle import swizzle

SHAPES = [(32, 32), (16, 128), (128, 16), (1024,), (8, 8, 32), (4, 16), (64, 2)]


def layouts(shape: tuple[int, ...]) -> list[LinearLayout]:
    rank = len(shape)
    size = 1
    for extent in shape:
        size *= extent
    found = [for_scan(shape, dim, 128) for dim in range(rank)]
    for vector in (1, 4):
        found += [
            along(shape, order, vector, 128)
            for order in (tuple(range(rank)), tuple(range(rank))[::-1])
        ]
    found.append(blocked(size, 2, 128).without(1))
    return found


CASES = [
    (shape, source, target)
    for shape in SHAPES
    for source, target in product(layouts(shape), repeat=2)
]


SIZES = (1, 2, 4, 8)


def eighth(size: int, part: int) -> list[tuple[tuple[int, ...], LinearLayout, LinearLayout]]:
    """Cases for tests that go through all elements: each is there for one of the sizes."""
    return CASES[SIZES.index(size) + len(SIZES) * part :: 2 * len(SIZES)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("size", SIZES)
def test_every_element_has_its_own_place(size: int, part: int) -> None:
    for _, source, target in eighth(size, part):
        found = swizzle(source, target, size)
        places = [found.place(element) for element in range(1 << source.bits)]
        assert sorted(places) == list(range(1 << source.bits))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("size", SIZES)
def test_there_are_no_gaps_where_bits_of_elements_are_missing(size: int, part: int) -> None:
    """As in pieces of a tile."""
    for _, source, target in eighth(size, part):
        for missing in (1 << 1, 1 << source.bits - 2, 5):
            found = swizzle(source.without(missing), target.without(missing), size)
            kept = [element for element in range(1 << source.bits) if not element & missing]
            assert sorted(map(found.place, kept)) == list(range(len(kept)))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("part", range(2))
def test_elements_of_other_blocks_take_no_room(part: int) -> None:
    for shape, source, target in eighth(4, part):
        outer = LinearLayout(1, (), (), (), (1,))
        both = [
            product_of(layout, outer, shape, (1,) * (len(shape) - 1) + (2,))
            for layout in (source, target)
        ]
        found = swizzle(*both, 4)
        held = {
            layout.element(register, thread)
            for layout in both
            for register in range(1 << len(layout.register))
            for thread in range(128)
        }
        assert sorted(map(found.place, held)) == list(range(len(held)))


@pytest.mark.parametrize("size", SIZES)
def test_vectors_lie_side_by_side(size: int) -> None:
    for _, source, target in CASES:
        found = swizzle(source, target, size)
        assert size << len(found.read) <= 16
        assert set(found.written) <= set(source.register)
        assert set(found.read) <= set(target.register)
        assert found.read[: len(found.written)] == found.written
        assert [found.place(base) for base in found.read] == [
            1 << bit for bit in range(len(found.read))
        ]


@pytest.mark.parametrize("size", SIZES)
def test_reading_threads_start_where_vectors_do(size: int) -> None:
    for _, source, target in CASES:
        found = swizzle(source, target, size)
        for base in target.thread:
            assert found.place(base) % (1 << len(found.read)) == 0
        for base in source.thread:
            assert found.place(base) % (1 << len(found.written)) == 0


def conflicts(layout: LinearLayout, found, vector: tuple[int, ...], size: int) -> int:
    """The most different words of one bank that lanes of a warp ask for in one go."""
    width = size << len(vector)
    together = 32 * 4 // max(width, 4)
    worst = 1
    for first in range(0, 32, together):
        banks: dict[int, set[int]] = {}
        for lane in range(first, first + together):
            start = found.place(layout.of_thread(lane)) * size
            for word in range(start // 4, -(-(start + width) // 4)):
                banks.setdefault(word % 32, set()).add(word)
        worst = max(worst, *(len(words) for words in banks.values()))
    return worst


@pytest.mark.parametrize("size", [4, 8])
def test_lanes_that_go_together_meet_different_banks(size: int) -> None:
    for shape, source, target in CASES:
        found = swizzle(source, target, size)
        assert conflicts(source, found, found.written, size) == 1, (shape, source, target)
        assert conflicts(target, found, found.read, size) == 1, (shape, source, target)


@pytest.mark.parametrize("size", [1, 2])
def test_small_elements_conflict_less_than_without(size: int) -> None:
    """Lanes whose elements are far apart may want different halves of different words."""
    for _, source, target in CASES:
        found = swizzle(source, target, size)
        assert conflicts(source, found, found.written, size) <= 4 // size
        assert conflicts(target, found, found.read, size) <= 4 // size
