"""Aliases: ``#loc3 = loc("f":1:2)``, ``!t = !cuda_tile.tile<8xf32>``.

Definitions may come before or after their uses, so all are located before anything else is read.
Each is read once, those it refers to first, so that long chains in any order need no recursion.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tileir.text.assembler.diagnostics import Diagnostics, Refused
from tileir.text.assembler.lexer import SKIP, Reader
from tileir.types import Type

NAME = r"[0-9]++|[A-Za-z_$-][\w$-]*+"
MENTIONED = re.compile(
    rf'"(?:[^"\\\n]++|\\.)*+"?|//[^\n]*+|((?:#|!)(?:{NAME}))({SKIP}=(?!=){SKIP})?', re.ASCII
)
"""Strings, comments, and names of aliases: group 1, with group 2 in a definition."""

NESTED = 4
"""The most aliases that are read inside each other; see `Aliases.value`."""


class _Broken:
    """The value of an alias that could not be read."""


BROKEN = _Broken()
"""In place of an attribute or a debug record that was wrong and has been reported."""


class Aliases:
    """The aliases of a text.

    `definition` reads the definition of a name, after the ``=``. It is set once the readers of
    types, attributes and locations exist, which use aliases themselves.
    """

    definition: Callable[[str], object]

    def __init__(self, reader: Reader, report: Diagnostics) -> None:
        self.reader = reader
        self.report = report
        self.ends: dict[int, int] = {}
        self._starts: dict[str, tuple[int, int]] = {}
        self._values: dict[str, object] = {}
        self._reading: dict[str, None] = {}
        self._mentions: dict[str, dict[str, None]] = {}
        self._definitions: list[tuple[str, int, int]] = []
        self._locate()

    def _locate(self) -> None:
        """Locate the definitions, and the aliases that each of them mentions."""
        mentions: dict[str, None] = {}
        for match in MENTIONED.finditer(self.reader.text):
            name = match[1]
            if name and match[2]:
                self._definitions.append((name, match.start(), match.end()))
                mentions = {}
                if name not in self._starts:
                    self._starts[name] = match.start(), match.end()
                    self._mentions[name] = mentions
            elif name and self._definitions:
                mentions[name] = None

    def read_all(self) -> None:
        """Read every definition; afterwards `ends` has its end position by its start."""
        for name, start, behind in self._definitions:
            if self._starts[name][0] != start:
                self.report.add(f"redefinition of {name}", start, len(name))
                self._skip(behind, start)
            else:
                self._read_with_mentioned(name)
        self._mentions.clear()

    def _read_with_mentioned(self, name: str) -> None:
        """Read an alias, and before it those that its definition mentions, without recursion."""
        path, waiting = [(name, iter(self._mentions[name]))], {name}
        while path:
            current, mentioned = path[-1]
            for other in mentioned:
                if other in self._starts and other not in self._values and other not in waiting:
                    path.append((other, iter(self._mentions[other])))
                    waiting.add(other)
                    break
            else:
                if current not in self._values:
                    self._read(current)
                path.pop()

    def value(self, name: str, at: int) -> Any:
        """Return the value of an alias, `BROKEN` if that was wrong; `at` is the position of its
        use.

        It has been read, unless its definition is being read or mentions the one that is: then the
        two refer to each other, or only seem to, because of text that is never read.
        """
        if name in self._values:
            return self._values[name]
        if name not in self._starts:
            raise Refused(f"{name} is not defined", at, len(name))
        if name in self._reading:
            raise Refused(f"{name} refers to itself", at, len(name))
        if len(self._reading) > NESTED:
            raise Refused(f"{name} refers to itself, through many others", at, len(name))
        return self._read(name)

    def _read(self, name: str) -> object:
        start, behind = self._starts[name]
        back = self.reader.at
        self._reading[name] = None
        self.reader.at = behind
        try:
            self._values[name] = self.definition(name)
            self.ends[start] = self.reader.at
        except Refused as wrong:
            self.report.add(wrong.message, wrong.at, wrong.length)
            self._values[name] = BROKEN
            self._skip(behind, start)
        finally:
            del self._reading[name]
            self.reader.at = back
        return self._values[name]

    def _skip(self, behind: int, start: int) -> None:
        """Set the end of a definition that cannot be read: the end of its line."""
        end = self.reader.text.find("\n", behind)
        end = len(self.reader.text) if end < 0 else end + 1
        back, self.reader.at = self.reader.at, end
        self.reader.skip()
        self.ends[start], self.reader.at = self.reader.at, back

    def type(self, name: str, at: int) -> Type | None:
        """Return the type of an alias; None if it was wrong."""
        value = self.value(name, at)
        return None if value is BROKEN else value
