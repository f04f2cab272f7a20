"""Divisibility analysis: divisors and bounds of integers and addresses.

One access may cover sixteen bytes only if its address is a multiple of sixteen. Producers state
such facts in `assume` ops; this pass propagates them through integer and address arithmetic in one
walk over the ops. Nothing is assumed of carried values, so no fixed point is needed. A fact about a
tile holds for each of its elements; one about a tensor view is about its base address.

Integers are read as signed. Arithmetic that might wrap loses its bounds, but keeps its divisor:
2**w is a multiple of every power of two in question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tileir.attributes import Bounded, DivBy
from tileir.codegen.arguments.grid import MAX_EXTENT
from tileir.codegen.kernel import Kernel
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value
from tileir.types import Scalar, TensorView, Tile

MAX_DIVISOR = 1 << 62
"""The divisor of zero, and the largest divisor that `assume` can state."""
MAX_CONSTANT_ELEMENTS = 4096
"""Constants with more elements are not analysed."""


@dataclass(frozen=True, slots=True)
class Facts:
    """A power of two that divides the value, and inclusive bounds.

    Integers always have bounds, at least those of their type; other values have none.
    """

    divisor: int = 1
    lower: int | None = None
    upper: int | None = None

    @property
    def not_negative(self) -> bool:
        return self.lower is not None and self.lower >= 0

    @property
    def constant(self) -> int | None:
        """The value, if only one is possible."""
        return self.lower if self.lower == self.upper else None


class FactTable(dict[Value, Facts]):
    """Maps values to facts; of values not in the table only the type is known."""

    def __missing__(self, value: Value) -> Facts:
        return unknown(value)


Rule = Callable[[Op, FactTable], "Facts | list[Facts]"]


def infer_divisibility(kernel: Kernel, target: str) -> Kernel:
    """Add a FactTable to the kernel as `facts["infer_divisibility"]`; the body is unchanged."""
    table = FactTable()
    for op in kernel.walk():
        if op.name == "for":
            counter = op.regions[0].block.arguments[0]
            table[counter] = _within_type(_counter(op, table), counter)
        rule = _RULES.get(op.name)
        if rule is None:
            continue
        inferred = rule(op, table)
        inferred = inferred if isinstance(inferred, list) else [inferred] * len(op.results)
        for value, facts in zip(op.results, inferred, strict=True):
            table[value] = _within_type(facts, value)
    return replace(kernel, facts=kernel.facts | {"infer_divisibility": table})


def exactly(number: int) -> Facts:
    """Return the facts of a known number."""
    return Facts(min(number & -number, MAX_DIVISOR) if number else MAX_DIVISOR, number, number)


def unknown(value: Value) -> Facts:
    """Return the facts that the type alone implies."""
    element = _integer(value)
    return Facts(1, *_range(element)) if element else Facts()


def _integer(value: Value) -> Scalar | None:
    """Return the element type of an integer tile, else None."""
    element = value.type.element if isinstance(value.type, Tile) else None
    return element if isinstance(element, Scalar) and element.is_integer else None


def _range(element: Scalar) -> tuple[int, int]:
    """Return the signed range; that of i1 has -1 and 1, as ops read a set bit as either."""
    half = 1 << (element.bits - 1)
    return -half, max(half - 1, 1)


def _within_type(facts: Facts, value: Value) -> Facts:
    """Replace bounds beyond the type, where the number may have wrapped, by those of the type."""
    element = _integer(value)
    if element is None:
        return Facts(facts.divisor)
    low, high = _range(element)
    divisor = min(facts.divisor, 1 << element.bits)
    if facts.lower is None or facts.upper is None or facts.lower < low or facts.upper > high:
        return Facts(divisor, low, high)
    return Facts(divisor, facts.lower, facts.upper)


# Rules: one function for each op ------------------------------------------------------------


def _assume(op: Op, table: FactTable) -> Facts:
    facts, claim = table[op.operands["value"]], op.attributes["predicate"]
    if isinstance(claim, DivBy) and claim.every is None and claim.along is None:
        return replace(facts, divisor=max(facts.divisor, claim.divisor))
    if not isinstance(claim, Bounded) or facts.lower is None:
        return facts
    lower = facts.lower if claim.lower is None else max(facts.lower, claim.lower)
    upper = facts.upper if claim.upper is None else min(facts.upper, claim.upper)
    return replace(facts, lower=lower, upper=upper)


def _constant(op: Op, table: FactTable) -> Facts:
    constant, element = op.attributes["value"], _integer(op.result)
    count = 1 if constant.is_splat else constant.type.size
    if element is None or element.bits < 8 or count > MAX_CONSTANT_ELEMENTS:
        return unknown(op.result)
    sign = 1 << (element.bits - 1)
    numbers = [(constant.bits(index) ^ sign) - sign for index in range(count)]
    divisor = min(exactly(number).divisor for number in numbers)
    return Facts(divisor, min(numbers), max(numbers))


def _iota(op: Op, table: FactTable) -> Facts:
    return Facts(1, 0, op.result.type.size - 1)


def _addi(op: Op, table: FactTable) -> Facts:
    a, b = _operands(op, table)
    return _promised(op, Facts(min(a.divisor, b.divisor), a.lower + b.lower, a.upper + b.upper))


def _subi(op: Op, table: FactTable) -> Facts:
    a, b = _operands(op, table)
    return _promised(op, Facts(min(a.divisor, b.divisor), a.lower - b.upper, a.upper - b.lower))


def _negi(op: Op, table: FactTable) -> Facts:
    (a,) = _operands(op, table)
    return Facts(a.divisor, -a.upper, -a.lower)


def _muli(op: Op, table: FactTable) -> Facts:
    return _promised(op, _product(*_operands(op, table)))


def _promised(op: Op, facts: Facts) -> Facts:
    """Clip bounds to the type if the op promises not to wrap."""
    if op.attributes["overflow"] not in ("no_signed_wrap", "no_wrap"):
        return facts
    low, high = _range(op.result.type.element)
    if facts.lower > high or facts.upper < low:
        return facts
    return Facts(facts.divisor, max(facts.lower, low), min(facts.upper, high))


def _product(a: Facts, b: Facts) -> Facts:
    corners = [x * y for x in (a.lower, a.upper) for y in (b.lower, b.upper)]
    return Facts(min(a.divisor * b.divisor, MAX_DIVISOR), min(corners), max(corners))


def _shli(op: Op, table: FactTable) -> Facts:
    a, amount = _operands(op, table)
    if amount.constant is None or not 0 <= amount.constant < op.result.type.element.bits:
        return unknown(op.result)
    return _product(a, exactly(1 << amount.constant))


def _divi(op: Op, table: FactTable) -> Facts:
    """Handle division of non-negative numbers by a constant power of two."""
    a, by = _operands(op, table)[0], _operands(op, table)[1].constant
    if by is None or by <= 0 or by & (by - 1) or not a.not_negative:
        return unknown(op.result)
    up = by - 1 if op.attributes["rounding"] == "positive_inf" else 0
    return Facts(max(a.divisor // by, 1), (a.lower + up) // by, (a.upper + up) // by)


def _remi(op: Op, table: FactTable) -> Facts:
    a, b = _operands(op, table)
    if not a.not_negative or b.lower <= 0:
        return unknown(op.result)
    return Facts(min(a.divisor, b.divisor), 0, min(a.upper, b.upper - 1))


def _andi(op: Op, table: FactTable) -> Facts:
    """The result has the zero bits of both operands, and is at most each non-negative one."""
    a, b = _operands(op, table)
    uppers = [facts.upper for facts in (a, b) if facts.not_negative]
    lower, upper = (0, min(uppers)) if uppers else (None, None)
    return Facts(max(a.divisor, b.divisor), lower, upper)


def _ori(op: Op, table: FactTable) -> Facts:
    """The result of ori and xori has no bit above the highest of either operand."""
    a, b = _operands(op, table)
    divisor = min(a.divisor, b.divisor)
    if not a.not_negative or not b.not_negative:
        return Facts(divisor)
    return Facts(divisor, 0, (1 << max(a.upper, b.upper).bit_length()) - 1)


def _one_of(op: Op, table: FactTable) -> Facts:
    """The result of minimum, maximum and select is one of two values."""
    a, b = _operands(op, table)[-2:]
    divisor = min(a.divisor, b.divisor)
    if a.lower is None:
        return Facts(divisor)
    return Facts(divisor, min(a.lower, b.lower), max(a.upper, b.upper))


def _exti(op: Op, table: FactTable) -> Facts:
    (a,) = _operands(op, table)
    bits = op.operands["from"].type.element.bits
    signed = op.attributes["signedness"] == "signed"
    if bits == 1:
        # The bounds may have a set bit as 1 or as -1.
        return Facts(a.divisor, -1, 0) if signed else Facts(a.divisor, 0, 1)
    if signed or a.not_negative:
        return a
    return Facts(a.divisor, 0, (1 << bits) - 1)


def _counter(op: Op, table: FactTable) -> Facts:
    """The counter of a `for` starts at the lower bound and is below the upper one."""
    low, high, step = (table[op.operands[slot]] for slot in ("lowerBound", "upperBound", "step"))
    divisor = min(low.divisor, step.divisor)
    signed = not op.attributes["unsignedCmp"] or (low.not_negative and high.not_negative)
    if step.lower < 1 or not signed:
        return Facts(divisor)
    return Facts(divisor, low.lower, high.upper - 1)


def _same(op: Op, table: FactTable) -> Facts:
    return _operands(op, table)[0]


def _offset(op: Op, table: FactTable) -> Facts:
    ptr, amount = _operands(op, table)
    size = exactly(memory_bytes(op.result.type.element.pointee))
    return Facts(min(ptr.divisor, amount.divisor * size.divisor))


def _block_id(op: Op, table: FactTable) -> Facts:
    return Facts(1, 0, MAX_EXTENT - 1)


def _block_count(op: Op, table: FactTable) -> Facts:
    return Facts(1, 1, MAX_EXTENT)


def _tensor_shape(op: Op, table: FactTable) -> list[Facts]:
    return [facts_of_extent(op.operands["src"], dim, table) for dim in range(len(op.results))]


def _operands(op: Op, table: FactTable) -> list[Facts]:
    return [table[value] for value in op.operand_list()]


_RULES: dict[str, Rule] = {
    "addi": _addi,
    "andi": _andi,
    "assume": _assume,
    "broadcast": _same,
    "constant": _constant,
    "divi": _divi,
    "exti": _exti,
    "get_num_tile_blocks": _block_count,
    "get_tensor_shape": _tensor_shape,
    "get_tile_block_id": _block_id,
    "iota": _iota,
    "make_tensor_view": _same,
    "maxi": _one_of,
    "mini": _one_of,
    "muli": _muli,
    "negi": _negi,
    "offset": _offset,
    "ori": _ori,
    "permute": _same,
    "remi": _remi,
    "reshape": _same,
    "select": _one_of,
    "shli": _shli,
    "subi": _subi,
    "trunci": _same,
    "xori": _ori,
}


# Tensor views ------------------------------------------------------------------------------

_LOOKED_THROUGH = ("assume", "make_gather_scatter_view", "make_partition_view", "make_strided_view")


def tensor_view_op(view: Value) -> Op | None:
    """Return the make_tensor_view op that a view comes from, or None."""
    op = view.owner
    while isinstance(op, Op) and op.name in _LOOKED_THROUGH:
        op = next(op.operand_list()).owner
    return op if isinstance(op, Op) and op.name == "make_tensor_view" else None


def facts_of_extent(view: Value, dim: int, table: FactTable) -> Facts:
    """Return the facts of the extent along `dim` of the tensor behind a view."""
    return _facts_of_size(view, dim, "shape", "dynamicShape", table)


def facts_of_stride(view: Value, dim: int, table: FactTable) -> Facts:
    """Return the facts of the stride along `dim`, in elements, of the tensor behind a view."""
    return _facts_of_size(view, dim, "strides", "dynamicStrides", table)


def _facts_of_size(view: Value, dim: int, field: str, slot: str, table: FactTable) -> Facts:
    op = tensor_view_op(view)
    if op is None:
        return Facts()
    kind = op.result.type
    assert isinstance(kind, TensorView)
    sizes = getattr(kind, field)
    if sizes[dim] is not None:
        return exactly(sizes[dim])
    facts = table[op.operands[slot][sizes[:dim].count(None)]]
    # Sizes are unsigned: if negative as a signed number, they have no known bounds.
    return facts if facts.not_negative else Facts(facts.divisor)
