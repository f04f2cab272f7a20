"""Files that verbs make: in a folder that has the names of the modules, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

from tileir.commands.conventions import UsageError, write_output
from tileir.messages.texts import display


class Outputs:
    """The folder; it is made when the first file is written.

    A file is there whole or not at all. UsageError where a link in the folder leads out of it.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def has(self, name: str, ends: tuple[str, ...]) -> bool:
        """Whether all files of a module are there."""
        return all(os.path.isfile(self._path(name, end)) for end in ends)

    def write(self, name: str, end: str, data: bytes) -> None:
        """Write the file of a module whose name ends so."""
        path = self._path(name, end)
        inside = path.parent.resolve().is_relative_to(self._folder.resolve())
        if not inside or path.is_symlink():
            raise UsageError(f"{display(str(path))} is a link, or behind one that leads elsewhere")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output(str(path), data)

    def _path(self, name: str, end: str) -> Path:
        parts = name.split("/")
        assert not {"", ".", ".."} & set(parts), name
        return self._folder.joinpath(*parts[:-1], f"{parts[-1]}.{end}")
