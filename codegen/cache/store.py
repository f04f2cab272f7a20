"""Compiled modules on disk, so that the next process need not compile them again.

The cache is a folder of files, each named by its key, a hash of everything that determines its
contents. A file is a checksum of key and contents, and the contents: a damaged file, or that of
another key, counts as absent and is written again. Files are written atomically. Errors of the disk
are not raised: nothing is stored then, with one warning if the user named the folder.

Entries hold machine code. Anyone who can write to the folder can run code as its user, so by
default it is among the user's own files.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import warnings
from pathlib import Path
from typing import NamedTuple

from tileir.formats.forks import Lock, not_forking

_SUFFIX = ".tileir"
_UNFINISHED = ".part"
_OURS = re.compile(
    rf"[0-9a-f]{{64}}{re.escape(_SUFFIX)}"
    rf"|\.[0-9a-f]{{64}}{re.escape(_SUFFIX)}\.\w+{re.escape(_UNFINISHED)}"
)
"""Names of entries and of unfinished entries; no other files are ever removed."""

_SLACK = 16
"""One part in so many of the limit may be written between two scans of the folder."""

_DIGEST = hashlib.sha256().digest_size


def _checksum(key: str, contents: bytes) -> bytes:
    return hashlib.sha256(key.encode() + contents).digest()


class CacheSlot(NamedTuple):
    """One entry of a cache, present or not."""

    cache: Cache
    key: str

    def get(self) -> bytes | None:
        """Return the contents; None if absent or damaged."""
        return self.cache.get(self.key)

    def put(self, contents: bytes) -> None:
        """Store the contents, if the disk permits it."""
        self.cache.put(self.key, contents)


class Cache:
    """A folder that holds up to `limit` bytes; the least recently used entries are evicted.

    `named_by` is the environment variable that names the folder, "" if none does.
    """

    def __init__(self, folder: Path, limit: int, named_by: str = "") -> None:
        self.folder = folder
        self.limit = limit
        self._named_by = named_by
        self._lock = Lock()
        self._unseen: int | None = None  # bytes written since the last scan; None before the first

    def slot(self, key: str) -> CacheSlot:
        """Return the entry with a key."""
        return CacheSlot(self, key)

    def get(self, key: str) -> bytes | None:
        """Return the contents with a key; None if absent or damaged."""
        path = self._path(key)
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > self.limit:
                return None  # reading a pipe or a device may never end
            data = path.read_bytes()
        except OSError:
            return None
        contents = data[_DIGEST:]
        if data[:_DIGEST] != _checksum(key, contents):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return contents

    def put(self, key: str, contents: bytes) -> None:
        """Store contents with a key, if the disk permits it."""
        data = _checksum(key, contents) + contents
        path = self._path(key)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with not_forking:
                import tempfile  # takes longer to import than an entry to be read

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
        """Evict entries beyond the limit; the folder is not scanned after every entry."""
        slack = self.limit // _SLACK
        with self._lock:
            if self._unseen is not None and self._unseen + written <= slack:
                self._unseen += written
                return
            self._unseen = 0
        with contextlib.suppress(OSError):
            self._remove_oldest(self.limit - slack)

    def sizes(self) -> list[int]:
        """Return the bytes of each entry; empty if the folder does not exist."""
        try:
            return [size for _, size, _ in self._entries()]
        except OSError:
            return []

    def _entries(self) -> list[tuple[int, int, str]]:
        """Return each file's time of last use (ns), size in bytes, and path."""
        files = []
        with os.scandir(self.folder) as entries:
            for entry in entries:
                if _OURS.fullmatch(entry.name):
                    with contextlib.suppress(OSError):  # another process may have removed it
                        status = entry.stat()
                        files.append((status.st_mtime_ns, status.st_size, entry.path))
        return files

    def _remove_oldest(self, limit: int) -> None:
        files = self._entries()
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= limit:
                return
            with contextlib.suppress(OSError):
                os.unlink(path)
            total -= size
