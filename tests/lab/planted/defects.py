"""The defects: what is asked, and the modules in which it is looked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from tileir.predicates import Bench, Differs, Predicate, Subject
from tileir.sampler import sample
from tileir.smith.program import program

from . import values
from .crashes import CRASHES
from .patterns import Crashing, Dying
from .verdicts import PLANTED, Disagree, planted

MOST_SEEDS = 40


@dataclass(frozen=True)
class Defect:
    """What was planted: `kind` is crash, value or verdict."""

    kind: str
    name: str


DEFECTS = [
    *(Defect("crash", name) for name in list(CRASHES)[:-2]),
    *(Defect("program", name) for name in list(CRASHES)[-2:]),
    *(Defect("value", f"{op} on host") for op in ("mulhii", "xori", "absf")),
    *(Defect("value", f"{op} on sm_90") for op in ("negf", "ori")),
    *(Defect("verdict", name) for name in PLANTED),
]


def made(defect: Defect, ops: int) -> tuple[bytes, Predicate]:
    """Return a module of about so many ops with the defect, and the predicate."""
    for seed in range(1, MOST_SEEDS):
        for data, predicate in _candidates(defect, seed, ops):
            if predicate.holds(data):
                return data, predicate
    raise AssertionError(f"no module has {defect}")


def _candidates(defect: Defect, seed: int, ops: int) -> Iterator[tuple[bytes, Predicate]]:
    if defect.kind == "value":
        op, _, target = defect.name.split()
        data = values.planted(op, seed, ops).bytecode.build()
        yield data, values.Wrong(op, target, seed, ops)
    elif defect.kind == "verdict":
        with suppress(LookupError):
            yield planted(program(seed, ops).bytecode, defect.name), _verdict(defect.name)
    else:
        pattern = CRASHES[defect.name]
        asked = Crashing(pattern) if defect.kind == "crash" else Dying(defect.name)
        for data in (
            program(seed, ops).bytecode.build(),
            sample(seed, "13.5", ops=ops).build(),
        ):
            if pattern.found(data):
                yield data, asked


def _verdict(name: str) -> Predicate:
    if name == "yielded tile":
        return Differs(Subject.of("verify"), Subject.of("tileirdisasm"), Bench())
    return Disagree(name)
