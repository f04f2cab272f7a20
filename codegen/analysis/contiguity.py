"""Contiguity analysis: which neighbours in a tile count up, which are equal.

Tiles of pointers are computed, most often from `iota`; whether one access may cover sixteen bytes
depends on how neighbours are related. A `Run` states that for each dimension of a tile of integers
or pointers. Runs originate from `iota`, broadcasts and assumptions, and are propagated through
integer and pointer arithmetic. Carried values start with the runs of their initial values, which
are weakened until an iteration of the loop keeps them (a fixed point).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops import Family, family_of, traits_of
from tileir.codegen.ops.contiguity import Run, Runs, unit_of
from tileir.ir import Block, Op, Value
from tileir.types import Tile

from .divisibility import Divisibility


class Contiguity(dict[Value, Runs]):
    """Maps values to runs; of other values only the divisor of all elements is known.

    It is empty for kernels that access memory only through views.
    """

    @classmethod
    def of(cls, kernel: KernelIR) -> Contiguity:
        """Analyse the tiles of a kernel."""
        table = cls(kernel.facts(Divisibility))
        if any(family_of(op) in _THROUGH_POINTERS for op in kernel.walk()):
            _block(kernel.body.block, table)
        return table

    def __init__(self, facts: Divisibility) -> None:
        super().__init__()
        self.facts = facts

    def __missing__(self, value: Value) -> Runs:
        if not isinstance(value.type, Tile):
            return ()
        return (Run(divisor=self.facts[value].divisor),) * len(value.type.shape)


_THROUGH_POINTERS = {Family.ATOMIC, Family.POINTER_LOAD, Family.POINTER_STORE}


def _block(block: Block, table: Contiguity) -> None:
    for op in block.ops:
        if op.name == "for":
            _loop(op, table)
            continue
        for region in op.regions:
            for inner in region.blocks:
                _block(inner, table)
        if rule := traits_of(op).contiguity:
            result = op.results[0]
            divisor = table.facts[result].divisor
            table[result] = tuple(
                replace(run, divisor=max(run.divisor, divisor)) for run in rule(op, table)
            )


def _loop(op: Op, table: Contiguity) -> None:
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
        elif family_of(op) is not Family.LOOP:
            for region in op.regions:
                for inner in region.blocks:
                    yield from _ends(inner)


def _meet(value: Value, first: Runs, second: Runs) -> Runs:
    unit = unit_of(value)
    return tuple(a.meet(b, unit) for a, b in zip(first, second, strict=True))
