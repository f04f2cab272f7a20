"""Transfer functions of the contiguity analysis: one for each kind of op, named in the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from tileir.attributes import DivBy, SameElements
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value
from tileir.types import Pointer, Tile

from . import divisibility
from .divisibility import LARGEST

ADDRESS_BITS = 64
"""Integers of this width are added to addresses without extension."""


@dataclass(frozen=True, slots=True)
class Run:
    """Facts along one dimension of a tile. All are powers of two.

    They are about aligned groups of neighbours; the first group starts at coordinate zero.
    """

    contiguous: int = 1
    """In groups of so many, numbers increase by one, pointers by the size of their pointee."""
    constant: int = 1
    """In groups of so many, all elements are equal."""
    divisor: int = 1
    """A divisor of the first of every `contiguous` elements; for pointers, in bytes."""
    edge: int = 1
    """For masks: groups of so many elements are seldom partly set. A hint, not a fact."""

    def at(self, group: int, unit: int = 1) -> int:
        """Return a divisor of the first of every `group` elements; neighbours differ by `unit`."""
        return self.divisor if group >= self.contiguous else min(self.divisor, group * unit)

    def meet(self, other: Run, unit: int) -> Run:
        """Return what holds for both."""
        group = min(self.contiguous, other.contiguous)
        divisor = min(self.at(group, unit), other.at(group, unit))
        constant, edge = min(self.constant, other.constant), min(self.edge, other.edge)
        return Run(group, constant, divisor, edge)


Runs = tuple[Run, ...]
"""One run a dimension."""


class Known(Protocol):
    """The facts so far: the runs of each value, and the `facts` about all of its elements."""

    @property
    def facts(self) -> divisibility.Known:
        """Divisors and bounds of each value."""
        ...

    def __getitem__(self, value: Value, /) -> Runs: ...


Rule = Callable[[Op, Known], Runs]
"""A transfer function: returns the runs of the first result of an op."""


def unit_of(value: Value) -> int:
    """Return by how much neighbours in a run differ."""
    element = value.type.element if isinstance(value.type, Tile) else None
    return memory_bytes(element.pointee) if isinstance(element, Pointer) else 1


def _each(function: Callable[..., Run]) -> Rule:
    """Return a rule that applies a function to each dimension."""

    def rule(op: Op, table: Known) -> Runs:
        sources = [table[value] for value in op.operand_list()]
        return tuple(function(op, table, *runs) for runs in zip(*sources, strict=True))

    return rule


@_each
def add(op: Op, table: Known, a: Run, b: Run) -> Run:
    """A sum is a run where one operand is a run and the other is constant."""
    group = max(min(a.contiguous, b.constant), min(a.constant, b.contiguous))
    return Run(group, min(a.constant, b.constant), min(a.at(group), b.at(group)))


@_each
def subtract(op: Op, table: Known, a: Run, b: Run) -> Run:
    """As for a sum, but a run in the second operand gives none, as it would decrease."""
    group = min(a.contiguous, b.constant)
    return Run(group, min(a.constant, b.constant), min(a.at(group), b.at(group)))


def multiply(op: Op, table: Known) -> Runs:
    """A product with a run increases by the other factor: it is a run only if that is one."""
    a, b = op.operand_list()
    for value, factor in ((a, b), (b, a)):
        if table.facts[factor].constant == 1:
            return table[value]
    return tuple(
        Run(1, min(x.constant, y.constant), min(x.at(1) * y.at(1), LARGEST))
        for x, y in zip(table[a], table[b], strict=True)
    )


def _counting(run: Run, value: Value, table: Known) -> int:
    """Return the size of groups that are still runs when numbers are extended, signed or unsigned.

    Where the narrow type may wrap around, only aligned groups are on one side of that. Numbers that
    are never negative do not wrap around; for i1 that is not known, as 1 may count as -1.
    """
    half = 1 << value.type.element.bits - 1
    if half > 1 and table.facts[value].not_negative:
        return run.contiguous
    return min(run.contiguous, run.divisor, half)


@_each
def offset(op: Op, table: Known, pointer: Run, amount: Run) -> Run:
    size, value = memory_bytes(op.result.type.element.pointee), op.operands["offset"]
    wide = value.type.element.bits == ADDRESS_BITS
    counting = amount.contiguous if wide else _counting(amount, value, table)
    group = max(min(pointer.constant, counting), min(pointer.contiguous, amount.constant))
    divisor = min(pointer.at(group, size), amount.at(group) * size)
    return Run(group, min(pointer.constant, amount.constant), divisor)


@_each
def extend(op: Op, table: Known, a: Run) -> Run:
    """An extended run ends where the narrow type wraps around."""
    group = _counting(a, op.operands["from"], table)
    return Run(group, a.constant, a.at(group))


@_each
def compare(op: Op, table: Known, a: Run, b: Run) -> Run:
    """Compare a run to a constant: the result is constant in aligned groups.

    In a run that starts at a multiple of its size, either all elements are below a given such
    multiple or none. So it is with `less_than` and its negation, also with the sides exchanged.
    """
    both = min(a.constant, b.constant)
    predicate = op.attributes["comparison_predicate"]
    if predicate in _FROM_BELOW:
        counting, fixed, value = a, b, op.operands["lhs"]
    elif predicate in _FROM_ABOVE:
        counting, fixed, value = b, a, op.operands["rhs"]
    else:
        return Run(1, both, 1, both)
    edge = min(_counting(counting, value, table), fixed.constant)
    whole = min(edge, counting.divisor, fixed.at(1))
    return Run(1, max(whole, both), 1, max(edge, both))


_FROM_BELOW = ("less_than", "greater_than_or_equal")
_FROM_ABOVE = ("greater_than", "less_than_or_equal")


@_each
def bitwise(op: Op, table: Known, a: Run, b: Run) -> Run:
    """Bitwise ops are mostly used on masks; groups of equal operands give equal results."""
    return Run(1, min(a.constant, b.constant), 1, min(a.edge, b.edge))


@_each
def alike(op: Op, table: Known, *sources: Run) -> Run:
    """Equal operands give equal results."""
    return Run(1, min(source.constant for source in sources))


def iota(op: Op, table: Known) -> Runs:
    return (Run(op.result.type.size, 1, LARGEST),)


def constant(op: Op, table: Known) -> Runs:
    if not op.attributes["value"].is_splat:
        return table[op.result]
    divisor = table.facts[op.result].divisor
    return tuple(Run(1, extent, divisor, extent) for extent in op.result.type.shape)


def broadcast(op: Op, table: Known) -> Runs:
    """Stretched dimensions have equal elements."""
    source = op.operands["source"]
    pairs = zip(source.type.shape, op.result.type.shape, table[source], strict=True)
    return tuple(
        run if extent == after else Run(1, after, run.at(1), after) for extent, after, run in pairs
    )


def reshape(op: Op, table: Known) -> Runs:
    """A reshape that only adds or drops dimensions of extent one keeps runs; others do not."""
    source, shape = op.operands["source"], op.result.type.shape
    kept = [run for run, extent in zip(table[source], source.type.shape, strict=True) if extent > 1]
    if [e for e in shape if e > 1] != [e for e in source.type.shape if e > 1]:
        return table[op.result]
    rest, single = iter(kept), Run(divisor=table.facts[source].divisor)
    return tuple(next(rest) if extent > 1 else single for extent in shape)


def permute(op: Op, table: Known) -> Runs:
    runs = table[op.operands["source"]]
    return tuple(runs[dim] for dim in op.attributes["permutation"])


def assume(op: Op, table: Known) -> Runs:
    value, claim = op.operands["value"], op.attributes["predicate"]
    runs = list(table[value])
    if isinstance(claim, DivBy):
        if claim.along is None:
            return table[value]
        group, run = _power(claim.every), runs[claim.along]
        divisor = min(claim.divisor, LARGEST)
        if group != claim.every:
            divisor = min(divisor, group * unit_of(value))
        if claim.every and group >= run.contiguous:
            run = replace(run, contiguous=group, divisor=max(divisor, run.divisor))
            runs[claim.along] = run
    elif isinstance(claim, SameElements):
        for dim, group in enumerate(claim.groups):
            constant = max(runs[dim].constant, _power(group))
            runs[dim] = replace(runs[dim], constant=constant)
    return tuple(runs)


def _power(number: int) -> int:
    """Return the largest power of two that divides a number; one for zero."""
    return number & -number or 1


@_each
def same(op: Op, table: Known, run: Run) -> Run:
    """Runs stay runs where numbers are truncated."""
    return run
