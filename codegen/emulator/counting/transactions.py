"""How many transactions the accesses of warps take, by the rules of NVIDIA's programming guides.

Global memory moves in sectors of 32 bytes: a warp's access takes each that it touches once, and at
least as many as its different bytes fill. Shared memory has 32 banks of four bytes, and gives each
bank's word to all lanes that want it: an access takes a wavefront for each different word of the
bank that has most of them. Of lanes that access 8 bytes, sixteen have a turn together, of those
with 16 bytes eight: there is at least one wavefront for each turn that has any lane.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SECTOR = 32
BANKS, WORD = 32, 4
_TURN_BYTES = BANKS * WORD
WARP = 32


class Transactions(NamedTuple):
    """Accesses of warps: how many, what they took, the least they could take, the most of one."""

    requests: int
    taken: int
    least: int
    worst: int


def sectors(numbers: np.ndarray, addresses: np.ndarray, size: int) -> Transactions:
    """Count the sectors of an access to `size` bytes by lanes, each at an address of its own.

    Addresses are multiples of `size`, which is a power of two up to 32.
    """
    warps = numbers.astype(np.uint64) // np.uint64(WARP)
    warp, index = np.unique(warps, return_inverse=True)
    touched = _different(index, addresses.astype(np.uint64) // np.uint64(SECTOR), len(warp))
    places = _different(index, addresses.astype(np.uint64) // np.uint64(size), len(warp))
    least = -(-places * size // SECTOR)
    return Transactions(len(warp), int(touched.sum()), int(least.sum()), int(touched.max()))


def _different(index: np.ndarray, values: np.ndarray, groups: int) -> np.ndarray:
    """Count the different values of each group; `index` has the group of each value."""
    order = np.lexsort((values, index))
    index, values = index[order], values[order]
    first = np.ones(len(index), bool)
    first[1:] = (index[1:] != index[:-1]) | (values[1:] != values[:-1])
    return np.bincount(index[first], minlength=groups)


def wavefronts(
    numbers: np.ndarray, addresses: np.ndarray, size: int, shared_words: bool = True
) -> Transactions:
    """Count the wavefronts of an access to `size` bytes of shared memory by lanes.

    Without `shared_words`, lanes that want the same word take turns, as atomic updates do.
    """
    lanes = max(1, min(WARP, _TURN_BYTES // size))
    turns = numbers // WARP * (WARP // lanes) + numbers % WARP // lanes
    turn, index = np.unique(turns, return_inverse=True)
    words = max(1, size // WORD)
    places = addresses.astype(np.int64)[:, None] // WORD + np.arange(words)
    index = np.repeat(index, words)
    flat = places.ravel()
    if shared_words:
        pairs = np.unique(index.astype(np.int64) << 40 | flat)
        index, flat = pairs >> 40, pairs & (1 << 40) - 1
    held = np.bincount(index * BANKS + flat % BANKS, minlength=len(turn) * BANKS)
    most = held.reshape(-1, BANKS).max(axis=1)
    requests = len(np.unique(numbers // WARP))
    of_warp = np.bincount(turn // (WARP // lanes), weights=most).astype(np.int64)
    return Transactions(requests, int(most.sum()), len(turn), int(of_warp.max()))
