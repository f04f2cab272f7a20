"""Bytecode versions: the (major, minor) pair of the file header, and whether a file is a preview.

What is in public preview has its own place in the order of versions: behind the version that offers
it and before the next one. So content in preview is gated as content of a new version is. A file of
a version that is newer than the tables is read by those of the latest (`Newer`).
"""

from __future__ import annotations

import re
from typing import NamedTuple


class _Pair(NamedTuple):
    major: int
    minor: int


class Version(_Pair):
    """A bytecode version; compares as a pair and prints as ``13.4``.

    That of files with public-preview content has a third item, prints as ``13.5 preview``, and is
    greater than the pair.
    """

    __slots__ = ()

    def __new__(cls, major: int, minor: int, preview: int = 0) -> Version:
        return tuple.__new__(cls, (major, minor, 1) if preview else (major, minor))

    @property
    def preview(self) -> bool:
        """Whether this is the version of files with public-preview content."""
        return len(self) > 2

    @property
    def plain(self) -> Version:
        """The version without its public-preview content."""
        return Version(self.major, self.minor)

    @property
    def previewed(self) -> Version:
        """The version of files that announce public-preview content."""
        return Version(self.major, self.minor, preview=True)

    @property
    def open(self) -> bool:
        """Whether files may hold what the tables do not know: those of a `Newer` version may."""
        return False

    @property
    def stated(self) -> Version:
        """The version that the header of the file states."""
        return self

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}{' preview' if self.preview else ''}"

    def __repr__(self) -> str:
        return f"Version{tuple(self)!r}"

    @classmethod
    def of(cls, version: Version | str | tuple[int, int]) -> Version:
        """Return a version from its text ("13.4") or its pair; ValueError for anything else."""
        if isinstance(version, Version):
            return version
        if isinstance(version, str):
            text, _, preview = version.partition(" ")
            if preview in ("", "preview") and re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)", text):
                major, minor = map(int, text.split("."))
                return cls(major, minor, bool(preview))
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

PREVIEW = Version(*LATEST, preview=True)
"""The version of files whose header announces public-preview content; only the latest has any."""


class Newer(Version):
    """The version of a file that is newer than any that the tables describe.

    It compares as the latest of those (with preview content if the header announces any), so that
    the same gates let in what that has; as text it is what the header states. It is `open`: what
    the tables do not know ends the list that it is in, and is opaque from there on.
    """

    def __new__(cls, stated: Version) -> Newer:
        return tuple.__new__(cls, PREVIEW if stated.preview else LATEST)

    def __init__(self, stated: Version) -> None:
        self._stated = stated

    def __getnewargs__(self) -> tuple[Version]:
        return (self._stated,)

    @property
    def open(self) -> bool:
        """True."""
        return True

    @property
    def stated(self) -> Version:
        """The version that the header of the file states."""
        return self._stated

    @property
    def previewed(self) -> Newer:
        """The same version, of files that announce public-preview content."""
        return Newer(self._stated.previewed)

    def __str__(self) -> str:
        return str(self._stated)

    def __repr__(self) -> str:
        return f"Newer({self._stated!r})"
