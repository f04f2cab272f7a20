"""How kernels are compiled and launched under cuTile, as a program's user asked."""

from __future__ import annotations

from dataclasses import dataclass

import tileir
from tileir.errors import UnsupportedError


@dataclass(frozen=True, slots=True)
class Options:
    """What may be asked for; UnsupportedError for what there is not.

    threads  CPU threads for each launch, all there are if None
    check    what to check while a kernel runs, as `tileir.compile` has it
    trace    names of values to show when a kernel has computed them, in kernels that have them
    """

    threads: int | None = None
    check: tuple[str, ...] = ()
    trace: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.threads is not None and self.threads < 1:
            raise UnsupportedError(f"threads must be at least 1, not {self.threads}")
        if self.check:
            tileir.compile(tileir.assemble(""), check=self.check)
