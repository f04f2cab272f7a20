"""The manifest: a file of records, one a line, to which batches add what they have done.

A batch may be killed while it writes, so a last line without its end is taken away by the next one
that writes. Several batches may add to one manifest at the same time: whoever writes has the lock
of the file, looks at what others have added, and does not add what is there. So there is one line
for each job however often it was done, and what is read back is whole.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import BinaryIO

from tileir.command_line.exit_codes import UsageError
from tileir.messages.texts import display

from .jobs import Limits
from .outputs import Made
from .records import START, Record, is_final, is_record, line_of

_BLOCK = 1 << 16

_NONE = Made.of({})
"""One for all jobs that made no files, which many are."""


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
"""Python's own reads NaN and Infinity, and would have them in what is printed, too."""


class Manifest:
    """A manifest that is written to; UsageError for a file that is none.

    limits  those of this batch: what was killed at lower ones is not done
    again   what is in the file already counts as not done
    """

    def __init__(self, path: str, limits: Limits, again: bool = False) -> None:
        _check_kind(path)
        self._path, self._limits = path, limits
        self._done: dict[bytes, Made] = {}
        """Names and keys of jobs that are done, hashed -> the files that were made."""
        self._failed: set[bytes] = set()
        """Those of them that failed."""
        self._seen = 0
        """Bytes of the file that have been looked at."""
        self._file = io.FileIO(path, "a+")
        """Without a buffer: what could not be written would be in it, and written later."""
        try:
            with self._locked():
                _check(path, self._file)
                self._repair()
                if again:
                    self._seen = self._size()
                self._look()
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def refresh(self) -> None:
        """See what other batches have done by now."""
        if self._size() != self._seen:
            with self._locked():
                self._repair()
                self._look()

    def done(self, file: str, key: str) -> Made | None:
        """Return the files that were made by a job; None if the job is not done."""
        return self._done.get(_name(file, key))

    def failed(self, file: str, key: str) -> bool:
        """Return whether a job is done and has failed."""
        return _name(file, key) in self._failed

    def add(self, records: Iterable[Record]) -> None:
        """Write records, but for those that another batch has written meanwhile."""
        with self._locked():
            self._repair()
            self._look()
            new = [each for each in records if not self._has(each)]
            if not new:
                return
            self._append(b"".join(map(line_of, new)))
            for record in new:
                self._take(record)
            self._seen = self._size()

    def _append(self, data: bytes) -> None:
        """Write bytes at the end, all or none of them; the lock is held."""
        start, left = self._size(), memoryview(data)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            with contextlib.suppress(OSError):
                self._file.truncate(start)
            raise OSError(error.errno, error.strerror, self._path) from None

    def _has(self, record: Record) -> bool:
        key = record["key"]
        return key is not None and _name(record["file"], key) in self._done

    def _size(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    def _look(self) -> None:
        """Take what is new in the file; the lock is held."""
        if self._size() == self._seen:
            return
        self._file.seek(self._seen)
        buffered = io.BufferedReader(self._file)
        try:
            for record in _records(self._path, buffered):
                self._take(record)
        finally:
            buffered.detach()  # or the file would be closed with it
        self._seen = self._size()

    def _take(self, record: Record) -> None:
        """Remember a job that is done."""
        if is_final(record, self._limits):
            name = _name(record["file"], record["key"])
            self._done[name] = Made.of(record["files"]) if record["files"] else _NONE
            (self._failed.discard if record["ok"] else self._failed.add)(name)

    def _repair(self) -> None:
        """Take away a last line that has no end; the lock is held."""
        size = end = self._size()
        while end:
            start = max(0, end - _BLOCK)
            self._file.seek(start)
            block = self._file.read(end - start)
            if newline := block.rfind(b"\n") + 1:
                end = start + newline
                break
            end = start
        if end != size:
            self._file.truncate(end)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        number = self._file.fileno()
        _lock(number)
        try:
            yield
        finally:
            _unlock(number)


def read_manifest(path: str) -> Iterator[Record]:
    """Yield the records of a manifest, a job's last one alone, in the order of their lines.

    UsageError for a file that is none.
    """
    last: dict[tuple[str, ...], int] = {}
    _check_kind(path)
    with open(path, "rb") as file:
        _check(path, file)
        file.seek(0)
        for number, record in enumerate(_records(path, file)):
            last[job_of(record)] = number
        kept = set(last.values())
        file.seek(0)
        for number, record in enumerate(_records(path, file)):
            if number in kept:
                yield record


def job_of(record: Record) -> tuple[str, ...]:
    """Return what a record is about, whatever was in the file: its name, verb, target, options."""
    options = json.dumps(record["options"], sort_keys=True)
    return record["file"], record["verb"], record["target"] or "", options


def _check_kind(path: str) -> None:
    """Raise UsageError for a pipe or a device, in which nobody can go back, before it is opened."""
    with contextlib.suppress(OSError):  # whoever opens it is told
        mode = os.stat(path).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise UsageError(f"{display(path)} is no file; a manifest is read and added to")


def _check(path: str, file: BinaryIO) -> None:
    """Raise UsageError if a file is something else than a manifest, which may be empty."""
    file.seek(0)
    start = file.read(len(START))
    if not START.startswith(start):
        raise UsageError(f"{display(path)} is no manifest of this release's tileir batch")


def _records(path: str, file: BinaryIO) -> Iterator[Record]:
    """Yield the records from here on; a last line without its end is none."""
    for line in file:
        if not line.endswith(b"\n"):
            return
        try:
            record = _DECODER.decode(line.decode()) if line.startswith(START) else None
            if not is_record(record):
                raise ValueError
            yield record
        except (ValueError, RecursionError):
            start = file.tell() - len(line)
            file.seek(0)
            number = file.read(start).count(b"\n") + 1
            what = f"line {number:,}, at byte {start}, is no record"
            raise UsageError(f"{display(path)}: {what}") from None


def _name(file: str, key: str) -> bytes:
    return blake2b(f"{key}{file}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 62
    """A byte that no manifest has: locked bytes cannot be read by others."""

    def _lock(number: int) -> None:
        os.lseek(number, _FAR, os.SEEK_SET)
        msvcrt.locking(number, msvcrt.LK_LOCK, 1)

    def _unlock(number: int) -> None:
        os.lseek(number, _FAR, os.SEEK_SET)
        msvcrt.locking(number, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(number: int) -> None:
        fcntl.flock(number, fcntl.LOCK_EX)

    def _unlock(number: int) -> None:
        fcntl.flock(number, fcntl.LOCK_UN)
