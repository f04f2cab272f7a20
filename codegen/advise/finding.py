"""What `advise` finds."""

from __future__ import annotations

from dataclasses import dataclass

from tileir.ir.locations import Location


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that keeps a kernel from being fast.

    rule      the id of the rule, and its title
    kernel    the symbol of the kernel
    op        the mnemonic of the op to be changed; None for what is about all of the kernel
    location  where that op is in source, if that is known
    why       what the compiler remarks
    fix       what to change
    sure      certain, likely or maybe: see `rule.SURE`
    figure    the name of the static figure that the fix improves
    before, after    the figure as it is, and with the fix
    shown     both in words
    gain      what findings are sorted by, the highest first
    also      where the ops are that suffer from it, and where else the same fix gives the same
    numbers   the ops of all these places, counted from 0 in the kernel; its own first
    """

    rule: str
    title: str
    kernel: str
    op: str | None
    location: Location | None
    why: str
    fix: str
    sure: str
    figure: str
    before: float
    after: float
    shown: tuple[str, str]
    gain: float
    also: tuple[Location | None, ...] = ()
    numbers: tuple[int, ...] = ()
