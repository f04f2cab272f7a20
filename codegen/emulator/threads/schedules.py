"""Schedules: orders in which warps may run, since a missing barrier shows in some orders only.

A schedule ranks the warps of all blocks that run together. Runnable lanes of the lowest rank run
until they wait or end, with a turn of the others now and then. Within a rank, the first basic block
of the order of convergence goes first (`ptx/convergence.py`). Lock-step gives all warps one rank.

A schedule also decides when bulk copies are carried out: when they start ("ascending"), or when no
thread can run, the oldest or ("descending") the newest first; and whether a thread that tries to
wait at an mbarrier fails at first ("descending") or only when no thread can run. "random-N" draws
lots.
"""

from __future__ import annotations

import re

import numpy as np

from tileir.codegen.emulator.errors import emulation_error

SCHEDULES = ("lock-step", "ascending", "descending", "random-0", "random-1")
"""The schedules for one block; any number may follow `random-`."""
BETWEEN_BLOCKS = ("later-blocks", "late-0")
"""Schedules for blocks that wait for each other; any number may follow `late-`."""


def ranks(schedule: str, blocks: int, warps: int) -> np.ndarray:
    """Return the rank of each warp: shape (blocks, warps)."""
    orders = np.zeros((blocks, warps), np.int32)
    schedule = schedule if isinstance(schedule, str) else repr(schedule)
    if schedule == "ascending":
        orders[:] = np.arange(warps)
    elif schedule == "descending":
        orders[:] = np.arange(warps)[::-1]
    elif match := re.fullmatch(r"random-(\d+)", schedule):
        random = np.random.default_rng(int(match[1]))
        orders[:] = random.permuted(np.tile(np.arange(warps), (blocks, 1)), axis=1)
    elif schedule == "later-blocks":
        orders[:] = np.arange(blocks)[::-1, None]
    elif match := re.fullmatch(r"late-(\d+)", schedule):
        orders.flat[int(match[1]) % orders.size] = 1
    elif schedule != "lock-step":
        known = ", ".join((*SCHEDULES, *BETWEEN_BLOCKS))
        raise emulation_error("launch", f"no schedule {schedule!r}: one of {known}")
    return orders


class Completion:
    """When bulk copies are carried out, and when threads give up waiting for them."""

    def __init__(self, schedule: str) -> None:
        self._schedule = str(schedule)
        match = re.fullmatch(r"random-(\d+)", self._schedule)
        self._random = np.random.default_rng(int(match[1])) if match else None

    def early(self) -> bool:
        """Whether the copy that starts now is carried out at once."""
        if self._random is not None:
            return bool(self._random.integers(2))
        return self._schedule == "ascending"

    def patient(self) -> bool:
        """Whether a thread that tries to wait now does so, instead of failing at first."""
        if self._random is not None:
            return bool(self._random.integers(2))
        return self._schedule != "descending"

    def next_of(self, count: int) -> int:
        """Return which of so many copies, the oldest first, is carried out next."""
        if self._random is not None:
            return int(self._random.integers(count))
        return count - 1 if self._schedule == "descending" else 0
