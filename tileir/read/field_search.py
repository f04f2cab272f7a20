"""The search for the offset of a bad reference: its section is read again until the field is met.

A span has its path as a linked list, from the field outwards. Nested bodies make paths long, so
none is written out: how many parts of the wanted path a path agrees with follows from the
agreement of its outer path, which is remembered. Reading stops at the field.
"""

from __future__ import annotations

import re

from tileir.formats.cursor import Path, Span

_PART = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_NOWHERE = -1


class FieldFound(Exception):
    """Raised to end the reading: the field is at this offset."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        super().__init__(offset)


class Search(list):
    """A trace that keeps no spans, and raises `FieldFound` for the span of the field `path`."""

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
        """Compare a span with the path; its last part first, since it hardly ever agrees."""
        path = span.place
        if isinstance(path, tuple) and path[1] != self._wanted[-1]:
            return
        if self._agreement(path) == len(self._wanted):
            raise FieldFound(span.start)

    def _agreement(self, path: Path) -> int:
        """Return how many parts of the wanted path `path` is; `_NOWHERE` if they differ."""
        parts = []
        while isinstance(path, tuple) and id(path) not in self._agreed:
            parts.append(path)
            path = path[0]
        if isinstance(path, tuple):
            agreed = self._agreed[id(path)][1]
        else:
            agreed = 1 if self._wanted[:1] == [path] else _NOWHERE
        for inner in reversed(parts):
            on = 0 <= agreed < len(self._wanted) and self._wanted[agreed] == inner[1]
            agreed = agreed + 1 if on else _NOWHERE
            if inner is not parts[0]:  # the leaf itself, which contains nothing
                self._agreed[id(inner)] = inner, agreed  # kept alive, so that its id stays unique
        return agreed
