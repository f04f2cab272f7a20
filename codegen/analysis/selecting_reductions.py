"""Which reductions select one of two elements in either order, such as argmax.

The body of such a reduction compares operands with each other and selects by the results. A
comparison of two numbers has few outcomes (less, equal, greater, one or both NaN), so all of them
are tried: the same element must be selected if the operands are swapped, unless they are equal.

Elements that are equal may differ in their bits, as zeros of both signs do. So the order matters to
no bit only if no two elements are equal: where one of the tiles numbers the elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from tileir.codegen.layouts.linear_layout import combine, dim_bits, rank
from tileir.codegen.layouts.renumber import element_images
from tileir.ir import Block, Op, Value
from tileir.types import Scalar

MAX_OPERANDS = 3
"""Limit on operands, as the number of outcomes is a power of six."""
_LESS, _EQUAL, _GREATER, _FIRST_NAN, _SECOND_NAN, _BOTH_NAN = range(6)
_SWAPPED = (_GREATER, _EQUAL, _LESS, _SECOND_NAN, _FIRST_NAN, _BOTH_NAN)
_SAME = (_EQUAL, _BOTH_NAN)
_TRUE_FOR = {
    "equal": (_EQUAL,),
    "not_equal": (_LESS, _GREATER),
    "less_than": (_LESS,),
    "less_than_or_equal": (_LESS, _EQUAL),
    "greater_than": (_GREATER,),
    "greater_than_or_equal": (_GREATER, _EQUAL),
}
_LOGIC: dict[str, Callable[[bool, bool], bool]] = {
    "andi": lambda a, b: a and b,
    "ori": lambda a, b: a or b,
    "xori": lambda a, b: a != b,
}

Outcomes = tuple[int, ...]
"""The outcome of the comparison of each operand's two elements."""


class _Unknown(Exception):
    """Raised if the body does anything else."""


def chooses(op: Op) -> bool:
    """Whether the body of a reduce selects one of two elements, the same in either order."""
    operands = op.operands["operands"]
    if len(operands) > MAX_OPERANDS:
        return False
    block = op.regions[0].block
    try:
        return all(_is_fair(block, number) for number in range(len(operands)))
    except _Unknown:
        return False


def is_selection_by_number(op: Op) -> bool:
    """Whether the body of a reduce selects the same of two elements in either order, bit for bit.

    One condition selects for all operands, and one of these numbers the elements along the
    dimension that is reduced.
    """
    operands, block = op.operands["operands"], op.regions[0].block
    numbers = [number for number, value in enumerate(operands) if _is_numbering(op, value)]
    if not numbers or not chooses(op):
        return False
    choices = [value.owner for value in block.ops[-1].operand_list()]
    if len({choice.operands["cond"] for choice in choices}) > 1:
        return False
    firsts = {
        block.arguments.index(choice.operands["val_if_true"]) - 2 * number
        for number, choice in enumerate(choices)
    }
    if len(firsts) > 1:
        return False
    body, condition = _Body(block), choices[0].operands["cond"]
    possible: list[Sequence[int]] = list(body.possible())
    for number in numbers:
        possible[number] = (_LESS, _GREATER)
    return all(_swaps(body, condition, outcomes) for outcomes in product(*possible))


def _is_numbering(op: Op, value: Value) -> bool:
    """Whether all elements along the dimension of a reduce differ: the tile is an iota, spread."""
    bits = [1 << bit for bit in range(value.type.size.bit_length() - 1)]
    low, count = dim_bits(value.type.shape, op.attributes["dim"])
    along = bits[low : low + count]
    while isinstance(value.owner, Op):
        made = value.owner
        if made.name == "iota":
            return rank(along) == count
        if made.name not in ("broadcast", "convert_layout", "permute", "reshape"):
            return False
        images = element_images(made)
        if images is not None:
            along = [combine(images, bit) for bit in along]
        value = made.operands["source"]
    return False


def _swaps(body: _Body, condition: Value, outcomes: Outcomes) -> bool:
    """Whether a condition is another one if the operands are swapped."""
    swapped = tuple(_SWAPPED[outcome] for outcome in outcomes)
    return body.holds(condition, outcomes) != body.holds(condition, swapped)


def _is_fair(block: Block, number: int) -> bool:
    """Whether the value yielded for an operand does not depend on the order."""
    choice = list(block.ops[-1].operand_list())[number].owner
    pair = block.arguments[2 * number : 2 * number + 2]
    if not isinstance(choice, Op) or choice.name != "select":
        raise _Unknown
    condition, *chosen = choice.operand_list()
    if {*chosen} != {*pair}:
        raise _Unknown
    body = _Body(block)
    return all(
        outcomes[number] in _SAME or _swaps(body, condition, outcomes)
        for outcomes in product(*body.possible())
    )


class _Body:
    """The comparisons of a body; each operand may be compared with one signedness only."""

    def __init__(self, block: Block) -> None:
        self._block = block
        self._arguments = {value: divmod(at, 2) for at, value in enumerate(block.arguments)}
        self._signedness: dict[int, str] = {}

    def possible(self) -> list[range]:
        """Return the possible outcomes for each operand."""
        firsts = self._block.arguments[::2]
        return [range(3 if _is_integer(value) else 6) for value in firsts]

    def holds(self, condition: Value, outcomes: Outcomes) -> bool:
        """Whether an i1 that is computed from comparisons is true."""
        op = condition.owner
        if not isinstance(op, Op):
            raise _Unknown
        if op.name in _LOGIC:
            return _LOGIC[op.name](*(self.holds(each, outcomes) for each in op.operand_list()))
        if op.name not in ("cmpf", "cmpi"):
            raise _Unknown
        lhs, rhs = op.operand_list()
        outcome = self._compared(op, lhs, rhs, outcomes)
        if outcome > _GREATER:
            return op.attributes["comparison_ordering"] == "unordered"
        return outcome in _TRUE_FOR[op.attributes["comparison_predicate"]]

    def _compared(self, op: Op, lhs: Value, rhs: Value, outcomes: Outcomes) -> int:
        if lhs not in self._arguments or rhs not in self._arguments:
            raise _Unknown
        (number, left), (other, right) = self._arguments[lhs], self._arguments[rhs]
        signedness = op.attributes.get("signedness", "")
        if number != other or self._signedness.setdefault(number, signedness) != signedness:
            raise _Unknown
        outcome = outcomes[number]
        if left == right:
            nan = (_SECOND_NAN if left else _FIRST_NAN, _BOTH_NAN)
            return _BOTH_NAN if outcome in nan else _EQUAL
        return _SWAPPED[outcome] if left else outcome


def _is_integer(value: Value) -> bool:
    element = value.type.element
    return isinstance(element, Scalar) and element.name.startswith("i")
