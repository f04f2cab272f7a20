"""The ledger of a campaign: a line of JSON for each module, so that what was done stays done."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


class BusyError(Exception):
    """Another campaign has the folder."""


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold a folder for one campaign, however it ends; BusyError if another one holds it.

    On Windows nothing is held: there is no lock of this kind.
    """
    with (folder / "ledger.lock").open("a") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BusyError(f"another campaign is running in {folder}") from None
        yield


class Ledger:
    """The lines of a file; a module may have several, of which the last about a stage counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[tuple[int, str], str] = {}
        """(seed, stage) -> the verdict."""
        for row in self.rows():
            self._note(row)

    def _note(self, row: dict[str, Any]) -> None:
        for stage, found in row["stages"].items():
            self.done[row["seed"], stage] = found["verdict"]

    def forget(self, verdicts: Collection[str]) -> None:
        """Have what came to these verdicts tried again."""
        self.done = {key: name for key, name in self.done.items() if name not in verdicts}

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
        self._note(row)
