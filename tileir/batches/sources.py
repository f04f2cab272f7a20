"""Modules by the paths that somebody gives: files, folders, patterns, archives, URLs, and lists.

A module is called by its path as it was given, as `tar` calls its members: with slashes, and
without what would lead above where it starts (a drive, a root, leading ``..``, the scheme of a
URL). One in an archive has the name of the archive in front, ``archive.zip!member``.
"""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from tileir.command_line.exit_codes import UsageError
from tileir.messages.texts import display, printable
from tileir.messages.urls import without_secrets

from .archives import Member, is_archive, members
from .urls import Remote, is_url

SUFFIXES = (".tileirbc", ".mlir", ".tileir")
"""How the names of modules end, where a folder is given."""
MOST_BYTES = 256 << 20
"""Bytes of a module that are read; what has more is none."""
_BLOCK = 64 << 10
_FOLDERS = 256
"""Folders of which something is remembered: modules of one folder come one after the other."""


class Source(NamedTuple):
    """A module that can be read, until the next one is asked for.

    name    what it is called
    place   where it is
    below   its path below the folder or archive that was given, or the last part of its own
    read    returns its bytes; OSError if it cannot be read
    beside  returns those of the file beside it that has another suffix, such as ``.json``
    folder  whether a folder or archive was given, of which it is a part
    """

    name: str
    place: str
    below: str
    read: Callable[[], bytes]
    beside: Callable[[str], bytes]
    folder: bool = False


def sources(paths: Iterable[str], suffixes: tuple[str, ...] = SUFFIXES) -> Iterator[Source]:
    """Yield the modules of all paths; in folders and archives, those whose names have a suffix.

    UsageError for a path where there is no module.
    """
    for path in paths:
        found = False
        for source in _at(path, suffixes):
            found = True
            yield source
        if not found:
            raise UsageError(f"there is no module in {display(without_secrets(path))}")


def listed(paths: Iterable[str], suffixes: tuple[str, ...] = SUFFIXES) -> Iterator[Source]:
    """Yield the modules of the paths of a list, which may be older than the folder.

    What is not there any more is a module that cannot be read, and costs the others nothing.
    """
    for path in paths:
        if is_url(path) or os.path.lexists(path.partition("!")[0]) or _matches(path):
            yield from sources([path], suffixes)
        else:
            yield _file(path)


def _matches(pattern: str) -> bool:
    return glob.has_magic(pattern) and any(glob.iglob(pattern, recursive=True))


def distinct(modules: Iterable[Source]) -> Iterator[Source]:
    """Yield modules, each once; UsageError for two of one name."""
    known: dict[int, int] = {}
    real = lru_cache(_FOLDERS)(os.path.realpath)
    for source in modules:
        folder, last = os.path.split(source.place)
        name, at = _hash(source.name), _hash(os.path.join(real(folder), last))
        if name not in known:
            known[name] = at
            yield source
        elif known[name] != at:
            place = display(without_secrets(source.place))
            raise UsageError(
                f"{place} would be called {display(source.name)}, as another module is; start"
                " from a folder above both"
            )


def name_of(path: str) -> str:
    """Return what a file is called, given its path; UsageError for a path to nowhere below."""
    folder, last = os.path.split(os.path.normpath(path))
    if last in ("", ".", ".."):
        raise UsageError(f"{display(path)} is not the path of a file")
    return _prefix(folder) + last


@lru_cache(_FOLDERS)
def _prefix(folder: str) -> str:
    """Return how the names of what is in a folder begin."""
    parts = Path(folder).parts
    return "".join(f"{part}/" for part in parts if part not in ("..", Path(folder).anchor))


def _at(path: str, suffixes: tuple[str, ...]) -> Iterator[Source]:
    if is_url(path):
        remote = Remote(path)
        if not remote.on_this_machine:
            yield from _remote(remote, suffixes)
            return
        path = remote.path
    archive, _, member = path.partition("!")
    if os.path.isdir(path):
        for file, below in _below(path, suffixes):
            yield _file(file, below)
    elif os.path.isfile(path) and is_archive(path):
        with open(path, "rb") as file:
            yield from _archive(path, name_of(path), file, suffixes)
    elif os.path.lexists(path):
        yield _file(path)
    elif member and is_archive(archive) and os.path.isfile(archive):
        with open(archive, "rb") as file:
            yield from _archive(archive, name_of(archive), file, suffixes, member)
    elif glob.has_magic(path):
        for match in sorted(glob.iglob(path, recursive=True)):
            if not os.path.isdir(match):
                yield _file(match)
    else:
        raise UsageError(f"there is no {display(path)}")


