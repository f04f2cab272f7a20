"""The memory access of an instruction, in any state space."""

from __future__ import annotations

from dataclasses import dataclass, field

from .scopes import WEAK


@dataclass(frozen=True, slots=True)
class Access:
    """An access: bytes of a word, number of words, whether it writes, and its ordering."""

    word: int
    count: int = 1
    writes: bool = False
    reads: bool = False
    """Whether it reads as well as writes."""
    scope: int = WEAK
    """Scope of a strong access, which does not race with strong ones in it; WEAK for weak ones."""
    acquires: bool = False
    releases: bool = False
    to_mbarrier: bool = False
    """Whether it is an operation on an mbarrier, not an ordinary access."""
    later: bool = False
    """Whether a bulk copy does it, at any time after the instruction."""
    nbytes: int = field(init=False)
    """Bytes of the whole access."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "nbytes", self.word * self.count)
