"""Rules of the contiguity analysis: a function for each kind of op, named in the op's row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from tileir.attributes import DivBy, SameElements
from tileir.codegen.scalar.sizes import memory_bytes
from tileir.ir import Op, Value
from tileir.types import Pointer, Tile

from . import divisibility
from .divisibility import MAX_DIVISOR

ADDRESS_BITS = 64
"""Width of addresses; offsets of this width are not extended before they are added."""


@dataclass(frozen=True, slots=True)
class Run:
    """Facts along one dimension of a tile, all powers of two.

    They are about groups of neighbours; the first group starts at coordinate zero.
    """

    contiguous: int = 1
    """In groups of so many, numbers count up by one, pointers by the size of their pointee."""
    constant: int = 1
    """In groups of so many, all elements are equal."""
    divisor: int = 1
    """Divides the first of every `contiguous` elements; of pointers, the address in bytes."""
    edge: int = 1
    """In masks, groups of so many are mostly equal. A hint, not a fact."""

    def at(self, group: int, unit: int = 1) -> int:
        """Return the divisor of the first of each `group`; neighbours differ by `unit`."""
        return self.divisor if group >= self.contiguous else min(self.divisor, group * unit)

    def meet(self, other: Run, unit: int) -> Run:
        """Return the facts that both runs imply."""
        group = min(self.contiguous, other.contiguous)
        divisor = min(self.at(group, unit), other.at(group, unit))
        constant, edge = min(self.constant, other.constant), min(self.edge, other.edge)
        return Run(group, constant, divisor, edge)


Runs = tuple[Run, ...]
"""One run for each dimension."""


class Known(Protocol):
    """Maps values to runs; `facts` are about all of their elements."""

    @property
    def facts(self) -> divisibility.Known:
        """Maps values to facts."""
        ...

    def __getitem__(self, value: Value, /) -> Runs: ...


Rule = Callable[[Op, Known], Runs]
"""Returns the runs of an op's first result."""


def unit_of(value: Value) -> int:
    """Return the difference of neighbours in a contiguous run: bytes of a pointee, or 1."""
    element = value.type.element if isinstance(value.type, Tile) else None
    return memory_bytes(element.pointee) if isinstance(element, Pointer) else 1


def _each(function: Callable[..., Run]) -> Rule:
    """Make a rule that treats every dimension alike."""

    def rule(op: Op, table: Known) -> Runs:
        sources = [table[value] for value in op.operand_list()]
        return tuple(function(op, table, *runs) for runs in zip(*sources, strict=True))

    return rule


@_each
def add(op: Op, table: Known, a: Run, b: Run) -> Run:
    """A contiguous group stays one where the other operand is constant."""
    group = max(min(a.contiguous, b.constant), min(a.constant, b.contiguous))
    return Run(group, min(a.constant, b.constant), min(a.at(group), b.at(group)))


@_each
def subtract(op: Op, table: Known, a: Run, b: Run) -> Run:
    """As for a sum, but a contiguous subtrahend makes the result count down, which is no run."""
    group = min(a.contiguous, b.constant)
    return Run(group, min(a.constant, b.constant), min(a.at(group), b.at(group)))


def multiply(op: Op, table: Known) -> Runs:
    """Products count up by the other factor, so they are contiguous only if that is one."""
    a, b = op.operand_list()
    for value, factor in ((a, b), (b, a)):
        if table.facts[factor].constant == 1:
            return table[value]
    return tuple(
        Run(1, min(x.constant, y.constant), min(x.at(1) * y.at(1), MAX_DIVISOR))
        for x, y in zip(table[a], table[b], strict=True)
    )


def _counting(run: Run, value: Value, table: Known) -> int:
    """Return the size of groups that still count up after an extension, signed or unsigned.

    If the narrow type wraps around, only aligned groups stay on one side. Values known not to be
    negative do not wrap; for i1 that is not known, as a set bit may be 1 or -1.
    """
    half = 1 << value.type.element.bits - 1
    if half > 1 and table.facts[value].not_negative:
        return run.contiguous
    return min(run.contiguous, run.divisor, half)


@_each
def offset(op: Op, table: Known, pointer: Run, amount: Run) -> Run:
    size, value = (
        memory_bytes(op.result.type.pointee),
        op.operands["offset"],
    )
    wide = value.type.element.bits == ADDRESS_BITS
    counting = amount.contiguous if wide else _counting(amount, value, table)
    group = max(min(pointer.constant, counting), min(pointer.contiguous, amount.constant))
    divisor = min(pointer.at(group, size), amount.at(group) * size)
    return Run(group, min(pointer.constant, amount.constant), divisor)


@_each
def extend(op: Op, table: Known, a: Run) -> Run:
    """A contiguous group ends where the narrow type wraps around."""
    group = _counting(a, op.operands["from"], table)
    return Run(group, a.constant, a.at(group))


@_each
def compare(op: Op, table: Known, a: Run, b: Run) -> Run:
    """In a group that counts up from a multiple of its size, all or none are below such a multiple.

    This holds for `less_than` and its negation, with either operand on either side.
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
    """Combine masks or numbers bit by bit: equal operands give equal results."""
    return Run(1, min(a.constant, b.constant), 1, min(a.edge, b.edge))


@_each
def alike(op: Op, table: Known, *sources: Run) -> Run:
    """Equal operands give equal results."""
    return Run(1, min(source.constant for source in sources))


def iota(op: Op, table: Known) -> Runs:
    return (Run(op.result.type.size, 1, MAX_DIVISOR),)


def constant(op: Op, table: Known) -> Runs:
    if not op.attributes["value"].is_splat:
        return table[op.result]
    divisor = table.facts[op.result].divisor
    return tuple(Run(1, extent, divisor, extent) for extent in op.result.type.shape)


def broadcast(op: Op, table: Known) -> Runs:
    """Elements along a stretched dimension are equal."""
    source = op.operands["source"]
    pairs = zip(source.type.shape, op.result.type.shape, table[source], strict=True)
    return tuple(
        run if extent == after else Run(1, after, run.at(1), after) for extent, after, run in pairs
    )


def reshape(op: Op, table: Known) -> Runs:
    """Handle reshapes that add or drop dimensions of extent one; of others nothing is known."""
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
        group, run = _power(claim.every or 1), runs[claim.along]
        divisor = min(claim.divisor, MAX_DIVISOR)
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
    """Dropping upper bits keeps the runs."""
    return run
