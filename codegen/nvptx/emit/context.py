"""What is in scope where an op of the block IR is lowered to LLVM IR: a builder, and values.

A tile is a *fragment*, one thread's elements: it maps offsets (see `linear_layout`) to LLVM
scalars. It is never a vector of all elements, which LLVM would take apart at great cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

from llvmlite import ir

from tileir.codegen.block.types import Frag, registers_of
from tileir.codegen.layouts.linear_layout import LANE_BITS, LinearLayout, combine, uniform
from tileir.codegen.layouts.renumber import element_images
from tileir.codegen.llvm.folding_builder import FoldingBuilder
from tileir.codegen.llvm.integer_folding import number
from tileir.ir import Block, Op, Value

from .sequences.shuffle import shuffle

I1, I32, I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)

_FIRST_WARP, _WARP = -1, -2
"""The keys of the test for the first warp, and of the warp's number, among those of tests for masks
of a thread's number."""
Fragment = Mapping[int, ir.Value]
"""Offset -> the element there."""


@dataclass(slots=True)
class TensorDescriptor:
    """A tensor view as LLVM values; static sizes and strides (in elements) are numbers."""

    base: ir.Value
    shape: Sequence[ir.Value | int]
    strides: Sequence[ir.Value | int]


@dataclass(slots=True)
class ControlScope:
    """An op whose region is being lowered: where its terminators branch to, and what they set.

    They branch to the LLVM block `after` the op, or to the one that starts the body `again`.
    `results` and `carried` are the variables that they set: for each value a list of them, in the
    order of the offsets of the value's layout.
    """

    op: Op
    after: ir.Block
    again: ir.Block | None = None
    results: list[list[ir.Value]] = field(default_factory=list)
    carried: list[list[ir.Value]] = field(default_factory=list)


