"""The source locations of a renamed function, whose Subprogram must name the new symbol.

NVIDIA's readers refuse a function whose location belongs to a Subprogram of another linkage name.
"""

from __future__ import annotations

import dataclasses
from typing import TypeVar, cast

from .locations import Location, Subprogram

Kind = TypeVar("Kind", bound=Location | None)
"""A renamed location is of the class of the one it was made of."""


class RenamedScopes:
    """The map from locations to those with Subprograms of the old linkage name renamed.

    Equal locations stay one object: each is mapped once.
    """

    def __init__(self, before: str, after: str) -> None:
        self._before = before
        self._after = after
        self._renamed: dict[Location, Location] = {}
        self._original: dict[Location, Location] = {}

    def renamed(self, location: Kind) -> Kind:
        """Return a location with its Subprograms renamed; the same one if there is none to rename.

        Chains can be long, so that this takes no recursion. What is no location stays as it is.
        """
        stack = [location] if isinstance(location, Location) else []
        while stack:
            current = stack[-1]
            parts = _parts(current)
            missing = [part for part in parts.values() if part not in self._renamed]
            if missing and current not in self._renamed:
                stack += missing
                continue
            if current not in self._renamed:
                self._note(current, parts)
            stack.pop()
        found = self._renamed[location] if isinstance(location, Location) else location
        return cast(Kind, found)

    def _note(self, current: Location, parts: dict[str, Location]) -> None:
        new = {name: self._renamed[part] for name, part in parts.items()}
        changes: dict[str, object] = {n: p for n, p in new.items() if p is not parts[n]}
        if isinstance(current, Subprogram) and current.linkage_name == self._before:
            changes["linkage_name"] = self._after
        made = dataclasses.replace(current, **changes) if changes else current
        self._renamed[current] = made
        self._original[made] = current

    def original(self, location: Kind) -> Kind:
        """Return the location of which this one was made; the same one if it is none of ours."""
        if not isinstance(location, Location):
            return location
        return cast(Kind, self._original.get(location, location))


def _parts(location: Location) -> dict[str, Location]:
    """Return the records that a record refers to, by field."""
    given = (
        (field.name, getattr(location, field.name))
        for field in dataclasses.fields(location)
        if field.init
    )
    return {name: value for name, value in given if isinstance(value, Location)}
