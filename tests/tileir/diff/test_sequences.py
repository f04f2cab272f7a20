"""Alignments: pairs of equal items, ascending, as many as can be where that is cheap."""

from __future__ import annotations

import random
from itertools import pairwise

from tileir.diff.sequences import align, between, heaviest, in_order


def longest(before: list[int], after: list[int]) -> int:
    """The length of the longest common subsequence, by the textbook."""
    row = [0] * (len(after) + 1)
    for one in before:
        new = [0]
        for j, two in enumerate(after):
            new.append(row[j] + 1 if one == two else max(row[j + 1], new[j]))
        row = new
    return row[-1]


def test_small_alignments_are_nearly_the_longest() -> None:
    choice, missed = random.Random(1), 0
    for kinds in (2, 3, 10) * 60:
        before, after = (
            [choice.randrange(kinds) for _ in range(choice.randrange(14))] for _ in range(2)
        )
        pairs = align(before, after)
        assert all(before[i] == after[j] for i, j in pairs)
        assert all(one[0] < two[0] and one[1] < two[1] for one, two in pairwise(pairs))
        missed += longest(before, after) - len(pairs)
    assert missed < 10  # anchors are not always part of it


def test_edits_of_long_sequences_are_found() -> None:
    """In items of which each occurs often, so that there are no anchors."""
    before = [number * number % 97 % 5 for number in range(5000)]
    after = [*before[:1000], 9, *before[1000:3000], *before[3001:]]
    assert len(align(before, after)) == 4999


def test_hopeless_sequences_are_aligned_all_the_same() -> None:
    choice = random.Random(2)
    before, after = ([choice.randrange(2) for _ in range(3000)] for _ in range(2))
    pairs = align(before, after)
    assert 1500 < len(pairs) <= 3000
    assert align(before, before) == [(index, index) for index in range(3000)]


def test_what_lies_between_pairs() -> None:
    found = [(list(one), list(two)) for one, two in between([(1, 0), (2, 3)], 3, 5)]
    assert found == [([0], []), ([], [1, 2]), ([], [4])]


def test_pairs_in_order() -> None:
    assert in_order([(0, 3), (1, 0), (2, 1), (3, 2)]) == [(1, 0), (2, 1), (3, 2)]
    assert in_order([]) == []


def test_the_heaviest_pairs_in_order() -> None:
    """Against all subsets, where there are few."""
    choice = random.Random(3)
    for _ in range(60):
        size = choice.randrange(8)
        pairs = list(enumerate(choice.sample(range(size), size)))
        weights = [choice.randrange(1, 5) for _ in pairs]
        subsets = [[p for k, p in enumerate(pairs) if n >> k & 1] for n in range(1 << size)]
        best = max(
            sum(weights[i] for i, _ in some)
            for some in subsets
            if all(one[1] < two[1] for one, two in pairwise(some))
        )
        found = heaviest(pairs, weights)
        assert sum(weights[i] for i, _ in found) == best
        assert all(one[0] < two[0] and one[1] < two[1] for one, two in pairwise(found))
