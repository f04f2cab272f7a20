"""Control flow: for, loop with its early exits, if.

Carried single elements are variables on the stack, which LLVM turns into registers; carried tiles
have buffers. Every loop polls the launch's stop flag after each iteration, so that every kernel can
be stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from llvmlite import ir

from tileir.codegen.analysis.carried_values import carried_arguments
from tileir.codegen.host.lowering.ahead import elements
from tileir.codegen.host.lowering.block import Enclosing, Lowering
from tileir.codegen.host.lowering.evaluate import fill
from tileir.codegen.host.lowering.row import Row
from tileir.codegen.host.lowering.streaming import fetch_for_writing
from tileir.codegen.host.planning.tiles import is_single, is_tile
from tileir.ir import Op, Value


def _for(lowering: Lowering, op: Op) -> None:
    builder = lowering.builder
    fetch_for_writing(lowering, op)
    low, high, step = (
        lowering.single(op.operands[slot]) for slot in ("lowerBound", "upperBound", "step")
    )
    compare = builder.icmp_unsigned if op.attributes["unsignedCmp"] else builder.icmp_signed
    arguments = carried_arguments(op)
    slots = _start(lowering, op.operands["initValues"], arguments)
    counter = lowering.slot(low.type)
    builder.store(low, counter)
    body, latch, after = _blocks(builder, "for", "next", "done")
    builder.cbranch(compare("<", low, high), body, after)
    builder.position_at_end(body)
    index = builder.load(counter, typ=low.type)
    lowering.singles[id(op.regions[0].block.arguments[0])] = index
    _read(lowering, arguments, slots)
    lowering.enclosing.append(Enclosing(after, latch, slots))
    lowering.lower_block(op.regions[0].block)
    lowering.enclosing.pop()
    builder.position_at_end(latch)
    _poll(lowering)
    index = builder.load(counter, typ=low.type)
    builder.store(builder.add(index, step), counter)
    # high - index cannot overflow, as index < high; so the counter cannot either.
    more = builder.icmp_unsigned(">", builder.sub(high, index), step)
    builder.cbranch(more, body, after)
    builder.position_at_end(after)
    _read(lowering, op.results, slots)


def _loop(lowering: Lowering, op: Op) -> None:
    builder = lowering.builder
    arguments = carried_arguments(op)
    slots = _start(lowering, op.operands["initValues"], arguments)
    results = _slots(lowering, op.results)
    body, latch, after = _blocks(builder, "loop", "next", "done")
    builder.branch(body)
    builder.position_at_end(body)
    _read(lowering, arguments, slots)
    lowering.enclosing.append(Enclosing(after, latch, slots, results))
    lowering.lower_block(op.regions[0].block)
    lowering.enclosing.pop()
    builder.position_at_end(latch)
    _poll(lowering)
    builder.branch(body)
    builder.position_at_end(after)
    _read(lowering, op.results, results)


def _if(lowering: Lowering, op: Op) -> None:
    builder = lowering.builder
    results = _slots(lowering, op.results)
    then, otherwise, after = _blocks(builder, "then", "else", "endif")
    builder.cbranch(lowering.single(op.operands["condition"]), then, otherwise)
    lowering.enclosing.append(Enclosing(after, None, {}, results))
    for block, region in zip((then, otherwise), op.regions, strict=True):
        builder.position_at_end(block)
        if region.blocks:
            lowering.lower_block(region.block)
        else:
            builder.branch(after)
    lowering.enclosing.pop()
    builder.position_at_end(after)
    _read(lowering, op.results, results)


def _continue(lowering: Lowering, op: Op) -> None:
    around = _innermost_loop(lowering)
    _pass_on(lowering, op, around.carried, around.latch)


def _break(lowering: Lowering, op: Op) -> None:
    around = _innermost_loop(lowering)
    _pass_on(lowering, op, around.results, around.after)


def _yield(lowering: Lowering, op: Op) -> None:
    around = lowering.enclosing[-1]
    _pass_on(lowering, op, around.results, around.after)


def _return(lowering: Lowering, op: Op) -> None:
    lowering.builder.branch(lowering.exit)


def _pass_on(lowering: Lowering, op: Op, slots: dict[int, ir.Value], onward: ir.Block) -> None:
    """Store the operands as the new carried values or results, and branch."""
    moves = lowering.storage.moves[id(op)]
    staged = [(move, move.staged) for move in moves if move.staged is not None]
    for move, number in staged:
        fill(lowering, move.source, lowering.temporary(op, number))
    with_prefetch = partial(elements, lowering, op)
    for move in moves:
        if move.staged is None:
            fill(lowering, move.source, lowering.buffer(move.target), with_prefetch)
    for move, number in staged:
        target = lowering.buffer(move.target)
        lowering.copy(target, lowering.temporary(op, number), move.source)
    _write(lowering, list(op.operand_list()), slots)
    lowering.builder.branch(onward)


def _innermost_loop(lowering: Lowering) -> Enclosing:
    return next(around for around in reversed(lowering.enclosing) if around.latch is not None)


def _start(
    lowering: Lowering, values: tuple[Value, ...], arguments: Sequence[Value]
) -> dict[int, ir.Value]:
    """Initialise the carried values of a loop; return the slots of single elements."""
    for value, argument in zip(values, arguments, strict=True):
        if is_tile(value):
            fill(lowering, value, lowering.buffer(argument))
    slots = _slots(lowering, arguments)
    _write(lowering, list(values), slots)
    return slots


def _slots(lowering: Lowering, values: Sequence[Value]) -> dict[int, ir.Value]:
    return {
        number: lowering.slot(lowering.kind(value))
        for number, value in enumerate(values)
        if is_single(value)
    }


def _write(lowering: Lowering, values: Sequence[Value], slots: dict[int, ir.Value]) -> None:
    for number, slot in slots.items():
        lowering.builder.store(lowering.single(values[number]), slot)


def _read(lowering: Lowering, values: Sequence[Value], slots: dict[int, ir.Value]) -> None:
    for number, slot in slots.items():
        value = values[number]
        lowering.singles[id(value)] = lowering.builder.load(slot, typ=lowering.kind(value))


def _blocks(builder: ir.IRBuilder, *names: str) -> list[ir.Block]:
    return [builder.append_basic_block(name) for name in names]


def _poll(lowering: Lowering) -> None:
    """Leave the block if the launch is to stop."""
    builder = lowering.builder
    flag = builder.load_atomic(lowering.context_field("stop"), "monotonic", 4, typ=ir.IntType(32))
    (onward,) = _blocks(builder, "on")
    stopped = builder.icmp_unsigned("!=", flag, ir.Constant(flag.type, 0))
    builder.cbranch(stopped, lowering.exit, onward)
    builder.position_at_end(onward)


ROWS = {
    "break": Row(_break, together=False),
    "continue": Row(_continue, together=False),
    "for": Row(_for, together=False),
    "if": Row(_if),
    "loop": Row(_loop, together=False),
    "return": Row(_return),
    "yield": Row(_yield, together=False),
}
