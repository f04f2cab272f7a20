"""Which items of two sequences are the same: an alignment, in a time that is nearly linear.

What occurs once in each sequence and in the same order is an anchor, as in a patience diff; between
anchors, the shortest edit script of Myers is looked for, as long as it is short. Where neither
helps (long stretches of few different items in another order), the n-th occurrence of an item in
one sequence is taken for the n-th in the other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence

Pairs = list[tuple[int, int]]
"""Positions in both sequences, ascending in both."""

LEVELS = 24
"""How often what lies between anchors is divided by anchors of its own."""

EDITS = 64
"""The most insertions and deletions of a script that Myers' algorithm looks for."""

STEPS = 1 << 20
"""The most steps that it may take: it looks for shorter scripts between longer sequences."""


def align(
    before: Sequence[Hashable], after: Sequence[Hashable], weights: Sequence[int] | None = None
) -> Pairs:
    """Return pairs of positions at which two sequences have equal items.

    Of items that cannot all keep their order, those of the first sequence that weigh most are
    paired; by default, as many as can be.
    """
    pairs: Pairs = []
    windows = [(0, len(before), 0, len(after), 0)]
    while windows:
        start, end, other, stop, level = windows.pop()
        while start < end and other < stop and before[start] == after[other]:
            pairs.append((start, other))
            start, other = start + 1, other + 1
        while start < end and other < stop and before[end - 1] == after[stop - 1]:
            end, stop = end - 1, stop - 1
            pairs.append((end, stop))
        if start == end or other == stop:
            continue
        first, second = before[start:end], after[other:stop]
        own = None if weights is None else weights[start:end]
        anchors = _anchors(first, second, own) if level < LEVELS else []
        if not anchors:
            found = _shortest(first, second)
            if found is None:
                found = _by_occurrence(first, second)
            pairs += [(start + i, other + j) for i, j in found]
            continue
        at, to = start, other
        for i, j in anchors:
            windows.append((at, start + i, to, other + j, level + 1))
            at, to = start + i + 1, other + j + 1
            pairs.append((at - 1, to - 1))
        windows.append((at, end, to, stop, level + 1))
    return sorted(pairs)


def between(pairs: Pairs, before: int, after: int) -> Iterable[tuple[range, range]]:
    """Yield the positions before, between and behind pairs of sequences of two lengths."""
    at = to = 0
    for i, j in [*pairs, (before, after)]:
        if at < i or to < j:
            yield range(at, i), range(to, j)
        at, to = i + 1, j + 1


def in_order(pairs: Iterable[tuple[int, int]]) -> Pairs:
    """Return the most of the pairs that ascend in both sequences; no position is in two pairs."""
    ordered = sorted(pairs)
    ends: list[int] = []
    last: list[int] = []
    previous: list[int] = []
    for index, (_, second) in enumerate(ordered):
        length = bisect_left(ends, second)
        previous.append(last[length - 1] if length else -1)
        if length == len(ends):
            ends.append(second)
            last.append(index)
        else:
            ends[length] = second
            last[length] = index
    found: Pairs = []
    index = last[-1] if last else -1
    while index >= 0:
        found.append(ordered[index])
        index = previous[index]
    return found[::-1]


def heaviest(pairs: Iterable[tuple[int, int]], weights: Sequence[int]) -> Pairs:
    """Return the pairs that ascend in both sequences and weigh most; `in_order` has the most.

    The tree of sums of Fenwick's, with the best chain in the place of a sum, finds the best one
    that ends before a position.
    """
    ordered = sorted(pairs)
    places = {second: rank for rank, second in enumerate(sorted(j for _, j in ordered), 1)}
    if all(places[j] == rank for rank, (_, j) in enumerate(ordered, 1)):
        return ordered
    best: list[tuple[int, int]] = [(0, -1)] * (len(ordered) + 1)
    previous: list[int] = []
    for index, (first, second) in enumerate(ordered):
        weight, last, place = 0, -1, places[second] - 1
        while place:
            weight, last = max((weight, last), best[place])
            place &= place - 1
        previous.append(last)
        place = places[second]
        while place <= len(ordered):
            best[place] = max(best[place], (weight + weights[first], index))
            place += place & -place
    _, index = max(best)
    found: Pairs = []
    while index >= 0:
        found.append(ordered[index])
        index = previous[index]
    return found[::-1]


def _anchors(
    before: Sequence[Hashable], after: Sequence[Hashable], weights: Sequence[int] | None
) -> Pairs:
    """Return the pairs of items that occur once in each sequence, as far as they are in order."""
    counts, others = Counter(before), Counter(after)
    places = {item: j for j, item in enumerate(after) if others[item] == 1}
    pairs = [(i, places[x]) for i, x in enumerate(before) if counts[x] == 1 and x in places]
    return in_order(pairs) if weights is None else heaviest(pairs, weights)


def _by_occurrence(before: Sequence[Hashable], after: Sequence[Hashable]) -> Pairs:
    """Return pairs of n-th occurrences of an item, as far as they are in order."""
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    for j, item in enumerate(after):
        places[item].append(j)
    seen: Counter[Hashable] = Counter()
    pairs: Pairs = []
    for i, item in enumerate(before):
        known = places.get(item, ())
        if seen[item] < len(known):
            pairs.append((i, known[seen[item]]))
        seen[item] += 1
    return in_order(pairs)


def _shortest(before: Sequence[Hashable], after: Sequence[Hashable]) -> Pairs | None:
    """Return the pairs that the shortest edit script keeps; None if that is long.

    This is the greedy algorithm of E. W. Myers, "An O(ND) Difference Algorithm and Its Variations":
    furthest[k] is how far a script of so many edits gets on the diagonal k.
    """
    if not set(before) & set(after):
        return []
    length, other = len(before), len(after)
    most = min(EDITS, max(8, STEPS // (length + other)), length + other)
    furthest = {1: 0}
    history: list[dict[int, int]] = []
    for edits in range(most + 1):
        history.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            down, right = furthest.get(diagonal + 1, -1), furthest.get(diagonal - 1, -1) + 1
            lower = diagonal == -edits or (diagonal != edits and right - 1 < down)
            x = down if lower else right
            y = x - diagonal
            while x < length and y < other and before[x] == after[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= length and y >= other:
                return _kept(history, length, other)
    return None


def _kept(history: list[dict[int, int]], x: int, y: int) -> Pairs:
    """Return the pairs on the way to the end, by going back along the script."""
    pairs: Pairs = []
    for edits in range(len(history) - 1, -1, -1):
        furthest, diagonal = history[edits], x - y
        down, right = furthest.get(diagonal + 1, -1), furthest.get(diagonal - 1, -1)
        lower = diagonal == -edits or (diagonal != edits and right < down)
        before = diagonal + 1 if lower else diagonal - 1
        start = furthest.get(before, 0)
        at = start if lower else start + 1
        if edits == 0:
            at = 0
        while x > at and y > 0:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        if edits:
            x, y = start, start - before
    return pairs[::-1]
