"""Modules through their stages, in children that may die, a few at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import Any, NamedTuple

from tileir.errors import WorkerError
from tileir.supervisor import Supervisor

EXAMINE = "tests.lab.campaign.stages:examine"

PATIENCE_S = 900.0
"""Seconds that a module may take, all stages together."""

MEMORY = 6 << 30
"""Bytes of data that a child may have."""

CALLS = 100
"""Modules that a child sees: what it has compiled stays in its memory."""


class Job(NamedTuple):
    """A module and the stages that it is to go through."""

    seed: int
    stages: tuple[str, ...]


def results(jobs: Sequence[Job], children: int, function: str = EXAMINE) -> Iterator[dict]:
    """Yield what became of each job, as it becomes known.

    When a child dies the stages are tried one by one, each in a child of its own.
    """
    free: SimpleQueue[Supervisor] = SimpleQueue()
    supervisors = [
        Supervisor(function, seconds=PATIENCE_S, memory=MEMORY, calls=CALLS)
        for _ in range(children)
    ]
    for one in supervisors:
        free.put(one)

    def work(job: Job) -> dict[str, Any]:
        supervisor = free.get()
        try:
            return _examined(supervisor, job)
        finally:
            free.put(supervisor)

    left = iter(jobs)
    with ThreadPoolExecutor(children) as pool:
        waiting: set[Future] = set()
        try:
            for job in left:
                waiting.add(pool.submit(work, job))
                if len(waiting) > children:
                    ready, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    yield from (each.result() for each in ready)
            for each in waiting:
                yield each.result()
        finally:
            for one in supervisors:
                one.close()


def _examined(supervisor: Supervisor, job: Job) -> dict[str, Any]:
    try:
        return _asked(supervisor, job)
    except WorkerError:
        found: dict[str, Any] = {"seed": job.seed, "stages": {}}
    for stage in job.stages:
        try:
            one = _asked(supervisor, Job(job.seed, (stage,)))
            found = {**found, **one, "stages": {**found["stages"], **one["stages"]}}
        except WorkerError as error:
            found["stages"][stage] = {"verdict": "crashed", "text": str(error), "s": 0.0}
    return found


def _asked(supervisor: Supervisor, job: Job) -> dict[str, Any]:
    request = json.dumps({"seed": job.seed, "stages": job.stages}).encode()
    return json.loads(supervisor.call(request, f"module {job.seed}"))
