"""Fences between the generic proxy and the asynchronous one, by thread and state space.

Loads and stores access memory through the generic proxy; bulk copies and `wgmma` through the
asynchronous one, which sees what a thread has written only after a `fence.proxy.async` of that
thread (PTX ISA, "Async proxy"). So the times of each thread's last fences are kept, for every state
space of its own, and compared with the times of writes. A fence after a barrier is none for those
who have met there.
"""

from __future__ import annotations

from collections.abc import Callable

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


NOBODY = -1
"""In place of a lane."""
RECENT = 4
"""How many fences of a thread are kept; whether an earlier one was in time is not known then."""


class ProxyFences:
    """The last fences of all threads of a launch."""

    def __init__(self, lanes: int) -> None:
        self._lanes = lanes
        self._times: dict[str, np.ndarray] = {}
        """What a fence is for -> the times of each lane at its last ones: shape (RECENT, lanes)."""

    def fence(self, names: tuple[str, ...], lane: np.ndarray, time: np.ndarray) -> None:
        """Record a fence of lanes of the launch, at their times."""
        for name in names:
            times = self._of(name)
            times[1:, lane] = times[:-1, lane]
            times[0, lane] = time

    def unfenced(
        self,
        name: str,
        lane: np.ndarray,
        time: np.ndarray,
        unknown: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
    ) -> np.ndarray:
        """Whether a lane (which may be none of a thread) has not fenced since a time.

        `unknown` tells of which fences, by lane (or `NOBODY`) and time, those who ask do not know:
        these are none for them.
        """
        thread = (lane >= 0) & (lane < self._lanes)
        fences = self._of(name)[:, np.where(thread, lane, 0)]
        wrong = thread & (time > fences[0])
        if unknown is None:
            return wrong
        # Who has fenced so often since that time is given the benefit of the doubt.
        unsure = thread & ~wrong & (fences[-1] < time)
        for fence in fences:
            if not unsure.any():
                break
            unsure &= (fence < time) | unknown(np.where(unsure, lane, NOBODY), fence)
        return wrong | unsure

    def _of(self, name: str) -> np.ndarray:
        if name not in self._times:
            self._times[name] = np.zeros((RECENT, self._lanes), np.int64)
        return self._times[name]
