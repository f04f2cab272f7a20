"""State spaces: memory that lanes read and write, each lane at an address of its own.

A space finds the bytes at addresses, or reports why it cannot; all spaces then gather and scatter
in the same way. Words are unsigned integers; `count` words at consecutive addresses are one access,
aligned as a whole.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.lanes import Lanes

from .heap import Heap
from .races import Shadow
from .releases import Releases

PAGE = 64
"""Bytes. Views of host memory start and end at multiples, so that any word size divides them."""
WINDOWS = {"shared": 1 << 60, "local": 1 << 61, "param": 1 << 62}
"""The first generic address of a space; host addresses are below all of them."""

CLUSTER_STEP = 1 << 24
"""In `shared::cluster`, where the memory of a block begins: at its rank plus one times this. Below
is the block's own, as in `shared::cta`."""


class Memory:
    """A space: its bytes (`data`), the address of the first (`base`), and its race detection."""

    name = ""

    def __init__(self, data: np.ndarray, base: int, shadow: Shadow | None) -> None:
        self.data, self.base, self.shadow = data, np.uint64(base), shadow
        self._views: dict[tuple[int, int], np.ndarray] = {}

    def rows(self, word: int, count: int) -> np.ndarray:
        """Return the bytes as rows of `count` words of `word` bytes."""
        key = word, count
        if key not in self._views:
            words = self.data.view(f"u{word}")
            whole = words[: len(words) // count * count]
            self._views[key] = whole if count == 1 else whole.reshape(-1, count)
        return self._views[key]

    def where(self, lanes: Lanes, statement: Statement, address: Any, access: Access) -> Any:
        """Return the offsets (int64) of addresses in `data` and in the shadow.

        EmulationError if they are outside.
        """
        raise NotImplementedError

    def locate(self, lanes: Lanes, statement: Statement, address: Any, access: Access) -> Any:
        """Check an access in every other way too, and return the same offsets."""
        return self.where(lanes, statement, address, access)

    def load(
        self, lanes: Lanes, statement: Statement, mask: Any, address: Any, access: Access
    ) -> tuple[Any, ...]:
        """Return `count` words for each active lane, zero where the mask is false."""
        active, where = _masked(lanes, mask)
        if active is None:
            return (np.zeros((), f"u{access.word}")[()],) * access.count
        address = address[where] if where is not None and np.ndim(address) else address
        offset = self.reach(active, statement, address, access)
        words = self.rows(access.word, access.count)[offset // access.nbytes]
        self.order(active, offset, access)
        if access.count == 1:
            columns = (words,)
        else:
            columns = tuple(np.ascontiguousarray(words.T)) if np.ndim(offset) else tuple(words)
        return columns if where is None else tuple(_scatter(where, each) for each in columns)

    def store(
        self,
        lanes: Lanes,
        statement: Statement,
        mask: Any,
        address: Any,
        words: tuple[Any, ...],
        access: Access,
    ) -> None:
        """Write words; of lanes that write to the same address the last one wins."""
        active, where = _masked(lanes, mask)
        if active is None:
            return
        if where is not None:
            address = address[where] if np.ndim(address) else address
            words = tuple(word[where] if np.ndim(word) else word for word in words)
        address = active.broadcast(address)
        columns = [active.broadcast(word) for word in words]
        value = columns[0] if access.count == 1 else np.stack(columns, axis=1)
        rows = self.rows(access.word, access.count)
        offset = self.reach(active, statement, address, access, value)
        row = offset // access.nbytes
        rows[row] = value
        self.order(active, offset, access)
        if self.shadow is not None:
            self._check_agreement(active, statement, address, rows[row] != value)

    def _check_agreement(
        self, active: Lanes, statement: Statement, address: Any, lost: np.ndarray
    ) -> None:
        """EmulationError if lanes of one store write different values to one address."""
        if lost.any():
            wrong = lost if lost.ndim == 1 else lost.any(axis=1)
            first = int(address[wrong][0])
            message = f"{self.name} address {first:#x} gets different values from several threads"
            raise active.error("race", message, statement, wrong, first)

    def reach(
        self,
        active: Lanes,
        statement: Statement,
        address: Any,
        access: Access,
        value: Any = None,
        keys: Any = None,
    ) -> Any:
        """Check an access that is about to happen, and return its offsets in `data`.

        `keys` are those under which the race detection remembers it, if not the lanes' own.
        """
        if np.count_nonzero(address & np.uint64(access.nbytes - 1)):
            wrong = (address & np.uint64(access.nbytes - 1)) != 0
            first = int(active.broadcast(address)[active.broadcast(wrong)][0])
            raise active.error(
                "alignment",
                f"{self.name} address {first:#x} is no multiple of {access.nbytes}",
                statement,
                wrong,
                first,
            )
        offset, shadow_offset = self.locate(active, statement, address, access)
        if self.shadow is not None:

            def changes() -> Any:
                if value is None:
                    return np.ones(active.count, bool)
                held = self.rows(access.word, access.count)[offset // access.nbytes]
                return held != value if access.count == 1 else (held != value).any(axis=1)

            self.shadow.record(active, statement, address, shadow_offset, access, changes, keys)
        return offset

    def order(self, active: Lanes, offset: Any, access: Access, wrote: Any = None) -> None:
        """Record what an access orders, once it has happened; `wrote`: which lanes, if not all."""
        if access.scope and self.shadow is not None and self.shadow.releases is not None:
            offset = active.broadcast(offset)
            for word in range(access.count):
                self.shadow.releases.access(active, offset + word * access.word, access, wrote)

    def outside(
        self,
        active: Lanes,
        statement: Statement,
        address: Any,
        wrong: Any,
        access: Access,
        expected: str,
    ) -> Exception:
        """Return the error for addresses outside of the space."""
        first = int(active.broadcast(address)[active.broadcast(wrong)][0])
        verb = "write" if access.writes else "read"
        message = f"{verb} of {access.nbytes} bytes at {self.name} address {first:#x}: {expected}"
        return active.error("bounds", message, statement, wrong, first)


def _masked(lanes: Lanes, mask: Any) -> tuple[Lanes | None, np.ndarray | None]:
    """Return the lanes that a guard leaves active, and their mask if that is not all of them."""
    active = lanes.under(mask)
    if not active.count:
        return None, None
    return active, None if active is lanes else lanes.broadcast(mask)


def _scatter(where: np.ndarray, values: Any) -> np.ndarray:
    out = np.zeros(len(where), np.asarray(values).dtype)
    out[where] = values
    return out


class GlobalMemory(Memory):
    """Global memory: the regions of host memory that a launch may access, at their addresses."""

    name = "global"

    def __init__(
        self,
        regions: list[tuple[int, int]],
        granule: int | None,
        heap: Heap | None = None,
        releases: Releases | None = None,
        read_only: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Regions are (address, bytes); `granule` is in bytes, None for no race detection.

        `read_only` has start and end of spans that must not be written, disjoint and ascending.
        """
        self.read_only = np.array(read_only, np.uint64).reshape(-1, 2)
        self.heap = heap
        regions = [*regions, (heap.memory.ctypes.data, heap.memory.nbytes)] if heap else regions
        merged: list[list[int]] = []
        for start, size in sorted(region for region in regions if region[1]):
            if merged and start <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], start + size)
            else:
                merged.append([start, start + size])
        self.starts = np.array([start for start, _ in merged] or [0], np.uint64)
        self.ends = np.array([end for _, end in merged] or [0], np.uint64)
        self._starts, self._ends = self.starts.tolist(), self.ends.tolist()
        low = int(self.starts[0]) // PAGE * PAGE
        high = -(-int(self.ends[-1]) // PAGE) * PAGE
        data = np.zeros(0, np.uint8)
        if high > low:
            memory: Any = (ctypes.c_uint8 * (high - low)).from_address(low)
            data = np.frombuffer(memory, np.uint8)
        sizes = (self.ends - self.starts // np.uint64(PAGE) * np.uint64(PAGE)).astype(np.int64)
        sizes = -(-sizes // PAGE) * PAGE
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        self.shift = self.starts // np.uint64(PAGE) * np.uint64(PAGE) - offsets[:-1].astype(
            np.uint64
        )
        """Address minus offset in the shadow, for each region."""
        shadow = Shadow(int(offsets[-1]), granule, "global", releases) if granule else None
        super().__init__(data, low, shadow)

    def where(self, lanes: Lanes, statement: Statement, address: Any, access: Access) -> Any:
        size = np.uint64(access.nbytes)
        low, high = int(address.min()), int(address.max()) + access.nbytes
        region = bisect_right(self._starts, low) - 1
        if region >= 0 and high <= self._ends[region]:
            shift = self.shift[region]
        else:
            regions = np.searchsorted(self.starts, address, "right") - 1
            wrong = (regions < 0) | (address + size > self.ends[regions]) | (address + size < size)
            if wrong.any():
                raise self._outside(lanes, statement, address, wrong, access)
            shift = self.shift[regions]
        if access.writes and len(self.read_only):
            start, end = self.read_only[np.searchsorted(self.read_only[:, 0], address + size) - 1].T
            wrong = (start < address + size) & (address < end)
            if np.any(wrong):
                raise self.outside(lanes, statement, address, wrong, access, "a read-only array")
        offset = (address - self.base).astype(np.int64)
        return offset, (address - shift).astype(np.int64) if self.shadow is not None else None

    def _outside(
        self, lanes: Lanes, statement: Statement, address: Any, wrong: Any, access: Access
    ) -> Exception:
        first = int(lanes.broadcast(address)[lanes.broadcast(wrong)][0])
        gaps = [
            (min(abs(first - int(start)), abs(first - int(end))), f"{int(start):#x}..{int(end):#x}")
            for start, end in zip(self.starts, self.ends, strict=True)
        ]
        distance, nearest = min(gaps)
        around = int(np.searchsorted(self.starts, first, "right")) - 1
        if around >= 0 and first < int(self.ends[around]):
            start, end = int(self.starts[around]), int(self.ends[around])
            expected = f"the memory that it begins in, {start:#x}..{end:#x}, ends before it does"
        elif not distance:
            expected = f"it begins where the nearest memory ends, {nearest}"
        else:
            expected = f"the nearest memory is {nearest}, {distance} bytes away"
        return self.outside(lanes, statement, address, wrong, access, expected)
