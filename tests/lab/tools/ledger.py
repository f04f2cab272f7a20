"""What was tried: a line of JSON for each try, so that it is not tried again."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any


class Ledger:
    """The lines of a file, each under a key: table, command and file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self.rows: dict[str, dict[str, Any]] = {}
        if path.exists():
            whole = [line for line in path.read_text().splitlines(True) if line.endswith("\n")]
            path.write_text("".join(whole))  # without a line that was cut off
            self.rows = {row["key"]: row for row in map(json.loads, whole)}

    def add(self, row: dict[str, Any]) -> None:
        """Keep a row at once."""
        with self._lock, self._path.open("a") as out:
            out.write(json.dumps(row) + "\n")
            self.rows[row["key"]] = row
