"""Aliases: ``#loc3 = loc("f":1:2)``, ``!t = !cuda_tile.tile<8xf32>``.

They may stand before or after what uses them, so they are found before anything else is read. Each
is read once, those it refers to first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tileir.formats.limits import Limits
from tileir.types import Type

from .diagnostics import Refused, Report
from .lexer import Reader, phrase

if TYPE_CHECKING:
    from .attributes import AttributeReader
    from .locations import LocationReader
    from .types import TypeReader

DEFINITION = re.compile(
    r"^[ \t]*+([#!](?:[0-9]++|[A-Za-z_$-][\w$-]*+))[ \t\r\n]*+=[ \t\r\n]*+", re.ASCII | re.MULTILINE
)


class _Broken:
    """The value of an alias that could not be read."""


BROKEN = _Broken()


class Aliases:
    """The aliases of a text. The readers of what they stand for are set once they exist."""

    types: TypeReader
    attributes: AttributeReader
    locations: LocationReader

    def __init__(self, reader: Reader, report: Report, limits: Limits) -> None:
        self.reader = reader
        self.report = report
        self.limits = limits
        self.ends: dict[int, int] = {}
        self._starts: dict[str, tuple[int, int]] = {}
        self._values: dict[str, object] = {}
        self._waiting: dict[str, None] = {}
        self._found = list(DEFINITION.finditer(reader.text))
        for match in self._found:
            self._starts.setdefault(match[1], (match.start(1), match.end()))

    def read_all(self) -> None:
        """Read every definition; `ends` then has where each one ends, by where it starts."""
        for match in self._found:
            start = match.start(1)
            if self._starts[match[1]][0] != start:
                self.report.add(f"redefinition of {match[1]}", start, len(match[1]))
                self._skip(match.end(), start)
            else:
                self.value(match[1], start)

    def value(self, name: str, at: int) -> object:
        """What an alias stands for, `BROKEN` if that was wrong; `at` is where it is used."""
        if name in self._values:
            return self._values[name]
        if name not in self._starts:
            raise Refused(f"{name} is not defined", at, len(name))
        if name in self._waiting:
            raise Refused(f"{name} refers to itself", at, len(name))
        if len(self._waiting) >= self.limits.attribute_depth:
            raise Refused("aliases that refer to each other too deeply", at, len(name))
        start, behind = self._starts[name]
        back = self.reader.at
        self._waiting[name] = None
        self.reader.at = behind
        try:
            self._values[name] = self._read(name)
            self.ends[start] = self.reader.at
        except Refused as wrong:
            self.report.add(wrong.message, wrong.at, wrong.length)
            self._values[name] = BROKEN
            self._skip(behind, start)
        finally:
            del self._waiting[name]
            self.reader.at = back
        return self._values[name]

    def _read(self, name: str) -> object:
        if name[0] == "!":
            return self.types.read()
        if self.reader.sees(phrase("loc")):
            return self.locations.stated()
        record = self.locations.record()
        return self.attributes.read() if record is None else record[0]

    def _skip(self, behind: int, start: int) -> None:
        """Where a definition ends that makes no sense: with its line."""
        end = self.reader.text.find("\n", behind)
        end = len(self.reader.text) if end < 0 else end + 1
        back, self.reader.at = self.reader.at, end
        self.reader.skip()
        self.ends[start], self.reader.at = self.reader.at, back

    def type(self, name: str, at: int) -> Type | None:
        """The type an alias stands for; None if it was wrong."""
        found = self.value(name, at)
        return None if found is BROKEN else found
