"""Files at a URL, by fsspec: read whole, and written once.

On a file system of this machine a file is written beside its place and linked to it, which fails if
there is one. Elsewhere it is fsspec's mode "create": a store that can refuse a second file does so
at once; for others fsspec looks first, and of two writers at the same moment the last one stays.
Web servers are only read.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from typing import Any

from tileir.formats.forks import not_forking
from tileir.remote.file_systems import ON_THIS_MACHINE, WEB, protocols, read_file


class RemoteFiles:
    """The files below a URL. Every function may raise whatever the file system does, or hang."""

    def __init__(self, url: str) -> None:
        with not_forking:
            from fsspec import get_filesystem_class
            from fsspec.core import url_to_fs
            from fsspec.utils import get_protocol

            get_filesystem_class(get_protocol(url))  # which imports what reads there
        self._fs: Any
        self._fs, root = url_to_fs(url, use_listings_cache=False)
        self._root = root.rstrip("/")
        self._protocols = protocols(self._fs)

    @property
    def only_read(self) -> bool:
        """Whether nobody writes such files."""
        return bool(self._protocols & WEB)

    def read(self, path: str, most: int) -> bytes | None:
        """Return a file, of a longer one `most` bytes and one more; None if there is none."""
        try:
            if self._on_this_machine:
                with open(self._at(path), "rb") as file:  # half of the time that fsspec takes
                    return file.read(most + 1)
            return read_file(self._fs, self._at(path), most)
        except FileNotFoundError:
            return None

    def add(self, path: str, data: bytes) -> bool:
        """Write a file, whole or not at all; return whether there was none, as one stays."""
        try:
            if self._on_this_machine:
                _link(self._at(path), data)
            else:
                self._fs.pipe_file(self._at(path), data, mode="create")
        except FileExistsError:
            return False
        return True

    def replace(self, path: str, data: bytes) -> None:
        """Write a file, whole or not at all, whatever is there."""
        if self._on_this_machine:
            _move(_beside(self._at(path), data), self._at(path))
        else:
            self._fs.pipe_file(self._at(path), data)

    def remove(self, path: str) -> None:
        """Remove a file."""
        self._fs.rm_file(self._at(path))

    def sizes(self, folder: str, suffix: str) -> list[int | None]:
        """Return the bytes of each file in and below a folder whose name ends so.

        None for a file of which a list does not say it, as those of web servers.
        """
        self._fs.invalidate_cache()
        try:
            found = self._fs.find(self._at(folder).rstrip("/"), detail=True)
        except FileNotFoundError:
            return []
        return [each["size"] for name, each in found.items() if name.endswith(suffix)]

    @property
    def _on_this_machine(self) -> bool:
        return bool(self._protocols & ON_THIS_MACHINE)

    def _at(self, path: str) -> str:
        return f"{self._root}/{path}"


def _beside(path: str, data: bytes) -> str:
    """Write an unfinished file into the folder of another, and return its path.

    Others may read it as far as the umask says; `tempfile` makes files that nobody else may read.
    """
    folder, name = os.path.split(path)
    os.makedirs(folder, exist_ok=True)
    unfinished = os.path.join(folder, f".{name}.{uuid.uuid4().hex}.part")
    try:
        with open(unfinished, "xb") as out:
            out.write(data)
    except OSError:
        _unlink(unfinished)
        raise
    return unfinished


def _link(path: str, data: bytes) -> None:
    """Write a file; FileExistsError if there is one."""
    if os.path.lexists(path):
        raise FileExistsError(path)
    unfinished = _beside(path, data)
    try:
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        _move(unfinished, path)
    finally:
        _unlink(unfinished)


def _move(unfinished: str, path: str) -> None:
    try:
        os.replace(unfinished, path)
    except OSError:
        _unlink(unfinished)
        raise


def _unlink(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
