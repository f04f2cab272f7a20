"""One trial: some units of a pass are made to a module, and the predicate is asked of the result.

It is a function of bytes and names, so any executor can run it.
"""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

from tileir.bytecode import Bytecode
from tileir.errors import TileIRError
from tileir.predicates import Predicate
from tileir.verifier.module import verify

from .measure import Measure, measured
from .passes.candidate import Candidate
from .table import BY_NAME

HOLDS, NO, NONE = "holds", "no", "none"
"""What becomes of a trial: the predicate holds or not, or there was nothing to be asked."""


class Trial(NamedTuple):
    """Which units of a pass are made to which module.

    data     the module
    row      name of the pass
    start    index of the first unit, and `stop` of the one behind the last
    smaller  what the result has to be smaller than
    allowed  ids of rules that the result may break, as the file given does
    compact  whether tables are written anew
    """

    data: bytes
    row: str
    start: int
    stop: int
    smaller: Measure
    allowed: frozenset[str]
    compact: bool


class Outcome(NamedTuple):
    """What became of a trial; `data` is the smaller module if the predicate holds of it."""

    verdict: str
    data: bytes = b""


class Asked:
    """A predicate with its answers so far: no file is tried twice."""

    def __init__(self, predicate: Predicate) -> None:
        self._predicate = predicate
        self._answers: dict[bytes, bool] = {}
        self._stopped = False

    def stop(self) -> None:
        """Say no from now on, without asking."""
        self._stopped = True

    def holds(self, data: bytes) -> bool:
        """Whether the predicate holds of a file."""
        if self._stopped:
            return False
        key = sha256(data).digest()
        known = self._answers.get(key)
        if known is None:
            known = self._answers[key] = self._predicate.holds(data)
        return known


def attempt(trial: Trial, asked: Asked) -> Outcome:
    """Make a trial; what cannot be built, is no valid module or not smaller is not asked."""
    try:
        data = changed(trial)
    except TileIRError:
        return Outcome(NONE)
    if data is None:
        return Outcome(NONE)
    return Outcome(HOLDS, data) if asked.holds(data) else Outcome(NO)


def changed(trial: Trial) -> bytes | None:
    """Return the file of a trial; None if it is invalid in a new way, or not smaller."""
    bytecode = Bytecode.parse(trial.data).touch()
    candidate = Candidate(bytecode)
    for unit in reversed(BY_NAME[trial.row].units(bytecode)[trial.start : trial.stop]):
        unit(candidate)
    candidate.finish()
    if not broken_rules(bytecode) <= trial.allowed:
        return None
    data = written(bytecode, trial.compact)
    return data if measured(bytecode, len(data)) < trial.smaller else None


def broken_rules(bytecode: Bytecode) -> frozenset[str]:
    """Return the ids of the rules that a module breaks."""
    return frozenset(each.kind for each in verify(bytecode) if each.severity == "error")


def written(bytecode: Bytecode, compact: bool) -> bytes:
    """Return the file of a module whose rules have been checked."""
    return bytecode.build(check=False, compact=compact)


def unit_count(data: bytes, row: str) -> int:
    """Return how many units a pass has for a module."""
    return len(BY_NAME[row].units(Bytecode.parse(data).touch()))


def measure_of(data: bytes) -> Measure:
    """Return the measure of a file."""
    return measured(Bytecode.parse(data).touch(), len(data))
