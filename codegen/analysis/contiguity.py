"""What is known of neighbours in a tile: which numbers count up, which are equal.

Tiles of pointers are computed, most often from `iota`; whether sixteen bytes may be moved at once
depends on what neighbours have in common. For each dimension of a tile of integers or pointers a
`Run` says so. Runs come from `iota`, broadcasts and assumptions, and go through integer and
pointer arithmetic. What loops carry is first taken to be like what it starts with, and then
weakened until a trip confirms it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tileir.attributes import DivBy, SameElements
from tileir.codegen.kernel import Kernel
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Block, Op, Value
from tileir.types import Pointer, Tile

from .divisibility import LARGEST, Divisibility

ADDRESS_BITS = 64
"""Numbers of this width are added to addresses as they are."""


@dataclass(frozen=True, slots=True)
class Run:
    """Facts along one dimension of a tile. All are powers of two.

    Elements are taken in groups of neighbours, the first one starting at coordinate zero.
    """

    contiguous: int = 1
    """Within groups of so many, numbers go up by one, pointers by the size of their pointee."""
    constant: int = 1
    """Within groups of so many, all are equal."""
    divisor: int = 1
    """Of the first of every `contiguous` elements: numbers as such, pointers in bytes."""
    edge: int = 1
    """Of masks: groups of so many are seldom divided. A hint, no fact."""

    def at(self, group: int, unit: int = 1) -> int:
        """What divides the first of every `group` elements, neighbours being `unit` apart."""
        return self.divisor if group >= self.contiguous else min(self.divisor, group * unit)

    def meet(self, other: Run, unit: int) -> Run:
        """What holds in both cases."""
        group = min(self.contiguous, other.contiguous)
        divisor = min(self.at(group, unit), other.at(group, unit))
        constant, edge = min(self.constant, other.constant), min(self.edge, other.edge)
        return Run(group, constant, divisor, edge)


Runs = tuple[Run, ...]
"""By dimension."""


class Contiguity(dict[Value, Runs]):
    """The analysis: runs by value; of what is not in the table only the divisor of all elements is
    known. Nothing is inferred for kernels that access memory through views alone."""

    @classmethod
    def of(cls, kernel: Kernel) -> Contiguity:
        """What is known of neighbours in the tiles of a kernel."""
        table = cls(kernel.facts(Divisibility))
        if any(op.name in _THROUGH_POINTERS for op in kernel.walk()):
            _block(kernel.body.block, table)
        return table

    def __init__(self, facts: Divisibility) -> None:
        super().__init__()
        self.facts = facts

    def __missing__(self, value: Value) -> Runs:
        if not isinstance(value.type, Tile):
            return ()
        return (Run(divisor=self.facts[value].divisor),) * len(value.type.shape)


_THROUGH_POINTERS = ("atomic_cas_tko", "atomic_rmw_tko", "load_ptr_tko", "store_ptr_tko")


def _block(block: Block, table: Contiguity) -> None:
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


def _loop(op: Op, table: Contiguity) -> None:
    body = op.regions[0].block
    carried = body.arguments[1:]
    for argument, value in zip(carried, op.operands["initValues"], strict=True):
        # What was found when an outer loop was tried before still holds, and saves trying again.
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
    """The `continue` ops of a loop with this body."""
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
    """How far neighbours in a run are apart."""
    element = value.type.element if isinstance(value.type, Tile) else None
    return memory_bytes(element.pointee) if isinstance(element, Pointer) else 1


# One function an op ------------------------------------------------------------------------

Rule = Callable[[Op, Contiguity], Runs]


def _each(function: Callable[..., Run]) -> Rule:
    """A rule that treats every dimension alike."""

    def rule(op: Op, table: Contiguity) -> Runs:
        sources = [table[value] for value in op.operand_list()]
        return tuple(function(op, table, *runs) for runs in zip(*sources, strict=True))

    return rule


def _add(op: Op, table: Contiguity, a: Run, b: Run) -> Run:
    group = max(min(a.contiguous, b.constant), min(a.constant, b.contiguous))
    return Run(group, min(a.constant, b.constant), min(a.at(group), b.at(group)))


def _subtract(op: Op, table: Contiguity, a: Run, b: Run) -> Run:
    group = min(a.contiguous, b.constant)
    return Run(group, min(a.constant, b.constant), min(a.at(group), b.at(group)))


def _multiply(op: Op, table: Contiguity) -> Runs:
    a, b = op.operand_list()
    for value, factor in ((a, b), (b, a)):
        if table.facts[factor].constant == 1:
            return table[value]
    return tuple(
        Run(1, min(x.constant, y.constant), min(x.at(1) * y.at(1), LARGEST))
        for x, y in zip(table[a], table[b], strict=True)
    )


def _counting(run: Run, value: Value, table: Contiguity) -> int:
    """Groups that still count up when the number is extended, signed or unsigned.

    Where the narrow type wraps around, only aligned groups lie on one side. What is never negative
    does not wrap around; of a single bit that is not known, as 1 is -1 too.
    """
    half = 1 << value.type.element.bits - 1
    if half > 1 and table.facts[value].not_negative:
        return run.contiguous
    return min(run.contiguous, run.divisor, half)


def _offset(op: Op, table: Contiguity, pointer: Run, amount: Run) -> Run:
    size, value = memory_bytes(op.result.type.element.pointee), op.operands["offset"]
    wide = value.type.element.bits == ADDRESS_BITS
    counting = amount.contiguous if wide else _counting(amount, value, table)
    group = max(min(pointer.constant, counting), min(pointer.contiguous, amount.constant))
    divisor = min(pointer.at(group, size), amount.at(group) * size)
    return Run(group, min(pointer.constant, amount.constant), divisor)


def _extend(op: Op, table: Contiguity, a: Run) -> Run:
    group = _counting(a, op.operands["from"], table)
    return Run(group, a.constant, a.at(group))


def _compare(op: Op, table: Contiguity, a: Run, b: Run) -> Run:
    """Of a group that counts up from a multiple of its size, all are below such a multiple or none.

    So it is with `less_than` and its negation; the sides may be exchanged.
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


