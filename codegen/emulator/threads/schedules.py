"""Orders in which threads may run: a barrier that is missing shows in some of them only.

A schedule ranks the warps of all blocks that run together; runnable lanes of the lowest rank go on
until they wait or end, but for a turn of the others now and then. Within a rank, the earliest block
of the text goes first, which is where lanes that parted meet again. Lock-step gives all warps the
same rank.
"""

from __future__ import annotations

import re

import numpy as np

from tileir.codegen.emulator.errors import emulation_error

SCHEDULES = ("lock-step", "ascending", "descending", "random-0", "random-1")
"""What `every schedule` means; any number may follow `random-`."""
BETWEEN_BLOCKS = ("later-blocks", "late-0")
"""More of them, for blocks that wait for each other; any number may follow `late-`."""


def ranks(schedule: str, blocks: int, warps: int) -> np.ndarray:
    """The rank of each warp: shape (blocks, warps)."""
    orders = np.zeros((blocks, warps), np.int32)
    if schedule == "ascending":
        orders[:] = np.arange(warps)
    elif schedule == "descending":
        orders[:] = np.arange(warps)[::-1]
    elif found := re.fullmatch(r"random-(\d+)", schedule):
        random = np.random.default_rng(int(found[1]))
        orders[:] = random.permuted(np.tile(np.arange(warps), (blocks, 1)), axis=1)
    elif schedule == "later-blocks":
        orders[:] = np.arange(blocks)[::-1, None]
    elif found := re.fullmatch(r"late-(\d+)", schedule):
        orders.flat[int(found[1]) % orders.size] = 1
    elif schedule != "lock-step":
        known = ", ".join((*SCHEDULES, *BETWEEN_BLOCKS))
        raise emulation_error("launch", f"no schedule {schedule!r}: one of {known}")
    return orders
