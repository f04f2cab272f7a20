"""`reduce`: a module made small while a predicate holds of it, and what came of that."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tileir.bytecode import Bytecode
from tileir.errors import BuildError, TileIRError
from tileir.predicates import Predicate

from .measure import Measure
from .search import OutOfTime, Progress, Search, Yield

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

FINISHED, TIME, INTERRUPTED = "finished", "time", "interrupted"
"""Why a reduction ended: nothing smaller was found, its time was over, or Ctrl-C."""


class NotInterestingError(TileIRError):
    """The predicate does not hold of the file that is to be reduced."""


@dataclass(frozen=True)
class Reduced:
    """What a reduction gave.

    data      the smallest file of which the predicate held
    before    the measure of the file given, and `after` that of `data`
    trials    how often the predicate was asked; of some files it was known
    rows      the passes that were made, by name, with what they gave
    seconds   how long it took
    ended     "finished", "time" or "interrupted"
    stable    whether the predicate held of `data` when it was asked once more
    seen      what it saw then, on a line, if it says that
    """

    data: bytes
    before: Measure
    after: Measure
    trials: int
    rows: dict[str, Yield]
    seconds: float
    ended: str
    stable: bool
    seen: str


def reduce(
    given: Bytecode | ReadableBuffer,
    predicate: Predicate,
    *,
    jobs: int = 1,
    seconds: float | None = None,
    watch: Callable[[Progress], object] | None = None,
) -> Reduced:
    """Make a module as small as it gets while a predicate holds of it.

    jobs     how many trials run at the same time, in threads; the result does not depend on it
    seconds  after which the smallest module so far is returned
    watch    is called after each trial

    All candidates are valid modules; if the module given is not, they break no other rules than it
    does. Ctrl-C ends the reduction, too: `ended` says so. NotInterestingError if the predicate does
    not hold of the module itself, BuildError for one of a version that is newer than any known one.
    """
    start = time.monotonic()
    bytecode = Bytecode.of(given)
    if bytecode.newer:
        raise BuildError(f"version {bytecode.version} is newer than what can be reduced")
    search = Search(
        bytecode.build(check=False),
        predicate,
        jobs,
        None if seconds is None else start + seconds,
        watch,
    )
    first = search.verdict()
    if not first.holds:
        why = f"; seen of it: {first.seen}" if first.seen else ""
        raise NotInterestingError(
            f"nothing to reduce: it does not hold that {predicate.description}{why}"
        )
    ended = FINISHED
    try:
        search.run()
    except OutOfTime:
        ended = TIME
    except KeyboardInterrupt:
        ended = INTERRUPTED
    last = None if ended == INTERRUPTED else search.verdict()
    return Reduced(
        search.data,
        search.before,
        search.now,
        search.trials,
        search.rows,
        time.monotonic() - start,
        ended,
        last is None or last.holds is True,
        first.seen if last is None else last.seen,
    )
