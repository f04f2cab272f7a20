"""Which memory of this process can be read and written, for addresses whose extents nobody gave."""

from __future__ import annotations

import re
from pathlib import Path

from tileir.codegen.emulator.errors import emulation_error

MAPS = Path("/proc/self/maps")
"""Linux lists here what a process has mapped, one range a line: proc(5)."""
_WRITABLE = re.compile(r"^(\w+)-(\w+) rw", re.MULTILINE)


def writable() -> list[tuple[int, int]]:
    """Address and bytes of every range that may be read and written, in ascending order."""
    try:
        found = _WRITABLE.findall(MAPS.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        message = (
            "how far memory at an integer address goes is known on Linux only;"
            " pass arrays or Buffers, or name them in allocations"
        )
        raise emulation_error("launch", message) from None
    bounds = [(int(low, 16), int(high, 16)) for low, high in found]
    return [(low, high - low) for low, high in bounds]
