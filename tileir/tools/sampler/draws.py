"""Random draws that are the same on every machine and every Python.

They use only `Random.getrandbits`, whose algorithm (Mersenne Twister, words as they come) is fixed;
everything else is written out here. Nothing iterates over a set or relies on a hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


class Draws:
    """Draws from one seed, a non-negative integer of any size."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def bits(self, count: int) -> int:
        """Return a number of `count` random bits."""
        return self._random.getrandbits(count) if count else 0

    def below(self, limit: int) -> int:
        """Return a number from 0 to limit - 1, all equally likely."""
        if limit < 1:
            raise ValueError("nothing to draw from")
        count = (limit - 1).bit_length()
        while True:
            number = self.bits(count)
            if number < limit:
                return number

    def between(self, first: int, last: int) -> int:
        """Return a number from first to last, both included."""
        return first + self.below(last - first + 1)

    def chance(self, percent: int) -> bool:
        """Return True with a probability in percent."""
        return self.below(100) < percent

    def pick(self, items: Sequence[Item]) -> Item:
        """Return one of the items, of which there must be at least one."""
        return items[self.below(len(items))]

    def power(self, last: int) -> int:
        """Return a power of two from 1 to 2**last; all exponents are equally likely."""
        return 1 << self.below(last + 1)

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return the items in random order."""
        left, order = list(items), []
        while left:
            order.append(left.pop(self.below(len(left))))
        return order
