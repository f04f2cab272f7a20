"""A server, one request after the other, each answer checked, and the memory of its processes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.tileir.serve.client import Client, framed

from . import traffic

OPTIONS = ("--request", str(traffic.LONGEST >> 20), "--memory", "1024", "--seconds", "120")
KILLED = (-32010, -32011, -32012, -32603)
"""Codes that nothing in the traffic explains: killed at a limit, crashed, a defect."""


class Sample(NamedTuple):
    """After so many requests: seconds, and resident KiB of the front and of its worker."""

    requests: int
    seconds: float
    front: int
    worker: int


@dataclass
class Session:
    """What came of a session: answers by kind and code, wrong ones, and samples of memory."""

    answers: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    workers: set[int] = field(default_factory=set)

    def peak(self, who: str, first: float, last: float) -> int:
        """The most KiB of ``front`` or ``worker`` in a part of the session, from 0 to 1."""
        rows = self.samples[int(first * len(self.samples)) : int(last * len(self.samples))]
        return max((getattr(row, who) for row in rows), default=0)


def run(count: int, every: int, show: Callable[[Sample], None] = lambda _: None) -> Session:
    """Send so many requests to a new server; look at its memory after `every` of them."""
    session, known = Session(), {}
    start = time.monotonic()
    with Client(*OPTIONS) as client:
        for number, asked in enumerate(traffic.requests(count), 1):
            client.write(framed(asked.data))
            if asked.cancel:
                client.notify("$/cancelRequest", id=asked.id)
            _check(session, known, number, asked, client.receive())
            if number % every == 0 or number == count:
                sample = _sample(session, client, number, time.monotonic() - start)
                session.samples.append(sample)
                show(sample)
        client.send("shutdown")
        client.receive()
        code, said = client.end()
    if (code, said) != (0, ""):
        session.wrong.append(f"the server ended with {code}: {said}")
    return session


def _check(
    session: Session, known: dict[bytes, str], number: int, asked: traffic.Asked, answer: Any
) -> None:
    """Count an answer, and note it if it is not what it must be."""
    error = answer.get("error", {}).get("code")
    session.answers[f"{asked.kind}: {'a result' if error is None else error}"] += 1
    if answer["id"] != asked.id or ("result" in answer) == ("error" in answer):
        session.wrong.append(f"request {number}: answered as {answer['id']}")
    elif error in KILLED:
        session.wrong.append(f"request {number}: {answer['error']['message'][:200]}")
    elif asked.kind == traffic.REFUSED and error is None:
        session.wrong.append(f"request {number}: a result, where there is none")
    elif asked.kind == traffic.INNOCENT:
        text = json.dumps(answer.get("result"), sort_keys=True)
        said = hashlib.sha256(text.encode()).hexdigest()
        key = asked.data.replace(b'"id": %d' % number, b"", 1)
        if error is not None or known.setdefault(key, said) != said:
            session.wrong.append(f"request {number}: not what it was answered before: {text[:80]}")


def _sample(session: Session, client: Client, number: int, seconds: float) -> Sample:
    front = client.process.pid
    workers = _children(front)
    session.workers |= workers
    return Sample(number, seconds, _resident(front), sum(map(_resident, workers)))


def _children(parent: int) -> set[int]:
    """The children of a process, whichever of its threads has started them."""
    found: set[int] = set()
    for task in Path(f"/proc/{parent}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended
            found |= set(map(int, (task / "children").read_text().split()))
    return found


def _resident(pid: int) -> int:
    """Resident KiB of a process; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0)
