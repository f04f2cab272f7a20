"""Which values of a kernel can be had in a cheaper way: those that are worth being compiled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tileir.ir import Op, Value
from tileir.read.function import Function
from tileir.types import Pointer, Scalar, Tile

from .costs import Needs, weight_of
from .machine import observed
from .state import Observed
from .ways import Way, computed, equal, number, ways_of_floats, ways_of_integers

WORTH = 0.02
"""A smaller part of what a kernel costs is not worth a trial."""
CHEAPER = 0.7
"""A way is worth a trial if it costs at most this part of what it replaces."""
_LEAVES = 32
"""So many values before a value are looked at, the nearest first."""
_AGAIN = range(2, 4)
"""Seeds of further runs, in which a cheaper way has to hold, too."""
_AGAIN_FOR_BITS = range(4, 20)
"""Seeds of further runs for masks, which are often the same without being equal."""
_SEARCHED = 100
"""So many ops of a kernel are looked at, the dearest."""
_EQUAL = 4
"""So many of the first values that are equal to a value are looked at, and of the last ones."""
_FREE = ("assume", "constant", "iota", "broadcast", "reshape", "get_tile_block_id", "cmpf")
"""Ops whose results are not looked for."""


@dataclass(frozen=True)
class Rewrite:
    """A cheaper way to the first result of an op, and what it saves of a kernel's cost."""

    op: Op
    way: Way
    saved: float
    gone: tuple[Op, ...]
    """Other ops that are not needed any more."""


def rewrites_of(function: Function) -> list[Rewrite]:
    """Return the cheaper ways to values of a kernel, those that save most first."""
    found = observed(function)
    if found is None:
        return []
    ops = [op for op in function.walk() if not _in_fold(op)]
    needs = Needs(function)
    total = needs.cost(ops)
    earlier: dict[object, list[Value]] = defaultdict(list)
    for value in function.body.block.arguments:
        earlier[found.fingerprints.get(value)].append(value)
    rewrites: list[Rewrite] = []
    dear = _dearest(ops, needs, total)
    for op in ops:
        if op in dear:
            with np.errstate(all="ignore"):
                rewrites += _of(op, found, earlier, total, needs)
        for value in _own(op):
            earlier[found.fingerprints.get(value)].append(value)
    for seed in (*_AGAIN, *_AGAIN_FOR_BITS):
        checked = [each for each in rewrites if seed in _AGAIN or _is_mask(each.op)]
        if not checked:
            break
        values = {each.op.results[0] for each in checked}
        other = observed(function, seed, values.union(*(each.way.values for each in checked)))
        assert other is not None
        with np.errstate(all="ignore"):
            wrong = [each for each in checked if not _holds(each, other)]
        rewrites = [each for each in rewrites if each not in wrong]
    return sorted(rewrites, key=lambda each: -each.saved)


def _dearest(ops: Sequence[Op], needs: Needs, total: float) -> set[Op]:
    """Return the ops that, with what they need, are a part of a kernel that matters."""
    costs: dict[Op, float] = {}
    for op in ops:
        if op.results and op.name not in _FREE and isinstance(op.results[0].type, Tile):
            cost = needs.cost(needs.needed_by(op))
            if cost >= WORTH * total:
                costs[op] = cost
    return set(sorted(costs, key=lambda op: -costs[op])[:_SEARCHED])


def _is_mask(op: Op) -> bool:
    return op.results[0].type.element.bits == 1


def _holds(rewrite: Rewrite, found: Observed) -> bool:
    """Whether a rewrite gives the same numbers in other runs."""
    value, way = rewrite.op.results[0], rewrite.way
    if way.op == "reduce":
        return found.scans.get(found.fingerprints[value]) is way.given[0].source
    if way.value is not None:
        return found.fingerprints[value] == found.fingerprints[way.value]
    if way.number is not None:
        return found.same.get(value) == way.number
    return equal(computed(way, found.probes), found.probes[value])


def _own(op: Op) -> Iterator[Value]:
    yield from op.results
    if op.name not in ("reduce", "scan"):
        for region in op.regions:
            for block in region.blocks:
                yield from block.arguments


def _in_fold(op: Op) -> bool:
    around = None if op.parent is None else op.parent.parent_op
    return around is not None and around.name in ("reduce", "scan")


def _of(
    op: Op, found: Observed, earlier: dict[object, list[Value]], total: float, needs: Needs
) -> Iterator[Rewrite]:
    if not op.results or (op.regions and op.name not in ("reduce", "scan")):
        return
    value = op.results[0]
    fingerprint = found.fingerprints.get(value)
    if fingerprint is None or not value.uses or isinstance(value.type.element, Pointer):
        return
    operands = [found.fingerprints.get(each) for each in op.operand_list()]
    if op.name == "andi" and fingerprint in operands:
        return  # a mask that cuts nothing off in any run is for numbers that they have not
    best: Rewrite | None = None
    for way in _ways(op, value, found, earlier[fingerprint]):
        gone = needs.needed_by(op, way.values)
        old, new = needs.cost(gone), way.cost * weight_of(op) * value.type.size
        saved = (old - new) / total
        if new <= CHEAPER * old and saved >= WORTH and (best is None or saved > best.saved):
            best = Rewrite(op, way, saved, tuple(gone[1:]))
    if best is not None:
        yield best


def _ways(op: Op, value: Value, found: Observed, equal: Sequence[Value]) -> Iterator[Way]:
    kind = value.type
    for other in (*equal[:_EQUAL], *equal[_EQUAL:][-_EQUAL:]):
        if other.type.element == kind.element and other.is_visible_to(op):
            yield Way(value=other)
    constant = found.same.get(value)
    if constant is not None and np.isfinite(constant):
        yield number(constant)
    scan = found.scans.get(found.fingerprints[value])
    if scan is not None:
        yield Way("reduce", (Way(value=scan.results[0]),))
    if not isinstance(kind.element, Scalar) or kind.element.bits == 1:
        return
    leaves = _leaves(op, value, found)
    probe = found.probes[value]
    if kind.element.is_float:
        yield from ways_of_floats(probe, leaves)
    elif kind.size > 1:
        yield from ways_of_integers(probe, leaves)


def _leaves(op: Op, value: Value, found: Observed) -> list[tuple[Value, np.ndarray]]:
    """Return the values of the same type that a value is computed from, the nearest first."""
    kind: Tile = value.type
    seen: dict[Value, None] = {}
    waiting, taken = [op], {op}
    while waiting and len(seen) < _LEAVES and len(taken) < 4 * _LEAVES:
        each = waiting.pop(0)
        for operand in each.operand_list():
            alike = operand.type == kind and operand in found.probes and operand not in found.same
            if alike and operand.is_visible_to(op):
                seen[operand] = None
            owner = operand.owner
            if isinstance(owner, Op) and owner not in taken and owner.name not in ("for", "loop"):
                taken.add(owner)
                waiting.append(owner)
    return [(each, found.probes[each]) for each in seen]
