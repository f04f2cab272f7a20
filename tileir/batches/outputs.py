"""Files that verbs make: in a folder that has the names of the modules, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b, sha256
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple, Self

from tileir.command_line.exit_codes import UsageError
from tileir.command_line.files import write_output
from tileir.messages.texts import display


class Made(NamedTuple):
    """The files that were made of a module, as little of them as tells them from others.

    ends      how their names end
    contents  a hash of what is in them, in that order
    """

    ends: tuple[str, ...]
    contents: bytes

    @classmethod
    def of(cls, files: Mapping[str, Mapping[str, Any]]) -> Self:
        """Return those of a record, whose `files` these are."""
        return cls(tuple(map(intern, files)), _hash(each["sha256"] for each in files.values()))


def _hash(hashes: Iterable[str]) -> bytes:
    return blake2b("".join(hashes).encode(), digest_size=8).digest()


class Outputs:
    """The folder; it is made when the first file is written.

    A file is there whole or not at all. UsageError where a link in the folder leads out of it.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def has(self, name: str, made: Made) -> bool:
        """Whether all files of a module are there, and have what was made, not what a job with
        other options has written over it since."""
        try:
            found = [self._path(name, end).read_bytes() for end in made.ends]
        except OSError:
            return False
        return _hash(sha256(data).hexdigest() for data in found) == made.contents

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
        if {"", ".", ".."} & set(parts):  # names are clean where they are given
            raise UsageError(f"{display(name)} names no file below a folder")
        return self._folder.joinpath(*parts[:-1], f"{parts[-1]}.{end}")
