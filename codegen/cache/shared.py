"""A store that many machines share, at a URL, behind the cache of each of them.

A file of it is a seal and an entry. The seal is an HMAC-SHA256 of name and entry, if there is a
key, and else a checksum; with a key, files lie in a folder that has a fingerprint of it in its
name, so that a store may serve several. What is damaged, or sealed by somebody else, or lies under
another name counts as absent. Whoever may write to a store without a key may run code in those who
read it: it holds what runs on a GPU.

It never holds anything else. The first line of an entry says its kind, and the hash of the line is
the entry's name, so machine code for the CPU cannot be put here or taken from here under any name.

Entries are written once: the first stays, and a damaged one is replaced. Nothing of what is behind
the URL is raised. The first problem is a warning, and after some in a row nobody asks for a while.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tileir.formats.forks import Lock
from tileir.messages.missing_packages import pip_install
from tileir.messages.texts import printable
from tileir.messages.urls import without_secrets
from tileir.remote.file_systems import advice

from .deadline import within
from .key import PORTABLE, Key
from .listing import facts_in
from .remote_files import RemoteFiles
from .store import SUFFIX
from .warning import warn

Result = TypeVar("Result")

SHORTEST_KEY = 16
"""Bytes: HMAC-SHA256 is as strong as its key, up to 32 of them."""

PATIENCE = 10.0
"""Seconds that one request may take."""
_MOST_FAILURES, _REST = 3, 60.0
"""So many requests that fail in a row are the last ones for so many seconds."""
_NO_USE = (TimeoutError, PermissionError, ImportError, NotImplementedError)
_NO_USE_NUMBERS = {errno.EROFS, errno.ENOSPC, errno.EDQUOT}
"""Errors which the next request would have, too."""

_LONGEST = 1 << 28
"""Bytes of the longest file that is read or written."""
_SEAL = hashlib.sha256().digest_size
_DOMAIN = b"tileir entry 1\0"
_PROBE = "tileir-probe"
_LONGEST_PROBLEM = 300


class SharedStore:
    """Entries at a URL: the get and put of a `slot.Store`, for kinds in `key.PORTABLE`.

    `key` seals entries, if there is one; `open_files` gives what is behind the URL, and is called
    when it is first needed, once in each process; `patience` is how many seconds a request may
    take.
    """

    def __init__(
        self,
        url: str,
        key: bytes | None = None,
        open_files: Callable[[str], RemoteFiles] = RemoteFiles,
        patience: float = PATIENCE,
    ) -> None:
        self.shown = without_secrets(url)
        self.signed = key is not None
        self._url, self._key = url, key
        self._folder = f"key-{fingerprint(key)}/" if key is not None else ""
        self._open, self._patience = open_files, patience
        self._files: tuple[int, RemoteFiles] | None = None
        self._reading, self._writing = _Health(), _Health()
        self._lock = Lock()
        self._warned = False

    def get(self, name: str) -> bytes | None:
        """Return the entry with a name; None if it is absent, damaged, or not to be shared."""
        path = self._path(name)
        data = self._ask(self._reading, lambda files: files.read(path, _SEAL + _LONGEST))
        entry = None if data is None else self._unsealed(name, data)
        if data is not None and entry is None:
            whose = "damaged, or not sealed with the key" if self.signed else "damaged"
            self._warn(f"the entry {name[:12]} is {whose}, and is made anew")
        return entry

    def put(self, name: str, entry: bytes) -> bool:
        """Keep an entry, if it is one to be shared; return whether the store now has one."""
        if not portable(name, entry) or len(entry) > _LONGEST:
            return False
        path, data = self._path(name), self._seal(name, entry) + entry

        def write(files: RemoteFiles) -> bool:
            if files.only_read:
                return False
            if not files.add(path, data):
                there = files.read(path, _SEAL + _LONGEST)
                if there is None or self._unsealed(name, there) is None:
                    files.replace(path, data)
            return True

        return self._ask(self._writing, write) or False

    def sizes(self) -> list[int | None]:
        """Return the bytes of each file that is sealed as ours are, None where nobody says it.

        Raises whatever happens.
        """
        files = within(self._patience, self._opened)
        # a list of a web server that does not answer is empty, and no error
        within(self._patience, lambda: files.read(self._folder + _PROBE, 0))
        return within(6 * self._patience, lambda: files.sizes(self._folder, SUFFIX))

    def probe(self) -> tuple[bool, str]:
        """Return whether a file can be written, read and removed; and what is in the way, or "".

        Raises whatever happens if nothing can even be read.
        """
        path, said = self._folder + _PROBE, os.urandom(16)
        files = within(self._patience, self._opened)
        within(self._patience, lambda: files.read(path, len(said)))
        if files.only_read:
            return False, "web servers are only read"
        try:
            within(self._patience, lambda: files.replace(path, said))
            found = within(self._patience, lambda: files.read(path, len(said)))
            within(self._patience, lambda: files.remove(path))
        except Exception as problem:  # of any package that fsspec finds
            return False, said_by(self._url, problem)
        return found == said, "" if found == said else "what was written is not what is read"

    def _ask(self, health: _Health, action: Callable[[RemoteFiles], Result]) -> Result | None:
        """Return what an action on the files returns; None if that cannot be had."""
        if health.rests:
            return None
        try:
            result = within(self._patience, lambda: action(self._opened()))
        except Exception as problem:  # of any package that fsspec finds
            health.failed(problem)
            if isinstance(problem, TimeoutError):
                self._reading.failed(problem)
                self._writing.failed(problem)
            self._warn(said_by(self._url, problem))
            return None
        health.worked()
        return result

    def _opened(self) -> RemoteFiles:
        """Return the files; after a fork they are opened again, as connections are not shared."""
        files, own = self._files, os.getpid()
        if files is None or files[0] != own:
            self._files = files = own, self._open(self._url)
        return files[1]

    def _warn(self, problem: str) -> None:
        with self._lock:
            warned, self._warned = self._warned, True
        if not warned:
            told = "what it does not give is compiled here, and no more is said of it"
            warn(f"TILEIR_CACHE_SHARED: {self.shown}: {problem}; {told}")

    def _path(self, name: str) -> str:
        return f"{self._folder}{name[:2]}/{name}{SUFFIX}"

    def _seal(self, name: str, entry: bytes) -> bytes:
        said = _DOMAIN + name.encode("ascii") + entry
        if self._key is None:
            return hashlib.sha256(said).digest()
        return hmac.digest(self._key, said, "sha256")

    def _unsealed(self, name: str, data: bytes) -> bytes | None:
        entry = data[_SEAL:]
        if len(entry) > _LONGEST or not hmac.compare_digest(data[:_SEAL], self._seal(name, entry)):
            return None
        return entry if portable(name, entry) else None


class _Health:
    """Whether requests of one sort are worth a try."""

    def __init__(self) -> None:
        self._failures, self._until = 0, 0.0

    @property
    def rests(self) -> bool:
        return self._failures >= _MOST_FAILURES and time.monotonic() < self._until

    def worked(self) -> None:
        self._failures = 0

    def failed(self, problem: Exception) -> None:
        number = getattr(problem, "errno", None)
        useless = isinstance(problem, _NO_USE) or number in _NO_USE_NUMBERS
        self._failures = _MOST_FAILURES if useless else self._failures + 1
        if self._failures >= _MOST_FAILURES:
            self._until = time.monotonic() + _REST


def portable(name: str, entry: bytes) -> bool:
    """Whether this is the entry of that name, and of a kind that machines share."""
    line = entry.partition(b"\n")[0]
    if Key.of_line(line).name != name:
        return False
    facts = facts_in(line)
    return facts is not None and facts["kind"] in PORTABLE


def store_of(url: str, key_file: str = "") -> SharedStore:
    """Return the store at a URL, with the key in a file if one is named.

    ValueError for what is neither a URL nor an absolute path, since a relative one would be another
    folder wherever a program is started; and if the key cannot be had, as nothing may be read
    without it then.
    """
    if "://" not in url and not os.path.isabs(url):
        wanted = "neither a URL, such as s3://bucket/tileir, nor an absolute path"
        raise ValueError(f"TILEIR_CACHE_SHARED: {printable(url)!r} is {wanted}")
    return SharedStore(url, _key_in(key_file) if key_file else None)


def _key_in(file: str) -> bytes:
    try:
        key = Path(file).expanduser().read_bytes().strip()
    except (OSError, RuntimeError, ValueError) as problem:
        said = getattr(problem, "strerror", None) or problem
        raise ValueError(f"TILEIR_CACHE_KEY_FILE: {file}: {said}") from None
    if len(key) < SHORTEST_KEY:
        short = f"the key has {len(key)} bytes, {SHORTEST_KEY} are the fewest"
        raise ValueError(f"TILEIR_CACHE_KEY_FILE: {file}: {short}")
    return key


def fingerprint(key: bytes) -> str:
    """Return what tells keys apart, and does not give them away."""
    return hmac.digest(key, b"tileir key", "sha256").hex()[:16]


def said_by(url: str, problem: Exception) -> str:
    """Return what went wrong at a URL as one line for people, and what to do about it if known."""
    if isinstance(problem, ImportError):
        how = pip_install("fsspec")
        return f"{problem}; {how}, and what fsspec needs for such a URL"
    lines = str(problem).splitlines() or [""]
    text = printable(without_secrets(f"{type(problem).__name__}: {lines[0]}".rstrip(": ")))
    text = text if len(text) <= _LONGEST_PROBLEM else text[:_LONGEST_PROBLEM] + "..."
    return text + advice(url, problem)
