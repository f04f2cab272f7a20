"""Where one thing is kept, present or not; and what any store of such things can do.

An entry is the line of its key (see `key.py`) and, behind it, what is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from .key import Key


class Store(Protocol):
    """What keeps entries, each under the name of its key, which nothing else ever has.

    It may lose any of them at any time, and never returns anything else instead. Errors of what is
    behind it are not raised.
    """

    def get(self, name: str) -> bytes | None:
        """Return the entry with a name; None if it is absent or damaged."""
        ...

    def put(self, name: str, entry: bytes) -> bool:
        """Keep an entry under a name; return whether that is done, for other processes, too."""
        ...


class Slot(NamedTuple):
    """One entry of a store, present or not: its kind, and the facts that decide it besides."""

    store: Store
    kind: str
    facts: Mapping[str, Any]
    key: Key

    @classmethod
    def of(cls, store: Store, kind: str, facts: Mapping[str, Any]) -> Slot:
        """Return the slot; TypeError or ValueError for facts that JSON cannot hold."""
        return cls(store, kind, facts, Key.of(kind, facts))

    def beside(self, kind: str) -> Slot:
        """Return the slot of another kind with the same facts."""
        return Slot.of(self.store, kind, self.facts)

    def get(self) -> bytes | None:
        """Return what is kept; None if absent or damaged."""
        entry = self.store.get(self.key.name)
        if entry is None:
            return None
        line, _, contents = entry.partition(b"\n")
        return contents if line == self.key.line else None

    def put(self, contents: bytes) -> bool:
        """Keep contents, if the store can; return whether it does."""
        return self.store.put(self.key.name, self.key.line + b"\n" + contents)
