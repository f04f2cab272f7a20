"""Products and quotients of layouts, against all elements, and as Triton and CuTe define them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product as pairs

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tileir.codegen.layouts.algebra import crosses, divide, product
from tileir.codegen.layouts.linear_layout import LinearLayout, blocked, for_scan

from .random_layouts import held, layouts

ONE_ELEMENT = LinearLayout(0, (), (), ())


@st.composite
def shapes(draw: st.DrawFn, bits: int, rank: int) -> tuple[int, ...]:
    cuts = sorted(draw(st.lists(st.integers(0, bits), min_size=rank - 1, max_size=rank - 1)))
    ends = zip([0, *cuts], [*cuts, bits], strict=True)
    return tuple(1 << end - start for start, end in ends)


@st.composite
def factors(draw: st.DrawFn) -> tuple:
    """Two layouts of few bits, and shapes of as many dimensions for both."""
    inner, outer = (draw(layouts(bits=draw(st.integers(0, 3)), sides=1)) for _ in range(2))
    rank = draw(st.integers(1, 3))
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
    assert crosses(everywhere, spread) != "block"


def test_the_accumulator_of_m16n8_is_a_product() -> None:
    """PTX: groups of four lanes have a row, each lane two neighbours, and those 8 rows below."""
    pair = LinearLayout(1, (1,), (), ())
    lanes = LinearLayout(5, (), (1, 2, 4, 8, 16), ())  # of 8 rows and 4 columns
    below = LinearLayout(1, (1,), (), ())
    fragment = product(product(pair, lanes, (1, 2), (8, 4)), below, (8, 8), (2, 1))
    for (register, lane, _), element in held(fragment).items():
        row, column = lane // 4 + 8 * (register // 2), lane % 4 * 2 + register % 2
        assert element == 8 * row + column


@settings(deadline=None)
@given(layouts(sides=1), st.integers(0, 3))
def test_a_product_with_copies_has_bits_without_effect(layout: LinearLayout, count: int) -> None:
    """In Triton's tests: the identity of 8 times zeros of 16 is [1, 2, 4, 0, 0, 0, 0]."""
    copies = LinearLayout(0, (), (0,) * count, ())
    assert product(layout, copies) == replace(layout, lane=(*layout.lane, *[0] * count))
    identity, zeros = LinearLayout(3, (), (1, 2, 4), ()), LinearLayout(0, (), (0,) * 4, ())
    assert product(identity, zeros).lane == (1, 2, 4, 0, 0, 0, 0)


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
