"""When schedules carry out copies, and what threads hand over to each other."""

from __future__ import annotations

import numpy as np
import pytest

from tileir.codegen.emulator import BETWEEN_BLOCKS, SCHEDULES
from tileir.codegen.emulator.threads.learnt import Learnt
from tileir.codegen.emulator.threads.schedules import Completion
from tileir.codegen.emulator.threads.snapshots import Snapshot


def test_schedules_differ_in_when_copies_end() -> None:
    """Between them, copies end at once and late, the oldest first and the newest first."""
    made = {name: Completion(name) for name in (*SCHEDULES, *BETWEEN_BLOCKS)}
    assert [name for name, each in made.items() if each.early() and "random" not in name] == [
        "ascending"
    ]
    assert made["lock-step"].next_of(5) == 0
    assert made["descending"].next_of(5) == 4
    assert [name for name in ("lock-step", "ascending", "descending") if made[name].patient()] == [
        "lock-step",
        "ascending",
    ]


@pytest.mark.parametrize("seed", range(3))
def test_lots_are_drawn_alike_again(seed: int) -> None:
    def drawn() -> list[object]:
        made = Completion(f"random-{seed}")
        return [(made.early(), made.patient(), made.next_of(9)) for _ in range(50)]

    first = drawn()
    assert first == drawn()
    assert {each[0] for each in first} == {each[1] for each in first} == {True, False}
    assert {each[2] for each in first} == set(range(9))


def test_snapshots_are_joined() -> None:
    one = Snapshot({0: np.array([1, 5])}, None)
    two = Snapshot({0: np.array([3, 2]), 1: np.array([7, 7])}, np.array([0, 4, 0]))
    both = one.joined(two)
    assert {block: row.tolist() for block, row in both.blocks.items()} == {0: [3, 5], 1: [7, 7]}
    assert both.learnt is not None
    assert both.learnt.tolist() == [0, 4, 0]
    assert one.joined(one).learnt is None
    later = both.knowing(2, 9, 3).knowing(1, 2, 3)
    assert later.learnt is not None
    assert later.learnt.tolist() == [0, 4, 9]
    assert one.knowing(0, 6, 3).learnt.tolist() == [6, 0, 0]
    assert one.blocks[0].tolist() == [1, 5]


def test_many_lanes_learn_one_row() -> None:
    """Each keeps what it knew; rows are made room for again and again."""
    random, lanes, columns = np.random.default_rng(0), 12, 5
    learnt, expected = Learnt(lanes, columns), np.zeros((lanes, columns), np.int32)
    for _ in range(200):
        numbers = np.flatnonzero(random.integers(0, 2, lanes))
        row = random.integers(0, 1000, columns).astype(np.int32)
        if len(numbers):
            learnt.learn_all(numbers, row)
            expected[numbers] = np.maximum(expected[numbers], row)
            assert learnt.joined(numbers).tolist() == expected[numbers].max(axis=0).tolist()
    for lane in range(lanes):
        assert learnt.row(lane).tolist() == expected[lane].tolist()
