"""The barrier of a cluster: threads arrive, and wait later until all threads of the cluster have.

Threads that have ended count as having arrived (PTX ISA, "barrier.cluster").
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from tileir.codegen.emulator.ptx.control import DONE
from tileir.codegen.emulator.ptx.syntax import Statement

from .lanes import Batch, Lanes
from .snapshots import Snapshot


class ClusterBarriers:
    """The barriers of all clusters of a batch, which has whole clusters."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.cluster_of = batch.block_of // prod(batch.cluster)
        self.arrivals = np.zeros(batch.count, np.int64)
        """How often each lane has arrived."""
        self.waits = np.zeros(batch.count, np.int64)
        """How often each lane has waited: as often, or once less."""
        self.completed = np.zeros(batch.blocks // prod(batch.cluster), np.int64)
        """How often the barrier of each cluster was complete."""
        self.gathered: dict[int, Snapshot] = {}
        self.known: dict[int, Snapshot] = {}
        """What those know who had arrived when the barrier was complete last."""
        self.promised: dict[int, Snapshot] = {}
        """What each lane knew at its last fence, for arrivals that release nothing else."""
        self._waiting = np.zeros(batch.count, bool)

    def promise(self, lanes: Lanes) -> None:
        """Apply a fence of cluster scope or `fence.mbarrier_init`."""
        taken = self.batch.clocks.snapshot(lanes.numbers)
        self.promised.update(dict.fromkeys(lanes.numbers.tolist(), taken))

    def arrive(self, lanes: Lanes, statement: Statement, releases: bool) -> None:
        """Let lanes arrive; with `releases` they hand over all they know, else what they fenced."""
        numbers = lanes.numbers
        twice = self.arrivals[numbers] > self.waits[numbers]
        if twice.any():
            message = "a thread arrives twice at the barrier of its cluster without waiting"
            raise lanes.error("barrier", message, statement, twice)
        self.arrivals[numbers] += 1
        for cluster in np.unique(self.cluster_of[numbers]).tolist():
            here = numbers[self.cluster_of[numbers] == cluster]
            taken = [self.batch.clocks.snapshot(here)] if releases else []
            if not releases:
                promised = [self.promised[each] for each in here.tolist() if each in self.promised]
                taken = list({id(each): each for each in promised}.values())
            self.gathered.setdefault(cluster, Snapshot())
            for each in taken:
                self.gathered[cluster] = self.gathered[cluster].joined(each)
        self.release()

    def wait(self, lanes: Lanes, statement: Statement) -> None:
        """Let lanes wait until all have arrived."""
        numbers = lanes.numbers
        early = self.arrivals[numbers] == self.waits[numbers]
        if early.any():
            message = "a thread waits at the barrier of its cluster without having arrived"
            raise lanes.error("barrier", message, statement, early)
        self.waits[numbers] += 1
        passes = self.completed[self.cluster_of[numbers]] >= self.waits[numbers]
        self._learn(numbers[passes])
        self._waiting[numbers[~passes]] = True
        self.batch.waiting[numbers[~passes]] = True

    def _learn(self, numbers: np.ndarray) -> None:
        for cluster in np.unique(self.cluster_of[numbers]).tolist():
            here = numbers[self.cluster_of[numbers] == cluster]
            self.batch.clocks.take(here, self.known[cluster])

    def release(self) -> None:
        """Complete the barriers at which all threads that have not ended have arrived."""
        if not self.gathered and not self._waiting.any():
            return
        alive = self.batch.next != DONE
        late = alive & (self.arrivals <= self.completed[self.cluster_of])
        living, missing = (
            np.bincount(self.cluster_of[each], minlength=len(self.completed)) > 0
            for each in (alive, late)
        )
        for cluster in np.flatnonzero(living & ~missing).tolist():
            here = self.cluster_of == cluster
            self.completed[cluster] += 1
            self.known[cluster] = self.gathered.pop(cluster, Snapshot())
            released = np.flatnonzero(here & self._waiting)
            self._learn(released)
            self._waiting[released] = False
            self.batch.waiting[released] = False

    def who_waits(self) -> Iterator[str]:
        """Yield for each cluster in which threads wait how many do."""
        alive = self.batch.next != DONE
        for cluster in np.unique(self.cluster_of[self._waiting]).tolist():
            here = self.cluster_of == cluster
            late = alive & here & (self.arrivals <= self.completed[cluster])
            yield (
                f"{np.count_nonzero(self._waiting & here)} threads at the barrier of their cluster,"
                f" at which {np.count_nonzero(late)} have not arrived"
            )
