"""Where barriers go, and for which accesses: before what other threads may not have done."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.codegen.block.bodies import COLUMNS, ROWS, STRAIGHT, Builder
from tests.codegen.block.problems import block_problem
from tests.codegen.nvptx.passes.placed import barriers as barriers_of
from tests.codegen.nvptx.passes.placed import followers, placed, without_each

AROUND = "of the iteration before, before"


def exchange(b: Builder) -> None:
    tile = b.alloc()
    b.store(tile)
    b.load(tile)


def two_tiles(b: Builder) -> None:
    one, other = b.alloc(), b.alloc()
    b.store(one)
    b.store(other)
    b.load(one)
    b.load(other)


def same_thread(b: Builder) -> None:
    tile = b.alloc()
    b.store(tile, ROWS)
    b.load(tile, ROWS)


def pieces(b: Builder) -> None:
    tile = b.alloc(offsets=(*STRAIGHT[:9], 0))
    for part in (0, 512):
        b.store(tile, part=part)
        b.load(tile, part=part)


def in_loop(b: Builder) -> None:
    tile = b.alloc()
    with b.loop():
        b.store(tile)
        b.load(tile)


def loop_entry_alone(b: Builder) -> None:
    tile = b.alloc()
    b.store(tile)
    with b.loop():
        b.load(tile)


def loop_entry_beside(b: Builder) -> None:
    """The place in the loop needs a barrier anyway: none goes before the loop."""
    tile = b.alloc()
    b.store(tile)
    with b.loop():
        b.load(tile)
        b.store(tile)


def one_side(b: Builder) -> None:
    tile = b.alloc()
    b.store(tile)
    b.branch(lambda: b.load(tile), lambda: None)
    b.load(tile)


def stored_on_one_side(b: Builder) -> None:
    tile = b.alloc()
    b.store(tile)
    b.branch(lambda: b.store(tile, COLUMNS))
    b.load(tile)


def nested(b: Builder) -> None:
    tile = b.alloc()
    with b.loop():
        b.store(tile)
        with b.loop():
            b.load(tile)


CASES: dict[Callable[[Builder], object], list[str]] = {
    exchange: ["load_shared"],
    two_tiles: ["load_shared"],
    same_thread: [],
    pieces: ["load_shared", "store_shared", "load_shared"],
    in_loop: ["store_shared", "load_shared"],
    loop_entry_alone: ["for"],
    loop_entry_beside: ["load_shared", "store_shared"],
    one_side: ["load_shared", "load_shared"],
    stored_on_one_side: ["store_shared", "load_shared"],
    nested: ["store_shared", "for"],
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_barriers_go_where_they_are_needed(case: Callable[[Builder], object]) -> None:
    b = Builder()
    case(b)
    body = b.finish()
    placed(body)
    found = [name for name in followers(body) if name != "constant"]
    assert len(found) <= len(CASES[case])
    assert [_next_access(op) for op in barriers_of(body)] == CASES[case]
    assert block_problem(body, ordered=True) is None
    assert all(problem for _, problem in without_each(body))


def _next_access(barrier) -> str:
    ops = barrier.parent.ops[barrier.index + 1 :]
    return next(op.name for op in ops if op.name not in ("constant", "shared_view", "shared_alloc"))


@pytest.mark.parametrize("slots", [2, 3, 4])
@pytest.mark.parametrize("beside", [False, True])
def test_a_ring_needs_one_barrier_behind_the_wait(slots: int, beside: bool) -> None:
    b = Builder()
    b.pipelined(slots, beside=beside)
    body = b.finish()
    placed(body)
    (barrier,) = barriers_of(body)
    assert barrier.parent.ops[barrier.index - 1].name == "wait_group"
    pairs = barrier.attributes["pairs"]
    assert f"0, 1: mma {AROUND} copy_async for {later(slots - 1)} later" in pairs
    awaited = f"0, 1: copy_async for this iteration, started {later(slots - 1)} ahead,"
    assert f"{awaited} before mma" in pairs
    assert all(problem for _, problem in without_each(body))


def later(iterations: int) -> str:
    return "one iteration" if iterations == 1 else f"{iterations} iterations"


def test_with_a_slot_to_spare_a_product_and_copies_do_not_meet() -> None:
    b = Builder()
    b.pipelined(4, ahead=2)
    body = b.finish()
    placed(body)
    (barrier,) = barriers_of(body)
    assert not any("before copy_async" in pair for pair in barrier.attributes["pairs"])
    assert len(barrier.operands["memory"]) == 2


def test_pairs_name_iterations() -> None:
    b = Builder()
    in_loop(b)
    body = b.finish()
    placed(body)
    assert [barrier.attributes["pairs"] for barrier in barriers_of(body)] == [
        (f"0: load_shared {AROUND} store_shared",),
        ("0: store_shared before load_shared",),
    ]


def around_a_loop(b: Builder) -> None:
    """The loop has a barrier of its own; if it makes no trips, nobody passes that."""
    tile, other = b.alloc(), b.alloc()
    b.store(tile)
    with b.loop():
        b.store(other)
        b.load(other)
    b.load(tile)


@pytest.mark.parametrize(("case", "expected"), [
    (around_a_loop, [
        ("0: load_shared of the iteration before, before store_shared",),
        ("0: store_shared before load_shared",),
        ("0: store_shared before load_shared, if a loop between makes no trips",),
    ]),
    (loop_entry_beside, [
        (
            "0: store_shared of the iteration before, before load_shared",
            "0: store_shared outside of the loop, before load_shared",
        ),
        ("0: load_shared before store_shared",),
    ]),
    (nested, [
        ("0: load_shared in a loop of the iteration before, before store_shared",),
        ("0: store_shared before load_shared in a later loop",),
    ]),
    (stored_on_one_side, [
        ("0: store_shared before store_shared",), ("0: store_shared before load_shared",),
    ]),
])  # fmt: skip
def test_pairs_say_where_the_accesses_are(
    case: Callable[[Builder], object], expected: list[tuple[str, ...]]
) -> None:
    b = Builder()
    case(b)
    body = b.finish()
    placed(body)
    assert [barrier.attributes["pairs"] for barrier in barriers_of(body)] == expected


def test_scratch_memory_is_spread_before_barriers_are_added() -> None:
    b = Builder()
    with b.loop():
        for _ in range(2):
            exchange(b)
    body = b.finish()
    assert placed(body) == 4096
    assert [_next_access(op) for op in barriers_of(body)] == ["load_shared"] * 2


def test_no_block_less_is_resident_for_a_barrier_less() -> None:
    for resident, size in (([4096, 2048, 1024], 2048), ([8192, 1024], 4096)):
        b = Builder()
        with b.loop():
            for _ in range(2):
                exchange(b)
        assert placed(b.finish(), resident=resident) == size


def test_where_there_is_no_room_a_barrier_more_uses_bytes_again() -> None:
    b = Builder()
    with b.loop():
        for _ in range(2):
            exchange(b)
    body = b.finish()
    assert placed(body, room=2048) == 2048
    pairs = [pair for op in barriers_of(body) for pair in op.attributes["pairs"]]
    assert "0 then 1: load_shared before store_shared, in the same bytes" in pairs
    assert len(barriers_of(body)) == 4
    assert block_problem(body, ordered=True) is None
    assert all(problem for _, problem in without_each(body))


def test_a_barrier_that_nothing_needs_is_taken_away() -> None:
    b = Builder()
    exchange(b)
    b.op("barrier", pairs=())
    body = b.finish()
    placed(body)
    assert [_next_access(op) for op in barriers_of(body)] == ["load_shared"]
