"""The scope of the op that is read: readers, values by name, and nested regions."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from tileir.formats.ops.spec import Region as Row
from tileir.ir import Block, Op, Value
from tileir.types import Type

from .lexer import VALUE, shown
from .source import Source

UNKNOWN = Value(None, Block(), 0, 0)
"""In place of a value whose definition is wrong; nothing is known about it."""


class BodyScope(ABC):
    """The values that are visible at the reader's position, and the readers of everything else.

    `names` has the values by name, `defined` the names in the order of their definitions, `gone`
    the reason why a name is not visible any more, or not in this version.
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
        """Read a block in braces; `implied` is the terminator that may be left out."""

    def value(self) -> Value:
        """Read the name of a value, and return the value."""
        reader = self.reader
        match = VALUE.match(reader.text, reader.at)
        if match is None:
            raise reader.expected("a value such as %0")
        reader.at = match.end()
        value = self.names.get(match[1])
        return self._unnamed(match) if value is None else value

    def _unnamed(self, match: re.Match[str]) -> Value:
        name = match[1]
        pack, _, number = name.partition("#")
        first = self.names.get(pack)
        if first is not None and (first is UNKNOWN or number == "0"):
            return first
        why = self.gone.get(name) or self.gone.get(pack, "is not defined before this")
        if first is not None:
            why = f"is not there, {pack} has one result"
            if f"{pack}#1" in self.names:
                why = f"is not there, {pack} has fewer results"
        self.report.add(f"{shown(name)} {why}", match.start(), len(name))
        return UNKNOWN

    def define(self, name: str, value: Value, at: int) -> None:
        """Define the name of a value, which must be new."""
        if name in self.names:
            self.report.add(f"redefinition of {shown(name)}", at, len(name))
            self.names[name] = UNKNOWN  # later uses may mean either of the two
            return
        self.names[name] = value
        self.defined.append(name)

    def forget(self, count: int) -> None:
        """At the end of a region, forget all but the first `count` names."""
        for name in self.defined[count:]:
            del self.names[name]
            self.gone[name] = "is not visible here, the region that defines it has ended"
        del self.defined[count:]
