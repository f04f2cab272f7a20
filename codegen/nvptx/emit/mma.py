"""Lowering of matrix products: atoms, slice after slice along k.

The accumulator stays in registers, in the layout of the atoms. Of lhs and rhs one slice along k is
in registers at a time (see `mma_operands`).

Scaled operands are multiplied without their scales, one run of elements with a common scale at a
time. The sum of a run is then multiplied by both scales and added to the accumulator: in one of two
ways, which a warp chooses by its scales (see `sequences.scales`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import LANE_BITS, log2, span
from tileir.codegen.nvptx.machine.mma_atoms import multiply
from tileir.codegen.nvptx.schedule.mma_plan import ProductPlan, plan_of
from tileir.codegen.nvptx.schedule.mma_reads import in_memory, slices_in_loop, slices_of
from tileir.ir import Op

from .context import I32, Context
from .sequences.either import either
from .sequences.mma_operands import SharedOperand, operand_of
from .sequences.scales import POWERS, RUNS_IN_WORD, Factors, Powers, Scales

_SCALED = ("lhs_scale", "rhs_scale")
Accumulators = dict[int, ir.Value]
"""Offset in the accumulator -> its register."""


def lower_mma(ctx: Context, op: Op) -> None:
    """Lower mma and mma_scaled."""
    plan = plan_of(op, log2(ctx.threads) - LANE_BITS)
    if op.name == "mma":
        return ctx.define(op.result, _multiplied(ctx, op, plan, _added))
    sides = tuple(zip(_SCALED, (plan.lhs_scale, plan.rhs_scale), strict=True))
    if op.operands[_SCALED[0]].type.element.name != POWERS:
        lhs, rhs = (Scales(ctx, op.operands[slot], plan, part) for slot, part in sides)
        add = _scaled(ctx, lhs.widened, rhs.widened)
        return ctx.define(op.result, _multiplied(ctx, op, plan, add))
    lhs, rhs = (Powers(ctx, op.operands[slot], plan, part) for slot, part in sides)
    small, large = (
        _scaled(ctx, *factors)
        for factors in ((lhs.moderate, rhs.moderate), (lhs.lower_half, rhs.upper_half))
    )
    # The large ones are rare: what they need is to take few registers of the others.
    looped = plan.extents["s"] <= RUNS_IN_WORD and in_memory(op) and len(slices_of(op, plan)) > 1
    total = either(
        ctx.builder,
        ctx.builder.and_(lhs.are_moderate(), rhs.are_moderate()),
        True,
        partial(_multiplied, ctx, op, plan, small),
        partial(_multiplied, ctx, op, plan, large, looped),
    )
    return ctx.define(op.result, total)


def _multiplied(
    ctx: Context, op: Op, plan: ProductPlan, add: Add, looped: bool = False
) -> Accumulators:
    """Return the accumulators of a product, whose slices may be `looped` over."""
    accumulators = dict(ctx.fragment(op.operands["acc"]))
    product = _Product(ctx, op, plan, add)
    if looped or slices_in_loop(op):
        product.in_loop(accumulators, slices_of(op, plan))
    else:
        for start in slices_of(op, plan):
            product.slice(accumulators, start)
    return accumulators


class _Product:
    """The atoms of a product, slice by slice."""

    def __init__(self, ctx: Context, op: Op, plan: ProductPlan, add: Add) -> None:
        self._ctx, self._plan, self._add = ctx, plan, add
        self._lhs, self._rhs = (operand_of(ctx, plan, slot, op) for slot in ("lhs", "rhs"))
        self._rows, self._columns, self._batch = (span(plan.along[dim]) for dim in "mnb")
        self._own = cast("list[int]", plan.acc.own())  # k is not in there

    def slice(self, accumulators: Accumulators, start: int, moving: ir.Value | None = None) -> None:
        """Add the products of one slice, or of the one `moving` slices further along k."""
        plan = self._plan
        for batch in self._batch:
            for operand, part in ((self._lhs, plan.lhs), (self._rhs, plan.rhs)):
                if isinstance(operand, SharedOperand):
                    operand.open(part.at(b=batch, k=start), moving)
            for row in self._rows:
                for column in self._columns:
                    at = plan.acc.at(b=batch, m=row, n=column)
                    offsets = [at ^ own for own in self._own]
                    before = [accumulators[offset] for offset in offsets]

                    def products(
                        total: list[ir.Value], batch=batch, row=row, column=column
                    ) -> list[ir.Value]:
                        for k in range(start, start + plan.slice, plan.atom.k):
                            a = self._lhs.words(plan.lhs.at(b=batch, m=row, k=k))
                            b = self._rhs.words(plan.rhs.at(b=batch, k=k, n=column))
                            total = multiply(self._ctx.builder, plan.atom, a, b, total)
                        return total

                    after = self._add(products, before, offsets, start // plan.slice, moving)
                    accumulators.update(zip(offsets, after, strict=True))

    def in_loop(self, accumulators: Accumulators, slices: range) -> None:
        """Emit a loop over slices."""
        ctx, builder = self._ctx, self._ctx.builder
        count = len(slices)
        # What the number of a slice adds to an offset has no bits in common with the start.
        start = slices.start if slices.start % (slices.step << log2(2 * count - 1)) == 0 else 0
        first = (slices.start - start) // slices.step
        variables = {offset: ctx.variable(value.type) for offset, value in accumulators.items()}
        counter = ctx.variable(I32)
        builder.store(ir.Constant(I32, first), counter)
        for offset, variable in variables.items():
            builder.store(accumulators[offset], variable)
        body, after = (builder.append_basic_block(name) for name in ("slice", "sliced"))
        builder.enter_loop(body)
        number = builder.load(counter, typ=I32)
        inside = {
            offset: builder.load(v, typ=accumulators[offset].type)
            for offset, v in variables.items()
        }
        self.slice(inside, start, number)
        for offset, variable in variables.items():
            builder.store(inside[offset], variable)
        number = builder.add(number, ir.Constant(I32, 1))
        builder.store(number, counter)
        more = builder.icmp_unsigned("<", number, ir.Constant(I32, first + count))
        builder.cbranch(more, body, after)
        builder.leave_loop(body, after)
        for offset, variable in variables.items():
            accumulators[offset] = builder.load(variable, typ=accumulators[offset].type)


Products = Callable[[list[ir.Value]], list[ir.Value]]
"""Adds the products of a slice to the registers of one atom's accumulator."""
Add = Callable[[Products, list[ir.Value], list[int], int, ir.Value | None], list[ir.Value]]
"""From those, one accumulator, its offsets and the number of the slice to the new accumulator. Of
the number, there may be a second part that is known at run time."""


def _added(
    products: Products,
    before: list[ir.Value],
    _offsets: list[int],
    _number: int,
    _moving: ir.Value | None,
) -> list[ir.Value]:
    return products(before)


def _scaled(ctx: Context, lhs: Factors, rhs: Factors) -> Add:
    """Return how the sum of a run is added: times the scales of its row and column."""
    builder = ctx.builder

    def add(
        products: Products,
        before: list[ir.Value],
        offsets: list[int],
        number: int,
        moving: ir.Value | None,
    ) -> list[ir.Value]:
        total, after = products([ir.Constant(before[0].type, 0.0)] * len(before)), []
        run = number if moving is None else builder.add(moving, ir.Constant(I32, number))
        for value, old, offset in zip(total, before, offsets, strict=True):
            pairs = zip(lhs(run, offset), rhs(run, offset), strict=True)
            *others, last = (builder.fmul(*pair) for pair in pairs)
            for each in others:
                value = builder.fmul(value, each)
            after.append(builder.fma(value, last, old))
        return after

    return add


LOWERINGS = {"mma": lower_mma, "mma_scaled": lower_mma}
