"""Rules of the divisibility analysis: a function for each kind of op, named in the op's row.

Integers are read as signed. Rules compute with them as if they had no width: bounds beyond the type
mean that the number may have wrapped, and the analysis drops them (see `analysis.divisibility`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tileir.attributes import Bounded, DivBy
from tileir.codegen.scalar.sizes import memory_bytes
from tileir.ir import Op, Value
from tileir.launch.grid_limits import MAX_EXTENT
from tileir.types import Scalar, Tile

MAX_DIVISOR = 1 << 62
"""The divisor of zero, and the largest divisor that `assume` can state."""
MAX_CONSTANT_ELEMENTS = 4096
"""Constants with more elements are not analysed."""


@dataclass(frozen=True, slots=True)
class Facts:
    """A power of two that divides the value, and inclusive bounds.

    Integers always have bounds, at least those of their type; other values have none, which rules
    for integers need not ask.
    """

    divisor: int = 1
    lower: int | Any = None
    upper: int | Any = None

    @property
    def not_negative(self) -> bool:
        return self.lower is not None and self.lower >= 0

    @property
    def constant(self) -> int | None:
        """The value if only one is possible, else None."""
        return self.lower if self.lower == self.upper else None


Known = Mapping[Value, Facts]
"""Maps values to facts; at least those that the type implies."""
Rule = Callable[[Op, Known], Facts | list[Facts]]
"""Returns the facts of an op's results: a list, or one for all of them."""


def exactly(number: int) -> Facts:
    """Return the facts of a known number."""
    return Facts(min(number & -number, MAX_DIVISOR) if number else MAX_DIVISOR, number, number)


def unknown(value: Value) -> Facts:
    """Return the facts that the type alone implies."""
    element = integer(value)
    return Facts(1, *range_of(element)) if element else Facts()


def integer(value: Value) -> Scalar | None:
    """Return the element type of an integer tile, else None."""
    element = value.type.element if isinstance(value.type, Tile) else None
    return element if isinstance(element, Scalar) and element.is_integer else None


def range_of(element: Scalar) -> tuple[int, int]:
    """Return the signed range; that of i1 has -1 and 1, as ops read a set bit as either."""
    half = 1 << (element.bits - 1)
    return -half, max(half - 1, 1)


def assume(op: Op, table: Known) -> Facts:
    facts, claim = table[op.operands["value"]], op.attributes["predicate"]
    if isinstance(claim, DivBy) and claim.every is None and claim.along is None:
        return replace(facts, divisor=max(facts.divisor, claim.divisor))
    if not isinstance(claim, Bounded) or facts.lower is None:
        return facts
    lower = facts.lower if claim.lower is None else max(facts.lower, claim.lower)
    upper = facts.upper if claim.upper is None else min(facts.upper, claim.upper)
    return replace(facts, lower=lower, upper=upper)


def constant(op: Op, table: Known) -> Facts:
    value, element = op.attributes["value"], integer(op.result)
    count = 1 if value.is_splat else value.type.size
    if element is None or element.bits < 8 or count > MAX_CONSTANT_ELEMENTS:
        return unknown(op.result)
    sign = 1 << (element.bits - 1)
    numbers = [(value.bits(index) ^ sign) - sign for index in range(count)]
    divisor = min(exactly(number).divisor for number in numbers)
    return Facts(divisor, min(numbers), max(numbers))


def iota(op: Op, table: Known) -> Facts:
    return Facts(1, 0, op.result.type.size - 1)


def addi(op: Op, table: Known) -> Facts:
    a, b = _operands(op, table)
    return _promised(op, Facts(min(a.divisor, b.divisor), a.lower + b.lower, a.upper + b.upper))


def subi(op: Op, table: Known) -> Facts:
    a, b = _operands(op, table)
    return _promised(op, Facts(min(a.divisor, b.divisor), a.lower - b.upper, a.upper - b.lower))


def negi(op: Op, table: Known) -> Facts:
    (a,) = _operands(op, table)
    return Facts(a.divisor, -a.upper, -a.lower)


def muli(op: Op, table: Known) -> Facts:
    return _promised(op, _product(*_operands(op, table)))


