"""The search: passes are made to a module until none of them makes it smaller.

Of the trials in a row, some run at the same time, as if those before them failed. The first one in
order that holds is taken, whichever ends first, so the number of jobs does not change the result.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tileir.bytecode import Bytecode
from tileir.errors import TileIRError
from tileir.formats.version import SUPPORTED
from tileir.predicates import Predicate, Verdict
from tileir.predicates.running import end_all

from .measure import Measure
from .table import DEAD, PASSES, TABLES, VERSION, Pass
from .trial import (
    HOLDS,
    NO,
    NONE,
    Asked,
    Outcome,
    Trial,
    attempt,
    broken_rules,
    measure_of,
    unit_count,
    written,
)


class Progress(NamedTuple):
    """How far a reduction is: the pass, the smallest module so far, and how often it was asked."""

    row: str
    data: bytes
    before: Measure
    now: Measure
    trials: int


@dataclass
class Yield:
    """What a pass gave: how often the predicate was asked, how often it held, ops that went."""

    trials: int = 0
    accepted: int = 0
    ops: int = 0


class OutOfTime(Exception):
    """The time for the reduction is over."""


def _end_questions(executor: Executor) -> None:
    """End what is asked, until no thread asks: one may be about to start its program."""
    waiting = threading.Thread(target=executor.shutdown, daemon=True)
    waiting.start()
    while waiting.is_alive():
        end_all()
        waiting.join(0.05)


class _Here(Executor):
    """An executor that does what is submitted at once, in this thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Return the future of a call that is done."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@dataclass
class Search:
    """A reduction of a module of which a predicate holds; `data` is the smallest one so far."""

    data: bytes
    predicate: Predicate
    jobs: int = 1
    until: float | None = None
    watch: Callable[[Progress], object] | None = None
    trials: int = 0
    rows: dict[str, Yield] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._asked = Asked(self.predicate)
        self._allowed = broken_rules(Bytecode.parse(self.data))
        self._compact = False
        self._dead_helps = True
        self._executor: Executor | None = None
        self.before = self.now = measure_of(self.data)

    def verdict(self) -> Verdict:
        """Return whether the predicate holds of the module, asked anew each time, and why."""
        examine = getattr(self.predicate, "examine", None)
        if examine is not None:
            return examine(self.data)
        return Verdict(self.predicate.holds(self.data), "")

    def run(self) -> None:
        """Make the module as small as it gets. OutOfTime if the time is over."""
        executor = ThreadPoolExecutor(self.jobs) if self.jobs > 1 else _Here()
        with executor as self._executor:
            try:
                self._compacted()
                done: dict[str, bytes] = {}
                while any(done.get(row.name) != self.data for row in PASSES):
                    for row in PASSES:
                        if done.get(row.name) != self.data:
                            self._dead_helps = True
                            self._make(row)
                            done[row.name] = self.data
                self._of_oldest_version()
            except BaseException as error:
                self._asked.stop()
                executor.shutdown(wait=False, cancel_futures=True)
                if isinstance(error, KeyboardInterrupt):  # nobody waits for what is asked now
                    _end_questions(executor)
                raise

    def _make(self, row: Pass) -> None:
        """Make a pass: chunks of its units from the last to the first, then smaller chunks."""
        count = unit_count(self.data, row.name)
        size = count if row.together else 1
        while size > 0:
            count = self._chunks(row, size, count)
            size = min(size // 2, count)

    def _chunks(self, row: Pass, size: int, count: int) -> int:
        """Try all chunks of a size; returns how many units there are in the end."""
        waiting: deque[tuple[int, Future[Outcome]]] = deque()
        ahead = count
        while ahead > 0 or waiting:
            while ahead > 0 and len(waiting) < self.jobs:
                stop, ahead = ahead, max(ahead - size, 0)
                waiting.append((ahead, self._submit(row, ahead, stop)))
            start, future = waiting.popleft()
            if self._taken(row, future.result()):
                for _, other in waiting:
                    other.cancel()
                waiting.clear()
                if row is not DEAD:
                    self._without_dead()
                count = unit_count(self.data, row.name)
                ahead = min(start, count)
        return count

    def _submit(self, row: Pass, start: int, stop: int) -> Future[Outcome]:
        trial = Trial(self.data, row.name, start, stop, self.now, self._allowed, self._compact)
        assert self._executor is not None
        return self._executor.submit(attempt, trial, self._asked)

    def _taken(self, row: Pass, outcome: Outcome) -> bool:
        """Count a trial, and make its module the smallest one if the predicate holds of it."""
        found = self.rows.setdefault(row.name, Yield())
        if outcome.verdict != NONE:
            self.trials += 1
            found.trials += 1
        held = outcome.verdict == HOLDS
        if held:
            before, self.data, self.now = self.now, outcome.data, measure_of(outcome.data)
            found.accepted += 1
            found.ops += before.all_ops - self.now.all_ops
        if self.watch is not None:
            self.watch(Progress(row.name, self.data, self.before, self.now, self.trials))
        if self.until is not None and time.monotonic() > self.until:
            raise OutOfTime
        return held

    def _without_dead(self) -> None:
        """Try to take out all dead ops at once, unless that was of no use to this pass."""
        if self._dead_helps:
            count = unit_count(self.data, DEAD.name)
            if count:
                self._dead_helps = self._taken(DEAD, self._submit(DEAD, 0, count).result())

    def _compacted(self) -> None:
        """Write the tables anew if the predicate still holds then; otherwise keep their order."""
        try:
            data = written(Bytecode.parse(self.data).touch(), compact=True)
        except TileIRError:
            return
        self._compact = data == self.data or self._replaced(TABLES, data)

    def _of_oldest_version(self) -> None:
        """Write the module in the oldest version of which the predicate holds."""
        for version in SUPPORTED:
            bytecode = Bytecode.parse(self.data)
            if version >= bytecode.version or version.preview or bytecode.version.preview:
                return
            try:
                data = bytecode.to_version(version).build()
            except TileIRError:
                continue
            if broken_rules(Bytecode.parse(data)) <= self._allowed and self._replaced(
                VERSION, data
            ):
                return

    def _replaced(self, row: Pass, data: bytes) -> bool:
        return self._taken(row, Outcome(HOLDS, data) if self._asked.holds(data) else Outcome(NO))
