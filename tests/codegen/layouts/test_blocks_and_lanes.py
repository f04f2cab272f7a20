"""Blocks of a cluster, and warps of any size, against each register of each thread."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tileir.codegen.layouts.linear_layout import (
    LANE_BITS,
    LinearLayout,
    along,
    blocked,
    dim_bits,
    for_scan,
    held_by_each,
    renames,
    uniform,
)
from tileir.gpus import TARGETS

from .random_layouts import held, image, layouts


@settings(deadline=None)
@given(layouts())
def test_each_register_of_each_block_holds_the_sum_of_its_bases(layout: LinearLayout) -> None:
    for place, element in held(layout).items():
        assert layout.element(*place) == element
    elements = set(held(layout).values())
    assert layout.is_complete == (elements == set(range(1 << layout.bits)))
    assert [*layout.levels.values()] == [layout.register, layout.lane, layout.warp, layout.block]
    assert layout.bases == sum(layout.levels.values(), ())


@settings(deadline=None)
@given(layouts())
def test_layouts_without_blocks_are_as_before(layout: LinearLayout) -> None:
    alone = LinearLayout(layout.bits, layout.register, layout.lane, layout.warp)
    assert alone.block == ()
    assert alone.block_replicas == 0
    assert {place: e for place, e in held(layout).items() if place[2] == 0} == held(alone)
    assert (layout.thread, layout.replicas) == (alone.thread, alone.replicas)


@settings(deadline=None)
@given(layouts())
def test_blocks_that_differ_in_replica_bits_hold_copies(layout: LinearLayout) -> None:
    for (register, thread, block), element in held(layout).items():
        owner = block & ~layout.block_replicas
        assert element == layout.element(register, thread & ~layout.replicas, owner)


@settings(deadline=None)
@given(layouts())
def test_a_permutation_gives_places_without_copies_distinct_bits(layout: LinearLayout) -> None:
    bases = [base for base in layout.bases if base]
    sums = [
        sum(base for bit, base in enumerate(bases) if n >> bit & 1) for n in range(1 << len(bases))
    ]
    one_to_one = all(image(bases, n) == total for n, total in enumerate(sums))
    single = all(base in (1, 2, 4, 8, 16) for base in bases)
    assert layout.is_permutation == (one_to_one and single)


@settings(deadline=None)
@given(layouts(), st.lists(st.integers(0, 15), min_size=5, max_size=5))
def test_renumbering_is_of_all_blocks(layout: LinearLayout, images: list[int]) -> None:
    composed = layout.compose(images)
    for thread in range(1 << len(layout.thread)):
        for block in range(1 << len(layout.block)):
            renumbered = {
                image(images, layout.element(register, thread, block))
                for register in range(1 << len(layout.register))
            }
            assert renumbered == {
                composed.element(register, thread, block)
                for register in range(1 << len(composed.register))
            }


@settings(deadline=None)
@given(layouts(), st.lists(st.integers(0, 15), min_size=5, max_size=5), st.data())
def test_renumbering_twice_is_once(layout: LinearLayout, first: list[int], data) -> None:
    second = data.draw(st.lists(st.integers(0, 15), min_size=4, max_size=4))
    once = layout.compose([image(second, each) for each in first])
    twice = layout.compose(first).compose(second)
    assert twice.levels == once.levels


@settings(deadline=None)
@given(layouts(), st.lists(st.integers(0, 15), min_size=5, max_size=5), st.integers(0, 31))
def test_no_two_registers_of_a_thread_hold_one_element(
    layout: LinearLayout, images: list[int], gone: int
) -> None:
    for other in (layout.compose(images), layout.without(gone)):
        assert len(set(other.offsets())) == 1 << len(other.register)


@settings(deadline=None)
@given(layouts(), st.integers(0, 31))
def test_a_reduction_leaves_all_blocks_the_other_bits(layout: LinearLayout, gone: int) -> None:
    kept = layout.without(gone)
    for (_, thread, block), element in held(kept).items():
        assert not element & gone
        assert kept.element(0, thread, block) == layout.element(0, thread, block) & ~gone
    assert {element & ~gone for element in held(layout).values()} == set(held(kept).values())


@settings(deadline=None)
@given(layouts(), st.integers(0, 2))
def test_widened_blocks_hold_what_lies_side_by_side(layout: LinearLayout, bits: int) -> None:
    wide = layout.widened(bits)
    assert wide.bits == layout.bits + bits
    for (register, thread, block), element in held(wide).items():
        own = layout.element(register >> bits, thread, block)
        assert element == (own << bits) + register % (1 << bits)


def test_blocks_with_other_elements_are_no_renaming() -> None:
    source = LinearLayout(3, (1, 2), (), (), (4,))
    assert renames(source, LinearLayout(3, (2,), (), (), (4,)))
    assert not renames(source, LinearLayout(3, (2,), (), (), (0,)))
    assert not renames(source, LinearLayout(3, (2,), (), (4,)))


# Other warps


def test_warps_of_all_gpus_are_those_of_layouts() -> None:
    assert {target.warp for target in TARGETS.values()} == {1 << LANE_BITS}


@pytest.mark.parametrize("lane_bits", [0, 3, 4, 5, 6])
def test_only_the_border_between_lanes_and_warps_moves(lane_bits: int) -> None:
    """With whole warps, threads hold the same elements, however many of them are a warp."""
    for size, vector, threads in product([1, 64, 1024], [1, 4], [64, 128]):
        if vector <= size:
            here = blocked(size, vector, threads, lane_bits)
            check_border(here, blocked(size, vector, threads), lane_bits)
    here = along((16, 32), (1, 0), 4, 128, lane_bits)
    check_border(here, along((16, 32), (1, 0), 4, 128), lane_bits)
    check_border(uniform(64, lane_bits), uniform(64), lane_bits)
    check_border(held_by_each(16, 64, lane_bits), held_by_each(16, 64), lane_bits)


def check_border(here: LinearLayout, usual: LinearLayout, lane_bits: int) -> None:
    assert len(here.lane) == lane_bits
    assert (here.register, here.thread) == (usual.register, usual.thread)


@pytest.mark.parametrize("lane_bits", [0, 2, 4, 6])
@pytest.mark.parametrize("shape", [(64,), (1024,), (8, 16), (4, 8, 16), (256, 2)])
def test_a_scan_is_for_warps_of_any_size(shape: tuple[int, ...], lane_bits: int) -> None:
    for dim, threads in product(range(len(shape)), (64, 256)):
        layout = for_scan(shape, dim, threads, lane_bits)
        low, count = dim_bits(shape, dim)
        assert (len(layout.lane), len(layout.thread)) == (lane_bits, threads.bit_length() - 1)
        assert layout.is_permutation
        assert layout.is_complete
        along_dim = [base for base in layout.bases if base & ((1 << count) - 1 << low)]
        assert along_dim == [1 << bit for bit in range(low, low + count)]