def _promised(op: Op, facts: Facts) -> Facts:
    """Clip bounds to the type if the op promises not to wrap."""
    if op.attributes["overflow"] not in ("no_signed_wrap", "no_wrap"):
        return facts
    low, high = range_of(op.result.type.element)
    if facts.lower > high or facts.upper < low:
        return facts
    return Facts(facts.divisor, max(facts.lower, low), min(facts.upper, high))


def _product(a: Facts, b: Facts) -> Facts:
    corners = [x * y for x in (a.lower, a.upper) for y in (b.lower, b.upper)]
    return Facts(min(a.divisor * b.divisor, MAX_DIVISOR), min(corners), max(corners))


def shli(op: Op, table: Known) -> Facts:
    a, amount = _operands(op, table)
    if amount.constant is None or not 0 <= amount.constant < op.result.type.element.bits:
        return unknown(op.result)
    return _product(a, exactly(1 << amount.constant))


def divi(op: Op, table: Known) -> Facts:
    """Handle division of non-negative numbers by a constant power of two."""
    a, by = _operands(op, table)[0], _operands(op, table)[1].constant
    if by is None or by <= 0 or by & (by - 1) or not a.not_negative:
        return unknown(op.result)
    up = by - 1 if op.attributes["rounding"] == "positive_inf" else 0
    return Facts(max(a.divisor // by, 1), (a.lower + up) // by, (a.upper + up) // by)


def remi(op: Op, table: Known) -> Facts:
    a, b = _operands(op, table)
    if not a.not_negative or b.lower <= 0:
        return unknown(op.result)
    return Facts(min(a.divisor, b.divisor), 0, min(a.upper, b.upper - 1))


def andi(op: Op, table: Known) -> Facts:
    """The result has the zero bits of both operands, and is at most each non-negative one."""
    a, b = _operands(op, table)
    uppers = [facts.upper for facts in (a, b) if facts.not_negative]
    lower, upper = (0, min(uppers)) if uppers else (None, None)
    return Facts(max(a.divisor, b.divisor), lower, upper)


def ori(op: Op, table: Known) -> Facts:
    """The result of ori and xori has no bit above the highest of either operand."""
    a, b = _operands(op, table)
    divisor = min(a.divisor, b.divisor)
    if not a.not_negative or not b.not_negative:
        return Facts(divisor)
    return Facts(divisor, 0, (1 << max(a.upper, b.upper).bit_length()) - 1)


def one_of(op: Op, table: Known) -> Facts:
    """The result of minimum, maximum and select is one of two values."""
    a, b = _operands(op, table)[-2:]
    divisor = min(a.divisor, b.divisor)
    if a.lower is None:
        return Facts(divisor)
    return Facts(divisor, min(a.lower, b.lower), max(a.upper, b.upper))


def exti(op: Op, table: Known) -> Facts:
    (a,) = _operands(op, table)
    bits = op.operands["from"].type.element.bits
    signed = op.attributes["signedness"] == "signed"
    if bits == 1:
        # The bounds may have a set bit as 1 or as -1.
        return Facts(a.divisor, -1, 0) if signed else Facts(a.divisor, 0, 1)
    if signed or a.not_negative:
        return a
    return Facts(a.divisor, 0, (1 << bits) - 1)


def same(op: Op, table: Known) -> Facts:
    """Ops that move elements, or drop upper bits, keep the facts of the first operand."""
    return _operands(op, table)[0]


def offset(op: Op, table: Known) -> Facts:
    ptr, amount = _operands(op, table)
    size = exactly(memory_bytes(op.result.type.pointee))
    return Facts(min(ptr.divisor, amount.divisor * size.divisor))


def block_id(op: Op, table: Known) -> Facts:
    """The results are the coordinates of a block in its grid."""
    return Facts(1, 0, MAX_EXTENT - 1)


def block_count(op: Op, table: Known) -> Facts:
    """The results are the extents of a grid, at least one."""
    return Facts(1, 1, MAX_EXTENT)


def _operands(op: Op, table: Known) -> list[Facts]:
    return [table[value] for value in op.operand_list()]
