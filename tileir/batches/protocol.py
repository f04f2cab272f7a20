"""Requests and responses, as they go through the pipe to a child and back: bytes.

Each is an object in JSON, a newline, and the bytes of modules or files behind it. Nothing is
pickled: what answers is what a hostile module may have got hold of.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .jobs import Job, Work

_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


class Request(NamedTuple):
    """A job as the child gets it."""

    verb: str
    options: dict[str, Any]
    name: str
    target: str | None
    files: bool
    """Whether somebody wants the files that the verb makes, or only to hear of them."""
    parts: list[bytes]

    @staticmethod
    def packed(work: Work, job: Job) -> bytes:
        """Return the bytes of a request."""
        head = {
            "verb": work.verb,
            "options": {**work.options, **job.settings},
            "name": job.name,
            "target": job.target,
            "files": work.files,
            "sizes": list(map(len, job.parts)),
        }
        return _packed(head, job.parts)

    @classmethod
    def unpacked(cls, data: bytes) -> Request:
        """Return the request in these bytes."""
        head, rest = _unpacked(data)
        sizes = head.pop("sizes")
        return cls(**head, parts=_cut(rest, sizes))


class File(NamedTuple):
    """A file that a verb has made: its size, its SHA-256, and its bytes if somebody wants them."""

    size: int
    sha256: str
    data: bytes | None

    @classmethod
    def of(cls, data: bytes) -> File:
        """Return the file that has these bytes."""
        return cls(len(data), hashlib.sha256(data).hexdigest(), data)


@dataclass
class Response:
    """What came of a job.

    code      the exit code that the command would have had
    failure   what kind of failure it is: the class of an error, ``invalid`` and the like, or what
              became of the child: ``time``, ``memory``, ``crash`` ...; "" if all is well
    message   what went wrong, for people; "" if all is well
    result    what the verb found, in JSON's types
    files     how the name of each file that the verb makes ends -> the file
    warnings  what there is to warn of
    seconds   how long it took in the child; None if that has not told
    """

    code: int = 0
    failure: str = ""
    message: str = ""
    result: Any = None
    files: Mapping[str, File] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    seconds: float | None = None

    def packed(self, files: bool = True) -> bytes:
        """Return the bytes of a response, with those of its files or without."""
        sent = [each.data for each in self.files.values() if files and each.data is not None]
        head = {
            "code": self.code,
            "failure": self.failure,
            "message": self.message,
            "result": self.result,
            "warnings": list(self.warnings),
            "seconds": self.seconds,
            "files": {name: each[:2] for name, each in self.files.items()},
            "sent": bool(sent),
        }
        return _packed(head, sent)

    @classmethod
    def unpacked(cls, data: bytes) -> Response:
        """Return the response in these bytes."""
        head, rest = _unpacked(data)
        known = head.pop("files")
        parts: Iterable[bytes | None] = [None] * len(known)
        if head.pop("sent"):
            parts = _cut(rest, (size for size, _ in known.values()))
        files = {
            name: File(size, sha256, part)
            for (name, (size, sha256)), part in zip(known.items(), parts, strict=True)
        }
        return cls(**head, files=files)


def _packed(head: dict[str, Any], parts: Iterable[bytes]) -> bytes:
    return b"".join([_ENCODER.encode(head).encode("ascii"), b"\n", *parts])


def _unpacked(data: bytes) -> tuple[dict[str, Any], memoryview]:
    end = data.index(b"\n")
    return json.loads(data[:end]), memoryview(data)[end + 1 :]


def _cut(data: memoryview, sizes: Iterable[int]) -> list[bytes]:
    parts, start = [], 0
    for size in sizes:
        parts.append(bytes(data[start : start + size]))
        start += size
    return parts
