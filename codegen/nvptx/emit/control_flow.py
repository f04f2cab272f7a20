"""Lowering of control flow: counted loops, endless ones with early exits, branches.

Conditions and bounds are scalars, which every thread computes; so control flow is uniform in a
block, and there may be barriers inside. Values that are handed on are in stack variables, one for
each register of the value's layout; LLVM promotes them to registers.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.codegen.block.types import Turn, registers_of
from tileir.codegen.llvm.integer_folding import number
from tileir.ir import Block, Op, Value

from .context import I1, I32, Context, ControlScope
from .sequences.flight_registers import register_offsets, register_type

Variables = list[list[ir.Value]]
"""For each value that is handed on, its variables; none for tokens and flights of copies."""


def lower_for(ctx: Context, op: Op) -> None:
    """Lower a counted loop: tested before the first iteration, then at the end of each."""
    block, unroll = op.regions[0].block, op.attributes["unroll"] or 1
    index, *arguments = block.arguments
    carried = _variables(ctx, arguments)
    _set(ctx, op.operands["initValues"], carried)
    loop = _CountedLoop(ctx, op)
    loop.enter()
    loop.begin_iteration(index)
    _get(ctx, arguments, carried)
    _inside(ctx, block, ControlScope(op, loop.after, loop.again, carried=carried))
    ctx.builder.position_at_end(loop.again)
    closing = loop.end_iteration()
    if unroll > 1:
        _mark(closing, unroll)
    ctx.builder.position_at_end(loop.after)
    _get(ctx, op.results, carried)


def lower_pipelined_for(ctx: Context, op: Op) -> None:
    """Lower a counted loop that works ahead; the prologue is behind the test for an iteration."""
    body, prologue = (region.block for region in op.regions)
    first_ahead = 1 + len(op.operands["initValues"])
    index, *arguments = body.arguments[:first_ahead]
    index_ahead, exists, *later = body.arguments[first_ahead:]
    carried, ahead = _variables(ctx, arguments), _variables(ctx, later)
    _set(ctx, op.operands["initValues"], carried)
    given = op.operands["aheadValues"]
    _set(ctx, given, ahead[: len(given)])
    loop = _CountedLoop(ctx, op)
    loop.enter()
    iteration = _IterationAhead(ctx, loop, op.attributes["ahead"])
    _prologue(ctx, op, prologue, iteration, ahead)
    loop.begin_iteration(index)
    iteration.define(index_ahead, exists, ctx.scalar(index))
    _get(ctx, arguments, carried)
    _get(ctx, later, ahead)
    _inside(ctx, body, ControlScope(op, loop.after, loop.again, carried=[*carried, *ahead]))
    ctx.builder.position_at_end(loop.again)
    iteration.advance()
    loop.end_iteration()
    ctx.builder.position_at_end(loop.after)
    _get(ctx, op.results, carried)


def _prologue(
    ctx: Context, op: Op, block: Block, iteration: _IterationAhead, ahead: Variables
) -> None:
    """Emit the work for the first iterations: of several in a loop, so that its code is there once.

    `ahead` has the variables of what it yields: those of its arguments, and the delayed values.
    """
    builder, count = ctx.builder, op.attributes["ahead"]
    index, exists, *arguments = block.arguments
    body, after = _blocks(ctx, "prologue", "prefetched")
    counter = ctx.variable(I32)
    builder.store(ir.Constant(I32, 0), counter)
    if count > 1:
        builder.enter_loop(body)
    else:
        builder.branch(body)
        builder.position_at_end(body)
    iteration.define(index, exists)
    _get(ctx, arguments, ahead[: len(arguments)])
    _inside(ctx, block, ControlScope(op, after, results=ahead))
    builder.position_at_end(after)
    if count == 1:
        return
    if any(ahead[len(arguments) :]):
        raise AssertionError("delayed values have variables for one iteration only")
    iteration.advance()
    done = builder.add(builder.load(counter, typ=I32), ir.Constant(I32, 1))
    builder.store(done, counter)
    more = builder.icmp_unsigned("<", done, ir.Constant(I32, count))
    (entered,) = _blocks(ctx, "filled")
    builder.cbranch(more, body, entered)
    builder.leave_loop(body, entered)


class _CountedLoop:
    """The counter of a `for` or `pipelined_for`, and the blocks `again` and `after` it."""

    def __init__(self, ctx: Context, op: Op) -> None:
        self._ctx, self._unsigned = ctx, op.attributes["unsignedCmp"]
        self.low, self.high, self.step = (
            ctx.scalar(op.operands[slot]) for slot in ("lowerBound", "upperBound", "step")
        )
        self._counter = ctx.variable(self.low.type)
        self._body, self.again, self.after = _blocks(ctx, "for", "next", "done")

    def enter(self) -> None:
        """Go to `after` if there is no iteration, else on to what is emitted next."""
        builder = self._ctx.builder
        builder.store(self.low, self._counter)
        compare = builder.icmp_unsigned if self._unsigned else builder.icmp_signed
        (first,) = _blocks(self._ctx, "first")
        builder.cbranch(compare("<", self.low, self.high), first, self.after)
        builder.position_at_end(first)

    def begin_iteration(self, index: Value) -> None:
        """Begin the body, and define its index."""
        builder = self._ctx.builder
        builder.enter_loop(self._body)
        self._ctx.define_scalar(index, builder.load(self._counter, typ=self.low.type))

    def end_iteration(self) -> ir.Instruction:
        """Go on with the next iteration, if there is one; return the branch."""
        builder = self._ctx.builder
        index = builder.load(self._counter, typ=self.low.type)
        more = self.has_next(index)
        builder.store(builder.add(index, self.step), self._counter)
        return builder.cbranch(more, self._body, self.after)

    def has_next(self, index: ir.Value) -> ir.Value:
        """Return whether there is an iteration after the one with an index below the end."""
        builder = self._ctx.builder
        if number(self.step) == 1:
            return builder.icmp_unsigned("!=", builder.add(index, self.step), self.high)
        # high - index cannot overflow, as the index is below; so neither can the next index.
        left = builder.sub(self.high, index)
        return builder.icmp_unsigned(">", left, self.step)


class _IterationAhead:
    """The index of the iteration that a loop works ahead for, and whether there is one.

    Several iterations ahead both are variables. One ahead, they follow from the current index.
    """

    def __init__(self, ctx: Context, loop: _CountedLoop, ahead: int) -> None:
        self._ctx, self._loop = ctx, loop
        self._index = self._exists = None
        if ahead > 1:
            self._index, self._exists = ctx.variable(loop.low.type), ctx.variable(I1)
            ctx.builder.store(loop.low, self._index)
            ctx.builder.store(ir.Constant(I1, 1), self._exists)

    def define(self, index: Value, exists: Value, current: ir.Value | None = None) -> None:
        """Define both: for the iteration with the index `current`, or before the first one."""
        builder, loop = self._ctx.builder, self._loop
        if self._index is not None:
            number, known = self._load()
        elif current is None:
            number, known = loop.low, ir.Constant(I1, 1)
        else:
            number, known = builder.add(current, loop.step), loop.has_next(current)
        self._ctx.define_scalar(index, number)
        self._ctx.define_scalar(exists, known)

    def advance(self) -> None:
        """Go on by one iteration."""
        if self._index is None:
            return
        builder, loop = self._ctx.builder, self._loop
        index, exists = self._load()
        # Beyond the end the index is unused, and there is no iteration any more.
        builder.store(builder.and_(exists, loop.has_next(index)), self._exists)
        builder.store(builder.add(index, loop.step), self._index)

    def _load(self) -> tuple[ir.Value, ir.Value]:
        builder = self._ctx.builder
        return builder.load(self._index, typ=self._loop.low.type), builder.load(
            self._exists, typ=I1
        )


def lower_loop(ctx: Context, op: Op) -> None:
    """Lower an endless loop, which a break leaves."""
    builder, block = ctx.builder, op.regions[0].block
    carried, results = _variables(ctx, block.arguments), _variables(ctx, op.results)
    _set(ctx, op.operands["initValues"], carried)
    body, again, after = _blocks(ctx, "loop", "next", "done")
    builder.enter_loop(body)
    _get(ctx, block.arguments, carried)
    _inside(ctx, block, ControlScope(op, after, again, results, carried))
    builder.position_at_end(again)
    builder.branch(body)
    builder.leave_loop(body, after)
    _get(ctx, op.results, results)


def lower_if(ctx: Context, op: Op) -> None:
    """Lower a branch, which is uniform; its results are variables that both sides set."""
    builder, results = ctx.builder, _variables(ctx, op.results)
    then, otherwise, after = _blocks(ctx, "then", "else", "endif")
    builder.cbranch(ctx.scalar(op.operands["condition"]), then, otherwise)
    for block, region in zip((then, otherwise), op.regions, strict=True):
        builder.position_at_end(block)
        if region.blocks:
            _inside(ctx, region.block, ControlScope(op, after, results=results))
        else:
            builder.branch(after)
    builder.position_at_end(after)
    _get(ctx, op.results, results)


def lower_continue(ctx: Context, op: Op) -> None:
    """Set what the innermost loop hands on, and go on with its next iteration."""
    scope = _loop(ctx)
    _set(ctx, op.operands["operands"], scope.carried)
    ctx.builder.branch(scope.again)


def lower_break(ctx: Context, op: Op) -> None:
    """Set the results of the innermost loop and leave it."""
    scope = _loop(ctx)
    _set(ctx, op.operands["operands"], scope.results)
    ctx.builder.branch(scope.after)


def lower_yield(ctx: Context, op: Op) -> None:
    """Set the results of the if, or what a prologue hands on, and leave it."""
    scope = ctx.scopes[-1]
    _set(ctx, op.operands["operands"], scope.results)
    ctx.builder.branch(scope.after)


def lower_return(ctx: Context, op: Op) -> None:
    """Leave the kernel."""
    ctx.builder.branch(ctx.exit)


def _loop(ctx: Context) -> ControlScope:
    """Return the scope of the innermost loop."""
    return next(scope for scope in reversed(ctx.scopes) if scope.again is not None)


def _inside(ctx: Context, block: Block, scope: ControlScope) -> None:
    ctx.scopes.append(scope)
    ctx.lower_block(ctx, block)
    ctx.scopes.pop()


def _blocks(ctx: Context, *names: str) -> list[ir.Block]:
    return [ctx.builder.append_basic_block(name) for name in names]


# Values that are handed on --------------------------------------------------------------------


def _variables(ctx: Context, values: Sequence[Value]) -> Variables:
    """Return variables for the registers of each value."""
    return [[ctx.variable(kind) for kind in _registers(ctx, value)] for value in values]


def _registers(ctx: Context, value: Value) -> list[ir.Type]:
    """Return the types of the registers of a value: none for a token or a flight of copies."""
    if isinstance(value.type, Turn):
        return [I32]
    tile = registers_of(value.type)
    if tile is None:
        return []
    return [register_type(value, tile)] * len(register_offsets(ctx, value))


def _set(ctx: Context, values: Sequence[Value], variables: Variables) -> None:
    """Assign values to variables."""
    for value, registers in zip(values, variables, strict=True):
        if isinstance(value.type, Turn):
            ctx.builder.store(ctx.values[value], registers[0])
        elif registers:
            fragment, offsets = ctx.fragment(value), register_offsets(ctx, value)
            for offset, register in zip(offsets, registers, strict=True):
                ctx.builder.store(fragment[offset], register)


def _get(ctx: Context, values: Sequence[Value], variables: Variables) -> None:
    """Define values from their variables."""
    for value, registers in zip(values, variables, strict=True):
        kinds = _registers(ctx, value)
        pairs = zip(registers, kinds, strict=True)
        loaded = [ctx.builder.load(register, typ=kind) for register, kind in pairs]
        if isinstance(value.type, Turn):
            ctx.define(value, loaded[0])
        elif registers:
            ctx.define(value, dict(zip(register_offsets(ctx, value), loaded, strict=True)))


def _mark(branch: ir.Instruction, factor: int) -> None:
    """Have LLVM unroll the loop whose back edge is the branch."""
    module = branch.function.module
    count = ir.Constant(I32, factor)
    option = module.add_metadata(["llvm.loop.unroll.count", count])
    # The node of a loop refers to itself, so that no two loops have the same node.
    loop = ir.MDValue(module, (), str(len(module.metadata)))
    loop.operands = (loop, option)
    branch.set_metadata("llvm.loop", loop)


LOWERINGS = {
    "break": lower_break,
    "continue": lower_continue,
    "for": lower_for,
    "if": lower_if,
    "loop": lower_loop,
    "pipelined_for": lower_pipelined_for,
    "return": lower_return,
    "yield": lower_yield,
}
