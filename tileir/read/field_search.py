"""Where in the file a field is that a reference leads nowhere from: its section, read once more.

Paths are linked from the field outwards and nested bodies make them long, so no path is written
out: how much of the wanted one a place agrees with follows from what the place it is in does,
and that one is remembered. Reading stops where the field is found.
"""

from __future__ import annotations

import re

from tileir.formats.cursor import Path, Span

_PART = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_NOWHERE = -1


class Found(Exception):
    """The field is at this offset. It ends the reading."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        super().__init__(offset)


class Search(list):
    """Stands in for a trace: takes spans, keeps none, and raises `Found` at the one at `path`."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self._wanted = [int(n) if n else name for n, name in _PART.findall(path)]
        self._agreed: dict[int, tuple[Path, int]] = {}

    @property
    def entry(self) -> int | None:
        """The index of the table entry that the field is in, if the path begins with a table."""
        return next((part for part in self._wanted[:3] if isinstance(part, int)), None)

    def append(self, span: Span) -> None:
        """Look at a span. Hardly any has the right name, and only of those the rest is asked."""
        place = span.place
        if isinstance(place, tuple) and place[1] != self._wanted[-1]:
            return
        if self._agreement(place) == len(self._wanted):
            raise Found(span.start)

    def _agreement(self, place: Path) -> int:
        """How many parts of the wanted path the place consists of; `_NOWHERE` if of others."""
        parts = []
        while isinstance(place, tuple) and id(place) not in self._agreed:
            parts.append(place)
            place = place[0]
        if isinstance(place, tuple):
            agreed = self._agreed[id(place)][1]
        else:
            agreed = 1 if self._wanted[:1] == [place] else _NOWHERE
        for inner in reversed(parts):
            on = 0 <= agreed < len(self._wanted) and self._wanted[agreed] == inner[1]
            agreed = agreed + 1 if on else _NOWHERE
            if inner is not parts[0]:  # the leaf itself, which nothing is inside of
                self._agreed[id(inner)] = inner, agreed  # kept, so that nothing else gets its id
        return agreed
