"""Inverse of a layout, and conversion between two, against all elements in all registers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tileir.codegen.layouts.algebra import conversion, crosses, inverse, split
from tileir.codegen.layouts.linear_layout import LinearLayout, renames

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
