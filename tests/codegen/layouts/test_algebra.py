"""Inverse, conversion, product and division of layouts, against all elements in all registers."""

from __future__ import annotations

from dataclasses import replace
from itertools import product as pairs

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tileir.codegen.layouts.algebra import conversion, crosses, divide, inverse, product, split
from tileir.codegen.layouts.linear_layout import LinearLayout, blocked, for_scan, renames

from .random_layouts import complete_layouts, held, image, layouts

ONE_ELEMENT = LinearLayout(0, (), (), ())
COUNTS = st.tuples(*[st.integers(0, 2)] * 3)


@settings(deadline=None)
@given(layouts())
def test_positions_are_numbered_registers_first(layout: LinearLayout) -> None:
    places = held(layout)
    numbers = range(len(places))
    assert len({split(layout, number) for number in numbers}) == len(places)
    for number in numbers:
        assert places[split(layout, number)] == image(layout.bases, number)


@settings(deadline=None)
@given(complete_layouts())
def test_the_inverse_leads_to_the_owner(layout: LinearLayout) -> None:
    back, places = inverse(layout), held(layout)
    for element in range(1 << layout.bits):
        place = split(layout, image(back, element))
        assert places[place] == element
        assert not place.thread & layout.replicas
        assert not place.block & layout.block_replicas


@settings(deadline=None)
@given(layouts())
def test_what_lacks_elements_has_no_inverse(layout: LinearLayout) -> None:
    if set(held(layout).values()) == set(range(1 << layout.bits)):
        assert len(inverse(layout)) == layout.bits
        return
    with pytest.raises(ValueError, match="does not reach"):
        inverse(layout)


