"""Schedules: orders in which warps may run, since a missing barrier shows in some orders only.

A schedule ranks the warps of all blocks that run together. Runnable lanes of the lowest rank run
until they wait or end, with a turn of the others now and then. Within a rank, the first basic block
of the text goes first, where diverged lanes converge again. Lock-step gives all warps one rank.
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
