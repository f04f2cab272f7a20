"""What releases publish and acquires learn, by the rules of PTX's memory model.

A release pattern is a release, or a strong write after a fence or after a release to the same
place by the same thread. It leaves with the value what its thread knew at the release or fence: a
row of times, as long as the launch has clocks. Who reads the value by a strong operation, itself or
through a chain of atomic updates, finds the row, and learns it by an acquire pattern: an acquire,
or a fence or an acquire of the same place later on. Each write and read in that chain, and the
release and the acquire at its ends, must have each other in their scopes. Barriers spread what one
thread has learnt. `fence.sc` is an update of a place that all such fences have in common.

Weak accesses take no part: where one comes between without being a race, the outcome is the same.
What keeps it small can only hide races: rows that are published to everyone at one place are one,
and when there are more rows than there is `ROOM` for, all that was ever published is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.clocks import Clocks, Rows
from tileir.codegen.emulator.threads.lanes import Lanes
from tileir.codegen.emulator.threads.scopes import GPU

ROOM = 1 << 24
"""Numbers in all rows of a space."""


@dataclass(slots=True)
class Location:
    """The last strong write of a place: its scope, its block, and what it hands over."""

    scope: int
    block: int
    rows: Rows = field(default_factory=dict)


def _add(rows: Rows, more: Rows) -> None:
    for key, row in more.items():
        held = rows.get(key)
        rows[key] = row if held is None or held is row else np.maximum(held, row)


class Releases:
    """All places of a space that hand something over."""

    def __init__(self) -> None:
        self.locations: dict[int, Location] = {}
        self.promised: dict[tuple[int, int], Rows] = {}
        """For later writes of the thread that released there, by thread and place."""
        self.seen: dict[tuple[int, int], Rows] = {}
        """What relaxed reads have found there, for later acquires of the thread."""
        self.everything: np.ndarray | None = None
        """All that was published, once there is too much of it."""

    def access(
        self, lanes: Lanes, places: np.ndarray, access: Access, wrote: np.ndarray | None = None
    ) -> None:
        """A strong access of the lanes, one after the other; `wrote`: which, if not all that do."""
        clocks = lanes.batch.clocks
        reads = access.reads or not access.writes
        writes = [access.writes] * lanes.count if wrote is None else wrote.tolist()
        for number, place, written in zip(
            lanes.numbers.tolist(), places.tolist(), writes, strict=True
        ):
            block = int(clocks.block[number])
            at = self.locations.get(place)
            found = {}
            if at and reads and clocks.grid.mutual(at.scope, at.block, access.scope, block):
                found = at.rows
            if reads:
                self._read(clocks, number, place, access, found)
            if written:
                self._write(clocks, number, place, access, found)
        held = len(self.locations) + len(self.promised) + len(self.seen)
        if held * clocks.grid.columns > ROOM:
            self._merge()

    def _read(self, clocks: Clocks, number: int, place: int, access: Access, found: Rows) -> None:
        key = int(clocks.lane[number]), place
        if self.everything is not None:
            found = {**found, (GPU, int(clocks.block[number])): self.everything}
        if access.acquires:
            clocks.learn(number, found, access.scope)
            clocks.learn(number, self.seen.get(key, {}), access.scope)
        elif found:
            _add(self.seen.setdefault(key, {}), found)
            _add(clocks.seen.setdefault(number, {}), found)

    def _write(
        self, clocks: Clocks, number: int, place: int, access: Access, carried: Rows
    ) -> None:
        block, key = int(clocks.block[number]), (int(clocks.lane[number]), place)
        if access.releases:
            row = clocks.publish(number)
            _add(self.promised.setdefault(key, {}), {(access.scope, block): row})
        rows: Rows = {}
        for more in (carried, clocks.promised.get(number), self.promised.get(key)):
            for (scope, of), row in (more or {}).items():
                _add(rows, {(scope, block if scope == GPU else of): row})
        if self.everything is not None:
            self.everything = _union([self.everything, *rows.values()])
        if rows:
            self.locations[place] = Location(access.scope, block, rows)
        else:
            self.locations.pop(place, None)

    def _merge(self) -> None:
        held = [each.rows for each in self.locations.values()]
        held += [*self.promised.values(), *self.seen.values()]
        found = [row for rows in held for row in rows.values()]
        self.everything = _union(found if self.everything is None else [self.everything, *found])
        for each in (self.locations, self.promised, self.seen):
            each.clear()


def _union(rows: Iterable[np.ndarray]) -> np.ndarray:
    first, *others = rows
    out = first.copy()
    for row in others:
        np.maximum(out, row, out=out)
    return out
