"""One thread's share of a tile, and where in the tile it is.

A fragment is a mapping from offsets (see `layout`) to LLVM scalars: never a tile-wide vector, which
LLVM would take apart at great cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from llvmlite import ir

from tileir.ir import Op, Value

from ..kernel import Kernel
from ..passes.infer_divisibility import FactTable
from .assign_layouts import Assignment, element_images
from .layout import LinearLayout, combine, uniform
from .targets import Target

I1, I32, I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)

Fragment = Mapping[int, ir.Value]
"""Offset -> the element there."""


@dataclass(slots=True)
class Tensor:
    """A tensor view as LLVM values: sizes and strides are numbers where they are static."""

    base: ir.Value
    shape: Sequence[ir.Value | int]
    strides: Sequence[ir.Value | int]


@dataclass(slots=True)
class Context:
    """What lowering one kernel has at hand."""

    kernel: Kernel
    target: Target
    assignment: Assignment
    builder: ir.IRBuilder
    thread: ir.Value
    """The thread's number in its block, i32."""
    fragments: dict[tuple[Value, LinearLayout], Fragment] = field(default_factory=dict)
    tensors: dict[Value, Tensor] = field(default_factory=dict)
    _positions: dict[LinearLayout, ir.Value] = field(default_factory=dict)
    _owners: dict[int, ir.Value] = field(default_factory=dict)

    @property
    def facts(self) -> FactTable:
        return self.kernel.facts["infer_divisibility"]

    @property
    def uniform(self) -> LinearLayout:
        """The layout of a scalar."""
        return uniform(self.assignment.threads)

    def fragment(self, value: Value, layout: LinearLayout) -> Fragment:
        """A tile in a layout it was assigned; single elements only ever have the uniform one."""
        return self.fragments[value, self.uniform if value.type.size == 1 else layout]

    def operand(self, op: Op, value: Value, layout: LinearLayout) -> Fragment:
        """An operand, numbered by the offsets of the op's own layout."""
        images = element_images(op)
        source = self.fragment(value, layout if images is None else layout.compose(images))
        if value.type.size == 1:
            return dict.fromkeys(layout.offsets(), source[0])
        if images is None:
            return source
        return {offset: source[combine(images, offset)] for offset in layout.offsets()}

    def scalar(self, value: Value) -> ir.Value:
        """The one element of a rank-0 tile."""
        return self.fragments[value, self.uniform][0]

    def unsigned(self, value: Value) -> ir.Value:
        """The number in a rank-0 tile, read as unsigned, as i64."""
        number = self.scalar(value)
        return number if number.type == I64 else self.builder.zext(number, I64)

    def define(self, value: Value, layout: LinearLayout, fragment: Fragment) -> None:
        """Record what a value is. Of size 1 only the uniform layout is ever asked for."""
        self.fragments[value, layout] = fragment

    def define_scalar(self, value: Value, element: ir.Value) -> None:
        self.define(value, self.uniform, {0: element})

    def position(self, layout: LinearLayout) -> ir.Value:
        """What the thread contributes to the element number, i32."""
        if layout not in self._positions:
            self._positions[layout] = thread_position(self.builder, self.thread, layout)
        return self._positions[layout]

    def owner(self, layout: LinearLayout) -> ir.Value | None:
        """Whether this thread is the one of its copies that writes; None if there are none."""
        mask = layout.replicas
        if not mask:
            return None
        if mask not in self._owners:
            bits = self.builder.and_(self.thread, ir.Constant(I32, mask))
            self._owners[mask] = self.builder.icmp_unsigned("==", bits, ir.Constant(I32, 0))
        return self._owners[mask]


def thread_position(builder: ir.IRBuilder, thread: ir.Value, layout: LinearLayout) -> ir.Value:
    """The element number of a thread's first register: runs of thread bits, moved into place."""
    assert layout.is_permutation, "coordinates by slices need one bit per base"
    position: ir.Value = ir.Constant(I32, 0)
    for first, base, count in _runs(layout.thread):
        bits = builder.lshr(thread, ir.Constant(I32, first)) if first else thread
        if first + count < len(layout.thread):
            bits = builder.and_(bits, ir.Constant(I32, (1 << count) - 1))
        shift = base.bit_length() - 1
        moved = builder.shl(bits, ir.Constant(I32, shift)) if shift else bits
        position = moved if isinstance(position, ir.Constant) else builder.or_(position, moved)
    return position


def _runs(bases: Sequence[int]) -> list[tuple[int, int, int]]:
    """(first bit, its base, length) of stretches of bits whose bases are consecutive bits."""
    runs: list[tuple[int, int, int]] = []
    for bit, base in enumerate(bases):
        if base == 0:
            continue
        if runs and sum(runs[-1][::2]) == bit and runs[-1][1] << runs[-1][2] == base:
            runs[-1] = (*runs[-1][:2], runs[-1][2] + 1)
        else:
            runs.append((bit, base, 1))
    return runs


def coordinates(shape: Sequence[int], element: int) -> list[int]:
    """Row-major coordinates of an element."""
    result = []
    for extent in reversed(shape):
        result.append(element % extent)
        element //= extent
    return result[::-1]


def position_along(
    builder: ir.IRBuilder, position: ir.Value, shape: Sequence[int]
) -> list[ir.Value]:
    """The coordinates of an element number known at run time: slices of its bits."""
    result, low = [], 0
    for extent in reversed(shape):
        bits = extent.bit_length() - 1
        part = builder.lshr(position, ir.Constant(I32, low)) if low else position
        result.append(builder.and_(part, ir.Constant(I32, extent - 1)))
        low += bits
    return result[::-1]
