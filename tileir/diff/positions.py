"""Source locations compared, for those who ask: by content, as records of two files are never one.

Chains of inlined calls may be long and are shared, so each record is looked at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from tileir.ir.locations import CallSite, Location

from .content import Contents
from .rows import Change


class Positions:
    """The locations that have been seen so far, as numbers."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._known: dict[int, int] = {}
        self._kept: list[object] = []  # so that no id is used twice

    def changes(self, before: Location | None, after: Location | None) -> Iterator[Change]:
        """Yield the change of a location, if it is one."""
        if self.number(before) != self.number(after):
            yield Change("location", "", before, after)

    def number(self, location: Location | None) -> int:
        """Return the number of a location: equal ones have equal numbers."""
        stack: list[Any] = [location]
        while stack:
            record = stack[-1]
            parts = [] if record is None else _parts(record)
            missing = [p for p in parts if _is_record(p) and id(p) not in self._known]
            if missing:
                stack += missing
                continue
            said = tuple([self._known[id(p)] if _is_record(p) else p for p in parts])
            self._known[id(record)] = self._contents.number((type(record).__name__, said))
            self._kept.append(stack.pop())
        return self._known[id(location)]


def _parts(record: Location) -> list[Any]:
    if isinstance(record, CallSite):
        return [record.callee, record.caller]
    return [getattr(record, each.name) for each in fields(record)]


def _is_record(part: object) -> bool:
    return part is not None and not isinstance(part, str | int)
