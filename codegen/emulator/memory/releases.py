"""Releases and acquires: the happens-before order that they make in PTX's memory model.

A release pattern is a release, or a strong write after a fence or after a release to the same
location by the same thread. It publishes with the value what its thread knew at the release or
fence: a row of times, one for each clock of the launch. A thread that reads the value by a strong
operation, directly or through a chain of atomic updates, sees the row, and learns it by an acquire
pattern: an acquire, or a later fence or acquire of the same location. Each write and read in that
chain, and the release and the acquire at its ends, must include each other in their scopes.
Barriers share what one thread has learnt. `fence.sc` counts as an update of one location that all
such fences have in common.

Weak accesses take no part: where one comes between without being a race, the outcome is the same.
Two simplifications can only hide races: rows published at GPU scope at one location are joined, and
when the rows need more than `ROOM`, all that were ever published are.
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
"""The most numbers that all rows of a space may have."""


@dataclass(slots=True)
class Location:
    """The last strong write to a location: its scope, its block, and the rows that it publishes."""

    scope: int
    block: int
    rows: Rows = field(default_factory=dict)


def _add(rows: Rows, more: Rows) -> None:
    for key, row in more.items():
        held = rows.get(key)
        rows[key] = row if held is None or held is row else np.maximum(held, row)


class Releases:
    """The locations of a space, by offset, at which something is published."""

    def __init__(self) -> None:
        self.locations: dict[int, Location] = {}
        self.promised: dict[tuple[int, int], Rows] = {}
        """Rows that a later write publishes, by the thread that released there and the offset."""
        self.seen: dict[tuple[int, int], Rows] = {}
        """Rows that relaxed reads saw, for later acquires, by thread and offset."""
        self.everything: np.ndarray | None = None
        """One row in place of all others, once there were too many."""

    def access(
        self, lanes: Lanes, offsets: np.ndarray, access: Access, wrote: np.ndarray | None = None
    ) -> None:
        """Record a strong access, lane after lane; `wrote`: which lanes wrote, if not all."""
        clocks = lanes.batch.clocks
        reads = access.reads or not access.writes
        writes = [access.writes] * lanes.count if wrote is None else wrote.tolist()
        for number, offset, written in zip(
            lanes.numbers.tolist(), offsets.tolist(), writes, strict=True
        ):
            block = int(clocks.block[number])
            last = self.locations.get(offset)
            seen = {}
            if last and reads and clocks.grid.mutual(last.scope, last.block, access.scope, block):
                seen = last.rows
            if reads:
                self._read(clocks, number, offset, access, seen)
            if written:
                self._write(clocks, number, offset, access, seen)
        held = len(self.locations) + len(self.promised) + len(self.seen)
        if held * clocks.grid.columns > ROOM:
            self._merge()

    def _read(self, clocks: Clocks, number: int, offset: int, access: Access, rows: Rows) -> None:
        key = int(clocks.lane[number]), offset
        if self.everything is not None:
            rows = {**rows, (GPU, int(clocks.block[number])): self.everything}
        if access.acquires:
            clocks.learn(number, rows, access.scope)
            clocks.learn(number, self.seen.get(key, {}), access.scope)
        elif rows:
            _add(self.seen.setdefault(key, {}), rows)
            _add(clocks.seen.setdefault(number, {}), rows)

    def _write(
        self, clocks: Clocks, number: int, offset: int, access: Access, carried: Rows
    ) -> None:
        block, key = int(clocks.block[number]), (int(clocks.lane[number]), offset)
        if access.releases:
            row = clocks.publish(number)
            _add(self.promised.setdefault(key, {}), {(access.scope, block): row})
        rows: Rows = {}
        for more in (carried, clocks.promised.get(number), self.promised.get(key)):
            for (scope, source), row in (more or {}).items():
                _add(rows, {(scope, block if scope == GPU else source): row})
        if self.everything is not None:
            self.everything = _union([self.everything, *rows.values()])
        if rows:
            self.locations[offset] = Location(access.scope, block, rows)
        else:
            self.locations.pop(offset, None)

    def _merge(self) -> None:
        held = [each.rows for each in self.locations.values()]
        held += [*self.promised.values(), *self.seen.values()]
        joined = [row for rows in held for row in rows.values()]
        if self.everything is not None:
            joined.append(self.everything)
        self.everything = _union(joined)
        for each in (self.locations, self.promised, self.seen):
            each.clear()


def _union(rows: Iterable[np.ndarray]) -> np.ndarray:
    first, *others = rows
    out = first.copy()
    for row in others:
        np.maximum(out, row, out=out)
    return out
