"""Random arrays that are the same on every machine and with every NumPy.

NumPy promises its bits for a seed, not what its distributions make of them. Here, words come from
`Draws`, and whatever is made of them takes exact arithmetic only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir.tools.sampler.draws import Draws

UNIT = 2.0**-53


class Noise:
    """Arrays from one seed."""

    def __init__(self, seed: int) -> None:
        self._draws = Draws(seed)

    def words(self, count: int) -> np.ndarray:
        """Return words of 64 random bits."""
        data = self._draws.bits(64 * count).to_bytes(8 * count, "little")
        return np.frombuffer(data, "<u8").astype(np.uint64)

    def integers(self, first: int, last: int, count: int) -> np.ndarray:
        """Return numbers from first to last, both included, of at most 2**32 different ones."""
        span = np.uint64(last - first + 1)
        return ((self.words(count) >> np.uint64(11)) % span).astype(np.int64) + first

    def uniform(self, count: int) -> np.ndarray:
        """Return floats from 0 on, less than 1."""
        return (self.words(count) >> np.uint64(11)).astype(np.float64) * UNIT

    def normal(self, count: int) -> np.ndarray:
        """Return floats of mean 0 and deviation 1, nearly normal: sums of twelve uniform ones."""
        sums = self.words(12 * count).reshape(12, count) >> np.uint64(16)
        return sums.astype(np.int64).sum(axis=0) * 2.0**-48 - 6

    def choice(self, items: Any, count: int) -> np.ndarray:
        """Return some of the items, each as likely as the others."""
        array = np.asarray(items)
        return array[self.integers(0, len(array) - 1, count)]

    def permutation(self, count: int) -> np.ndarray:
        """Return the numbers below `count` in random order."""
        return np.argsort(self.words(count), kind="stable")
