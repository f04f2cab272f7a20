"""Compiled modules on disk, so that the next process need not compile them again.

The cache is a folder of files, each named by its key, a hash of everything that determines its
contents. A file is a checksum of key and contents, and the contents: a damaged file, or that of
another key, counts as absent and is written again. Files are written atomically. Errors of the disk
are not raised: nothing is stored then, with one warning if the user named the folder.

Entries for the CPU hold machine code. Anyone who can write to the folder can run code as its user,
so by default it is among the user's own files.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tileir.formats.forks import Lock, not_forking

from .key import Key
from .warning import warn

SUFFIX = ".tileir"
_UNFINISHED = ".part"
_OURS = re.compile(
    rf"[0-9a-f]{{64}}{re.escape(SUFFIX)}"
    rf"|\.[0-9a-f]{{64}}{re.escape(SUFFIX)}\.\w+{re.escape(_UNFINISHED)}"
)
"""Names of entries and of unfinished entries; no other files are ever removed."""

_SLACK = 16
"""One part in so many of the limit may be written between two scans of the folder."""

_DIGEST = hashlib.sha256().digest_size


_ABANDONED = 3600
"""Seconds after which nobody is still writing an unfinished file."""

_LONGEST_LINE = 1 << 16
"""Bytes of the longest line that is read of entries that are listed."""


def _checksum(name: str, entry: bytes) -> bytes:
    return hashlib.sha256(name.encode() + entry).digest()


class Entry(NamedTuple):
    """A file of a cache: its name, the time of its last use (seconds), and its size in bytes.

    The name is that of its key, and "" for a file that is not finished.
    """

    name: str
    used: float
    size: int
    path: str


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

    @property
    def toolkits(self) -> Path:
        """The folder for releases of NVIDIA's tools, which do not count for the limit."""
        return self.folder / "toolkits"

    def get(self, name: str) -> bytes | None:
        """Return the contents with a key, which are used by that; None if absent or damaged."""
        contents = self.peek(name)
        if contents is not None:
            with contextlib.suppress(OSError):
                os.utime(self._path(name))
        return contents

    def peek(self, name: str) -> bytes | None:
        """Return the contents with a key; None if absent or damaged."""
        path = self._path(name)
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > self.limit:
                return None  # reading a pipe or a device may never end
            data = path.read_bytes()
        except OSError:
            return None
        contents = data[_DIGEST:]
        return contents if data[:_DIGEST] == _checksum(name, contents) else None

    def put(self, name: str, entry: bytes) -> bool:
        """Store an entry with a key, if the disk permits it; return whether it is written.

        Whoever looks for it then finds it, whatever happens to this process. What is larger than
        the cache is not stored.
        """
        data = _checksum(name, entry) + entry
        if len(data) > self.limit - self.limit // _SLACK:
            return False
        path = self._path(name)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with not_forking:
                import tempfile  # takes longer to import than an entry to be read

                handle, temporary = tempfile.mkstemp(_UNFINISHED, f".{path.name}.", self.folder)
        except OSError as error:
            if self._named_by:
                problem = f"{self._named_by}: {self.folder}: {error.strerror}; nothing is kept"
                self._named_by = ""  # once is enough
                warn(problem)
            return False
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(data)
            os.replace(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            return False
        self._make_room(len(data))
        return True

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{SUFFIX}"

    def _make_room(self, written: int) -> None:
        """Evict entries beyond the limit; the folder is not scanned after every entry."""
        slack = self.limit // _SLACK
        with self._lock:
            if self._unseen is not None and self._unseen + written <= slack:
                self._unseen += written
                return
            self._unseen = 0
        self.remove(self.beyond(self.limit - slack))

    def sizes(self) -> list[int]:
        """Return the bytes of each file; empty if the folder does not exist."""
        return [entry.size for entry in self.entries()]

    def entries(self) -> list[Entry]:
        """Return the files of the cache, the least recently used one first.

        There are none if the folder does not exist.
        """
        with contextlib.suppress(OSError):
            return sorted(self._entries(), key=_used)
        return []

    def line_of(self, name: str) -> bytes | None:
        """Return the first line of an entry, without a look at the rest; None if it has none."""
        path = self._path(name)
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                return None
            with path.open("rb") as file:
                start = file.read(_DIGEST + _LONGEST_LINE)[_DIGEST:]
        except OSError:
            return None
        line = start.partition(b"\n")[0]
        return line if Key.of_line(line).name == name else None

    def remove(self, entries: Iterable[Entry]) -> list[Entry]:
        """Remove files; return those that are gone."""
        gone = []
        for entry in entries:
            with contextlib.suppress(OSError):
                os.unlink(entry.path)
                gone.append(entry)
        return gone

    def abandoned(self) -> list[Entry]:
        """Return the unfinished files that nobody is writing any more."""
        old = time.time() - _ABANDONED
        return [entry for entry in self.entries() if not entry.name and entry.used < old]

    def beyond(self, limit: int) -> list[Entry]:
        """Return the least recently used files, without which the others have `limit` bytes."""
        files = self.entries()
        total = sum(entry.size for entry in files)
        found = []
        for entry in files:
            if total <= limit:
                break
            total -= entry.size
            found.append(entry)
        return found

    def _entries(self) -> list[Entry]:
        files = []
        with os.scandir(self.folder) as found:
            for each in found:
                if _OURS.fullmatch(each.name):
                    with contextlib.suppress(OSError):  # another process may have removed it
                        status = each.stat()
                        name = "" if each.name.startswith(".") else each.name.partition(".")[0]
                        used = status.st_mtime_ns / 1e9
                        files.append(Entry(name, used, status.st_size, each.path))
        return files


def _used(entry: Entry) -> tuple[float, str]:
    return entry.used, entry.path
