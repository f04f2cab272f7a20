"""Fragments, one thread's elements of tiles, and the context in which a kernel is emitted.

A fragment maps offsets (see `linear_layout`) to LLVM scalars. It is never a vector of all elements,
which LLVM would take apart at great cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

from llvmlite import ir

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.kernel import KernelIR
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
    """A tensor view as LLVM values; static sizes and strides (in elements) are numbers."""

    base: ir.Value
    shape: Sequence[ir.Value | int]
    strides: Sequence[ir.Value | int]


@dataclass(slots=True)
class ControlScope:
    """An op whose region is being emitted, with what its terminators need.

    They branch to the LLVM block `after` the op, or to the one that starts the body `again`.
    `results` and `carried` are the variables that they set: for each value a list of them, in the
    order of the offsets of the value's canonical layout.
    """

    op: Op
    after: ir.Block
    again: ir.Block | None = None
    results: list[list[ir.Value]] = field(default_factory=list)
    carried: list[list[ir.Value]] = field(default_factory=list)


@dataclass(slots=True)
class EmitContext:
    """The context of emitting one kernel: its state, and what has been emitted so far."""

    state: KernelState
    """The decisions of the stages before."""
    target: Target
    builder: ir.IRBuilder
    thread: ir.Value
    """The number of the thread in its block, i32."""
    shared: SharedMemory
    heap: dict[Op, ir.Value] = field(default_factory=dict)
    """alloca -> the address of its memory, if that is on the heap."""
    op: Op | None = None
    """The op that is being emitted."""
    lower_block: Callable[[EmitContext, Block], None] | Any = None
    lower_op: Callable[[EmitContext, Op], None] | Any = None
    lines: LineTable | None = None
    """The source lines of ops, if line information is asked for."""
    exit: ir.Block | None = None
    """The LLVM block that ends the thread, the target of `return`."""
    scopes: list[ControlScope] = field(default_factory=list)
    """The control flow around the op that is being emitted, innermost last."""
    fragments: dict[tuple[Value, LinearLayout], Fragment] = field(default_factory=dict)
    tensors: dict[Value, TensorDescriptor] = field(default_factory=dict)
    loaded_ahead: dict[Op, Fragment] = field(default_factory=dict)
    """Load -> the tile that it has loaded an iteration before; see `read_ahead`."""
    staged: dict[Value, Staged] = field(default_factory=dict)
    """Tiles that are in shared memory now, for matrix products; see `staged.find`."""
    prefetches: dict[Op, Callable[[], None]] = field(default_factory=dict)
    """Matrix product -> emits the copies that are to be in flight while it runs."""
    _positions: dict[tuple[int, ...], ir.Value] = field(default_factory=dict)
    _owners: dict[int, ir.Value] = field(default_factory=dict)

    @property
    def kernel(self) -> KernelIR:
        """The kernel that is being emitted."""
        return self.state.kernel

    @property
    def assignment(self) -> Assignment:
        """Its layouts, staged tiles and rings."""
        return self.state.assignment

    def remark(self, what: str, why: str, op: Op | None = None, **facts: object) -> None:
        """Note a decision of this stage about an op: if none is given, the one being emitted."""
        state = self.state
        state.remarks.append(Remark(EMISSION, state.symbol, op or self.op, what, why, facts))

    @property
    def facts(self) -> Divisibility:
        """What is known about divisors and bounds of values."""
        return self.kernel.facts(Divisibility)

    @property
    def uniform(self) -> LinearLayout:
        """The layout of a scalar."""
        return uniform(self.assignment.threads)

    def fragment(self, value: Value, layout: LinearLayout) -> Fragment:
        """Return a tile in one of its layouts; a tile of one element has the uniform one only."""
        return self.fragments[value, self.uniform if value.type.size == 1 else layout]

    def operand(self, op: Op, value: Value, layout: LinearLayout) -> Fragment:
        """Return an operand, renumbered by the offsets of the layout of the op."""
        bases = element_images(op)
        source = self.fragment(value, needed(op, layout))
        if value.type.size == 1:
            return dict.fromkeys(layout.offsets(), source[0])
        if bases is None:
            return source
        return {offset: source[combine(bases, offset)] for offset in layout.offsets()}

    def scalar(self, value: Value) -> ir.Value:
        """Return the element of a rank-0 tile."""
        return self.fragments[value, self.uniform][0]

    def unsigned(self, value: Value) -> ir.Value:
        """Return the element of a rank-0 tile, zero-extended to i64."""
        number = self.scalar(value)
        return number if number.type == I64 else self.builder.zext(number, I64)

    def define(self, value: Value, layout: LinearLayout, fragment: Fragment) -> None:
        """Record the fragment of a value in a layout: the uniform one for a tile of one element."""
        self.fragments[value, layout] = fragment

    def variable(self, kind: ir.Type) -> ir.Value:
        """Return a stack variable, which LLVM promotes to a register."""
        with self.builder.goto_entry_block():
            return self.builder.alloca(kind)

    def define_scalar(self, value: Value, element: ir.Value) -> None:
        """Record the element of a tile of one element."""
        self.define(value, self.uniform, {0: element})

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

    def inside(
        self, layout: LinearLayout, cut: int, distance: int, predicate: ir.Value | None
    ) -> ir.Value | bool | None:
        """Return whether an element is in a piece of a tile, and the predicate holds.

        The elements of a piece agree in the bits of the mask `cut`. `distance` is the exclusive or
        of the piece's first element and the offset of the element. None means always, False never.
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
        position = bits if isinstance(position, ir.Constant) else builder.xor(position, bits)
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
