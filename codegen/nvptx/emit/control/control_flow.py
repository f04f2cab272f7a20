"""Lowering of control flow: counted loops, endless ones with early exits, branches.

Conditions and bounds are scalars, which every thread computes; so control flow is uniform in a
block, and there may be barriers inside. Carried values are in stack variables, one for each
register of the value's canonical layout; LLVM promotes them to registers.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.codegen.analysis.carried_values import carried_arguments
from tileir.codegen.nvptx.emit.fragments import ControlScope, EmitContext
from tileir.codegen.nvptx.emit.products.ring_loops import LoopRing
from tileir.codegen.nvptx.emit.spread import spread
from tileir.codegen.nvptx.schedule.unroll import mark, may_repeat
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.types import llvm_type
from tileir.ir import Op, Value
from tileir.types import Tile

from .read_ahead import ReadAhead

Variables = list[list[ir.Value]]


def lower_for(ctx: EmitContext, op: Op) -> None:
    """Lower a counted loop: tested before the first iteration, then at the end of each."""
    builder = ctx.builder
    low, high, step = (ctx.scalar(op.operands[slot]) for slot in _BOUNDS)
    compare = builder.icmp_unsigned if op.attributes["unsignedCmp"] else builder.icmp_signed
    arguments = carried_arguments(op)
    carried = _variables(ctx, arguments)
    _set(ctx, op.operands["initValues"], arguments, carried)
    counter = ctx.variable(low.type)
    builder.store(low, counter)
    body, again, after = _blocks(ctx, "for", "next", "done")
    inside = compare("<", low, high)
    ring, ahead = LoopRing.of(ctx, op, high, step), ReadAhead.of(ctx, op, high, step)
    first = builder.append_basic_block("first")
    builder.cbranch(inside, first, after)
    _enter(ctx, first)
    if ring is not None:
        ring.start(low)
    if ahead is not None:
        ahead.start(low)
    builder.branch(body)
    _enter(ctx, body)
    if ring is not None:
        ring.begin_iteration()
    index = builder.load(counter, typ=low.type)
    if ahead is not None:
        ahead.begin_iteration(index)
    ctx.define_scalar(op.regions[0].block.arguments[0], index)
    _get(ctx, arguments, carried)
    _inside(ctx, ControlScope(op, after, again, carried=carried))
    _enter(ctx, again)
    index = builder.load(counter, typ=low.type)
    # high - index cannot overflow, as the index was below; so neither can the counter.
    more = builder.icmp_unsigned(">", builder.sub(high, index), step)
    builder.store(builder.add(index, step), counter)
    closing = builder.cbranch(more, body, after)
    blocks = builder.function.blocks
    factor = ctx.state.unroll_factors.get(op, 1)
    if factor > 1:
        ctx.op = op
        if may_repeat(blocks[blocks.index(body) :]):
            mark(closing, factor)
        else:
            ctx.remark("not unrolled", "the loop has barriers or shuffles", factor=factor)
    _enter(ctx, after)
    if ring is not None:
        ring.finish()
    _get(ctx, op.results, carried)


_BOUNDS = ("lowerBound", "upperBound", "step")


def lower_loop(ctx: EmitContext, op: Op) -> None:
    """Lower an endless loop, which a break leaves."""
    builder, arguments = ctx.builder, carried_arguments(op)
    carried, results = _variables(ctx, arguments), _variables(ctx, op.results)
    _set(ctx, op.operands["initValues"], arguments, carried)
    body, again, after = _blocks(ctx, "loop", "next", "done")
    builder.branch(body)
    _enter(ctx, body)
    _get(ctx, arguments, carried)
    _inside(ctx, ControlScope(op, after, again, results, carried))
    _enter(ctx, again)
    builder.branch(body)
    _enter(ctx, after)
    _get(ctx, op.results, results)


def lower_if(ctx: EmitContext, op: Op) -> None:
    """Lower a branch, which is uniform; its results are variables that both sides set."""
    builder, results = ctx.builder, _variables(ctx, op.results)
    then, otherwise, after = _blocks(ctx, "then", "else", "endif")
    builder.cbranch(ctx.scalar(op.operands["condition"]), then, otherwise)
    for block, region in zip((then, otherwise), op.regions, strict=True):
        _enter(ctx, block)
        if region.blocks:
            ctx.scopes.append(ControlScope(op, after, results=results))
            ctx.lower_block(ctx, region.block)
            ctx.scopes.pop()
        else:
            builder.branch(after)
    _enter(ctx, after)
    _get(ctx, op.results, results)


def lower_continue(ctx: EmitContext, op: Op) -> None:
    """Set the carried values, and go on with the next iteration."""
    scope = _loop(ctx)
    _set(ctx, list(op.operand_list()), carried_arguments(scope.op), scope.carried)
    ctx.builder.branch(scope.again)


def lower_break(ctx: EmitContext, op: Op) -> None:
    """Set the results of the loop and leave it."""
    scope = _loop(ctx)
    _set(ctx, list(op.operand_list()), scope.op.results, scope.results)
    ctx.builder.branch(scope.after)


def lower_yield(ctx: EmitContext, op: Op) -> None:
    """Set the results of the if and leave it."""
    scope = ctx.scopes[-1]
    _set(ctx, list(op.operand_list()), scope.op.results, scope.results)
    ctx.builder.branch(scope.after)


def lower_return(ctx: EmitContext, op: Op) -> None:
    """Leave the kernel."""
    ctx.shared.end()
    ctx.builder.branch(ctx.exit)


def _loop(ctx: EmitContext) -> ControlScope:
    return next(scope for scope in reversed(ctx.scopes) if family_of(scope.op) is Family.LOOP)


def _inside(ctx: EmitContext, scope: ControlScope) -> None:
    ctx.scopes.append(scope)
    ctx.lower_block(ctx, scope.op.regions[0].block)
    ctx.scopes.pop()


def _enter(ctx: EmitContext, block: ir.Block) -> None:
    ctx.builder.position_at_end(block)
    ctx.shared.forget()


def _blocks(ctx: EmitContext, *names: str) -> list[ir.Block]:
    return [ctx.builder.append_basic_block(name) for name in names]


# Carried values ------------------------------------------------------------------------------


def _variables(ctx: EmitContext, values: Sequence[Value]) -> Variables:
    """Return variables for the registers of each value; none for tokens."""
    return [
        [ctx.variable(llvm_type(value.type.element)) for _ in _layout(ctx, value).offsets()]
        if isinstance(value.type, Tile)
        else []
        for value in values
    ]


def _layout(ctx: EmitContext, value: Value):
    return ctx.uniform if value.type.size == 1 else ctx.assignment.defined_in(value)[0]


def _set(
    ctx: EmitContext, values: Sequence[Value], become: Sequence[Value], variables: Variables
) -> None:
    """Assign values to variables: all are read before any is written."""
    moves = []
    for value, after, registers in zip(values, become, variables, strict=True):
        if isinstance(value.type, Tile):
            layout = _layout(ctx, after)
            fragment = ctx.fragment(value, layout)
            moves += zip((fragment[o] for o in layout.offsets()), registers, strict=True)
    for element, register in moves:
        ctx.builder.store(element, register)


def _get(ctx: EmitContext, values: Sequence[Value], variables: Variables) -> None:
    """Define values from their variables, in all layouts that they are needed in."""
    for value, registers in zip(values, variables, strict=True):
        if not isinstance(value.type, Tile):
            continue
        layout, kind = _layout(ctx, value), llvm_type(value.type.element)
        loaded = [ctx.builder.load(register, typ=kind) for register in registers]
        ctx.define(value, layout, dict(zip(layout.offsets(), loaded, strict=True)))
        spread(ctx, value)


LOWERINGS = {
    "break": lower_break,
    "continue": lower_continue,
    "for": lower_for,
    "if": lower_if,
    "loop": lower_loop,
    "return": lower_return,
    "yield": lower_yield,
}
