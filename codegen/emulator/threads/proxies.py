"""Fences between the generic proxy and the asynchronous one, by thread and state space.

Loads and stores access memory through the generic proxy; bulk copies and `wgmma` through the
asynchronous one, which sees what a thread has written only after a `fence.proxy.async` of that
thread (PTX ISA, "Async proxy"). So the time of each thread's last fence is kept, for every state
space of its own, and compared with the times of writes.
"""

from __future__ import annotations

import numpy as np

GLOBAL, SHARED, CLUSTER, BARRIERS = "global", "shared", "cluster", "barriers"
"""What a fence is for: global memory, shared memory of the thread's own block, that of other blocks
of its cluster, and the mbarriers that the thread has initialised."""
FENCED = {
    "": (GLOBAL, SHARED, CLUSTER, BARRIERS),
    ".global": (GLOBAL,),
    ".shared::cta": (SHARED, BARRIERS),
    ".shared::cluster": (SHARED, CLUSTER, BARRIERS),
}
"""The suffix of `fence.proxy.async` -> what it is for."""


class ProxyFences:
    """The last fences of all threads of a launch."""

    def __init__(self, lanes: int) -> None:
        self._lanes = lanes
        self._times: dict[str, np.ndarray] = {}
        """What a fence is for -> the time of each lane at its last one."""

    def fence(self, names: tuple[str, ...], lane: np.ndarray, time: np.ndarray) -> None:
        """Record a fence of lanes of the launch, at their times."""
        for name in names:
            self._of(name)[lane] = time

    def unfenced(self, name: str, lane: np.ndarray, time: np.ndarray) -> np.ndarray:
        """Whether a lane (which may be none of a thread) has not fenced since a time."""
        thread = (lane >= 0) & (lane < self._lanes)
        return thread & (time > self._of(name)[np.where(thread, lane, 0)])

    def _of(self, name: str) -> np.ndarray:
        if name not in self._times:
            self._times[name] = np.zeros(self._lanes, np.int64)
        return self._times[name]
