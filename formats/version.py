"""Bytecode versions: the (major, minor) pair of the file header."""

from __future__ import annotations

import re
from typing import NamedTuple


class Version(NamedTuple):
    """A bytecode version; compares as a pair and prints as ``13.4``."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"

    @classmethod
    def of(cls, version: Version | str | tuple[int, int]) -> Version:
        """Return a version from its text ("13.4") or its pair; ValueError for anything else."""
        if isinstance(version, str) and re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)", version):
            return cls(*map(int, version.split(".")))
        if isinstance(version, tuple) and [type(part) for part in version] == [int, int]:
            return cls(*version)
        raise ValueError(f"{version!r} is not a version such as '13.4'")


V13_1 = Version(13, 1)
V13_2 = Version(13, 2)
V13_3 = Version(13, 3)
V13_4 = Version(13, 4)
V13_5 = Version(13, 5)

SUPPORTED = (V13_1, V13_2, V13_3, V13_4, V13_5)
LATEST = SUPPORTED[-1]
