"""Many mutants in several processes: counted, findings shrunk and kept, no process lost silently.

A worker takes every n-th number. It says before each input what it is about, so that when it dies
(a stack that ran out in C, a memory limit) the input is known and the rest goes on without it.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .finding import Outcome, signature
from .mutations import Seed, mutant
from .shrinking import shrink

LONGEST_S = 20
"""Seconds of CPU time after which an input counts as one that never ends."""

MOST_MEMORY = 8 << 30
"""Bytes of address space of a worker, where the system has such a limit."""

SWOLLEN = {"cost": 0.02}
"""Share of mutants of tens of kilobytes, for properties that are about those."""

HARDLY_EVER = 0.001
"""That share for the others: such a mutant takes as long as a hundred small ones."""

REPORT_S = 0.5


class Plan(NamedTuple):
    """What to do. Every property sees the same mutants, but for its share of swollen ones."""

    properties: tuple[str, ...]
    count: int
    seed: int = 1
    jobs: int = 1
    version: str = ""


class Failure(NamedTuple):
    """One kind of finding: the input that showed it first, made small, and how often it came."""

    what: str
    text: str
    number: int
    source: str
    data: bytes
    original: bytes


class Worst(NamedTuple):
    """The highest figure of its kind, and the input it was measured on."""

    value: float
    number: int
    source: str
    data: bytes


@dataclass
class Tally:
    """What came out for one property."""

    verdicts: Counter[str] = field(default_factory=Counter)
    failures: dict[str, Failure] = field(default_factory=dict)
    repeats: Counter[str] = field(default_factory=Counter)
    worst: dict[str, Worst] = field(default_factory=dict)

    @property
    def done(self) -> int:
        """Mutants that have been looked at."""
        return sum(self.verdicts.values()) + sum(self.repeats.values())

    def add(self, other: Tally) -> None:
        """Take over what another one has counted."""
        self.verdicts += other.verdicts
        self.repeats += other.repeats
        for what, failure in other.failures.items():
            self.failures.setdefault(what, failure)
        for name, worst in other.worst.items():
            if name not in self.worst or worst.value > self.worst[name].value:
                self.worst[name] = worst


class Endless(Exception):
    """An input that took longer than any should."""


def checks() -> dict[str, Callable[[bytes], Outcome]]:
    """The properties by name."""
    from . import agreement, cost, rejection, round_trip

    modules = (agreement, rejection, round_trip, cost)
    return {module.__name__.rpartition(".")[2]: module.check for module in modules}


def run(plan: Plan, files: Sequence[Seed], report: Callable[[dict[str, Tally]], None]) -> dict:
    """Carry out a plan; `report` is called now and then with the tallies so far.

    Ctrl-C ends it early, with what there is.
    """
    tallies = {name: Tally() for name in plan.properties}
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    workers = [_Worker(context, plan, job, job, results) for job in range(plan.jobs)]
    with contextlib.suppress(KeyboardInterrupt):
        while _collect(results, tallies, report) or workers:
            for worker in [worker for worker in workers if not worker.process.is_alive()]:
                workers.remove(worker)
                if worker.process.exitcode:
                    number, name = worker.at[0], plan.properties[worker.at[1]]
                    tallies[name].add(_crash(plan, number, name, files, worker.process.exitcode))
                    workers.append(_Worker(context, plan, worker.job, number + plan.jobs, results))
    for worker in workers:
        worker.process.terminate()
    return tallies


def _collect(results, tallies: dict[str, Tally], report: Callable) -> bool:
    """Wait for one tally and count it; whether there was one."""
    try:
        name, tally = results.get(timeout=REPORT_S)
    except queue.Empty:
        return False
    tallies[name].add(tally)
    report(tallies)
    return True


def _crash(plan: Plan, number: int, name: str, files: Sequence[Seed], code: int) -> Tally:
    source, data = mutant(plan.seed, number, files, SWOLLEN.get(name, HARDLY_EVER))
    what = f"the process died with exit code {code}"
    failure = Failure(what, what, number, source, data, data)
    return Tally(failures={what: failure}, repeats=Counter((what,)))


class _Worker:
    """A process, and what it is about: `at` holds the number of the mutant and of the property."""

    def __init__(self, context, plan: Plan, job: int, first: int, results) -> None:
        self.job = job
        self.at = context.Array("q", [first, 0])
        given = (plan, first, self.at, results)
        self.process = context.Process(target=_work, args=given, daemon=True)
        self.process.start()


def _work(plan: Plan, first: int, at, results) -> None:
    from .mutations import seeds

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    with contextlib.suppress(ImportError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    files = seeds(plan.version)
    known = checks()
    tallies = {name: Tally() for name in plan.properties}
    said, seen = time.monotonic(), {name: set() for name in plan.properties}
    for number in range(first, plan.count, plan.jobs):
        for position, name in enumerate(plan.properties):
            at[0], at[1] = number, position
            made = mutant(plan.seed, number, files, SWOLLEN.get(name, HARDLY_EVER))
            examine(known[name], number, made, tallies[name], seen[name])
        if time.monotonic() - said > REPORT_S:
            said = time.monotonic()
            if not multiprocessing.parent_process().is_alive():  # nobody is listening
                return
            for name in plan.properties:
                results.put((name, tallies[name]))
                tallies[name] = Tally()
    for name in plan.properties:
        results.put((name, tallies[name]))


def examine(check, number: int, made, tally: Tally, seen: set[str]) -> None:
    """Try one mutant; a finding of a kind not in `seen` is shrunk."""
    source, data = made
    try:
        with _alarm(LONGEST_S):
            outcome = check(data)
    except Exception as error:
        what = signature(error)
        tally.repeats[what] += 1
        if what not in seen:
            seen.add(what)
            small = shrink(data, lambda candidate: _fails(check, candidate, what))
            text = _text(check, small) or str(error)
            tally.failures[what] = Failure(what, text, number, source, small, data)
        return
    tally.verdicts[outcome.verdict] += 1
    for figure, value in outcome.figures.items():
        if figure not in tally.worst or value > tally.worst[figure].value:
            tally.worst[figure] = Worst(value, number, source, data)


def _fails(check, data: bytes, what: str) -> bool:
    try:
        with _alarm(LONGEST_S):
            check(data)
    except Exception as error:
        return signature(error) == what
    return False


def _text(check, data: bytes) -> str:
    try:
        check(data)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


@contextlib.contextmanager
def _alarm(seconds: float):
    """Raise Endless after so many seconds of CPU time, where the system has such a clock."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_: object) -> None:
        raise Endless

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
