"""Which memory of this process can be read and written, for addresses whose extents nobody gave."""

from __future__ import annotations

from pathlib import Path

from .errors import EmulationError

MAPS = Path("/proc/self/maps")
"""Linux lists here what a process has mapped, one range a line: proc(5)."""


def writable() -> list[tuple[int, int]]:
    """Address and bytes of every range that may be read and written, in ascending order."""
    try:
        lines = MAPS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        message = (
            "how far memory at an integer address goes is known on Linux only;"
            " pass arrays or Buffers, or name them in allocations"
        )
        raise EmulationError("launch", message) from None
    ranges, rights = zip(*(line.split(maxsplit=2)[:2] for line in lines), strict=True)
    bounds = [
        [int(bound, 16) for bound in each.split("-")]
        for each, right in zip(ranges, rights, strict=True)
        if right.startswith("rw")
    ]
    return [(low, high - low) for low, high in bounds]
