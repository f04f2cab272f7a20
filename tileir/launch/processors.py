"""How many processors there are for this process, wherever work is divided among some."""

from __future__ import annotations

import os


def usable_cpus() -> int:
    """Return how many CPUs this process may use: those of its affinity, where systems have one."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
