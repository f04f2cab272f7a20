"""Releases of NVIDIA's tools, the oldest first: where each one lies, and the search over them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from tileir.errors import ToolError
from tileir.predicates import Explaining, Toolkit, Verdict

from .search import Found, search

RELEASE = re.compile(r"\d+(\.\d+)+")


class Releases(Protocol):
    """Releases of NVIDIA's tools, by their versions as in 13.5.37."""

    def names(self) -> list[str]:
        """Return the releases that there are, the oldest first; ToolError if nobody can say."""
        ...

    def toolkit(self, name: str) -> Toolkit:
        """Return the tools of a release, which may have to be installed first.

        ToolError if that fails, which counts as no answer of this release.
        """
        ...


def in_order(names: list[str]) -> list[str]:
    """Return releases from the oldest to the newest."""
    return sorted(names, key=numbers_of)


def numbers_of(name: str) -> tuple[int, ...]:
    """Return the numbers of a release."""
    return tuple(map(int, name.split(".")))


class ToolkitFolders:
    """A folder with a toolkit a release: ``13.3.36/bin/tileiras``.

    ``13.3.36/nvidia/cu13/bin`` will do as well, as pip lays out NVIDIA's packages.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        """Return the releases in the folder."""
        try:
            known = [each.name for each in self._folder.iterdir() if RELEASE.fullmatch(each.name)]
        except OSError as error:
            raise ToolError(f"{self._folder}: {error.strerror}") from None
        found = in_order([name for name in known if self._root(name)])
        if not found:
            raise ToolError(f"{self._folder} has no toolkit, as 13.5.37/bin/tileiras would be")
        return found

    def toolkit(self, name: str) -> Toolkit:
        """Return the tools of a release."""
        return Toolkit(self._root(name), name)

    def _root(self, name: str) -> Path | None:
        roots = [self._folder / name, *(self._folder / name).glob("nvidia/cu*")]
        return next((root.absolute() for root in roots if (root / "bin").is_dir()), None)


def bisect_releases(
    data: bytes,
    using: Callable[[Toolkit], Explaining],
    releases: Releases,
    *,
    chosen: list[str] | None = None,
    everywhere: bool = False,
    progress: Callable[[str], None] = lambda text: None,
) -> Found:
    """Return where a predicate about a file begins or ceases to hold between releases.

    using       makes the predicate with the tools of a release, as `Explaining.using` does
    chosen      the releases to ask, in order; None: all that there are
    everywhere  ask every one of them; else the search is binary
    progress    is told what is about to be done
    """

    def ask(name: str) -> Verdict:
        progress(f"release {name}")
        try:
            return using(releases.toolkit(name)).examine(data)
        except ToolError as error:
            return Verdict(None, str(error))

    return search(releases.names() if chosen is None else chosen, ask, everywhere)
