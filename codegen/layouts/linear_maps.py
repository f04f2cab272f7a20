"""Linear maps over GF(2): what layouts, renumberings and offsets in memory have in common.

A number is the vector of its bits; vectors are added by exclusive or. A linear map is written as
its *bases*, the images of 1, 2, 4, ...: the image of a number is the exclusive or of the bases of
the bits that are set in it. So a composition of maps, `f` after `g`, has the bases that `f` makes
of those of `g`.

A *right inverse* of `f` is a map `g` with f(g(y)) = y for every y. There is one if `f` reaches
every y. Where `f` makes the same of several numbers, `g` has to choose; here it uses a bit only if
the base of that bit is no combination of bases of lower bits. So the other bits are always zero,
and if `f` is one to one, `g` is its only inverse.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import xor


def combine(bases: Iterable[int], number: int) -> int:
    """Return the exclusive or of the bases whose bit is set in `number`."""
    return reduce(xor, (base for bit, base in enumerate(bases) if number >> bit & 1), 0)


def composed(after: Sequence[int], before: Iterable[int]) -> tuple[int, ...]:
    """Return the map that applies `before`, then `after`."""
    return tuple(combine(after, base) for base in before)


def span(bases: Sequence[int]) -> list[int]:
    """Return all combinations of the bases, ordered by the number whose bits select them."""
    values = [0]
    for base in bases:
        values += [value ^ base for value in values]
    return values


class Space:
    """The combinations of some vectors, to which more can be added."""

    def __init__(self, vectors: Iterable[int] = ()) -> None:
        self._pivots: dict[int, tuple[int, int]] = {}
        self._added = 0
        for vector in vectors:
            self.add(vector)

    def add(self, vector: int) -> bool:
        """Add a vector; return whether it was not in the space before."""
        rest, combination = self._reduced(vector)
        if rest:
            self._pivots[rest.bit_length()] = rest, combination | 1 << self._added
        self._added += 1
        return bool(rest)

    def coordinates(self, vector: int) -> int | None:
        """Return which added vectors combine to this one, as a mask; None if it is not inside.

        Vectors that were in the space already when they were added are never used.
        """
        rest, combination = self._reduced(vector)
        return None if rest else combination

    def _reduced(self, vector: int) -> tuple[int, int]:
        """Return what is left of a vector outside of the space, and what was taken away."""
        combination = 0
        while vector and (pivot := self._pivots.get(vector.bit_length())):
            vector, combination = vector ^ pivot[0], combination ^ pivot[1]
        return vector, combination


def rank(vectors: Iterable[int]) -> int:
    """Return how many of the vectors are linearly independent."""
    space = Space()
    return sum(space.add(vector) for vector in vectors)


def right_inverse(bases: Sequence[int], bits: int) -> tuple[int, ...]:
    """Return the right inverse of a map to numbers of `bits` bits; ValueError if there is none."""
    space = Space(bases)
    found = [space.coordinates(1 << bit) for bit in range(bits)]
    inverse = tuple(each for each in found if each is not None)
    if len(inverse) < bits:
        raise ValueError(f"the map {tuple(bases)} does not reach all numbers of {bits} bits")
    return inverse
