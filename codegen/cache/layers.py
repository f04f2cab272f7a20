"""The cache of this machine in front of a store that several share."""

from __future__ import annotations

from typing import NamedTuple

from .shared import SharedStore
from .store import Cache


class Layers(NamedTuple):
    """Looks into the cache first, and keeps there what the store gives; writes go to both."""

    local: Cache
    shared: SharedStore

    def get(self, name: str) -> bytes | None:
        """Return the entry with a name; None if neither has it."""
        entry = self.local.get(name)
        if entry is None:
            entry = self.shared.get(name)
            if entry is not None:
                self.local.put(name, entry)
        return entry

    def put(self, name: str, entry: bytes) -> bool:
        """Keep an entry in both; return whether the cache does."""
        kept = self.local.put(name, entry)
        self.shared.put(name, entry)
        return kept
