"""What an op that is read may ask of the body around it: the readers, values by name, regions."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from tileir.formats.ops.spec import Region as Row
from tileir.ir import Block, Op, Value
from tileir.types import Type

from .lexer import VALUE, shown
from .source import Source

UNKNOWN = Value(None, None, 0, 0)
"""In the place of a value about which nothing is known, because what defines it is wrong."""


class BodyScope(ABC):
    """The values that are visible where the reader is, and the readers of all else.

    `names` has the values by name, `defined` the names in the order they came, `gone` why a name
    that was or could have been there is not.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.reader = source.reader
        self.report = source.report
        self.types = source.types
        self.attributes = source.attributes
        self.gate = source.gate
        self.names: dict[str, Value] = {}
        self.defined: list[str] = []
        self.gone: dict[str, str] = {}

    @abstractmethod
    def region(
        self,
        op: Op | None,
        row: Row,
        arguments: list[tuple[str, int, Type | None]],
        implied: str | None,
    ) -> Block:
        """The block in braces; `implied` is the terminator that need not be written."""

    def value(self) -> Value:
        """The value of the name at the reader's position."""
        reader = self.reader
        match = VALUE.match(reader.text, reader.at)
        if match is None:
            raise reader.expected("a value such as %0")
        reader.at = match.end()
        found = self.names.get(match[1])
        return self._unnamed(match) if found is None else found

    def _unnamed(self, match: re.Match[str]) -> Value:
        name = match[1]
        pack, _, number = name.partition("#")
        found = self.names.get(pack)
        if found is UNKNOWN or (number == "0" and found is not None):
            return found
        why = self.gone.get(name) or self.gone.get(pack, "is not defined before this")
        if found is not None:
            why = f"is not there, {pack} has one result"
            if f"{pack}#1" in self.names:
                why = f"is not there, {pack} has fewer results"
        self.report.add(f"{shown(name)} {why}", match.start(), len(name))
        return UNKNOWN

    def define(self, name: str, value: Value, at: int) -> None:
        """Give a value its name, which must be new."""
        if name in self.names:
            self.report.add(f"redefinition of {shown(name)}", at, len(name))
            self.names[name] = UNKNOWN  # of the two, nobody knows which is meant from here on
            return
        self.names[name] = value
        self.defined.append(name)

    def forget(self, count: int) -> None:
        """A region has ended: only the first `count` names are still visible."""
        for name in self.defined[count:]:
            del self.names[name]
            self.gone[name] = "is not visible here, the region that defines it has ended"
        del self.defined[count:]
