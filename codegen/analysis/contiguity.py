"""Contiguity analysis: which neighbours in a tile count up, which are equal.

Tiles of pointers are computed, most often from `iota`; whether one access may cover sixteen bytes
depends on how neighbours are related. A `Run` states that for each dimension of a tile of integers
or pointers. Runs originate from `iota`, broadcasts and assumptions, and are propagated through
integer and pointer arithmetic. Carried values start with the runs of their initial values, which
are weakened until an iteration of the loop keeps them (a fixed point).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tileir.attributes import DivBy, SameElements
from tileir.codegen.kernel import Kernel
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Block, Op, Value
from tileir.types import Pointer, Tile

from .divisibility import MAX_DIVISOR, FactTable

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


class RunTable(dict[Value, Runs]):
    """Maps values to runs; of other values only the divisor of all elements is known."""

    def __init__(self, facts: FactTable) -> None:
        super().__init__()
        self.facts = facts

    def __missing__(self, value: Value) -> Runs:
        if not isinstance(value.type, Tile):
            return ()
        return (Run(divisor=self.facts[value].divisor),) * len(value.type.shape)


_THROUGH_POINTERS = ("atomic_cas_tko", "atomic_rmw_tko", "load_ptr_tko", "store_ptr_tko")


def infer_contiguity(kernel: Kernel, target: str) -> Kernel:
    """Add a RunTable to the kernel as `facts["infer_contiguity"]`; needs `infer_divisibility`.

    Kernels that access memory only through views get an empty one.
    """
    table = RunTable(kernel.facts["infer_divisibility"])
    if any(op.name in _THROUGH_POINTERS for op in kernel.walk()):
        _block(kernel.body.block, table)
    return replace(kernel, facts=kernel.facts | {"infer_contiguity": table})


def _block(block: Block, table: RunTable) -> None:
    for op in block.ops:
        if op.name == "for":
            _loop(op, table)
            continue
        for region in op.regions:
            for inner in region.blocks:
                _block(inner, table)
        if (rule := _RULES.get(op.name)) is not None:
            result = op.results[0]
            divisor = table.facts[result].divisor
            table[result] = tuple(
                replace(run, divisor=max(run.divisor, divisor)) for run in rule(op, table)
            )


def _loop(op: Op, table: RunTable) -> None:
    body = op.regions[0].block
    carried = body.arguments[1:]
    for argument, value in zip(carried, op.operands["initValues"], strict=True):
        # The result of the last iteration over an outer loop still holds and converges sooner.
        before = table.get(argument, table[value])
        table[argument] = _meet(argument, before, table[value])
    changed = True
    while changed:
        changed = False
        _block(body, table)
        for end in _ends(body):
            for argument, value in zip(carried, end.operand_list(), strict=True):
                both = _meet(argument, table[argument], table[value])
                changed |= both != table[argument]
                table[argument] = both
    for result, argument in zip(op.results, carried, strict=True):
        table[result] = table[argument]


def _ends(block: Block) -> Iterator[Op]:
    """Yield the `continue` ops of the loop with this body."""
    for op in block.ops:
        if op.name == "continue":
            yield op
        elif op.name not in ("for", "loop"):
            for region in op.regions:
                for inner in region.blocks:
                    yield from _ends(inner)


def _meet(value: Value, first: Runs, second: Runs) -> Runs:
    unit = unit_of(value)
    return tuple(a.meet(b, unit) for a, b in zip(first, second, strict=True))


def unit_of(value: Value) -> int:
    """Return the difference of neighbours in a contiguous run: bytes of a pointee, or 1."""
    element = value.type.element if isinstance(value.type, Tile) else None
    return memory_bytes(element.pointee) if isinstance(element, Pointer) else 1


# Rules: one function for each op ------------------------------------------------------------

Rule = Callable[[Op, RunTable], Runs]


def _each(function: Callable[..., Run]) -> Rule:
    """Make a rule that treats every dimension alike."""

    def rule(op: Op, table: RunTable) -> Runs:
        sources = [table[value] for value in op.operand_list()]
        return tuple(function(op, table, *runs) for runs in zip(*sources, strict=True))

    return rule


def _add(op: Op, table: RunTable, a: Run, b: Run) -> Run:
    group = max(min(a.contiguous, b.constant), min(a.constant, b.contiguous))
    return Run(group, min(a.constant, b.constant), min(a.at(group), b.at(group)))


def _subtract(op: Op, table: RunTable, a: Run, b: Run) -> Run:
    group = min(a.contiguous, b.constant)
    return Run(group, min(a.constant, b.constant), min(a.at(group), b.at(group)))


def _multiply(op: Op, table: RunTable) -> Runs:
    a, b = op.operand_list()
    for value, factor in ((a, b), (b, a)):
        if table.facts[factor].constant == 1:
            return table[value]
    return tuple(
        Run(1, min(x.constant, y.constant), min(x.at(1) * y.at(1), MAX_DIVISOR))
        for x, y in zip(table[a], table[b], strict=True)
    )


def _counting(run: Run, value: Value, table: RunTable) -> int:
    """Return the size of groups that still count up after an extension, signed or unsigned.

    If the narrow type wraps around, only aligned groups stay on one side. Values known not to be
    negative do not wrap; for i1 that is not known, as a set bit may be 1 or -1.
    """
    half = 1 << value.type.element.bits - 1
    if half > 1 and table.facts[value].not_negative:
        return run.contiguous
    return min(run.contiguous, run.divisor, half)


def _offset(op: Op, table: RunTable, pointer: Run, amount: Run) -> Run:
    size, value = memory_bytes(op.result.type.element.pointee), op.operands["offset"]
    wide = value.type.element.bits == ADDRESS_BITS
    counting = amount.contiguous if wide else _counting(amount, value, table)
    group = max(min(pointer.constant, counting), min(pointer.contiguous, amount.constant))
    divisor = min(pointer.at(group, size), amount.at(group) * size)
    return Run(group, min(pointer.constant, amount.constant), divisor)


def _extend(op: Op, table: RunTable, a: Run) -> Run:
    group = _counting(a, op.operands["from"], table)
    return Run(group, a.constant, a.at(group))


def _compare(op: Op, table: RunTable, a: Run, b: Run) -> Run:
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


def _bitwise(op: Op, table: RunTable, a: Run, b: Run) -> Run:
    """Combine masks or numbers bit by bit: equal operands give equal results."""
    return Run(1, min(a.constant, b.constant), 1, min(a.edge, b.edge))


def _alike(op: Op, table: RunTable, *sources: Run) -> Run:
    """Equal operands give equal results."""
    return Run(1, min(source.constant for source in sources))


def _iota(op: Op, table: RunTable) -> Runs:
    return (Run(op.result.type.size, 1, MAX_DIVISOR),)


def _constant(op: Op, table: RunTable) -> Runs:
    if not op.attributes["value"].is_splat:
        return table[op.result]
    divisor = table.facts[op.result].divisor
    return tuple(Run(1, extent, divisor, extent) for extent in op.result.type.shape)


def _broadcast(op: Op, table: RunTable) -> Runs:
    """Elements along a stretched dimension are equal."""
    source = op.operands["source"]
    pairs = zip(source.type.shape, op.result.type.shape, table[source], strict=True)
    return tuple(
        run if extent == after else Run(1, after, run.at(1), after) for extent, after, run in pairs
    )


def _reshape(op: Op, table: RunTable) -> Runs:
    """Handle reshapes that add or drop dimensions of extent one; of others nothing is known."""
    source, shape = op.operands["source"], op.result.type.shape
    kept = [run for run, extent in zip(table[source], source.type.shape, strict=True) if extent > 1]
    if [e for e in shape if e > 1] != [e for e in source.type.shape if e > 1]:
        return table[op.result]
    rest, single = iter(kept), Run(divisor=table.facts[source].divisor)
    return tuple(next(rest) if extent > 1 else single for extent in shape)


def _permute(op: Op, table: RunTable) -> Runs:
    runs = table[op.operands["source"]]
    return tuple(runs[dim] for dim in op.attributes["permutation"])


def _assume(op: Op, table: RunTable) -> Runs:
    value, claim = op.operands["value"], op.attributes["predicate"]
    runs = list(table[value])
    if isinstance(claim, DivBy):
        if claim.along is None:
            return table[value]
        group, run = _power(claim.every), runs[claim.along]
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


_RULES: dict[str, Rule] = {
    "addi": _each(_add),
    "andi": _each(_bitwise),
    "assume": _assume,
    "broadcast": _broadcast,
    "cmpi": _each(_compare),
    "constant": _constant,
    "divi": _each(_alike),
    "exti": _each(_extend),
    "iota": _iota,
    "muli": _multiply,
    "offset": _each(_offset),
    "ori": _each(_bitwise),
    "permute": _permute,
    "remi": _each(_alike),
    "reshape": _reshape,
    "subi": _each(_subtract),
    "trunci": _each(lambda op, table, run: run),
    "xori": _each(_bitwise),
}
