"""The problems of a text: collected with their positions, reported with lines and columns."""

from __future__ import annotations

from bisect import bisect_right

from tileir.errors import AssemblyError, Problem
from tileir.formats.errors import shorten

MOST_PROBLEMS = 100
"""Reading stops after so many problems."""

LONGEST_MESSAGE = 1000
"""Characters; types, which are spelled in full, can be long."""


class Refused(Exception):
    """The op or item that is being read has a problem; reading continues after it.

    `at` is the position of the wrong token, `length` its length, both in characters.
    """

    def __init__(self, message: str, at: int, length: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.length = length


class Stop(Exception):
    """Reading ends: there are too many problems, or the text is at its end."""


class Diagnostics:
    """The problems of a text."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self._problems: dict[tuple[int, str], int] = {}

    def __len__(self) -> int:
        """The number of problems."""
        return len(self._problems)

    def add(self, message: str, at: int, length: int = 1) -> None:
        """Add a problem; raises Stop if there are too many."""
        self._problems.setdefault((at, shorten(message, LONGEST_MESSAGE)), length)
        if len(self._problems) >= MOST_PROBLEMS:
            raise Stop

    def take(self, other: Diagnostics) -> None:
        """Add the problems of another text that this one begins with."""
        for (at, message), length in other._problems.items():
            self.add(message, at, length)

    def error(self) -> AssemblyError:
        """Return all problems as one error."""
        starts = [0, *(at + 1 for at, char in enumerate(self.text) if char == "\n")]
        lines: dict[int, str] = {}
        problems = []
        for (at, message), length in sorted(self._problems.items()):
            line = bisect_right(starts, at)
            if line not in lines:
                end = starts[line] - 1 if line < len(starts) else len(self.text)
                lines[line] = self.text[starts[line - 1] : end]
            column = at - starts[line - 1] + 1
            problems.append(Problem(line, column, message, lines[line], max(length, 1)))
        return AssemblyError(self.name, problems, len(self._problems) >= MOST_PROBLEMS)