def needed_level(source: LinearLayout, target: LinearLayout) -> str:
    """How far data crosses, by looking for each element in the thread, then in its warp, ..."""
    places, lanes = held(source), 2 ** len(source.lane)

    def region(level: str, place: tuple[int, int, int]) -> object:
        _, thread, block = place
        return {"register": (thread, block), "lane": (thread // lanes, block), "warp": block}.get(
            level
        )

    for level in ("register", "lane", "warp", "block"):
        there: dict[object, set[int]] = {}
        for place, element in places.items():
            there.setdefault(region(level, place), set()).add(element)
        if all(element in there[region(level, place)] for place, element in held(target).items()):
            return level
    raise AssertionError


@st.composite
def conversions(draw: st.DrawFn) -> tuple[LinearLayout, LinearLayout]:
    """Two layouts of one tile for as many threads; often the second is near the first."""
    bits, counts = draw(st.integers(0, 4)), draw(COUNTS)
    source = draw(complete_layouts(bits, counts))
    if draw(st.booleans()):
        return source, draw(complete_layouts(bits, counts))
    sides = [list(source.register), list(source.lane), list(source.warp), list(source.block)]
    changed = sides[draw(st.integers(0, 3))]
    near = [base for side in sides[: draw(st.integers(1, 4))] for base in side]
    if changed and near:
        changed[draw(st.integers(0, len(changed) - 1))] ^= draw(st.sampled_from(near))
    register = [base for base in sides[0] if base]
    return source, LinearLayout(bits, tuple(register), *map(tuple, sides[1:]))


@settings(deadline=None)
@given(conversions())
def test_a_conversion_finds_each_element_as_near_as_it_is(
    both: tuple[LinearLayout, LinearLayout],
) -> None:
    source, target = both
    fetched, there, asked = conversion(source, target), held(source), held(target)
    found = "register"
    for number in range(len(asked)):
        wanted, place = split(target, number), split(source, image(fetched, number))
        assert there[place] == asked[wanted]
        lanes = 2 ** len(source.lane)
        if place.block != wanted.block:
            moved = "block"
        elif place.thread // lanes != wanted.thread // lanes:
            moved = "warp"
        else:
            moved = "register" if place.thread == wanted.thread else "lane"
        found = max(found, moved, key=("register", "lane", "warp", "block").index)
    assert found == crosses(source, target) == needed_level(source, target)


@settings(deadline=None)
@given(conversions())
def test_renaming_registers_crosses_nothing(both: tuple[LinearLayout, LinearLayout]) -> None:
    source, target = both
    assert crosses(source, source) == "register"
    if renames(source, target):
        assert crosses(source, target) == "register"


@settings(deadline=None)
@given(COUNTS.flatmap(lambda counts: st.tuples(*[complete_layouts(3, counts)] * 3)))
def test_conversions_follow_each_other(three: tuple[LinearLayout, ...]) -> None:
    first, second, third = three
    there, back = conversion(first, second), conversion(second, third)
    for number, element in enumerate(image(third.bases, n) for n in range(len(held(third)))):
        assert image(first.bases, image(there, image(back, number))) == element


def test_what_is_nowhere_cannot_be_converted() -> None:
    target = LinearLayout(2, (1, 2), (0,), ())
    with pytest.raises(ValueError, match="nowhere"):
        conversion(LinearLayout(2, (1,), (0,), ()), target)
    with pytest.raises(ValueError, match="different numbers of lanes"):
        crosses(LinearLayout(2, (1, 2), (), ()), target)
    assert crosses(LinearLayout(2, (), (1,), ()), LinearLayout(2, (), (0,), ())) == "lane"
    assert crosses(ONE_ELEMENT, ONE_ELEMENT) == "register"


@pytest.mark.parametrize(
    ("source", "target", "widest"),
    [
        (((1, 2), (4,), (8,), (16,)), ((2, 1), (4,), (8,), (16,)), "register"),
        (((1, 2), (4,), (8,), (16,)), ((1,), (4,), (8,), (16,)), "register"),
        (((1, 2), (0,), (8,), ()), ((1,), (2,), (8,), ()), "register"),
        (((1, 2), (4,), (8,), (16,)), ((1, 4), (2,), (8,), (16,)), "lane"),
        (((1, 2), (4,), (8,), (16,)), ((1, 2), (8,), (4,), (16,)), "warp"),
        (((1, 2), (4,), (8,), (16,)), ((1, 2), (4,), (16,), (8,)), "block"),
        (((1, 2), (4,), (8,), (16,)), ((1, 2), (4,), (8,), (16 | 8,)), "warp"),
        (((1, 2), (4,), (8,), (16,)), ((1, 2), (4,), (8,), (16 | 2,)), "register"),
    ],
)
def test_how_far_data_goes(source, target, widest: str) -> None:
    assert crosses(LinearLayout(5, *source), LinearLayout(5, *target)) == widest


def test_a_conversion_in_tritons_order() -> None:
    """L1 = [2, 1, 4] and L2 = [4, 1, 2]: the inverse of L2 after L1 is [4, 2, 1]."""
    first, second = LinearLayout(3, (2, 1, 4), (), ()), LinearLayout(3, (4, 1, 2), (), ())
    assert conversion(second, first) == (4, 2, 1)
    copies = LinearLayout(3, (), (0, 2, 1, 4), ())
    assert inverse(copies) == (4, 2, 8)  # never the bit that makes no difference


# Products


@st.composite
def shapes(draw: st.DrawFn, bits: int, rank: int) -> tuple[int, ...]:
    cuts = sorted(draw(st.lists(st.integers(0, bits), min_size=rank - 1, max_size=rank - 1)))
    ends = zip([0, *cuts], [*cuts, bits], strict=True)
    return tuple(1 << end - start for start, end in ends)


@st.composite
def factors(draw: st.DrawFn, least: int = 1) -> tuple:
    """Two layouts of few bits, and shapes of as many dimensions for both."""
    inner, outer = (draw(layouts(bits=draw(st.integers(0, 3)), sides=1)) for _ in range(2))
    rank = draw(st.integers(least, 3))
    return inner, outer, draw(shapes(inner.bits, rank)), draw(shapes(outer.bits, rank))


@settings(deadline=None)
@given(factors())
def test_a_product_is_a_tile_of_tiles(case: tuple) -> None:
    inner, outer, inner_shape, outer_shape = case
    whole = product(inner, outer, inner_shape, outer_shape)
    shape = tuple(a * b for a, b in zip(inner_shape, outer_shape, strict=True))
    numbers = np.arange(1 << whole.bits).reshape(shape)
    within, between, places = held(inner), held(outer), held(whole)
    low = [len(inner.register), len(inner.lane), len(inner.warp), len(inner.block)]
    lanes = len(outer.lane) + low[1]
    assert len(places) == len(within) * len(between)
    for (own, low_element), (far, high_element) in pairs(within.items(), between.items()):
        # The bits of inner lanes, outer lanes, inner warps and outer warps follow each other.
        thread = own[1] % 2 ** low[1] + (far[1] % 2 ** len(outer.lane) << low[1])
        thread += (own[1] >> low[1]) + (far[1] >> len(outer.lane) << low[2]) << lanes
        place = own[0] + (far[0] << low[0]), thread, own[2] + (far[2] << low[3])
        x = np.array(np.unravel_index(low_element, inner_shape))
        y = np.array(np.unravel_index(high_element, outer_shape))
        assert places[place] == numbers[tuple(y * inner_shape + x)]


@settings(deadline=None)
@given(factors())
def test_division_undoes_a_product(case: tuple) -> None:
    inner, outer, inner_shape, outer_shape = case
    shape = tuple(a * b for a, b in zip(inner_shape, outer_shape, strict=True))
    whole = product(inner, outer, inner_shape, outer_shape)
    assert divide(whole, inner, shape, inner_shape) == outer
    assert divide(whole, whole, shape, shape) == ONE_ELEMENT
    assert divide(inner, ONE_ELEMENT) == inner


@settings(deadline=None)
@given(layouts(bits=3, sides=1), layouts(bits=2, sides=1))
def test_a_quotient_gives_the_layout_back_or_there_is_no_such_product(
    layout: LinearLayout, inner: LinearLayout
) -> None:
    quotient = divide(layout, inner)
    if quotient is not None:
        assert product(inner, quotient) == layout
        return
    counts = [
        len(whole) - len(own)
        for whole, own in zip(layout.levels.values(), inner.levels.values(), strict=True)
    ]
    assume(min(counts) >= 0 and sum(counts) <= 4)
    for bases in pairs(range(2), repeat=sum(counts)):
        left = iter(bases)
        sides = [tuple(next(left) for _ in range(count)) for count in counts]
        assert product(inner, LinearLayout(1, *sides)) != layout


@settings(deadline=None)
@given(*[layouts(sides=1)] * 3)
def test_products_are_associative(
    first: LinearLayout, second: LinearLayout, third: LinearLayout
) -> None:
    left = product(product(first, second), third)
    assert left == product(first, product(second, third))
    assert product(ONE_ELEMENT, first) == first == product(first, ONE_ELEMENT)


def test_a_larger_layout_is_no_factor() -> None:
    assert divide(blocked(64, 1, 32), blocked(128, 1, 32)) is None
    assert divide(blocked(64, 1, 32), blocked(4, 1, 4, 2), (1, 64), (2, 2)) is None


def test_a_blocked_layout_is_a_vector_by_threads_by_repetition() -> None:
    vector = LinearLayout(2, (1, 2), (), ())
    warp, warps = LinearLayout(5, (), (1, 2, 4, 8, 16), ()), LinearLayout(2, (), (), (1, 2))
    again = LinearLayout(1, (1,), (), ())
    assert product(product(product(vector, warp), warps), again) == blocked(1024, 4, 128)
    assert divide(blocked(1024, 4, 128), vector) == blocked(256, 1, 128)
    assert divide(blocked(1024, 4, 128), LinearLayout(3, (1, 2, 4), (), ())) is None


def test_a_cluster_divides_the_rows_of_a_tile() -> None:
    inner = for_scan((8, 64), 1, 128)
    outer = LinearLayout(1, (), (), (), (1,))
    spread = product(inner, outer, (8, 64), (2, 1))
    assert spread.block == (512,)
    assert {spread.element(0, 0, block) for block in range(2)} == {0, 512}
    assert divide(spread, inner, (16, 64), (8, 64)) == outer
    everywhere = replace(for_scan((16, 64), 1, 128), block=(0,))
    assert crosses(spread, everywhere) == "block"
    assert crosses(everywhere, spread) == needed_level(everywhere, spread) != "block"


def test_the_accumulator_of_m16n8_is_a_product() -> None:
    """PTX: groups of four lanes have a row, each lane two neighbours, and those 8 rows below."""
    pair = LinearLayout(1, (1,), (), ())
    lanes = LinearLayout(5, (), (1, 2, 4, 8, 16), ())  # of 8 rows and 4 columns
    below = LinearLayout(1, (1,), (), ())
    fragment = product(product(pair, lanes, (1, 2), (8, 4)), below, (8, 8), (2, 1))
    for (register, lane, _), element in held(fragment).items():
        row, column = lane // 4 + 8 * (register // 2), lane % 4 * 2 + register % 2
        assert element == 8 * row + column


# CuTe: layouts as (extents, strides), with the first one fastest


def offset(extents: list[int], strides: list[int], index: int) -> int:
    result = 0
    for extent, stride in zip(extents, strides, strict=True):
        result, index = result + index % extent * stride, index // extent
    return result


def complement(offsets: list[int], size: int) -> list[int]:
    """What a layout's copies start at: each time the first offset that no copy has yet."""
    taken, starts = set[int](), []
    for start in range(size):
        copy = {start + each for each in offsets}
        if not copy & taken and max(copy) < size:
            taken |= copy
            starts.append(start)
    return starts


@pytest.mark.parametrize(
    ("extents", "strides"),
    [([4], [1]), ([2, 2], [2, 1]), ([2, 4], [4, 1]), ([2, 2, 2], [2, 4, 1]), ([1], [1])],
)
@pytest.mark.parametrize(("again", "order"), [([4], [1]), ([2, 2], [2, 1]), ([2, 4], [4, 1])])
def test_it_is_cutes_logical_product(extents, strides, again, order) -> None:
    size, count = int(np.prod(extents)), int(np.prod(again))
    own = [offset(extents, strides, index) for index in range(size)]
    starts = complement(own, size * count)
    expected = [starts[offset(again, order, copy)] + each for copy in range(count) for each in own]
    inner = LinearLayout(
        size.bit_length() - 1, tuple(own[1 << n] for n in range(9) if 1 << n < size), (), ()
    )
    outer = LinearLayout(
        count.bit_length() - 1,
        tuple(offset(again, order, 1 << n) for n in range(9) if 1 << n < count),
        (),
        (),
    )
    assert product(inner, outer).offsets() == expected


def test_it_is_cutes_blocked_product() -> None:
    """A tile of 2 by 4, row-major, at each place of a matrix of 4 by 2, column-major."""
    tile, matrix = LinearLayout(3, (4, 1, 2), (), ()), LinearLayout(3, (2, 4, 1), (), ())
    whole = product(tile, matrix, (2, 4), (4, 2))
    seen = [divmod(element, 8) for element in whole.offsets()]
    expected = [
        (2 * m + i, 4 * n + j)
        for n in range(2)
        for m in range(4)
        for j in range(4)
        for i in range(2)
    ]
    assert seen == expected
