"""Processes by their numbers: whether they live, and waiting until they do not."""

from __future__ import annotations

import time
from pathlib import Path

PATIENCE = 60.0
"""Seconds until a process that should have ended is a failure, however busy the machine is."""


def lives(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def all_end(*pids: int) -> bool:
    """Wait until none of the processes lives; False if one does not end."""
    end = time.monotonic() + PATIENCE
    while any(map(lives, pids)):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def written(path: Path) -> str:
    """Wait for a file, and return what is in it."""
    end = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < end, f"{path} was never written"
        time.sleep(0.02)
    return path.read_text()
