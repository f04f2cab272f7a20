"""Modules in tar and zip archives, called ``archive.zip!member``.

An archive is somebody else's: what it claims is not believed. Nothing is unpacked into a folder. A
compressed tar is expanded into a temporary file without a name, as one cannot go back in it; what
is expanded of any archive is counted as it is read, and may not be more than `RATIO` times the
bytes of the archive. An archive with a member whose name leads out of it, or with a link in the
place of a module, is refused as a whole, before a module of it is read.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath, PureWindowsPath
from typing import IO, Any, NamedTuple

from tileir.command_line.exit_codes import UsageError
from tileir.launch.archives import DAMAGE
from tileir.messages.texts import display

MOST_MEMBERS = 1 << 18
"""Members of an archive; more of them belong into several archives, or a folder."""
RATIO, FREE = 200, 64 << 20
"""An archive expands to this times its bytes, or to so many bytes, whichever is more."""

_BLOCK = 1 << 20
_EXPANDED: dict[str, Callable[[Any], Any]] = {
    ".tar.gz": gzip.open,
    ".tgz": gzip.open,
    ".tar.bz2": bz2.open,
    ".tar.xz": lzma.open,
}
ENDS = (".zip", ".tar", *_EXPANDED)
"""How the names of archives end."""

_DAMAGE = (*DAMAGE, lzma.LZMAError, tarfile.TarError)
"""What Python's readers raise where an archive is damaged, encrypted, or of a kind that they do not
know."""


class Member(NamedTuple):
    """A file in an archive: its name, its size as stated, and a function that returns its bytes.

    OSError where these cannot be read, are more than `most`, or more than an archive may expand to.
    """

    name: str
    size: int
    read: Callable[[int], bytes]


class _Allowance:
    """How many bytes may still be expanded of an archive."""

    def __init__(self, path: str, size: int) -> None:
        self._path = path
        self._left = max(FREE, RATIO * size)

    def take(self, number: int) -> None:
        """Count bytes that were expanded; OSError if they are too many."""
        self._left -= number
        if self._left < 0:
            what = f"it expands to more than {RATIO} times its bytes; unpack it yourself"
            raise OSError(0, what, self._path)


def is_archive(path: str) -> bool:
    """Whether a file is an archive, by its name."""
    return path.lower().endswith(ENDS)


def members(path: str, file: IO[bytes], wanted: tuple[str, ...]) -> Iterator[dict[str, Member]]:
    """Yield once the regular files of an archive that is open, by their names; of several of one
    name the last one. They can be read until the generator goes on.

    wanted  how the names of modules end: a link of such a name is refused

    UsageError for an archive that is none, has too many members, or leads out of itself.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    allowance = _Allowance(path, size)
    listed = _in_zip if path.lower().endswith(".zip") else _in_tar
    try:
        yield from listed(path, file, wanted, allowance)
    except _DAMAGE as error:
        raise UsageError(f"{display(path)} is no archive that can be read: {error}") from None
    except OSError as error:
        if error.filename is not None:
            raise
        what = error.strerror or str(error)
        raise UsageError(f"{display(path)} is no archive that can be read: {what}") from None


def _in_zip(
    path: str, file: IO[bytes], wanted: tuple[str, ...], allowance: _Allowance
) -> Iterator[dict[str, Member]]:
    with zipfile.ZipFile(file) as archive:
        found: dict[str, Member] = {}
        for number, info in enumerate(archive.infolist()):
            name = _checked(path, info.filename, number)
            if name is None or info.is_dir():
                continue
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                _refuse_link(path, name, wanted)
                continue
            opened = _opener(archive.open, info)
            found[name] = Member(name, info.file_size, _reader(path, name, opened, allowance))
        yield found


def _in_tar(
    path: str, file: IO[bytes], wanted: tuple[str, ...], allowance: _Allowance
) -> Iterator[dict[str, Member]]:
    end = next((end for end in _EXPANDED if path.lower().endswith(end)), None)
    with tempfile.TemporaryFile() as plain:
        if end is not None:
            with _EXPANDED[end](file) as packed:
                while block := packed.read(_BLOCK):
                    allowance.take(len(block))
                    plain.write(block)
            file = plain
        allowance = _Allowance(path, file.seek(0, os.SEEK_END))  # holes cost nothing in a tar
        file.seek(0)
        with tarfile.open(fileobj=_Bounded(file), mode="r:") as archive:  # type: ignore[call-overload]
            found: dict[str, Member] = {}
            for number, info in enumerate(archive):
                name = _checked(path, info.name, number)
                if name is None or info.isdir():
                    continue
                if not info.isreg():
                    _refuse_link(path, name, wanted)
                    continue
                opened = _opener(archive.extractfile, info)
                found[name] = Member(name, info.size, _reader(path, name, opened, allowance))
            yield found


class _Bounded:
    """A file for `tarfile`, which would read headers as long as they say they are."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int) -> bytes:
        """Read so many bytes; tarfile.TarError for more than `_reader` and sane headers ask for."""
        if size > 2 * _BLOCK:
            raise tarfile.ReadError(f"a header of {size:,} bytes")
        return self._file.read(size)


def _opener(opened: Callable[[Any], IO[bytes] | None], info: Any) -> Callable[[], Any]:
    return lambda: opened(info)


def _reader(
    path: str, name: str, opened: Callable[[], IO[bytes]], allowance: _Allowance
) -> Callable[[int], bytes]:
    """Return the function that reads a member, and counts its bytes."""

    def read(most: int) -> bytes:
        blocks, size = [], 0
        try:
            with opened() as file:
                while block := file.read(_BLOCK):
                    size += len(block)
                    allowance.take(len(block))
                    if size > most:
                        raise OSError(0, f"more than {most >> 20} MiB, which no module has")
                    blocks.append(block)
        except _DAMAGE as error:
            raise OSError(0, f"it cannot be unpacked: {error}", f"{path}!{name}") from None
        return b"".join(blocks)

    return read


def _checked(path: str, name: str, number: int) -> str | None:
    """Return the name of a member without ``./``; None for that of the top.

    UsageError for a name that leads out of the archive on any system, and for one member too many.
    """
    if number >= MOST_MEMBERS:
        raise UsageError(f"{display(path)} has more than {MOST_MEMBERS:,} members; unpack it")
    plain, windows = PurePosixPath(name), PureWindowsPath(name)
    if plain.anchor or windows.anchor or ".." in windows.parts or "\0" in name:
        raise UsageError(
            f"{display(path)} is refused: the path of its member {display(name)} leads out of it"
        )
    return None if plain == PurePosixPath() else str(plain)


def _refuse_link(path: str, name: str, wanted: tuple[str, ...]) -> None:
    if name.endswith(wanted):
        raise UsageError(f"{display(path)} is refused: its member {display(name)} is no file")
