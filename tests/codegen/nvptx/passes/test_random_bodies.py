"""Random bodies: what orders accesses, and what allocates memory, against what checks both."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.block.bodies import COLUMNS, ROWS, Builder
from tests.codegen.block.problems import block_problem
from tileir.codegen.nvptx.passes.memory.allocate_memory import areas_of, memory_needed
from tileir.ir import Body

from .placed import barriers, placed, without_each

FOR_A_RING = re.compile(r" before copy_async\b.*, in the same bytes")
LEAVES = st.tuples(st.sampled_from(["store", "load", "fresh"]), st.integers(0, 2), st.booleans())
STEPS = st.recursive(
    st.lists(LEAVES, max_size=4),
    lambda inner: st.lists(
        st.one_of(
            LEAVES,
            st.tuples(st.just("for"), inner),
            st.tuples(st.just("if"), inner, inner),
            st.tuples(st.just("ring"), st.integers(2, 4), st.booleans()),
        ),
        max_size=5,
    ),
    max_leaves=14,
)


def emit(b: Builder, steps: list[Any], tiles: list[Any]) -> None:
    for step in steps:
        name, *rest = step
        if name == "for":
            with b.loop():
                emit(b, rest[0], tiles)
        elif name == "if":
            b.branch(*(lambda side=side: emit(b, side, tiles) for side in rest))
        elif name == "ring":
            b.pipelined(rest[0], beside=rest[1])
        elif name == "fresh":
            tile = b.alloc()
            b.store(tile)
            b.load(tile)
        else:
            tile = tiles[rest[0]]
            (b.store if name == "store" else b.load)(tile, ROWS if rest[1] else COLUMNS)


def body_of(steps: list[Any]) -> Body:
    b = Builder()
    tiles = [b.alloc() for _ in range(3)]
    for tile in tiles:
        b.store(tile)
    emit(b, steps, tiles)
    return b.finish()


@settings(max_examples=25, deadline=None)
@given(STEPS, st.sampled_from([0, 1 << 14, 1 << 17]))
def test_accesses_are_in_order_and_every_barrier_is_needed(steps: list[Any], room: int) -> None:
    body = body_of(steps)
    least = memory_needed(body)
    size = placed(body, room)
    assert block_problem(body, ordered=True) is None
    assert least <= size <= max(least, room)
    for pairs, problem in without_each(body):
        assert pairs
        # A barrier frees the bytes of all slots of a ring, of which the prologue fills the first.
        assert problem or all(FOR_A_RING.search(pair) for pair in pairs)


@settings(max_examples=25, deadline=None)
@given(STEPS)
def test_areas_that_live_together_do_not_overlap(steps: list[Any]) -> None:
    body = body_of(steps)
    size = placed(body)
    areas = areas_of(body)
    taken: dict[int, dict[int, object]] = {}
    for area in areas:
        start = area.op.attributes["offset"]
        assert start % area.alignment == 0
        for moment in range(area.first, area.last + 1):
            for byte in range(start, start + area.bytes, 16):
                assert taken.setdefault(moment, {}).setdefault(byte, area.op) is area.op
    assert size == max((area.op.attributes["offset"] + area.bytes for area in areas), default=0)
    assert all(op.attributes["pairs"] for op in barriers(body))
