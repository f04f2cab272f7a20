"""Lowering of control flow: counted loops, endless ones with early exits, branches.

Conditions and bounds are single numbers, which every thread computes; so all threads of a block
take the same way, and may meet at barriers inside. What is carried lies in variables, one for each
register of the value's home; LLVM turns them into registers.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.codegen.analysis.carried_values import carried_arguments
from tileir.codegen.nvptx.emit.fragments import Context, Scope
from tileir.codegen.nvptx.emit.products.ring_loops import LoopRing
from tileir.codegen.nvptx.emit.spread import spread
from tileir.codegen.nvptx.schedule.unroll import mark, may_repeat
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.types import llvm_type
from tileir.ir import Op, Value
from tileir.types import Tile

from .read_ahead import ReadAhead

Variables = list[list[ir.Value]]


def lower_for(ctx: Context, op: Op) -> None:
    """Test before the first trip, then after each; carried tiles are variables of each register."""
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
        ring.turn()
    index = builder.load(counter, typ=low.type)
    if ahead is not None:
        ahead.turn(index)
    ctx.define_scalar(op.regions[0].block.arguments[0], index)
    _get(ctx, arguments, carried)
    _inside(ctx, Scope(op, after, again, carried=carried))
    _enter(ctx, again)
    index = builder.load(counter, typ=low.type)
    # high - index cannot overflow, as the index was below; so neither can the counter.
    more = builder.icmp_unsigned(">", builder.sub(high, index), step)
    builder.store(builder.add(index, step), counter)
    closing = builder.cbranch(more, body, after)
    blocks = builder.function.blocks
    trips = ctx.state.trips.get(op, 1)
    if trips > 1:
        ctx.op = op
        if may_repeat(blocks[blocks.index(body) :]):
            mark(closing, trips)
        else:
            ctx.remark("not unrolled", "threads meet or shuffle in the loop", trips=trips)
    _enter(ctx, after)
    if ring is not None:
        ring.finish()
    _get(ctx, op.results, carried)


_BOUNDS = ("lowerBound", "upperBound", "step")


def lower_loop(ctx: Context, op: Op) -> None:
    """Run the body until a break leaves it."""
    builder, arguments = ctx.builder, carried_arguments(op)
    carried, results = _variables(ctx, arguments), _variables(ctx, op.results)
    _set(ctx, op.operands["initValues"], arguments, carried)
    body, again, after = _blocks(ctx, "loop", "next", "done")
    builder.branch(body)
    _enter(ctx, body)
    _get(ctx, arguments, carried)
    _inside(ctx, Scope(op, after, again, results, carried))
    _enter(ctx, again)
    builder.branch(body)
    _enter(ctx, after)
    _get(ctx, op.results, results)


def lower_if(ctx: Context, op: Op) -> None:
    """Branch, all threads alike; results are variables that both sides set."""
    builder, results = ctx.builder, _variables(ctx, op.results)
    then, otherwise, after = _blocks(ctx, "then", "else", "endif")
    builder.cbranch(ctx.scalar(op.operands["condition"]), then, otherwise)
    for block, region in zip((then, otherwise), op.regions, strict=True):
        _enter(ctx, block)
        if region.blocks:
            ctx.scopes.append(Scope(op, after, results=results))
            ctx.lower_block(ctx, region.block)
            ctx.scopes.pop()
        else:
            builder.branch(after)
    _enter(ctx, after)
    _get(ctx, op.results, results)


def lower_continue(ctx: Context, op: Op) -> None:
    """Set what is carried, all of it at once, and go on with the next trip."""
    scope = _loop(ctx)
    _set(ctx, list(op.operand_list()), carried_arguments(scope.op), scope.carried)
    ctx.builder.branch(scope.again)


def lower_break(ctx: Context, op: Op) -> None:
    """Set the results of the loop and leave it."""
    scope = _loop(ctx)
    _set(ctx, list(op.operand_list()), scope.op.results, scope.results)
    ctx.builder.branch(scope.after)


def lower_yield(ctx: Context, op: Op) -> None:
    """Set the results of the if and leave it."""
    scope = ctx.scopes[-1]
    _set(ctx, list(op.operand_list()), scope.op.results, scope.results)
    ctx.builder.branch(scope.after)


def lower_return(ctx: Context, op: Op) -> None:
    """Leave the kernel."""
    ctx.shared.end()
    ctx.builder.branch(ctx.exit)


def _loop(ctx: Context) -> Scope:
    return next(scope for scope in reversed(ctx.scopes) if family_of(scope.op) is Family.LOOP)


def _inside(ctx: Context, scope: Scope) -> None:
    ctx.scopes.append(scope)
    ctx.lower_block(ctx, scope.op.regions[0].block)
    ctx.scopes.pop()


def _enter(ctx: Context, block: ir.Block) -> None:
    ctx.builder.position_at_end(block)
    ctx.shared.forget()


def _blocks(ctx: Context, *names: str) -> list[ir.Block]:
    return [ctx.builder.append_basic_block(name) for name in names]


# Carried values ------------------------------------------------------------------------------


def _variables(ctx: Context, values: Sequence[Value]) -> Variables:
    """Variables for the registers of each value; none for tokens."""
    return [
        [ctx.variable(llvm_type(value.type.element)) for _ in _home(ctx, value).offsets()]
        if isinstance(value.type, Tile)
        else []
        for value in values
    ]


def _home(ctx: Context, value: Value):
    return ctx.uniform if value.type.size == 1 else ctx.assignment.computed(value)[0]


def _set(
    ctx: Context, values: Sequence[Value], become: Sequence[Value], variables: Variables
) -> None:
    """Hand values on: all of them are read before any is written."""
    moves = []
    for value, after, registers in zip(values, become, variables, strict=True):
        if isinstance(value.type, Tile):
            home = _home(ctx, after)
            fragment = ctx.fragment(value, home)
            moves += zip((fragment[o] for o in home.offsets()), registers, strict=True)
    for element, register in moves:
        ctx.builder.store(element, register)


def _get(ctx: Context, values: Sequence[Value], variables: Variables) -> None:
    """Read what was handed on, in every layout that it is needed in."""
    for value, registers in zip(values, variables, strict=True):
        if not isinstance(value.type, Tile):
            continue
        home, kind = _home(ctx, value), llvm_type(value.type.element)
        loaded = [ctx.builder.load(register, typ=kind) for register in registers]
        ctx.define(value, home, dict(zip(home.offsets(), loaded, strict=True)))
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
