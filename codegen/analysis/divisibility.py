"""What is known of numbers and addresses before the kernel runs: divisors and bounds.

An access may move sixteen bytes at once only if its address is a multiple of sixteen. Producers
say such things in `assume` ops; this analysis carries them through integer and address arithmetic,
in one walk along the ops. What loops carry is unknown, so no iteration is needed. A fact about a
tile holds for each of its elements; one about a tensor view is about its base address.

Integers are read as signed. Arithmetic that might wrap loses its bounds, but keeps its divisor:
2**w is a multiple of every power of two in question.
"""

from __future__ import annotations

from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops import traits_of
from tileir.codegen.ops.divisibility import Facts, integer, range_of, unknown
from tileir.ir import Op, Value


class Divisibility(dict[Value, Facts]):
    """The analysis: facts by value; what is not in the table is unknown."""

    @classmethod
    def of(cls, kernel: KernelIR) -> Divisibility:
        """What is known of the values of a kernel."""
        table = cls()
        for op in kernel.walk():
            _infer(op, table)
        return table

    def __missing__(self, value: Value) -> Facts:
        return unknown(value)


def _infer(op: Op, table: Divisibility) -> None:
    """Note what is known of the results of an op, and of the counter of a loop."""
    if op.name == "for":
        counter = op.regions[0].block.arguments[0]
        table[counter] = _within_type(_counter(op, table), counter)
    rule = traits_of(op).divisibility
    if rule is None:
        return
    found = rule(op, table)
    found = found if isinstance(found, list) else [found] * len(op.results)
    for value, facts in zip(op.results, found, strict=True):
        table[value] = _within_type(facts, value)


def _within_type(facts: Facts, value: Value) -> Facts:
    """Bounds beyond the type mean that the number may have wrapped: then the type's count."""
    element = integer(value)
    if element is None:
        return Facts(facts.divisor)
    low, high = range_of(element)
    divisor = min(facts.divisor, 1 << element.bits)
    if facts.lower is None or facts.upper is None or facts.lower < low or facts.upper > high:
        return Facts(divisor, low, high)
    return Facts(divisor, facts.lower, facts.upper)


def _counter(op: Op, table: Divisibility) -> Facts:
    """The counter of a `for`: it begins at the lower bound, and is below the upper one."""
    low, high, step = (table[op.operands[slot]] for slot in ("lowerBound", "upperBound", "step"))
    divisor = min(low.divisor, step.divisor)
    signed = not op.attributes["unsignedCmp"] or (low.not_negative and high.not_negative)
    if step.lower < 1 or not signed:
        return Facts(divisor)
    return Facts(divisor, low.lower, high.upper - 1)
