"""Divisibility analysis: divisors and bounds of integers and addresses.

One access may cover sixteen bytes only if its address is a multiple of sixteen. Producers state
such facts in `assume` ops; this analysis propagates them through integer and address arithmetic in
one walk over the ops. Nothing is assumed of carried values, so no fixed point is needed. A fact
about a tile holds for each of its elements; one about a tensor view is about its base address.

Integers are read as signed. Arithmetic that might wrap loses its bounds, but keeps its divisor:
2**w is a multiple of every power of two in question.
"""

from __future__ import annotations

from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops import traits_of
from tileir.codegen.ops.divisibility import Facts, integer, range_of, unknown
from tileir.ir import Op, Value


class Divisibility(dict[Value, Facts]):
    """Maps values to facts; of values not in the table only the type is known."""

    @classmethod
    def of(cls, kernel: KernelIR) -> Divisibility:
        """Analyse the values of a kernel."""
        table = cls()
        for op in kernel.walk():
            _infer(op, table)
        return table

    def __missing__(self, value: Value) -> Facts:
        return unknown(value)


def _infer(op: Op, table: Divisibility) -> None:
    """Add the facts of an op's results, and of a loop's counter, to the table."""
    if op.name == "for":
        counter = op.regions[0].block.arguments[0]
        table[counter] = _within_type(_counter(op, table), counter)
    rule = traits_of(op).divisibility
    if rule is None:
        return
    inferred = rule(op, table)
    inferred = inferred if isinstance(inferred, list) else [inferred] * len(op.results)
    for value, facts in zip(op.results, inferred, strict=True):
        table[value] = _within_type(facts, value)


def _within_type(facts: Facts, value: Value) -> Facts:
    """Replace bounds beyond the type, where the number may have wrapped, by those of the type."""
    element = integer(value)
    if element is None:
        return Facts(facts.divisor)
    low, high = range_of(element)
    divisor = min(facts.divisor, 1 << element.bits)
    if facts.lower is None or facts.upper is None or facts.lower < low or facts.upper > high:
        return Facts(divisor, low, high)
    return Facts(divisor, facts.lower, facts.upper)


def _counter(op: Op, table: Divisibility) -> Facts:
    """The counter of a `for` starts at the lower bound and is below the upper one."""
    low, high, step = (table[op.operands[slot]] for slot in ("lowerBound", "upperBound", "step"))
    divisor = min(low.divisor, step.divisor)
    signed = not op.attributes["unsignedCmp"] or (low.not_negative and high.not_negative)
    if step.lower < 1 or not signed:
        return Facts(divisor)
    return Facts(divisor, low.lower, high.upper - 1)
