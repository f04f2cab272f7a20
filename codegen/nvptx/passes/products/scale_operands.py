"""Products of scaled operands as products of operands that have been scaled before.

Where no instruction takes scales, either the sum of each run of elements with a common scale is
multiplied by two of them, which is arithmetic for every element of the accumulator and every run;
or the elements are, which is arithmetic for every element of the operands. That is far less, and
the product is like any other one. But it is the same product only if an element times its scale is
a number of the type that tensor cores multiply, with all its bits and whatever its exponent is:

- f4E2M1FN has 2 bits and f8E4M3FN 4, so the product has 6, from 2^-10 to 2688: f16 has it.
- fnv8E5M3FNU has 4 bits, too; the product goes from 2^-18 to 6 * 114688: bf16 has it.
- f8E8M0FNU is a power of two, from 2^-127 to 2^127. bf16 has its products with f4E2M1FN after
  they have been divided by 4, from 2^-130 to 1.5 * 2^127; so the sum is multiplied by 16. Of
  sums below 2^-122, whose sixteenth is subnormal, up to four bits are lost by that.
- Elements of 8 bits times powers of two have more exponents than any type of 16 or 32 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tileir.codegen.block.make import make
from tileir.codegen.kernel import KernelIR
from tileir.formats.ops import BY_NAME
from tileir.gpus import Target
from tileir.ir import Op, Value
from tileir.ir.constants import to_constant
from tileir.types import Scalar, Tile

_NEAREST = {"rounding_mode": "nearest_even"}


class Way(NamedTuple):
    """A type that has all elements times their scales, divided by a number."""

    element: str
    scale: str
    type: str
    divisor: int = 1


WAYS = (
    Way("f4E2M1FN", "f8E4M3FN", "f16"),
    Way("f4E2M1FN", "fnv8E5M3FNU", "bf16"),
    Way("f4E2M1FN", "f8E8M0FNU", "bf16", 4),
)


def scale_operands(kernel: KernelIR, target: Target) -> None:
    """Make products of scaled operands of the scaled products whose operands have a type for it."""
    found = [op for op in kernel.walk() if op.name == "mmaf_scaled"]
    for op in found:
        elements = [op.operands[slot].type.element.name for slot in ("lhs", "lhs_scale")]
        way = next((way for way in WAYS if [way.element, way.scale] == elements), None)
        if way is not None and (way.type != "bf16" or target.has_natively("mma.sync bf16")):
            _replace(op, way)
    if found:
        kernel.edited()


def _replace(op: Op, way: Way) -> None:
    """Replace a scaled product."""
    made = _Ops(op)
    lhs, rhs = (
        made.scaled(op.operands[slot], op.operands[f"{slot}_scale"], dim, way)
        for slot, dim in (("lhs", -1), ("rhs", -2))
    )
    acc: Value = op.operands["acc"]
    total = acc if way.divisor == 1 else made.constant(0.0, acc.type)
    total = made.product(lhs, rhs, total)
    if way.divisor != 1:
        factor = made.constant(float(way.divisor**2), acc.type)
        operands = {"lhs": total, "rhs": factor, "acc": acc}
        total = made.add("fma", operands, _NEAREST, acc.type)
    op.replace_with(total)


class _Ops:
    """Adds ops before another one."""

    def __init__(self, anchor: Op) -> None:
        self._anchor = anchor

    def add(self, name: str, operands: dict, attributes: dict, kind: Tile) -> Value:
        """Add an op with one result, and return that."""
        made = make(name, operands, attributes, [kind], origin=self._anchor)
        made.insert_before(self._anchor)
        return made.result

    def product(self, lhs: Value, rhs: Value, acc: Value) -> Value:
        """Add an mmaf, which is no op of the block IR."""
        anchor = self._anchor
        location = anchor.unread_location or anchor.location
        operands, attributes = {"lhs": lhs, "rhs": rhs, "acc": acc}, {"fast_acc": False}
        made = Op(
            BY_NAME["mmaf"], operands, attributes, position=anchor.position, location=location
        )
        made.results = [Value(acc.type, made, 0)]
        made.insert_before(anchor)
        return made.result

    def constant(self, number: float, kind: Tile) -> Value:
        """Add a constant, all elements of which are a number."""
        return self.add("constant", {}, {"value": to_constant(number, kind)}, kind)

    def scaled(self, value: Value, scale: Value, dim: int, way: Way) -> Value:
        """Add what multiplies an operand by its scales along a dimension, counted from the end.

        One that is permuted is multiplied before: as it was loaded, so that its neighbours in
        registers are those in memory.
        """
        shape, kind = value.type.shape, Scalar(way.type)
        factors = self._converted(scale, kind)
        if way.divisor != 1:
            part = self.constant(1 / way.divisor, factors.type)
            factors = self.add("mulf", {"lhs": factors, "rhs": part}, _NEAREST, factors.type)
        runs = list(scale.type.shape)
        at = len(runs) + dim + 1
        apart = Tile(kind, (*runs[:at], 1, *runs[at:]))
        length = shape[dim] // runs[dim]
        repeated = Tile(kind, (*runs[:at], length, *runs[at:]))
        factors = self.add("reshape", {"source": factors}, {}, apart)
        factors = self.add("broadcast", {"source": factors}, {}, repeated)
        factors = self.add("reshape", {"source": factors}, {}, Tile(kind, shape))
        permuted = value.owner
        if not isinstance(permuted, Op) or permuted.name != "permute":
            return self._product(value, factors)
        source, order = permuted.operands["source"], permuted.attributes["permutation"]
        inverse = tuple(order.index(dim) for dim in range(len(order)))
        before = self._permuted(factors, inverse)
        return self._permuted(self._product(source, before), order)

    def _product(self, value: Value, factors: Value) -> Value:
        """Add what multiplies each element by its factor."""
        kind = factors.type
        operands = {"lhs": self._converted(value, kind.element), "rhs": factors}
        return self.add("mulf", operands, _NEAREST, kind)

    def _permuted(self, value: Value, order: Sequence[int]) -> Value:
        shape = tuple(value.type.shape[dim] for dim in order)
        kind = Tile(value.type.element, shape)
        return self.add("permute", {"source": value}, {"permutation": tuple(order)}, kind)

    def _converted(self, value: Value, kind: Scalar) -> Value:
        return self.add("ftof", {"from": value}, _NEAREST, Tile(kind, value.type.shape))
