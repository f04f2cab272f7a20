"""One thread's share of a tile, and where in the tile it is.

A fragment is a mapping from offsets (see `layout`) to LLVM scalars: never a tile-wide vector, which
LLVM would take apart at great cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from llvmlite import ir

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.kernel import Kernel
from tileir.codegen.layouts.linear_layout import LinearLayout, combine, uniform
from tileir.codegen.layouts.renumber import element_images, needed
from tileir.codegen.nvptx.launch.line_table import LineTable
from tileir.codegen.nvptx.schedule.assignment import Assignment
from tileir.codegen.nvptx.schedule.staged import Staged
from tileir.codegen.nvptx.state import KernelState
from tileir.codegen.remarks import Remark
from tileir.gpus import Target
from tileir.ir import Block, Op, Value

from .shared import SharedMemory

I1, I32, I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)

EMISSION = "emit_llvm"
"""The stage in which ops are lowered."""

Fragment = Mapping[int, ir.Value]
"""Offset -> the element there."""


@dataclass(slots=True)
class TensorDescriptor:
    """A tensor view as LLVM values: sizes and strides are numbers where they are static."""

    base: ir.Value
    shape: Sequence[ir.Value | int]
    strides: Sequence[ir.Value | int]


@dataclass(slots=True)
class ControlScope:
    """An op whose region is being lowered: where its terminators go.

    `results` and `carried` are the variables that those set, one list a value: register by
    register, in the order of the offsets of the value's home.
    """

    op: Op
    after: ir.Block
    again: ir.Block | None = None
    results: list[list[ir.Value]] = field(default_factory=list)
    carried: list[list[ir.Value]] = field(default_factory=list)


@dataclass(slots=True)
class EmitContext:
    """What lowering one kernel has at hand."""

    state: KernelState
    """What has been decided about the kernel."""
    target: Target
    builder: ir.IRBuilder
    thread: ir.Value
    """The thread's number in its block, i32."""
    shared: SharedMemory
    heap: dict[Op, ir.Value] = field(default_factory=dict)
    """The addresses of the block's variables that lie on the heap."""
    op: Op | None = None
    """The op that is being lowered."""
    lower_block: Callable[[EmitContext, Block], None] | None = None
    lower_op: Callable[[EmitContext, Op], None] | None = None
    lines: LineTable | None = None
    """Which lines of source ops come from, if anyone wants to know."""
    exit: ir.Block | None = None
    """Where the thread ends, for a `return` that others follow."""
    scopes: list[ControlScope] = field(default_factory=list)
    """The control flow around the op that is being lowered, innermost last."""
    fragments: dict[tuple[Value, LinearLayout], Fragment] = field(default_factory=dict)
    tensors: dict[Value, TensorDescriptor] = field(default_factory=dict)
    loaded_ahead: dict[Op, Fragment] = field(default_factory=dict)
    """What loads have read a trip before; see `read_ahead`."""
    staged: dict[Value, Staged] = field(default_factory=dict)
    """Tiles that products read from shared memory; see `staged.find`."""
    prefetches: dict[Op, Callable[[], None]] = field(default_factory=dict)
    """What a product has to start while it runs."""
    _positions: dict[tuple[int, ...], ir.Value] = field(default_factory=dict)
    _owners: dict[int, ir.Value] = field(default_factory=dict)

    @property
    def kernel(self) -> Kernel:
        """The kernel."""
        return self.state.kernel

    @property
    def assignment(self) -> Assignment:
        """Its layouts, staged tiles and rings."""
        return self.state.assignment

    def remark(self, what: str, why: str, op: Op | None = None, **facts: object) -> None:
        """Note what was only decided now, about an op, or else the one that is being lowered."""
        state = self.state
        state.remarks.append(Remark(EMISSION, state.symbol, op or self.op, what, why, facts))

    @property
    def facts(self) -> Divisibility:
        return self.kernel.facts(Divisibility)

    @property
    def uniform(self) -> LinearLayout:
        """The layout of a scalar."""
        return uniform(self.assignment.threads)

    def fragment(self, value: Value, layout: LinearLayout) -> Fragment:
        """A tile in a layout it was assigned; single elements only ever have the uniform one."""
        return self.fragments[value, self.uniform if value.type.size == 1 else layout]

    def operand(self, op: Op, value: Value, layout: LinearLayout) -> Fragment:
        """An operand, numbered by the offsets of the op's own layout."""
        bases = element_images(op)
        source = self.fragment(value, needed(op, layout))
        if value.type.size == 1:
            return dict.fromkeys(layout.offsets(), source[0])
        if bases is None:
            return source
        return {offset: source[combine(bases, offset)] for offset in layout.offsets()}

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

    def variable(self, kind: ir.Type) -> ir.Value:
        """A variable of this thread, which LLVM turns into registers."""
        with self.builder.goto_entry_block():
            return self.builder.alloca(kind)

    def define_scalar(self, value: Value, element: ir.Value) -> None:
        self.define(value, self.uniform, {0: element})

    def position(self, layout: LinearLayout) -> ir.Value:
        """What the thread contributes to the element number, i32."""
        return self.combined(layout.thread)

    def combined(self, bases: tuple[int, ...]) -> ir.Value:
        """The exclusive or of the bases that the thread's number selects, i32."""
        if bases not in self._positions:
            # Used in other blocks as well, so it stands in the first one.
            with self.builder.goto_entry_block():
                self._positions[bases] = thread_position(self.builder, self.thread, bases)
        return self._positions[bases]

    def thread_bit(self, bit: int) -> ir.Value:
        """Whether a bit of the thread's number is set, i1."""
        return self.thread_has(1 << bit)

    def thread_has(self, mask: int) -> ir.Value:
        """Whether any of the bits of the thread's number is set, i1."""
        if mask not in self._owners:
            with self.builder.goto_entry_block():
                bits = self.builder.and_(self.thread, ir.Constant(I32, mask))
                self._owners[mask] = self.builder.icmp_unsigned("!=", bits, ir.Constant(I32, 0))
        return self._owners[mask]

    def inside(
        self, layout: LinearLayout, cut: int, distance: int, predicate: ir.Value | None
    ) -> ir.Value | bool | None:
        """Whether an element is in a piece of a tile, and the predicate holds.

        Elements of a piece are the same in the bits of the mask `cut`. `distance` is from the
        piece to the offset of the element, by exclusive or. None is always, False never.
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
        """Whether this thread is the one of its copies that writes; None if there are none."""
        mask = layout.replicas
        if not mask:
            return None
        if ~mask not in self._owners:
            with self.builder.goto_entry_block():
                bits = self.builder.and_(self.thread, ir.Constant(I32, mask))
                self._owners[~mask] = self.builder.icmp_unsigned("==", bits, ir.Constant(I32, 0))
        return self._owners[~mask]


def thread_position(builder: ir.IRBuilder, thread: ir.Value, bases: Sequence[int]) -> ir.Value:
    """The exclusive or of the bases of the bits set in a thread's number, i32.

    Bits that move by the same distance move together.
    """
    masks: dict[int, int] = {}
    for bit, base in enumerate(bases):
        for place in range(base.bit_length()):
            if base >> place & 1:
                masks[place - bit] = masks.get(place - bit, 0) | 1 << bit
    position: ir.Value = ir.Constant(I32, 0)
    for distance, mask in masks.items():
        bits = thread
        if mask != (1 << len(bases)) - 1:
            bits = builder.and_(thread, ir.Constant(I32, mask))
        if distance:
            move = builder.shl if distance > 0 else builder.lshr
            bits = move(bits, ir.Constant(I32, abs(distance)))
        position = bits if isinstance(position, ir.Constant) else builder.xor(position, bits)
    return position


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
