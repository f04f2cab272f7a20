"""The search for the point at which a verdict changes: both ends first, then halves.

Halving takes for granted that the verdict changes once between the ends; whoever doubts it asks at
every point. A point may have no answer (a release that lacks the tool, say): then those beside it
are asked, and the change is only known to lie around them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from tileir.predicates import Verdict


class Point(NamedTuple):
    """A point of the search by its name, and the verdict there; None: it was not asked."""

    name: str
    verdict: Verdict | None


class Change(NamedTuple):
    """A change of the verdict: the last point before it, and the first one behind it.

    holds    whether the predicate holds behind it
    between  points between them that have no answer
    """

    before: str
    after: str
    holds: bool
    between: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{'holds' if self.holds else 'ceases'}: {self.before} -> {self.after}"
        return f"{text} (no answer: {', '.join(self.between)})" if self.between else text


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found.

    points   every point in order, asked or not
    changes  those that were found, in order: at most one unless all were asked
    """

    points: tuple[Point, ...]
    changes: tuple[Change, ...]

    @property
    def answered(self) -> list[tuple[str, bool]]:
        """Name and verdict of the points that have an answer."""
        return [
            (point.name, point.verdict.holds)
            for point in self.points
            if point.verdict is not None and point.verdict.holds is not None
        ]


def search(names: Sequence[str], ask: Callable[[str], Verdict], everywhere: bool = False) -> Found:
    """Return where the verdict of the named points changes; `ask` is called once a point.

    With `everywhere`, all points are asked, from the first to the last.
    """
    return _Search(names, ask).found(everywhere)


class _Search:
    """Points, of which some have been asked."""

    def __init__(self, names: Sequence[str], ask: Callable[[str], Verdict]) -> None:
        self._names, self._ask = names, ask
        self._verdicts: dict[int, Verdict] = {}

    def found(self, everywhere: bool) -> Found:
        last = len(self._names) - 1
        if everywhere:
            for at in range(last + 1):
                self._at(at)
        else:
            low, high = self._first(range(last + 1)), self._first(range(last, -1, -1))
            if low is not None and high is not None and self._at(low) != self._at(high):
                self._halve(low, high)
        points = tuple(Point(n, self._verdicts.get(at)) for at, n in enumerate(self._names))
        return Found(points, tuple(self._changes(everywhere)))

    def _at(self, at: int) -> bool | None:
        if at not in self._verdicts:
            self._verdicts[at] = self._ask(self._names[at])
        return self._verdicts[at].holds

    def _first(self, order: range) -> int | None:
        return next((at for at in order if self._at(at) is not None), None)

    def _halve(self, low: int, high: int) -> None:
        """Narrow down where the verdict changes, between two points that differ."""
        while high - low > 1:
            middle = (low + high) // 2
            near = sorted(range(low + 1, high), key=lambda at: abs(at - middle))
            at = next((each for each in near if self._at(each) is not None), None)
            if at is None:
                return
            low, high = (at, high) if self._at(at) == self._at(low) else (low, at)

    def _changes(self, everywhere: bool):
        known = [at for at in sorted(self._verdicts) if self._verdicts[at].holds is not None]
        for before, after in pairwise(known):
            holds = self._verdicts[after].holds
            if holds is not None and holds != self._verdicts[before].holds:
                between = tuple(self._names[before + 1 : after])
                yield Change(self._names[before], self._names[after], holds, between)
