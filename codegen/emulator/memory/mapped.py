"""The memory that this process can read and write: the bounds of addresses of unknown extent."""

from __future__ import annotations

import re
from pathlib import Path

from tileir.codegen.emulator.errors import emulation_error

MAPS = Path("/proc/self/maps")
"""Linux lists the mapped memory of a process here, one range a line: proc(5)."""
_WRITABLE = re.compile(r"^(\w+)-(\w+) rw", re.MULTILINE)


def writable() -> list[tuple[int, int]]:
    """Return address and size of every range that may be read and written, in ascending order."""
    try:
        ranges = _WRITABLE.findall(MAPS.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        message = (
            "how far memory at an integer address goes is known on Linux only;"
            " pass arrays or Buffers, or name them in allocations"
        )
        raise emulation_error("launch", message) from None
    bounds = [(int(low, 16), int(high, 16)) for low, high in ranges]
    return [(low, high - low) for low, high in bounds]
