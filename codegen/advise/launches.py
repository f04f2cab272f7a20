"""Rules about a launch: whether a grid fills a GPU, and what its last wave leaves idle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import NamedTuple

from tileir.messages.wording import counted

from .evidence import Evidence, Site
from .figures import Figure, blocks_of
from .rule import Candidate

PROCESSORS: Mapping[str, tuple[int, str]] = {
    "sm_75": (40, "T4"),
    "sm_80": (108, "A100"),
    "sm_86": (84, "A40"),
    "sm_87": (16, "Jetson AGX Orin"),
    "sm_89": (142, "L40S"),
    "sm_90": (132, "H100 SXM"),
    "sm_100": (148, "B200"),
    "sm_103": (160, "B300"),
    "sm_110": (20, "Jetson Thor"),
    "sm_120": (170, "GeForce RTX 5090"),
    "sm_121": (48, "DGX Spark"),
}
"""GPU -> its SMs in a common product, and that product; NVIDIA's data sheets of each."""

WORST_TAIL = 0.8
"""A launch whose waves are less full than that on average is worth a word."""
FEW_WAVES = 4
"""With more waves than that, the last one hardly matters."""
FEW_BLOCKS = 0.9
"""A grid of at least so many blocks for each SM leaves too few of them idle to be worth a word."""


class Filled(NamedTuple):
    """How a grid fills a GPU."""

    blocks: int
    processors: int
    resident: int
    """Blocks that one SM holds at once."""

    @property
    def waves(self) -> int:
        """How often all SMs are filled with blocks, the last time perhaps in part."""
        return -(-self.blocks // (self.processors * self.resident))

    @property
    def full(self) -> float:
        """How full the waves are on average, from 0 to 1."""
        return self.blocks / (self.waves * self.processors * self.resident)


def filled(evidence: Evidence, symbol: str) -> Filled | None:
    """Return how the grid of a launch fills the GPU; None if neither is known."""
    grid, processors = evidence.settings.grid, evidence.settings.processors
    processors = processors or PROCESSORS.get(evidence.settings.gpu.gpu, (None, ""))[0]
    if grid is None or processors is None:
        return None
    return Filled(prod(grid), processors, max(blocks_of(evidence, symbol), 1))


def thin(evidence: Evidence) -> Iterator[Candidate]:
    """Yield the kernels that are launched on fewer blocks than there are SMs."""
    for symbol in evidence.symbols:
        found = filled(evidence, symbol)
        if found is not None and found.blocks < FEW_BLOCKS * found.processors:
            why = f"{counted(found.blocks, 'block')} for {found.processors} SMs"
            fix = f"launch {found.processors} blocks or more: smaller tiles, or parts of a loop"
            yield Candidate(Site(symbol), why, f"{fix} (split K)")


def tailed(evidence: Evidence) -> Iterator[Candidate]:
    """Yield the kernels whose last wave leaves much of the GPU idle."""
    for symbol in evidence.symbols:
        found = filled(evidence, symbol)
        if found is None or found.blocks < found.processors:
            continue
        if 1 < found.waves <= FEW_WAVES and found.full < WORST_TAIL:
            wave = found.processors * found.resident
            why = f"{counted(found.blocks, 'block')} are {found.blocks / wave:.2f} waves of {wave}"
            fix = f"make tiles of another size, or let {wave} blocks share the work (persistent)"
            yield Candidate(Site(symbol), why, fix)


def _busy(evidence: Evidence, site: Site) -> float | None:
    found = filled(evidence, site.symbol)
    return found and min(1.0, found.blocks / found.processors) * 100


def _full(evidence: Evidence, site: Site) -> float | None:
    found = filled(evidence, site.symbol)
    return found and found.full * 100


BUSY = Figure("SMs that have a block", _busy, "%")
FULL = Figure("how full waves of blocks are", _full, "%")
