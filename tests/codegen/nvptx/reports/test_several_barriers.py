"""Pairs of accesses that no barrier alone orders, because another one stands between as well."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.codegen.block.bodies import COLUMNS, Builder
from tests.codegen.nvptx.passes.placed import barriers, placed
from tileir.codegen.nvptx.reports.several_barriers import pairs_of_several


def exchange(b: Builder) -> None:
    tile = b.alloc()
    b.store(tile)
    b.load(tile)


def read_behind_two(b: Builder) -> None:
    tile = b.alloc()
    b.store(tile)
    exchange(b)
    exchange(b)
    b.load(tile)


def read_behind_a_loop(b: Builder) -> None:
    """If the loop makes no trips, the two barriers behind it stand between."""
    tile = b.alloc()
    b.store(tile)
    with b.loop():
        exchange(b)
        b.load(tile)
    exchange(b)
    exchange(b)
    b.load(tile, COLUMNS)


def written_again(b: Builder) -> None:
    """That the second write comes after the first one follows from the read between them."""
    tile = b.alloc()
    for _ in range(2):
        b.store(tile)
        b.load(tile)


@pytest.mark.parametrize(("case", "expected"), [
    (read_behind_two, [("area 0: store_shared before load_shared",), None]),
    (exchange, [None]),
    (written_again, [None, None, None]),
])  # fmt: skip
def test_what_is_said(
    case: Callable[[Builder], None], expected: list[tuple[str, ...] | None]
) -> None:
    b = Builder()
    case(b)
    body = b.finish()
    placed(body)
    areas = [op for op in body.walk() if op.name == "shared_alloc"]
    found = pairs_of_several(body, areas)
    assert [found.get(barrier) for barrier in barriers(body)] == expected


def test_a_loop_that_makes_no_trips() -> None:
    b = Builder()
    read_behind_a_loop(b)
    body = b.finish()
    placed(body)
    areas = [op for op in body.walk() if op.name == "shared_alloc"]
    said = [pair for pairs in pairs_of_several(body, areas).values() for pair in pairs]
    passed = "area 0: store_shared before load_shared, if a loop between makes no trips"
    assert passed in said
