"""What is kept in a folder: the modules, and what was measured, so that a table goes on.

A table of batches that take minutes each may be made in parts, when the machine is quiet: what was
measured is read instead of measured again. Whoever wants it anew removes `measured.jsonl`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from .modules import make
from .once import Took


class Kept:
    """A folder of modules and measurements."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = folder / "measured.jsonl"
        self._known: dict[str, Took] = {}
        self.found = 0
        """How many measurements were there already."""
        if self._file.exists():
            for line in self._file.read_text().splitlines():
                row = json.loads(line)
                self._known[row["name"]] = Took(**row["took"])

    def modules(self, source: Path, number: int) -> list[str]:
        """Return the paths of so many modules, made of those in a folder if they are not there.

        Of more than that, they are spread evenly over all, so any number of them is a fair sample.
        """
        folder = self.folder / "modules"
        there = sorted(folder.rglob("*.tileirbc"))
        if len(there) < number:
            make(source, number, folder)
            there = sorted(folder.rglob("*.tileirbc"))
        return spread(list(map(str, there)), number)

    def took(self, name: str, measure: Callable[[], Took]) -> Took:
        """Return what was measured under a name, or measure it now."""
        if name in self._known:
            self.found += 1
            return self._known[name]
        load = os.getloadavg()[0]
        took = self._known[name] = measure()
        with self._file.open("a") as file:
            row = {"name": name, "load": load, "took": took._asdict()}
            file.write(json.dumps(row) + "\n")
        return took


def spread(paths: list[str], number: int) -> list[str]:
    """Return so many of the paths, evenly spread over them."""
    return [paths[at * len(paths) // number] for at in range(min(number, len(paths)))]
