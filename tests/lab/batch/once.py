"""One batch in a process of its own: `run` starts it, and says what it took.

As a program, it reads the batch as JSON, and prints what it took as JSON.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, NamedTuple

from tests.corpus import ROOT
from tileir.batches.batching import MEMORY, SECONDS, Batch, targets_of
from tileir.batches.child import RESPOND
from tileir.batches.executors import place_of
from tileir.batches.jobs import Limits, Work
from tileir.batches.manifest import Manifest
from tileir.batches.sources import sources
from tileir.batches.versions import here

from .watching import Watch


class Took(NamedTuple):
    """What a batch took.

    jobs      how many there were, and how many of them failed
    skipped   how many the manifest had
    clock     seconds by the clock, without the start of Python and of what computes
    work      seconds of it in children, by what they tell of each job, added up
    own       CPU time of the process that has the batch (and of Dask's scheduler, if there is one)
    below     CPU time of the processes below, as far as they were seen
    compiled  modules that were compiled, if children count them
    looks     seconds, resident bytes of the process and of the largest one below it
    """

    jobs: int
    failed: int
    skipped: int
    clock: float
    work: float
    own: float
    below: float
    compiled: int
    looks: list[tuple[float, int, int]]

    def possible(self, workers: int) -> float:
        """The speed-up of so many workers on as many quiet cores, by CPU time: with one worker the
        batch has a core that nobody else uses, with all of them it takes its time from theirs."""
        return workers * self.below / (self.below + self.own)

    def besides(self, workers: int) -> float:
        """Seconds for each job that were not work: of so many workers, all the time."""
        return (self.clock * workers - self.work) / max(1, self.jobs)


def run(
    paths: list[str],
    verb: str,
    workers: int,
    *,
    target: str | None = None,
    dask: bool = False,
    function: str = RESPOND,
    manifest: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Took:
    """Run a batch and return what it took.

    dask      whether there is a LocalCluster of so many worker processes, or threads
    function  what children compute
    """
    given = {
        "paths": paths, "verb": verb, "workers": workers, "target": target, "dask": dask,
        "function": function, "manifest": manifest,
    }  # fmt: skip
    command = [sys.executable, "-m", "tests.lab.batch.once"]
    variables = {"TILEIR_CACHE_DIR": "off"} | dict(environment or {})
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | variables,
        input=json.dumps(given),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return Took(**json.loads(done.stdout.splitlines()[-1]))


def _once(given: dict[str, Any]) -> Took:
    workers, target = given["workers"], given["target"]
    limits = Limits(SECONDS, MEMORY << 20)
    counts = {"jobs": 0, "failed": 0, "work": 0.0, "compiled": 0}
    with ExitStack() as stack:
        executor, number = None, workers
        if given["dask"]:
            executor, number = stack.enter_context(_cluster(workers)).scheduler_address, None
        manifest = None
        if given["manifest"] is not None:
            manifest = Manifest(given["manifest"], limits)
            stack.callback(manifest.close)
        here()
        batch = Batch(
            sources(given["paths"]),
            Work(given["verb"], {}),
            targets_of(given["verb"], [target] if target else []),
            place_of(executor, number),
            limits,
            manifest,
            function=given["function"],
        )
        ended = _of_ended()
        watch = stack.enter_context(Watch())
        started = time.perf_counter(), time.process_time()
        for record, _ in batch:
            counts["jobs"] += 1
            counts["failed"] += not record["ok"]
            counts["work"] += record["seconds"] or 0
            counts["compiled"] += (record["result"] or {}).get("compiled", 0)
        clock = time.perf_counter() - started[0]
        own = time.process_time() - started[1] - watch.own
    below = max(watch.cpu, _of_ended() - ended)  # Dask's have not ended, threads' all have
    return Took(
        **counts, skipped=batch.skipped, clock=clock, own=own, below=below, looks=watch.looks
    )


def _of_ended() -> float:
    """Seconds of CPU time of the children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _cluster(workers: int) -> Any:
    from distributed import LocalCluster

    logging.getLogger("distributed.nanny").setLevel(logging.ERROR)  # of how workers end

    return LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)


if __name__ == "__main__":
    print(json.dumps(_once(json.load(sys.stdin))._asdict()))
