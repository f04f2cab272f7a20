"""Read-ahead: loads of a loop made one iteration ahead, into registers.

This is for loops with barriers or stores, which ptxas moves no load across: the loads of the next
iteration have to be emitted before them. A load may be made ahead if the analysis `early_loads`
says so and no write is ordered before it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from llvmlite import ir

from tileir.codegen.analysis.early_loads import EarlyLoad, early_loads
from tileir.codegen.analysis.memory_ops import is_plain_load, is_weak
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.nvptx.emit.fragments import EmitContext
from tileir.codegen.nvptx.emit.memory.views import load_tile
from tileir.codegen.nvptx.schedule.assignment import Assignment
from tileir.codegen.nvptx.schedule.unroll import BYTES_IN_FLIGHT, is_plain
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.types import llvm_type, memory_bytes
from tileir.ir import Op, Value


def loads_ahead(
    loop: Op, assignment: Assignment, barriers: Collection[Op]
) -> tuple[EarlyLoad, ...]:
    """Return the loads that a `for` loop makes ahead; none if that does not pay."""
    inside = list(loop.walk())[1:]
    costly = any(family_of(op) is Family.LOOP or op in assignment.products for op in inside)
    if costly or is_plain(loop) or loop in assignment.rings:
        return ()
    loads, room = [], BYTES_IN_FLIGHT
    for each in early_loads(loop, lambda tile: len(assignment.defined_in(tile)) == 1):
        tile = each.load.result
        size = memory_bytes(tile.type.element) << len(assignment.defined_in(tile)[0].register)
        if size <= room and _is_first(each, barriers):
            loads.append(each)
            room -= size
    return tuple(loads)


class ReadAhead:
    """The read-ahead of a `for` loop that is being lowered."""

    def __init__(
        self, ctx: EmitContext, loop: Op, loads: Sequence[EarlyLoad], high: ir.Value, step: ir.Value
    ) -> None:
        self._ctx, self._loads = ctx, loads
        self._counter = loop.regions[0].block.arguments[0]
        self._high, self._step = high, step
        self._tiles = {
            each.load: {
                offset: ctx.variable(llvm_type(each.load.result.type.element))
                for offset in _layout(ctx, each.load).offsets()
            }
            for each in loads
        }

    @classmethod
    def of(cls, ctx: EmitContext, loop: Op, high: ir.Value, step: ir.Value) -> ReadAhead | None:
        """Return the read-ahead of a loop with this upper bound and step; None if it has none."""
        loads = ctx.state.reads_ahead.get(loop)
        return cls(ctx, loop, loads, high, step) if loads else None

    def start(self, low: ir.Value) -> None:
        """Load the tiles of the first iteration; there is known to be one."""
        self._load(low, None)

    def begin_iteration(self, index: ir.Value) -> None:
        """Take over the tiles of the iteration with this index, and load those of the next."""
        ctx, builder = self._ctx, self._ctx.builder
        for load, variables in self._tiles.items():
            ctx.loaded_ahead[load] = {
                offset: builder.load(variable) for offset, variable in variables.items()
            }
        # high - index cannot overflow, as the index is below.
        more = builder.icmp_unsigned(">", builder.sub(self._high, index), self._step)
        self._load(builder.add(index, self._step), more)

    def _load(self, index: ir.Value, predicate: ir.Value | None) -> None:
        ctx, done = self._ctx, set()
        ctx.define_scalar(self._counter, index)
        for each in self._loads:
            for op in each.slice:
                if op not in done:
                    ctx.lower_op(ctx, op)
                    done.add(op)
            tile = load_tile(ctx, each.load, _layout(ctx, each.load), predicate)
            for offset, variable in self._tiles[each.load].items():
                ctx.builder.store(tile[offset], variable)


def _layout(ctx: EmitContext, load: Op) -> LinearLayout:
    return ctx.assignment.defined_in(load.result)[0]


def _is_first(each: EarlyLoad, barriers: Collection[Op]) -> bool:
    """Whether no write is ordered before a load, so that it needs no barrier."""
    if each.load.result.type.size == 1 or each.load in barriers:
        return False
    return all(_nothing_before(token) for token in each.tokens)


def _nothing_before(token: Value) -> bool:
    op = token.owner
    if not isinstance(op, Op):
        return False
    if is_plain_load(op):
        before = [op.operands["token"]] if is_weak(op) else [token]
    elif family_of(op) is Family.TOKEN:
        before = list(op.operand_list())
    else:
        return False
    return token not in before and all(_nothing_before(each) for each in before if each is not None)
