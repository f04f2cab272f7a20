"""Memory of kernels that run on random numbers: what is where is drawn by lot, from the address.

Two loads of one address give the same, however they are made, until something may have stored to
its array; what has just been stored there is what a load gives.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32

import numpy as np

from tileir.types import Scalar

from .elements import Array, wrapped

ARRAY_BITS = 40
"""Addresses that differ above so many bits are of different arrays."""
_SMALL = (32, 32, 32, 32, 1 << 10, 1 << 9, 64, 16)
"""Whole numbers in memory are less than that in each run, as they may be indices."""


class Access(NamedTuple):
    """Where an op loads or stores: an address for each element, and which elements there are."""

    addresses: Array
    mask: Array | None


@dataclass
class _Stored:
    access: Access
    value: Array


class Memory:
    """The arrays of a kernel, each with a version that stores change."""

    def __init__(self) -> None:
        self._versions: Counter[int] = Counter()
        self._stored: dict[int, _Stored] = {}
        self._all = 0

    def changed(self, arrays: set[int] | None = None) -> None:
        """Let arrays have other contents than before: these, or all."""
        if arrays is None:
            self._all += 1
            self._stored.clear()
        for array in arrays or ():
            self._versions[array] += 1
            self._stored.pop(array, None)

    def load(self, access: Access, element: Scalar) -> Array:
        """Return what is at addresses, as numbers of a type."""
        array = array_of(access)
        held = self._stored.get(array)
        if held is not None and _same(held.access, access):
            return held.value
        seed = crc32(f"{self._versions[array]} {self._all} {element}".encode()) & 0xFFFF
        return drawn(_mixed(access.addresses + seed * 0x1F35), element)

    def store(self, access: Access, value: Array) -> None:
        """Store numbers at addresses."""
        array = array_of(access)
        self.changed({array})
        self._stored[array] = _Stored(access, value)


def array_of(access: Access) -> int:
    """Return the number of the array that addresses are in."""
    return int(access.addresses.flat[0]) >> ARRAY_BITS


def _same(one: Access, other: Access) -> bool:
    if not np.array_equal(one.addresses, other.addresses):
        return False
    if one.mask is None or other.mask is None:
        return one.mask is other.mask
    return np.array_equal(one.mask, other.mask)


def _mixed(numbers: Array) -> Array:
    """Return whole numbers as numbers that look random (the finaliser of splitmix64)."""
    mixed = numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def drawn(random: Array, element: object) -> Array:
    """Return random whole numbers of 64 bits as numbers of a type; runs are the first dimension.

    Numbers of even runs are positive; of odd runs, some are less than 0. The last run has
    infinities, too.
    """
    if not isinstance(element, Scalar):
        return ((random % np.uint64(64)).astype(np.int64) + 1024) << ARRAY_BITS
    if element.is_float:
        found = (random >> np.uint64(11)).astype(np.float64) / 2.0**53 * 1.8 + 0.1
        found[1::2] -= 1.0
        found[-1:][random[-1:] % np.uint64(16) == 0] = -np.inf
        return found
    if element.bits == 1:
        return (random >> np.uint64(17)) % np.uint64(2) == 1
    if element.bits <= 8:
        return wrapped((random >> np.uint64(13)).astype(np.int64), element.bits)
    most = np.array(_SMALL, np.uint64).reshape(-1, *[1] * (random.ndim - 1))
    whole = ((random >> np.uint64(13)) % most).astype(np.int64)
    whole[1::2] -= 1
    return whole
