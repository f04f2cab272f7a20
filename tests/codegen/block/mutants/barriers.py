"""Defects of `place_barriers`: a barrier that is missing, late or early."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tileir.codegen.block.types import Shared
from tileir.ir import Body, Op

from . import excuses
from .defect import EMULATOR, VERIFIER, Site, defect, ops

Names = tuple[set[str], set[str]]


_PAIR = re.compile(r"(?:.*: )?(?:acquire of )?(\w+).*? before (?:release of )?(\w+)")


def _names(barrier: Op) -> Names:
    """Return the mnemonics of the accesses before a barrier, and of those after it."""
    pairs = [_PAIR.match(pair) for pair in barrier.attributes["pairs"]]
    return {pair[1] for pair in pairs}, {pair[2] for pair in pairs}


def _excuse(body: Body, barrier: Op) -> str:
    excuse = excuses.atomics_of_one_warp(body, *_names(barrier))
    return excuse or excuses.iterations_apart(body, barrier)


def _is_of_shared_memory(barrier: Op) -> bool:
    """Whether it is there for shared memory alone: then the verifier knows whether it has to be."""
    memory = barrier.operands["memory"]
    return bool(memory) and all(isinstance(value.type, Shared) for value in memory)


def _dropped(body: Body, shared: bool) -> Iterator[Site]:
    for barrier in ops(body, "barrier"):
        if _is_of_shared_memory(barrier) is shared:
            yield Site(barrier, barrier.erase, _excuse(body, barrier))


@defect("barrier of shared memory dropped", VERIFIER)
def shared_dropped(body: Body) -> Iterator[Site]:
    return _dropped(body, True)


@defect("barrier of tokens dropped", EMULATOR)
def tokens_dropped(body: Body) -> Iterator[Site]:
    return _dropped(body, False)


def _moved(body: Body, shared: bool, late: bool) -> Iterator[Site]:
    """Move a barrier beyond the nearest op that makes an access of one of its pairs."""
    for barrier in ops(body, "barrier"):
        around = barrier.parent.ops
        names = _names(barrier)[late]
        beyond = around[barrier.index + 1 : -1] if late else around[: barrier.index][::-1]
        reached = [each for each in beyond if any(inner.name in names for inner in each.walk())]
        if reached and _is_of_shared_memory(barrier) is shared:

            def change(barrier: Op = barrier, beyond: Op = reached[0]) -> None:
                barrier.operands["memory"] = ()
                (barrier.move_after if late else barrier.move_before)(beyond)

            excuse = _excuse(body, barrier)
            if late:
                excuse = excuse or excuses.between_iterations(
                    barrier, reached[0], _names(barrier)[0]
                )
            yield Site(barrier, change, excuse)


@defect("barrier of shared memory late", VERIFIER)
def shared_late(body: Body) -> Iterator[Site]:
    return _moved(body, True, late=True)


@defect("barrier of shared memory early", VERIFIER)
def shared_early(body: Body) -> Iterator[Site]:
    return _moved(body, True, late=False)


@defect("barrier of tokens late", EMULATOR)
def tokens_late(body: Body) -> Iterator[Site]:
    return _moved(body, False, late=True)


@defect("barrier of tokens early", EMULATOR)
def tokens_early(body: Body) -> Iterator[Site]:
    return _moved(body, False, late=False)
