"""Which accesses nothing orders: vector clocks of threads, and the last accesses of every granule.

Each thread counts its own time; a barrier makes what its threads did before it happen before what
they do after it. A granule of memory (the smallest word the kernel accesses) remembers its last
write and two reads, each as lane, time and strength. A new access races with one of them if
another thread did it, one of both writes, not both are strong, and the time of that thread which
the own thread knows of is earlier.

Two writes of the same value are no race: neither order changes the outcome. Two reads suffice
where barriers are for all threads of a block: whoever writes later is not both of the readers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .lanes import Lanes

if TYPE_CHECKING:
    from .memory import Access
    from .syntax import Statement

TIME_BITS, STRONG = 22, 1 << 22
LANE_SHIFT = 23
NEVER = -1


class Clocks:
    """What each thread of a batch knows of the times of the threads of its block."""

    def __init__(self, first: int, blocks: int, threads: int, between_blocks: bool) -> None:
        """`first` is the number in the grid of the batch's first block."""
        self.threads, self.between_blocks = threads, between_blocks
        self.lane = np.arange(blocks * threads, dtype=np.int64) + first * threads
        self.time = np.ones(blocks * threads, np.int64)
        self.known: np.ndarray | None = None
        self.block = self.lane // threads

    def key(self, lanes: Lanes, strong: bool) -> np.ndarray:
        """An access now, as one number for each active lane."""
        numbers = lanes.numbers
        return (self.lane[numbers] << LANE_SHIFT) | (STRONG * strong) | self.time[numbers]

    def meet(self, members: np.ndarray, waiting: np.ndarray) -> None:
        """Those who wait know of everything that any member knows of, and of the members' past."""
        if self.known is None:
            self.known = np.zeros((len(self.lane), self.threads), np.int64)
        joined = self.known[members].max(axis=0)
        own = members % self.threads
        joined[own] = np.maximum(joined[own], self.time[members])
        self.known[waiting] = np.maximum(self.known[waiting], joined)
        self.time[members] += 1

    def unordered(self, numbers: np.ndarray, earlier: np.ndarray) -> np.ndarray:
        """Whether nothing orders these earlier accesses (keys) before the lanes."""
        lane, time = earlier >> LANE_SHIFT, earlier & (STRONG - 1)
        same_block = lane // self.threads == self.block[numbers]
        if self.known is None:
            known = np.zeros(len(numbers), np.int64)
        else:
            known = self.known[numbers, lane % self.threads]
        later = np.where(same_block, time > known, self.between_blocks)
        return later & (lane != self.lane[numbers]) & (earlier != NEVER)


class Shadow:
    """The last accesses to each granule of a space."""

    def __init__(self, size: int, granule: int, name: str) -> None:
        self.granule, self.name = granule, name
        self.writes = np.full(-(-size // granule), NEVER, np.int64)
        self.reads = [np.full_like(self.writes, NEVER) for _ in range(2)]

    def record(
        self, lanes: Lanes, statement: Statement, address: Any, place: Any, access: Access,
        changes: Any,
    ) -> None:  # fmt: skip
        """Check an access against earlier ones, and remember it; `changes` where a write does."""
        numbers = lanes.numbers
        clocks = lanes.batch.clocks
        keys = clocks.key(lanes, access.strong)
        place = np.broadcast_to(place, lanes.count) // self.granule
        pieces = access.nbytes // self.granule
        if pieces > 1:
            place = (place[:, None] + np.arange(pieces)).ravel()
            numbers, keys = np.repeat(numbers, pieces), np.repeat(keys, pieces)
            changes = np.repeat(np.broadcast_to(changes, lanes.count), pieces)
        self._against(lanes, statement, address, numbers, self.writes[place], access, changes)
        if access.writes:
            for reads in self.reads:
                self._against(lanes, statement, address, numbers, reads[place], access, True)
            self.writes[place] = keys
        else:
            first, second = self.reads
            earlier = first[place]
            first[place] = keys
            moved = (first[place] >> LANE_SHIFT) != (keys >> LANE_SHIFT)
            if moved.any():
                second[place[moved]] = keys[moved]
            stays = (earlier != NEVER) & ((earlier ^ keys) >> LANE_SHIFT != 0)
            if stays.any():
                still = stays & clocks.unordered(numbers, earlier)
                second[place[still]] = earlier[still]

    def _against(self, lanes, statement, address, numbers, earlier, access, changes) -> None:
        clocks = lanes.batch.clocks
        foreign = (earlier >> LANE_SHIFT) != clocks.lane[numbers]
        foreign &= earlier != NEVER
        if not foreign.any():
            return
        wrong = foreign & clocks.unordered(numbers, earlier) & changes
        if access.strong:
            wrong &= (earlier & STRONG) == 0
        if wrong.any():
            self._report(lanes, statement, address, numbers[wrong], earlier[wrong])

    def _report(self, lanes, statement, address, numbers, earlier) -> None:
        threads = lanes.batch.clocks.threads
        other, lane = int(earlier[0]) >> LANE_SHIFT, int(lanes.batch.clocks.lane[numbers[0]])
        where = f"thread {other % threads}"
        if other // threads != lane // threads:
            where += f" of the block with number {other // threads}"
        position = int(np.flatnonzero(lanes.numbers == numbers[0])[0])
        first = int(np.broadcast_to(address, lanes.count)[position])
        marked = np.isin(lanes.numbers, numbers)
        raise lanes.error(
            "race", f"{self.name} address {first:#x} was accessed by {where}, and nothing orders"
            " the two", statement, marked, first,
        )  # fmt: skip