def _archive(
    path: str, name: str, file: Any, suffixes: tuple[str, ...], one: str | None = None
) -> Iterator[Source]:
    """Yield the modules of an archive that is open, in the order of their names, or one of them."""
    for found in members(path, file, suffixes):
        for below in sorted(found):
            if below == one or (one is None and below.endswith(suffixes)):
                read = partial(found[below].read, MOST_BYTES)
                beside = partial(_in_archive, path, found, below)
                place = f"{path}!{below}"
                yield Source(f"{name}!{below}", place, below, read, beside, one is None)


def _in_archive(path: str, found: dict[str, Member], name: str, suffix: str) -> bytes:
    """Return the bytes of the member beside another."""
    other = os.path.splitext(name)[0] + suffix
    if other not in found:
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), f"{path}!{other}")
    return found[other].read(MOST_BYTES)


def _remote(remote: Remote, suffixes: tuple[str, ...]) -> Iterator[Source]:
    """Yield the modules at a URL."""
    for path, below in remote.files(suffixes):
        name = name_of(remote.name_of(path))
        if below is None and is_archive(path):
            yield from _remote_archive(remote, path, name, suffixes)
            continue
        read = partial(_read_remote, remote, path)
        beside = partial(_beside_remote, remote, path)
        last = name.rpartition("/")[2]
        yield Source(name, path, below or last, read, beside, below is not None)


def _remote_archive(
    remote: Remote, path: str, name: str, suffixes: tuple[str, ...]
) -> Iterator[Source]:
    file = None
    try:
        with remote.open(path) as file:
            yield from _archive(path, name, file, suffixes)
    except (OSError, UsageError) as error:
        problem = (file and file.problem) or error
        if isinstance(problem, UsageError):
            raise
        what = without_secrets(problem.strerror or str(problem))
        raise UsageError(f"{display(without_secrets(path))}: {printable(what)}") from None


def _read_remote(remote: Remote, path: str) -> bytes:
    return _short_enough(remote.read(path, MOST_BYTES), path)


def _beside_remote(remote: Remote, path: str, suffix: str) -> bytes:
    return _read_remote(remote, os.path.splitext(path)[0] + suffix)


def _below(folder: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the files in a folder, in order, each with its path below it; links are followed to
    files inside of it alone.

    Also what nobody may list, so that whoever reads it is told; pipes and devices are left out.
    """
    root = os.path.realpath(folder)
    hidden: list[tuple[str, str]] = []
    waiting = [(folder, "")]
    while waiting:
        here, below = waiting.pop()
        names, folders = [], []
        try:
            with os.scandir(here) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    elif entry.name.endswith(suffixes) and _is_module(entry, root):
                        names.append(entry.name)
        except OSError:
            hidden.append((here, below))
        for name in sorted(names):
            yield os.path.join(here, name), os.path.join(below, name)
        waiting += (
            (os.path.join(here, name), os.path.join(below, name))
            for name in sorted(folders, reverse=True)
        )
    yield from hidden


def _is_module(entry: os.DirEntry[str], root: str) -> bool:
    """Whether what is in a folder is a file, or a link to one below the root or to nothing."""
    if not entry.is_symlink():
        return entry.is_file()
    real = os.path.realpath(entry.path)
    if not Path(real).is_relative_to(root):  # nor on the same drive of Windows, perhaps
        return False
    return os.path.isfile(real) or not os.path.exists(real)


def _file(path: str, below: str | None = None) -> Source:
    def beside(suffix: str) -> bytes:
        return read_file(os.path.splitext(path)[0] + suffix)

    known = os.path.basename(path) if below is None else below
    read = partial(read_file, path)
    return Source(name_of(path), path, known, read, beside, below is not None)


def read_file(path: str) -> bytes:
    """Return the bytes of a file; OSError for one that is too long for a module, too.

    Most modules are one block, so this asks the system for no more than it has to: what `open`
    does besides takes longer than reading them.
    """
    blocks, size = [], 0
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        while size <= MOST_BYTES and (block := os.read(file, _BLOCK)):
            blocks.append(block)
            size += len(block)
    finally:
        os.close(file)
    return _short_enough(b"".join(blocks), path)


def _short_enough(data: bytes, path: str) -> bytes:
    if len(data) > MOST_BYTES:
        raise OSError(0, f"more than {MOST_BYTES >> 20} MiB, which no module has", path)
    return data


def _hash(text: str) -> int:
    data = text.encode("utf-8", "surrogateescape")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")
