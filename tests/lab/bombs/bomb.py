"""A bomb: what it is, and the file or text of a size."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Bomb(NamedTuple):
    """A file (bytes) or text (str) that grows with a number.

    kind  what it has too much of: nesting, counts, lengths, sharing, ...
    made  from the number to the file or text, whose size grows no faster than the number
    size  the number at which it is measured first
    """

    kind: str
    name: str
    made: Callable[[int], bytes | str]
    size: int

    @property
    def form(self) -> str:
        """``bytes`` or ``text``."""
        return "text" if isinstance(self.made(min(self.size, 40)), str) else "bytes"
