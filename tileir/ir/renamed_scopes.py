"""Source locations with other names: of a renamed function, whose Subprogram must name its symbol.

NVIDIA's readers refuse a function whose location belongs to a Subprogram of another linkage name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from .locations import Location, Subprogram

Kind = TypeVar("Kind", bound=Location | None)
"""A renamed location is of the class of the one it was made of."""


class ChangedRecords:
    """The map from locations to those of which some records are changed.

    `changes` returns the fields of a record that get other values, with these values. Equal
    locations stay one object: each is mapped once. `count` is the number of records changed.
    """

    def __init__(self, changes: Callable[[Location], Mapping[str, object]]) -> None:
        self._changes = changes
        self._changed: dict[Location, Location] = {}
        self._original: dict[Location, Location] = {}
        self.count = 0

    def changed(self, location: Kind) -> Kind:
        """Return a location with its records changed; the same one if there is none to change.

        Chains can be long, so that this takes no recursion. What is no location stays as it is.
        """
        stack = [location] if isinstance(location, Location) else []
        while stack:
            current = stack[-1]
            parts = _parts(current)
            missing = [part for part in parts.values() if part not in self._changed]
            if missing and current not in self._changed:
                stack += missing
                continue
            if current not in self._changed:
                self._note(current, parts)
            stack.pop()
        found = self._changed[location] if isinstance(location, Location) else location
        return cast(Kind, found)

    def _note(self, current: Location, parts: dict[str, Location]) -> None:
        new = {name: self._changed[part] for name, part in parts.items()}
        changes: dict[str, object] = {n: p for n, p in new.items() if p is not parts[n]}
        own = {n: v for n, v in self._changes(current).items() if getattr(current, n) != v}
        self.count += bool(own)
        changes |= own
        made = dataclasses.replace(current, **changes) if changes else current
        self._changed[current] = made
        self._original[made] = current

    def original(self, location: Kind) -> Kind:
        """Return the location of which this one was made; the same one if it is none of ours."""
        if not isinstance(location, Location):
            return location
        return cast(Kind, self._original.get(location, location))


class RenamedScopes(ChangedRecords):
    """The map from locations to those with Subprograms of the old linkage name renamed."""

    def __init__(self, before: str, after: str) -> None:
        def changes(record: Location) -> Mapping[str, object]:
            own = isinstance(record, Subprogram) and record.linkage_name == before
            return {"linkage_name": after} if own else {}

        super().__init__(changes)

    renamed = ChangedRecords.changed


def _parts(location: Location) -> dict[str, Location]:
    """Return the records that a record refers to, by field."""
    given = (
        (field.name, getattr(location, field.name))
        for field in dataclasses.fields(location)
        if field.init
    )
    return {name: value for name, value in given if isinstance(value, Location)}