@dataclass(slots=True)
class Context:
    """The builder, and the LLVM form of every value that is in scope.

    In `values`, a tile is a `Fragment`, a view a `TensorDescriptor`, a tile in shared memory its
    address (i32), a turn the address of its slot (i32). Tokens and flights have no form.
    """

    builder: FoldingBuilder
    thread: ir.Value
    """The number of the thread in its block, i32."""
    threads: int
    """How many threads a block has."""
    lower_block: Callable[[Context, Block], None]
    lower_op: Callable[[Context, Op], None]
    exit: ir.Block
    """The LLVM block that ends the thread, the target of `return`."""
    tensor_maps: Sequence[ir.Value] = ()
    """The addresses of the tensor maps that follow the parameters."""
    values: dict[Value, Any] = field(default_factory=dict)
    scopes: list[ControlScope] = field(default_factory=list)
    """The control flow around the op that is being lowered, innermost last."""
    under_way: dict[Value, Sequence[ir.Value]] = field(default_factory=dict)
    """Flight of a product -> the registers of lhs that it reads until it is awaited."""
    _positions: dict[tuple[int, ...], ir.Value] = field(default_factory=dict)
    _owners: dict[int, ir.Value] = field(default_factory=dict)

    def layout(self, value: Value) -> LinearLayout:
        """Return the layout of a tile, or of one under way; a single element is in every thread."""
        kind = registers_of(value.type)
        return kind.layout if isinstance(kind, Frag) else uniform(self.threads)

    def fragment(self, value: Value) -> Fragment:
        """Return this thread's elements of a tile."""
        return self.values[value]

    def operand(self, op: Op, value: Value, layout: LinearLayout) -> Fragment:
        """Return an operand by the offsets of the layout of the op."""
        bases = element_images(op)
        source = self.values[value]
        if value.type.size == 1:
            return dict.fromkeys(layout.offsets(), source[0])
        if bases is None:
            return source
        return {offset: source[combine(bases, offset)] for offset in layout.offsets()}

    def scalar(self, value: Value) -> ir.Value:
        """Return the element of a tile of one element."""
        return self.values[value][0]

    def unsigned(self, value: Value) -> ir.Value:
        """Return the element of a tile of one element, zero-extended to i64."""
        number = self.scalar(value)
        return number if number.type == I64 else self.builder.zext(number, I64)

    def define(self, value: Value, form: Any) -> None:
        """Record the LLVM form of a value."""
        self.values[value] = form

    def define_scalar(self, value: Value, element: ir.Value) -> None:
        """Record the element of a tile of one element."""
        self.values[value] = {0: element}

    def variable(self, kind: ir.Type) -> ir.Value:
        """Return a stack variable, which LLVM promotes to a register."""
        with self.builder.goto_entry_block():
            return self.builder.alloca(kind)

    def position(self, layout: LinearLayout) -> ir.Value:
        """Return what the thread's number contributes to the element number, i32."""
        return self.combined(layout.thread)

    def combined(self, bases: tuple[int, ...]) -> ir.Value:
        """Return the exclusive or of the bases that the bits of the thread's number select, i32."""
        if bases not in self._positions:
            # In the entry block, as other blocks use it too.
            with self.builder.goto_entry_block():
                self._positions[bases] = thread_position(self.builder, self.thread, bases)
        return self._positions[bases]

    def thread_bit(self, bit: int) -> ir.Value:
        """Return whether a bit of the thread's number is set, i1."""
        return self.thread_has(1 << bit)

    def thread_has(self, mask: int) -> ir.Value:
        """Return whether any of these bits of the thread's number is set, i1."""
        if mask not in self._owners:
            with self.builder.goto_entry_block():
                bits = self.builder.and_(self.thread, ir.Constant(I32, mask))
                self._owners[mask] = self.builder.icmp_unsigned("!=", bits, ir.Constant(I32, 0))
        return self._owners[mask]

    def in_first_warp(self) -> ir.Value:
        """Return whether the thread is in the first warp, i1, so that ptxas knows that it is the
        same in all lanes."""
        if _FIRST_WARP not in self._owners:
            warp = self.warp()
            with self.builder.goto_entry_block():
                first = self.builder.icmp_unsigned("==", warp, ir.Constant(I32, 0))
                self._owners[_FIRST_WARP] = first
        return self._owners[_FIRST_WARP]

    def warp(self) -> ir.Value:
        """Return the number of the thread's warp, i32, so that ptxas knows that it is the same in
        all lanes."""
        if _WARP not in self._owners:
            with self.builder.goto_entry_block():
                warp = self.builder.lshr(self.thread, ir.Constant(I32, LANE_BITS))
                self._owners[_WARP] = shuffle(self.builder, "idx", warp, ir.Constant(I32, 0))
        return self._owners[_WARP]

    def inside(
        self, layout: LinearLayout, cut: int, distance: int, predicate: ir.Value | None
    ) -> ir.Value | bool | None:
        """Return whether an element is in a part of a tile, and the predicate holds.

        The elements of a part agree in the bits of the mask `cut`. `distance` is the exclusive or
        of these bits of the part and the offset of the element. None means always, False never.
        """
        chooser, part = tuple(base & cut for base in layout.thread), distance & cut
        if part & ~reduce(or_, chooser, 0):
            return False
        if not any(chooser):
            return predicate
        mine = self.combined(chooser)
        test = self.builder.icmp_unsigned("==", mine, ir.Constant(I32, part))
        return test if predicate is None else self.builder.and_(test, predicate)

    def owner(self, layout: LinearLayout) -> ir.Value | None:
        """Return whether this thread is the owner of its copies; None if there are no copies."""
        mask = layout.replicas
        if not mask:
            return None
        if ~mask not in self._owners:
            with self.builder.goto_entry_block():
                bits = self.builder.and_(self.thread, ir.Constant(I32, mask))
                self._owners[~mask] = self.builder.icmp_unsigned("==", bits, ir.Constant(I32, 0))
        return self._owners[~mask]


def thread_position(builder: ir.IRBuilder, thread: ir.Value, bases: Sequence[int]) -> ir.Value:
    """Return the exclusive or of the bases of the bits set in a thread's number, i32.

    Bits that are shifted by the same distance are shifted together.
    """
    masks: dict[int, int] = {}
    for bit, base in enumerate(bases):
        for target in range(base.bit_length()):
            if base >> target & 1:
                masks[target - bit] = masks.get(target - bit, 0) | 1 << bit
    position: ir.Value = ir.Constant(I32, 0)
    for distance, mask in masks.items():
        bits = thread
        if mask != (1 << len(bases)) - 1:
            bits = builder.and_(thread, ir.Constant(I32, mask))
        if distance:
            move = builder.shl if distance > 0 else builder.lshr
            bits = move(bits, ir.Constant(I32, abs(distance)))
        position = bits if number(position) == 0 else builder.xor(position, bits)
    return position


def coordinates(shape: Sequence[int], element: int) -> list[int]:
    """Return the coordinates of an element, given its row-major number."""
    result = []
    for extent in reversed(shape):
        result.append(element % extent)
        element //= extent
    return result[::-1]


def position_along(
    builder: ir.IRBuilder, position: ir.Value, shape: Sequence[int]
) -> list[ir.Value]:
    """Return the coordinates of an element number known at run time: groups of its bits."""
    result, low = [], 0
    for extent in reversed(shape):
        bits = extent.bit_length() - 1
        part = builder.lshr(position, ir.Constant(I32, low)) if low else position
        result.append(builder.and_(part, ir.Constant(I32, extent - 1)))
        low += bits
    return result[::-1]
