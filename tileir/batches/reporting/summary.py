"""What a manifest says in figures: jobs by verb and target, what failed, and what took longest."""

from __future__ import annotations

import heapq
import json
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from tileir.batches.records import Record

SLOWEST = 10
"""Jobs that are listed as those that took longest."""


@dataclass
class Group:
    """The jobs of a verb for a target (None where it has none)."""

    verb: str
    target: str | None
    ok: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    seconds: array[float] = field(default_factory=lambda: array("d"))
    """Of those that told how long they took."""

    @property
    def failed(self) -> int:
        """How many failed."""
        return self.failures.total()

    def as_json(self) -> dict[str, Any]:
        """Return the group as an object; times are null where no job told one."""
        times = self.seconds
        return {
            "verb": self.verb,
            "target": self.target,
            "jobs": self.ok + self.failed,
            "ok": self.ok,
            "failures": dict(self.failures.most_common()),
            "seconds": round(sum(times), 6) if times else None,
            "median": round(median(times), 6) if times else None,
            "longest": max(times) if times else None,
        }


class Summary:
    """What the records of a manifest come to; the records themselves are not kept.

    groups   (verb, target) -> the jobs of those, in the order in which they are met
    failed   what is said about each job that failed
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self.groups: dict[tuple[str, str | None], Group] = {}
        self.failed: list[dict[str, Any]] = []
        self._slowest: list[tuple[float, int, dict[str, Any]]] = []
        for number, record in enumerate(records):
            self._add(number, record)

    @property
    def jobs(self) -> int:
        """How many jobs there are."""
        return sum(each.ok + each.failed for each in self.groups.values())

    @property
    def slowest(self) -> list[dict[str, Any]]:
        """What is said about the jobs that took longest, the longest first."""
        return [row for *_, row in sorted(self._slowest, key=lambda each: (-each[0], -each[1]))]

    def as_json(self) -> dict[str, Any]:
        """Return all of it as an object."""
        return {
            "jobs": self.jobs,
            "failed": len(self.failed),
            "groups": [each.as_json() for each in self.groups.values()],
            "slowest": self.slowest,
            "failures": self.failed,
        }

    def _add(self, number: int, record: Record) -> None:
        key = record["verb"], record["target"]
        group = self.groups.setdefault(key, Group(*key))
        if record["ok"]:
            group.ok += 1
        else:
            group.failures[record["failure"]] += 1
            told = {name: record[name] for name in ("failure", "message")}
            self.failed.append({**about(record), **told})
        seconds = record["seconds"]
        if seconds is None:
            return
        group.seconds.append(seconds)
        if len(self._slowest) < SLOWEST or seconds > self._slowest[0][0]:
            heapq.heappush(self._slowest, (seconds, -number, {**about(record), "seconds": seconds}))
            if len(self._slowest) > SLOWEST:
                heapq.heappop(self._slowest)


def about(record: Record) -> dict[str, Any]:
    """Return which job a record tells of."""
    return {name: record[name] for name in ("file", "verb", "target", "options")}


def title(job: dict[str, Any]) -> str:
    """Return a job in words: its file, verb, target and options."""
    options = (
        f"{name}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in job["options"].items()
    )
    words = [job["verb"], *([job["target"]] if job["target"] else []), *options]
    return f"{job['file']} ({' '.join(words)})"
