"""Lowering of products that warpgroups execute: started here, awaited there.

All instructions on one accumulator are one piece of inline assembly, so that nothing moves its
registers between them. Operands in shared memory are named by descriptors; these are the same in
all lanes, and made so that ptxas knows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from llvmlite import ir

from tileir.codegen.block.types import Shared
from tileir.codegen.layouts.linear_layout import combine, span
from tileir.codegen.nvptx.emit.context import I32, I64, Context
from tileir.codegen.nvptx.emit.sequences.flight_registers import landed, started
from tileir.codegen.nvptx.emit.sequences.mma_operands import RegisterOperand
from tileir.codegen.nvptx.emit.sequences.shuffle import shuffle
from tileir.codegen.nvptx.machine import wgmma
from tileir.codegen.nvptx.machine.matrix_descriptor import UNIT_BITS
from tileir.codegen.nvptx.schedule.group_products import descriptor_of
from tileir.codegen.nvptx.schedule.mma_plan import ProductPlan, plan_of
from tileir.ir import Op, Value


def mma_async(ctx: Context, op: Op) -> None:
    """Lower mma_async: one group of products."""
    plan, accumulators = plan_of(op), dict(started(ctx, op.operands["acc"]))
    lhs, rhs = (_operand(ctx, plan, slot, op.operands[slot]) for slot in ("lhs", "rhs"))
    own = [offset for offset in cast("list[int]", plan.acc.own()) if offset in accumulators]
    fresh = _is_zero(op.operands["acc"])
    first, end = op.attributes["first"] or 0, op.attributes["end"] or plan.extents["k"]
    read: list[tuple[Sequence[ir.Value], Sequence[ir.Value]]] = []
    blocks = [
        (batch, row, column)
        for batch in span(plan.along["b"])
        for row in span(plan.along["m"])
        for column in span(plan.along["n"])
    ]
    for batch, row, column in blocks:
        at = plan.acc.at(b=batch, m=row, n=column)
        offsets = [at ^ each for each in own]
        steps = range(first, end, plan.atom.k)
        products = [
            (
                lhs.at(plan.lhs.at(b=batch, m=row, k=k)),
                rhs.at(plan.rhs.at(b=batch, k=k, n=column)),
            )
            for k in steps
        ]
        read += products
        changed = wgmma.start(
            ctx.builder,
            plan.atom,
            products,
            (lhs.transposed, rhs.transposed),
            [accumulators[offset] for offset in offsets],
            fresh,
            commit=(batch, row, column) == blocks[-1],
        )
        accumulators.update(zip(offsets, changed, strict=True))
    ctx.define(op.result, accumulators)
    if isinstance(lhs, _Held):
        ctx.under_way[op.result] = [word for words, _ in read for word in words]


def _is_zero(value: Value) -> bool:
    """Whether a tile is known to be zero: then nothing has to make its registers so."""
    op = value.owner
    return isinstance(op, Op) and op.name == "constant" and not any(op.attributes["value"].data)


def wait_mma(ctx: Context, op: Op) -> None:
    """Lower wait_mma: the accumulators are those of the flight, from here on.

    Until here, nothing else may be in the registers that its product reads.
    """
    flight = ctx.fragment(op.operands["flight"])
    read = ctx.under_way.pop(op.operands["flight"], ())
    awaited = wgmma.wait(ctx.builder, op.attributes["pending"], list(flight.values()), read)
    registers = dict(zip(flight, awaited, strict=True))
    ctx.define(op.result, landed(ctx, registers, op.result.type))


def mma_init(ctx: Context, op: Op) -> None:
    """Lower mma_init: the registers are those of the accumulator."""
    ctx.define(op.result, started(ctx, op.operands["acc"]))


def add_columns(ctx: Context, op: Op) -> None:
    """Lower add_columns: each thread adds what it has of these columns."""
    acc, product = op.operands["acc"], op.operands["product"]
    columns, count = acc.type.shape[-1], product.type.shape[-1]
    sums = dict(ctx.fragment(acc))
    for offset, value in ctx.fragment(product).items():
        row, column = divmod(offset, count)
        place = row * columns + op.attributes["first"] + column
        sums[place] = ctx.builder.fadd(sums[place], value)
    ctx.define(op.result, sums)


def wait_mma_reads(ctx: Context, op: Op) -> None:
    """Lower wait_mma_reads: no accumulator is touched."""
    wgmma.wait(ctx.builder, op.attributes["pending"], [])


def sched_barrier(ctx: Context, op: Op) -> None:
    """Lower sched_barrier: all elements have a part in a predicate."""
    builder, bits = ctx.builder, ir.Constant(I32, 0)
    for value in op.operands["values"]:
        for element in ctx.fragment(value).values():
            bits = builder.xor(bits, builder.bitcast(element, I32))
    wgmma.schedule_behind(builder, bits)


def fence_proxy(ctx: Context, op: Op) -> None:
    """Lower fence_proxy."""
    wgmma.fence_proxy(ctx.builder)


class _Described:
    """An operand in shared memory: a descriptor for each part."""

    def __init__(self, ctx: Context, plan: ProductPlan, slot: str, value: Value) -> None:
        builder, part = ctx.builder, plan.part(slot)
        self._builder, self._kind, self._size = builder, cast(Shared, value.type), plan.size
        found = descriptor_of(plan, slot, self._kind.offsets)
        if found is None:
            raise AssertionError(f"no descriptor says how {slot} lies in shared memory")
        self.transposed = found.transposed
        # The warps of a warpgroup share a descriptor.
        group = len(plan.atom.warps.lanes.split())
        thread = [0] * (ctx.threads.bit_length() - 1 - len(part.warp))
        thread += [0] * group + [self._at(base) for base in part.warp[group:]]
        address = builder.add(ctx.values[value], ctx.combined(tuple(thread)))
        units = builder.lshr(address, ir.Constant(I32, UNIT_BITS))
        uniform = shuffle(builder, "idx", units, ir.Constant(I32, 0))
        self._first = builder.or_(builder.zext(uniform, I64), ir.Constant(I64, found.bits))

    def at(self, offset: int) -> list[ir.Value]:
        """Return the descriptor of the part at an offset."""
        units = self._at(offset) >> UNIT_BITS
        return [self._builder.add(self._first, ir.Constant(I64, units))]

    def _at(self, element: int) -> int:
        return combine(self._kind.offsets, element) * self._size


class _Held:
    """An operand in registers."""

    transposed = False

    def __init__(self, ctx: Context, plan: ProductPlan, slot: str, value: Value) -> None:
        self._operand = RegisterOperand(ctx, plan, slot, value)

    def at(self, offset: int) -> Sequence[ir.Value]:
        """Return the registers of the part at an offset."""
        return self._operand.words(offset)


def _operand(ctx: Context, plan: ProductPlan, slot: str, value: Value) -> _Described | _Held:
    kind = _Described if isinstance(value.type, Shared) else _Held
    return kind(ctx, plan, slot, value)


LOWERINGS = {
    "add_columns": add_columns,
    "fence_proxy": fence_proxy,
    "mma_async": mma_async,
    "mma_init": mma_init,
    "sched_barrier": sched_barrier,
    "wait_mma": wait_mma,
    "wait_mma_reads": wait_mma_reads,
}
