"""Modules at URLs, by fsspec: S3, GCS, web servers, whatever a package of that name reads.

A folder of an object store is one listing, which is held while it is gone through; each file is one
request. URLs of this machine's files are paths.
"""

from __future__ import annotations

import glob
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tileir.command_line.exit_codes import UsageError
from tileir.formats.forks import not_forking
from tileir.messages.missing_packages import is_installed, needing
from tileir.messages.texts import display, printable
from tileir.messages.urls import unsigned, without_secrets
from tileir.remote.file_systems import ON_THIS_MACHINE, WEB, advice, protocols, read_file

CONNECTING, READING = 20.0, 60.0
"""Seconds that a web server may take to take a connection, and to send anything."""

_GONE = 404
"""What a web server answers where nothing is."""


def is_url(path: str) -> bool:
    """Whether a path is a URL: it has a scheme, which no drive is, and two slashes."""
    scheme, separator, _ = path.partition("://")
    return bool(separator) and len(scheme) > 1 and scheme.replace("+", "").isalnum()


class Remote:
    """What is at a URL. MissingPackageError without fsspec; UsageError if nobody can look there."""

    def __init__(self, url: str) -> None:
        self._url, self._shown = url, display(without_secrets(url))
        if "::" in url:
            raise UsageError(f"{self._shown}: a chain of URLs is not followed")
        with needing(("fsspec",), f"reading {self._shown}"), not_forking:
            from fsspec.core import url_to_fs
        try:
            with not_forking:
                fs, self.path = url_to_fs(url, **_settings(url))
        except Exception as problem:  # of any package that fsspec finds
            raise UsageError(f"{self._shown}: {printable(without_secrets(str(problem)))}") from None
        self._fs: Any = fs
        self._protocols = protocols(fs)

    @property
    def on_this_machine(self) -> bool:
        """Whether `path` is that of a file or folder of this machine."""
        return bool(self._protocols & ON_THIS_MACHINE)

    def files(self, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str | None]]:
        """Yield paths of files, and how each is called below the folder at the URL.

        None for the latter if the URL is that of a file, or a pattern. UsageError if nothing is
        there.
        """
        try:
            root = self.path.rstrip("/")
            if self._is_file():
                yield self.path, None
            elif glob.has_magic(self.path):
                for path in sorted(self._fs.glob(self.path)):
                    yield path, None
            elif found := sorted(self._fs.find(root)):
                for path in found:
                    below = path.removeprefix(f"{root}/")
                    if path.endswith(suffixes) and not self._leads_out(path, below):
                        yield path, below
            else:
                raise FileNotFoundError
        except FileNotFoundError:
            raise UsageError(f"there is no {self._shown}") from None
        except (UsageError, GeneratorExit):
            raise
        except Exception as problem:
            said = printable(without_secrets(str(problem) or type(problem).__name__))
            raise UsageError(f"{self._shown}: {said}{advice(self._url, problem)}") from None

    def _leads_out(self, path: str, below: str) -> bool:
        """Whether a link in the page of a folder, as web servers have them, leads out of it."""
        return bool(self._protocols & WEB) and (path == below or ".." in below.split("/"))

    def _is_file(self) -> bool:
        """Whether `path` is that of a file; raises why a web server does not say it.

        A web server has pages for its folders, whose URLs end in a slash.
        """
        if not self._protocols & WEB:
            return self._fs.isfile(self.path)
        if self.path.endswith("/"):
            return False
        try:
            return bool(self._fs.info(self.path))
        except FileNotFoundError as error:  # whatever it was, to fsspec
            cause = error.__cause__
            if cause is None or isinstance(cause, FileNotFoundError):
                return False
            if getattr(cause, "status", None) == _GONE:
                return False
            raise cause from None

    def read(self, path: str, most: int) -> bytes:
        """Return the bytes of a file, of a longer one `most` and one more; OSError, whatever the
        package raises."""
        with _as_os_error(path):
            return read_file(self._fs, path, most)

    def open(self, path: str) -> RemoteFile:
        """Open a file that can be read from anywhere; OSError, then and whenever it is read."""
        with _as_os_error(path):
            return RemoteFile(self._fs.open(path, "rb"), path)

    def name_of(self, path: str) -> str:
        """Return a path without its scheme, a user and a signature, as far as it has them."""
        _, separator, rest = path.partition("://")
        if separator:
            rest = unsigned(rest)
        host, slash, below = rest.partition("/")
        return f"{host.rpartition('@')[2]}{slash}{below}" if separator else path


class RemoteFile(io.RawIOBase):
    """A file that fsspec has opened, of which packages raise what they like.

    `problem` is the first error of reading it, which `zipfile` takes for the end of an archive.
    """

    def __init__(self, file: Any, path: str) -> None:
        super().__init__()
        self._file, self._path = file, path
        self.problem: OSError | None = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            with _as_os_error(self._path):
                data = self._file.read(len(buffer))
        except OSError as problem:
            self.problem = self.problem or problem
            raise
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        with _as_os_error(self._path):
            return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def close(self) -> None:
        self._file.close()
        super().close()


@contextmanager
def _as_os_error(path: str) -> Iterator[None]:
    """Make an OSError of whatever is raised about a file."""
    try:
        yield
    except OSError:
        raise
    except Exception as problem:
        raise OSError(0, f"{type(problem).__name__}: {problem}", path) from None


def _settings(url: str) -> dict[str, Any]:
    """Return what fsspec is told besides: a web server that does not answer is not waited for."""
    if not url.startswith(("http://", "https://")) or not is_installed("aiohttp"):
        return {}
    with not_forking:
        from aiohttp import ClientTimeout

    limits = ClientTimeout(total=None, sock_connect=CONNECTING, sock_read=READING)
    return {"client_kwargs": {"timeout": limits}}
