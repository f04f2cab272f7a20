"""Jobs and their keys, and chunks: as many jobs as are worth sending somewhere at once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .versions import Versions, here

CHUNK_BYTES = 256 << 10
CHUNK_JOBS = 128
CHUNK_SECONDS, FAR_SECONDS = 0.2, 1.0
"""A chunk ends with the job that reaches one of these: what is sent at once is then neither much
compared with what it costs to send anything, nor what one worker does while all others are done. To
send it somewhere by another's executor costs more: Dask's client and scheduler take some 3 ms."""

_INDIFFERENT = ("no_cache", "against")
"""Options that do not decide what comes of a job: how long it takes, and where parts of it lie."""


class Limits(NamedTuple):
    """What a job may take: seconds, and bytes of memory; None for any number."""

    seconds: float | None
    memory: int | None


class Work(NamedTuple):
    """What is done with each module: the verb, its options in JSON's types, and whether the files
    that it makes are wanted."""

    verb: str
    options: Mapping[str, Any]
    files: bool = False

    def of(self, job: Job) -> Work:
        """Return what is done with the module of one job: with its settings as options."""
        return self._replace(options={**self.options, **job.settings})


class Job(NamedTuple):
    """One thing to do with one module.

    name    what the module is called in records and messages: a path with slashes, never above
            where it starts
    parts   the bytes of the module, and of what the verb needs beside it
    target  a GPU, ``host``, or None where the verb needs none
    key     what decides the result, hashed
    settings  options of this job alone, beside those of the work
    """

    name: str
    parts: tuple[bytes, ...]
    target: str | None
    key: str
    settings: Mapping[str, Any] = {}


class Jobs:
    """Jobs that differ in their modules alone: one verb, target and settings."""

    def __init__(self, work: Work, target: str | None, settings: Mapping[str, Any] = {}) -> None:
        options = {**work.options, **settings}
        facts = {
            "verb": work.verb,
            "options": {key: options[key] for key in options if key not in _INDIFFERENT},
            "target": target,
            "versions": here(),
        }
        line = json.dumps(facts, sort_keys=True, separators=(",", ":"))
        self._facts = hashlib.sha256(line.encode())
        self._target, self._settings = target, settings

    def job(self, name: str, parts: tuple[bytes, ...], hashes: bytes) -> Job:
        """Return the job of a module, whose parts have these `hashes`."""
        facts = self._facts.copy()
        facts.update(hashes)
        return Job(name, parts, self._target, facts.hexdigest()[:40], self._settings)


def hashes_of(parts: Iterable[bytes]) -> bytes:
    """Return the hashes of parts of a module, one behind the other."""
    return b"".join(hashlib.sha256(part).digest() for part in parts)


@dataclass(eq=False)
class Chunk:
    """What is submitted at once.

    function  what the child computes, by its name; tests have one that misbehaves
    lost      how often a worker was lost that had it
    unscheduled  how often a scheduler was lost while it was under way
    """

    work: Work
    limits: Limits
    function: str
    jobs: list[Job]
    versions: Versions = field(default_factory=here)
    lost: int = 0
    unscheduled: int = 0

    def with_jobs(self, jobs: list[Job]) -> Chunk:
        """Return a chunk of other jobs, of which no worker was lost yet."""
        chunk = Chunk(self.work, self.limits, self.function, jobs, self.versions)
        chunk.unscheduled = self.unscheduled
        return chunk


class Pace:
    """How long jobs of a batch take, as far as that is known: so many of them are a chunk."""

    def __init__(self, aim: float = CHUNK_SECONDS) -> None:
        """Let chunks take `aim` seconds."""
        self._aim = aim
        self._jobs, self._seconds = 0, 0.0

    def add(self, seconds: float | None) -> None:
        """Count a job that took so long."""
        if seconds is not None:
            self._jobs += 1
            self._seconds += seconds

    def jobs(self) -> int:
        """Return how many jobs make a chunk: one as long as nothing is known."""
        if not self._jobs:
            return 1
        each = max(self._seconds / self._jobs, self._aim / CHUNK_JOBS)
        return max(1, int(self._aim / each))


def chunks(jobs: Iterable[Job], pace: Pace) -> Iterator[list[Job]]:
    """Yield jobs in lists, cut by bytes, number and pace; what is not asked for is not read."""
    some: list[Job] = []
    size = 0
    for job in jobs:
        some.append(job)
        size += sum(map(len, job.parts))
        if size >= CHUNK_BYTES or len(some) >= pace.jobs():
            yield some
            some, size = [], 0
    if some:
        yield some
