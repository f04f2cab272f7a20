"""What a scalar value of a kernel is, as a text of parameters, block numbers and grid extents.

A parameter is arg0, arg1 and so on, block.x the number of a tile block, grid.x the extent of the
grid. Values are followed through few ops, and texts stay short: what is further away is unknown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from tileir.formats.forks import not_forking
from tileir.ir import Block, Op, Value
from tileir.ir.constants import Constant
from tileir.types import GatherScatterView, PartitionView, Scalar, StridedView, TensorView, Tile

Extent = int | str
"""A number, or a text that stands for one."""

_DEEPEST, _LONGEST = 16, 120
"""Ops that a value is followed through, and characters of a text."""
_AXES = "xyz"
_VIEWS = (PartitionView, StridedView, GatherScatterView)


class Symbols:
    """The values of one kernel."""

    def __init__(self, entry: Block) -> None:
        self._known: dict[Value, Extent | None] = {
            value: f"arg{index}" for index, value in enumerate(entry.arguments)
        }
        self._depth = 0

    def of(self, value: Value) -> Extent | None:
        """Return what a value is; None if that is not known, or too long to tell."""
        if value not in self._known:
            self._known[value] = None  # for what refers to itself in a broken module
            if self._depth < _DEEPEST and isinstance(value.owner, Op):
                self._depth += 1
                found = self._of_result(value.owner, value.index)
                self._depth -= 1
                too_long = isinstance(found, str) and len(found) > _LONGEST
                self._known[value] = None if too_long else found
        return self._known[value]

    def trips(self, loop: Op) -> Extent | None:
        """Return how many times the body of a `for` runs; None if that is not known."""
        first, end, step = (
            self.of(loop.operands[slot]) for slot in ("lowerBound", "upperBound", "step")
        )
        if loop.attributes["unsignedCmp"]:
            first, end, step = (
                _unsigned(each, loop.operands["step"]) for each in (first, end, step)
            )
        if first is None or end is None or step is None or (isinstance(step, int) and step < 1):
            return None
        count = _quotient(_difference(end, first), step, math.ceil)
        return max(0, count) if isinstance(count, int) else count

    def _of_result(self, op: Op, index: int) -> Extent | None:
        if op.name == "constant":
            return _constant(op.attributes["value"])
        if op.name in _LAUNCH:
            return f"{_LAUNCH[op.name]}.{_AXES[index]}"
        if op.name in _SAME:
            source = op.operands[_SAME[op.name]]
            unsigned = op.attributes.get("signedness") == "unsigned"
            return _unsigned(self.of(source), source) if unsigned else self.of(source)
        if op.name in ("get_tensor_shape", "get_index_space_shape"):
            return self._extent(op, index)
        if op.name not in _BINARY and op.name != "divi":
            return None
        both = op.operands["lhs"], op.operands["rhs"]
        left, right = map(self.of, both)
        if op.attributes.get("signedness") == "unsigned":
            left, right = map(_unsigned, (left, right), both)
        if left is None or right is None:
            return None
        if op.name == "divi":
            found = _quotient(left, right, _ROUNDINGS.get(op.attributes["rounding"]))
        else:
            found = _BINARY[op.name](left, right)
        return _signed(found, op.results[index])

    def _extent(self, op: Op, dim: int) -> Extent | None:
        """Return the extent of a tensor along a dimension, or that of an index space."""
        view, step = op.operands["src"], 1
        kind = view.type
        if op.name == "get_index_space_shape":
            if not isinstance(kind, _VIEWS):
                return None
            with not_forking:
                from tileir.codegen.analysis.view_geometry import dimensions, steps

            dim, step = dimensions(kind)[dim], steps(kind)[dim]
        maker = view.owner
        while isinstance(maker, Op) and maker.name != "make_tensor_view":
            source = maker.operands.get("tensor_view", maker.operands.get("value"))
            maker = source.owner if isinstance(source, Value) else None
        if not isinstance(maker, Op) or not isinstance(maker.results[0].type, TensorView):
            return None
        shape = maker.results[0].type.shape
        size: Extent | None = shape[dim]
        if size is None:
            size = self.of(maker.operands["dynamicShape"][shape[:dim].count(None)])
        return None if size is None else _quotient(size, step, math.ceil)


_LAUNCH: Mapping[str, str] = {"get_tile_block_id": "block", "get_num_tile_blocks": "grid"}
_SAME: Mapping[str, str] = {"assume": "value", "exti": "from"}
"""Op -> the operand whose number it hands on."""
_Rounding = Callable[[Fraction], int]
_ROUNDINGS: Mapping[str, _Rounding] = {
    "positive_inf": math.ceil, "negative_inf": math.floor, "zero": math.trunc,
}  # fmt: skip
"""Rounding of a division -> the function, whose name stands in formulas."""


def _constant(value: object) -> int | None:
    if not isinstance(value, Constant) or value.type.rank or not value.fits:
        return None
    number = value.value()
    return number if isinstance(number, int) else None


def _unsigned(extent: Extent | None, value: Value) -> Extent | None:
    """Return an extent read without a sign: a number below zero is a large one."""
    element = value.type.element if isinstance(value.type, Tile) else None
    if isinstance(extent, int) and isinstance(element, Scalar):
        return extent % (1 << element.bits)
    return extent


def _signed(extent: Extent | None, value: Value) -> Extent | None:
    """Return an extent as a value of that many bits has it: a number too large wraps around."""
    element = value.type.element if isinstance(value.type, Tile) else None
    if isinstance(extent, int) and isinstance(element, Scalar):
        half = 1 << (element.bits - 1)
        return (extent + half) % (2 * half) - half
    return extent


def _sum(left: Extent, right: Extent) -> Extent:
    if isinstance(left, int) and isinstance(right, int):
        return left + right
    if left == 0 or right == 0:
        return right if left == 0 else left
    if isinstance(right, int) and right < 0:
        return f"{left} - {-right}"
    return f"{left} + {right}"


def _difference(left: Extent, right: Extent) -> Extent:
    if isinstance(left, int) and isinstance(right, int):
        return left - right
    if isinstance(right, int):
        return _sum(left, -right)
    return f"{left} - {factor(right)}"


def _product(left: Extent, right: Extent) -> Extent:
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    if left == 1 or right == 1:
        return right if left == 1 else left
    return f"{factor(left)} * {factor(right)}"


def _quotient(left: Extent, right: Extent, rounding: _Rounding | None) -> Extent | None:
    if right == 0 or rounding is None:
        return None
    if isinstance(left, int) and isinstance(right, int):
        return rounding(Fraction(left, right))
    return left if right == 1 else f"{rounding.__name__}({factor(left)} / {factor(right)})"


def _remainder(left: Extent, right: Extent) -> Extent | None:
    if isinstance(left, int) and isinstance(right, int):
        return None  # its sign follows from the dividend: not worth a rule
    return f"{factor(left)} % {factor(right)}"


def _extreme(name: str, of: Callable[[int, int], int]) -> Callable[[Extent, Extent], Extent]:
    def extreme(left: Extent, right: Extent) -> Extent:
        if isinstance(left, int) and isinstance(right, int):
            return of(left, right)
        return f"{name}({left}, {right})"

    return extreme


_BINARY: Mapping[str, Callable[[Extent, Extent], Extent | None]] = {
    "addi": _sum,
    "subi": _difference,
    "muli": _product,
    "remi": _remainder,
    "mini": _extreme("min", min),
    "maxi": _extreme("max", max),
}
"""Op -> what it makes of its operands `lhs` and `rhs`."""


def factor(extent: Extent) -> str:
    """Return a text that can stand in a product: a call and a name can, a sum cannot."""
    text = str(extent)
    return text if text.isidentifier() or text.isdecimal() or _is_atom(text) else f"({text})"


def _is_atom(text: str) -> bool:
    """Whether a text is one name of a launch such as block.x, or one call such as min(a, b)."""
    depth = 0
    for place, sign in enumerate(text):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth == 0 and (sign == " " or (sign == ")" and place + 1 < len(text))):
            return False
    return text[:1].isalpha()
