"""Compiled modules on disk, so that the next process need not compile them again.

A folder of files, each named by its key, a hash of everything that decides its contents. A file
is a checksum and the contents: what is damaged is as good as absent, and written again. Files
appear whole or not at all, and whatever goes wrong with the disk is no error: nothing is kept then,
of which there is one warning if the user named the folder.

Entries hold machine code. Who may write to the folder can run code as whoever uses it, hence its
place among the user's own files.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import threading
import warnings
from pathlib import Path
from typing import NamedTuple

_SUFFIX = ".tileir"
_UNFINISHED = ".part"
_OURS = re.compile(
    rf"[0-9a-f]{{64}}{re.escape(_SUFFIX)}"
    rf"|\.[0-9a-f]{{64}}{re.escape(_SUFFIX)}\.\w+{re.escape(_UNFINISHED)}"
)
"""Names of entries and of files that are to become entries; nothing else is ever removed."""

_SLACK = 16
"""The part of the size that may be written before the folder is looked through again."""

_DIGEST = hashlib.sha256().digest_size


class CacheSlot(NamedTuple):
    """The place of one entry."""

    cache: Cache
    key: str

    def get(self) -> bytes | None:
        """What is there; None if it is nothing, or damaged."""
        return self.cache.get(self.key)

    def put(self, contents: bytes) -> None:
        """Keep the contents there, if the disk lets us."""
        self.cache.put(self.key, contents)


class Cache:
    """A folder that holds up to `limit` bytes; the entries used least recently make room.

    `named_by` is the variable that names the folder, "" if none does.
    """

    def __init__(self, folder: Path, limit: int, named_by: str = "") -> None:
        self.folder = folder
        self.limit = limit
        self._named_by = named_by
        self._lock = threading.Lock()
        self._unseen: int | None = None  # bytes written since the last look; None before the first

    def slot(self, key: str) -> CacheSlot:
        """The place of the entry under a key."""
        return CacheSlot(self, key)

    def get(self, key: str) -> bytes | None:
        """The contents under a key, None if there are none or they are damaged."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        contents = data[_DIGEST:]
        if data[:_DIGEST] != hashlib.sha256(contents).digest():
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return contents

    def put(self, key: str, contents: bytes) -> None:
        """Keep the contents under a key, if the disk lets us."""
        import tempfile  # takes longer to import than an entry to be read

        data = hashlib.sha256(contents).digest() + contents
        path = self._path(key)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(_UNFINISHED, f".{path.name}.", self.folder)
        except OSError as error:
            if self._named_by:
                problem = f"{self._named_by}: {self.folder}: {error.strerror}; nothing is kept"
                self._named_by = ""  # once is enough
                warnings.warn(problem, RuntimeWarning, stacklevel=5)  # the call of tileir.compile
            return
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(data)
            os.replace(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            return
        self._make_room(len(data))

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{_SUFFIX}"

    def _make_room(self, written: int) -> None:
        """Look through the folder, but not after every entry."""
        slack = self.limit // _SLACK
        with self._lock:
            if self._unseen is not None and self._unseen + written <= slack:
                self._unseen += written
                return
            self._unseen = 0
        with contextlib.suppress(OSError):
            self._remove_oldest(self.limit - slack)

    def sizes(self) -> list[int]:
        """Bytes of each entry; nothing where there is no folder yet."""
        try:
            return [size for _, size, _ in self._entries()]
        except OSError:
            return []

    def _entries(self) -> list[tuple[int, int, str]]:
        """When each file was used last, its bytes, its path."""
        found = []
        with os.scandir(self.folder) as entries:
            for entry in entries:
                if _OURS.fullmatch(entry.name):
                    with contextlib.suppress(OSError):  # another process may have removed it
                        status = entry.stat()
                        found.append((status.st_mtime_ns, status.st_size, entry.path))
        return found

    def _remove_oldest(self, limit: int) -> None:
        found = self._entries()
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= limit:
                return
            with contextlib.suppress(OSError):
                os.unlink(path)
            total -= size
