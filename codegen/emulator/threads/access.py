"""What an instruction does to memory, whichever memory that is."""

from __future__ import annotations

from dataclasses import dataclass

from .scopes import WEAK


@dataclass(frozen=True, slots=True)
class Access:
    """What an instruction does: bytes a word, number of words, whether it writes, and how."""

    word: int
    count: int = 1
    writes: bool = False
    reads: bool = False
    """Whether it reads as well as writes."""
    scope: int = WEAK
    """With whom in it atomic, volatile and ordered accesses of that kind do not race."""
    acquires: bool = False
    releases: bool = False

    @property
    def nbytes(self) -> int:
        """Bytes of the whole access."""
        return self.word * self.count
