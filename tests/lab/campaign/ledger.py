"""The ledger of a campaign: a line of JSON for each module, so that what was done stays done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Ledger:
    """The lines of a file; a module may have several, about different stages."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: set[tuple[int, str]] = set()
        for row in self.rows():
            self.done.update((row["seed"], stage) for stage in row["stages"])

    def rows(self) -> Iterator[dict[str, Any]]:
        """All lines; the last one may have been cut off when the campaign was killed."""
        if not self.path.exists():
            return
        with self.path.open() as lines:
            for line in lines:
                if line.endswith("\n"):
                    yield json.loads(line)

    def begin(self) -> None:
        """Take a line away that was cut off."""
        if self.path.exists():
            data = self.path.read_bytes()
            self.path.write_bytes(data[: data.rfind(b"\n") + 1])

    def add(self, row: dict[str, Any]) -> None:
        """Write a line at once."""
        with self.path.open("a") as out:
            out.write(json.dumps(row) + "\n")
        self.done.update((row["seed"], stage) for stage in row["stages"])
