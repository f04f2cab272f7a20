"""What a row of the tables says: a corruption, NVIDIA's verdict and ours.

Numbers are those of the study these tables were made from, so gaps would show. `make` builds the
file when it is wanted, because a few are large.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .base import V13_1, V13_3, V13_4, V13_5, Module, base

SAME, OTHER, CRASH = "same text", "other text", "crash"
"""What becomes of a file that tileirdisasm does not refuse."""

READ = "read"
IN_PART = "in-part"
"""Our verdict on files of newer versions: read as far as the tables agree with them."""


@dataclass(frozen=True)
class Row:
    """A corruption. `theirs` is SAME, OTHER, CRASH or a part of what tileirdisasm complains of.

    `ours` is READ, IN_PART or the kind of our error ("verify" where only the check of ops refuses).
    `warns` are the kinds of warning that a file which we read has.
    """

    number: int
    what: str
    make: Callable[[], bytes]
    theirs: str
    ours: str
    warns: tuple[str, ...] = ()
    version: tuple[int, int] = V13_3

    @property
    def accepted(self) -> bool:
        """Whether tileirdisasm accepts the file."""
        return self.theirs in (SAME, OTHER)


Make = Callable[[], bytes] | Module


def _bytes(make: Make) -> Callable[[], bytes]:
    return make.build if isinstance(make, Module) else make


def _version(make: Make) -> tuple[int, int]:
    return make.version if isinstance(make, Module) else V13_3


def same(number: int, what: str, make: Make, *warns: str, ours: str = READ) -> Row:
    """Accepted by NVIDIA, and the text is that of the unspoilt file."""
    return Row(number, what, _bytes(make), SAME, ours, warns, _version(make))


def other(number: int, what: str, make: Make, *warns: str, ours: str = READ) -> Row:
    """Accepted by NVIDIA, but the text is another."""
    return Row(number, what, _bytes(make), OTHER, ours, warns, _version(make))


def refused(number: int, what: str, make: Make, message: str, ours: str, *warns: str) -> Row:
    """Refused by NVIDIA; "@7 " in the message stands for "error at offset 7: "."""
    return Row(number, what, _bytes(make), message, ours, warns, _version(make))


def crash(number: int, what: str, make: Make, ours: str) -> Row:
    """NVIDIA's reader dies of it."""
    return Row(number, what, _bytes(make), CRASH, ours, (), _version(make))


OLDEST, FILE, NEWER, NEWEST = base(V13_1), base(V13_3), base(V13_4), base(V13_5)