def _bitwise(op: Op, table: Contiguity, a: Run, b: Run) -> Run:
    """Of masks, and of numbers, of which only equal ones matter here."""
    return Run(1, min(a.constant, b.constant), 1, min(a.edge, b.edge))


def _alike(op: Op, table: Contiguity, *sources: Run) -> Run:
    """Equal operands give equal results."""
    return Run(1, min(source.constant for source in sources))


def _iota(op: Op, table: Contiguity) -> Runs:
    return (Run(op.result.type.size, 1, LARGEST),)


def _constant(op: Op, table: Contiguity) -> Runs:
    if not op.attributes["value"].is_splat:
        return table[op.result]
    divisor = table.facts[op.result].divisor
    return tuple(Run(1, extent, divisor, extent) for extent in op.result.type.shape)


def _broadcast(op: Op, table: Contiguity) -> Runs:
    """What is stretched becomes equal."""
    source = op.operands["source"]
    pairs = zip(source.type.shape, op.result.type.shape, table[source], strict=True)
    return tuple(
        run if extent == after else Run(1, after, run.at(1), after) for extent, after, run in pairs
    )


def _reshape(op: Op, table: Contiguity) -> Runs:
    """Dimensions of extent one come and go; nothing is known of other reshapes."""
    source, shape = op.operands["source"], op.result.type.shape
    kept = [run for run, extent in zip(table[source], source.type.shape, strict=True) if extent > 1]
    if [e for e in shape if e > 1] != [e for e in source.type.shape if e > 1]:
        return table[op.result]
    rest, single = iter(kept), Run(divisor=table.facts[source].divisor)
    return tuple(next(rest) if extent > 1 else single for extent in shape)


def _permute(op: Op, table: Contiguity) -> Runs:
    runs = table[op.operands["source"]]
    return tuple(runs[dim] for dim in op.attributes["permutation"])


def _assume(op: Op, table: Contiguity) -> Runs:
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
    """The largest power of two that divides a number; of zero, one."""
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
