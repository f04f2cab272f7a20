"""Files that commands read and write."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from .exit_codes import UsageError
from .standard_output import drop_output


def open_input(path: str) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``."""
    if path == "-":
        if sys.stdin is None:
            raise UsageError("standard input is closed")
        return sys.stdin.buffer.read()
    return Path(path).read_bytes()


def write_output(path: str | None, data: bytes) -> None:
    """Write a file atomically, or standard output for None and ``-``."""
    if path is None or path == "-":
        try:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
        except BrokenPipeError:  # as where reader_may_leave, which would flush each piece
            drop_output()
        return
    with output_file(path) as out:
        out.write(data)


@contextlib.contextmanager
def output_file(path: str) -> Iterator[BinaryIO]:
    """Open a file for writing; only when all is written does it take the place of an old one."""
    mode = _mode_of_writable(path)
    temporary: str | None = None
    try:
        if _is_special(path, mode):  # no renaming over a pipe or a device
            with open(path, "wb") as out:
                yield out
            return
        target = Path(path).resolve()  # what a link points to is replaced, not the link
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as out:
            yield out
        os.chmod(temporary, _new_file_mode() if mode is None else mode & 0o777)
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def check_output(path: str | None, *inputs: str, option: str = "-o") -> None:
    """Raise, before the work, what writing the output file after it would raise.

    UsageError as `check_no_input`, and for an empty name; OSError if the file cannot be written, as
    far as that can be known while nothing is written, nor made.
    """
    check_no_input(path, *inputs, option=option)
    if path not in (None, "-"):
        _mode_of_writable(path)


def check_no_input(path: str | None, *inputs: str, option: str) -> None:
    """Raise UsageError if the file that `option` names is one of the input files."""
    for other in inputs:
        if path in (None, "-") or other == "-":
            continue
        with contextlib.suppress(OSError):
            if os.path.samefile(path, other) and stat.S_ISREG(os.stat(path).st_mode):
                raise UsageError(f"{path} is what is read; {option} names another file")


def check_output_folder(path: str | None) -> None:
    """The same for a folder that is made if there is none, with those above it."""
    if path is None:
        return
    if not path:
        raise UsageError("the name of the output folder is empty")
    folder = Path(path).absolute()
    while not os.path.lexists(folder):
        folder = folder.parent
    if not folder.is_dir():
        raise _error(errno.ENOTDIR, path)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _error(errno.EACCES, path)


def _mode_of_writable(path: str) -> int | None:
    """Return the mode of a file that can be written, None for one that is not there; OSError."""
    if not path:
        raise UsageError("the name of the output file is empty")
    try:
        mode = os.stat(path).st_mode  # on every Python, an error for a circle of links
    except FileNotFoundError:
        mode = None
    if mode is not None and stat.S_ISDIR(mode):
        raise _error(errno.EISDIR, path)
    if mode is not None and not os.access(path, os.W_OK):
        raise _error(errno.EACCES, path)
    if not _is_special(path, mode):
        folder = Path(path).resolve().parent
        if not folder.is_dir():
            raise _error(errno.ENOENT, path)
        if not os.access(folder, os.W_OK | os.X_OK):  # a new file takes the place of the old one
            raise _error(errno.EACCES, path)
    return mode


def _is_special(path: str, mode: int | None) -> bool:
    """Whether a file is written as it is, and no other one can take its place."""
    is_other = mode is not None and not stat.S_ISREG(mode)
    return is_other or path.startswith(("/dev/", "/proc/"))


def _error(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)


def _new_file_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
