"""The source locations of a renamed function, whose Subprogram must name the new symbol.

NVIDIA's readers refuse a function whose location belongs to a Subprogram of another linkage name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tileir.ir.locations import Location, Subprogram

from .location_table import references

if TYPE_CHECKING:
    from tileir.read.function import Function

Relocation = Callable[[Location | None], Location | None]


def as_it_is(location: Location | None) -> Location | None:
    """Return a location unchanged."""
    return location


def relocation(function: Function) -> Relocation:
    """Return the map from the locations of a function to those to write, by its present name."""
    before, after = function.original().name, function.name
    if before == after:
        return as_it_is
    moved: dict[int, tuple[Location, Location]] = {}

    def move(location: Location | None) -> Location | None:
        """Return the location with Subprograms of the old name renamed; chains can be long."""
        stack = [] if location is None else [location]
        while stack:
            current = stack[-1]
            parts = references(current)
            missing = [p for p in parts.values() if p is not None and id(p) not in moved]
            if missing and id(current) not in moved:
                stack += missing
                continue
            if id(current) not in moved:
                new = {n: p and moved[id(p)][1] for n, p in parts.items()}
                changes: dict[str, Any] = {n: p for n, p in new.items() if p is not parts[n]}
                if isinstance(current, Subprogram) and current.linkage_name == before:
                    changes["linkage_name"] = after
                made = dataclasses.replace(current, **changes) if changes else current
                moved[id(current)] = (current, made)
            stack.pop()
        return None if location is None else moved[id(location)][1]

    return move
