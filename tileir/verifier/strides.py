"""Values that are nothing but strides: they matter only where an index multiplies them.

The only index along a dimension of extent 1 is 0, so any stride will do there. cuTile assumes that
it is a multiple of 16 bytes, even if it is 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from tileir.ir import Op, Value
from tileir.types import TensorView


class Stride(NamedTuple):
    """A stride that a make_tensor_view is given, and the dimension that it belongs to."""

    op: Op
    dimension: int
    value: Value

    @property
    def extent(self) -> Value | int:
        """The extent of the dimension."""
        static = cast("TensorView", self.op.result.type).shape
        given = _by_dimension(static, self.op.operands["dynamicShape"])
        return given.get(self.dimension, static[self.dimension] or 0)


def strides_of(op: Op) -> Iterator[Stride]:
    """Yield the dynamic strides of a make_tensor_view."""
    strides = cast("TensorView", op.result.type).strides
    for dimension, value in _by_dimension(strides, op.operands["dynamicStrides"]).items():
        yield Stride(op, dimension, value)


def only_strides(value: Value) -> list[Stride] | None:
    """Return what strides a value is, itself or as assumed to be so; None if it is more.

    A value without any use is more: of that, nothing is known.
    """
    found: list[Stride] = []
    uses = list(value.uses)
    if not uses:
        return None
    while uses:
        op, slot, _ = use = uses.pop()
        if op.name == "assume":
            uses += op.result.uses
        elif op.name == "make_tensor_view" and slot == "dynamicStrides":
            found += [stride for stride in strides_of(op) if stride.value is use.value]
        else:
            return None
    return found


def _by_dimension(static: Sequence[int | None], given: Sequence[Value]) -> dict[int, Value]:
    """Return the operands by the dimensions whose extent or stride the type leaves open."""
    open_ones = (dimension for dimension, number in enumerate(static) if number is None)
    return dict(zip(open_ones, given, strict=False))
