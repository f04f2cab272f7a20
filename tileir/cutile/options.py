"""The options of compiling and launching kernels under cuTile."""

from __future__ import annotations

from dataclasses import dataclass

import tileir
from tileir.errors import UnsupportedError
from tileir.launch.breakpoints import BREAKS
from tileir.launch.compile_options import Check
from tileir.messages.wording import choice

FIRST, ALL = "first", "all"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `install`; UnsupportedError for an invalid number of threads or check.

    threads  CPU threads for each launch; None for all of them
    check    the checks made while a kernel runs, as in `tileir.compile`
    trace    names of values to print when a kernel that has them has computed them
    break_on what to stop at: "assert", "finding"; for findings, memory is checked at least
    run      whether kernels are compiled and launched
    """

    threads: int | None = None
    check: tuple[Check, ...] = ()
    trace: tuple[str, ...] = ()
    break_on: tuple[str, ...] = ()
    run: bool = True

    @property
    def needs_memory(self) -> bool:
        """Whether a launch has to know the memory of its arguments even if it may write to it."""
        return bool(self.check or self.break_on)

    def __post_init__(self) -> None:
        whole = isinstance(self.threads, int) and not isinstance(self.threads, bool)
        if self.threads is not None and not (whole and self.threads >= 1):
            raise UnsupportedError(f"threads must be at least 1, not {self.threads!r}")
        for name in self.break_on:
            if name not in BREAKS:
                raise UnsupportedError(f"there is no {name!r} to break on, only {choice(BREAKS)}")
        if "finding" in self.break_on and not self.check:
            object.__setattr__(self, "check", ("memory",))
        if self.check:
            tileir.compile(tileir.assemble(""), check=self.check)


def measured(autotune: str | int) -> int | None:
    """Return how many configurations are measured, None for all; UnsupportedError for nonsense."""
    if autotune == ALL:
        return None
    if autotune == FIRST:
        return 0
    if not isinstance(autotune, bool) and str(autotune).isdecimal() and int(autotune) >= 1:
        return int(autotune)
    raise UnsupportedError(f'autotune must be "first", "all" or a number from 1, not {autotune!r}')
