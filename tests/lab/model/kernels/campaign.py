"""Many random kernels, in a child process that may die: each is accounted for.

A child says of one kernel after the other what became of it. When it dies or is silent for too
long, the next one is a finding, and another child goes on behind it.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tileir.errors import UnsupportedError
from tileir.smith.program import program
from tileir.smith.recipes import single

from .comparing import differences

LONGEST_S = 120
"""Seconds of silence after which a child is given up."""

BATCH = 200
"""Kernels that one child runs: what it has compiled stays in its memory."""


class Job(NamedTuple):
    """One kernel: of an op, or a program if `op` is empty."""

    op: str
    seed: int


class Result(NamedTuple):
    """What became of it: same, unsupported, different, failed or crashed."""

    job: Job
    verdict: str
    text: str = ""


def examine(job: Job) -> Result:
    """Make the kernel, run it on the host and in the model, and compare."""
    try:
        case = single(*job) if job.op else program(job.seed)
        problems = differences(case)
    except UnsupportedError as error:
        return Result(job, "unsupported", str(error))
    except Exception as error:
        return Result(job, "failed", f"{type(error).__name__}: {error}")
    return Result(job, "different" if problems else "same", "\n".join(problems))


def run(
    jobs: Sequence[Job], look: Callable[[Job], Result] = examine, patience: float = LONGEST_S
) -> Iterator[Result]:
    """The results of all jobs, in their order; a child may be silent for `patience` seconds."""
    context, position = multiprocessing.get_context("spawn"), 0
    while position < len(jobs):
        batch = jobs[position : position + BATCH]
        here, there = context.Pipe(duplex=False)
        child = context.Process(target=_work, args=(batch, there, look), daemon=True)
        child.start()
        there.close()
        finished = 0
        for result in _listen(here, patience):
            finished += 1
            yield result
        if finished < len(batch):
            child.join(timeout=1)
            silent = child.is_alive()
            child.kill()
            child.join()
            why = f"silent for {patience} s" if silent else f"exit code {child.exitcode}"
            yield Result(batch[finished], "crashed", why)
            finished += 1
        child.join()
        position += finished


def _listen(connection, patience: float) -> Iterator[Result]:
    """Results until the child has no more, dies, or is silent once it has started."""
    try:
        if connection.poll(LONGEST_S):
            connection.recv()
        while connection.poll(patience):
            yield connection.recv()
    except EOFError:
        return


def _work(jobs: Sequence[Job], connection, look: Callable[[Job], Result]) -> None:
    connection.send(None)  # it has started, which may take a while
    for job in jobs:
        connection.send(look(job))
    connection.close()
