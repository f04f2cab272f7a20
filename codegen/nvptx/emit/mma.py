"""Lowering of matrix products: atoms, slice after slice along k.

The accumulator stays in registers, in the layout of the atoms. Of lhs and rhs one slice along k is
in registers at a time (see `mma_operands`).

Scaled operands are multiplied without their scales, one run of elements with a common scale at a
time. The sum of a run is then multiplied by both scales and added to the accumulator. Nothing
overflows that would not overflow in the result: a scale that is a power of two is applied as two
powers with half the exponent each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import LANE_BITS, log2, span
from tileir.codegen.nvptx.machine.mma_atoms import multiply
from tileir.codegen.nvptx.schedule.mma_plan import Part, ProductPlan, plan_of
from tileir.codegen.nvptx.schedule.mma_reads import slices_in_loop, slices_of
from tileir.codegen.scalar.conversions.widening import widen
from tileir.ir import Op
from tileir.types import Element

from .context import I32, Context
from .sequences.mma_operands import SharedOperand, operand_of

Accumulators = dict[int, ir.Value]
"""Offset in the accumulator -> its register."""


def lower_mma(ctx: Context, op: Op) -> None:
    """Lower mma and mma_scaled."""
    plan = plan_of(op, log2(ctx.threads) - LANE_BITS)
    accumulators = dict(ctx.fragment(op.operands["acc"]))
    add: Add = _scaled(ctx, op, plan) if op.name == "mma_scaled" else _added
    product = _Product(ctx, op, plan, add)
    if slices_in_loop(op):
        product.in_loop(accumulators, slices_of(op, plan))
    else:
        for start in slices_of(op, plan):
            product.slice(accumulators, start)
    ctx.define(op.result, accumulators)


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

                    after = self._add(products, before, offsets, start)
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
Add = Callable[[Products, list[ir.Value], list[int], int], list[ir.Value]]
"""From those, one accumulator, its offsets and the start of the slice to the new accumulator."""


def _added(
    products: Products, before: list[ir.Value], _offsets: list[int], _start: int
) -> list[ir.Value]:
    return products(before)


def _scaled(ctx: Context, op: Op, plan: ProductPlan) -> Add:
    """Return how the sum of a run is added: times the scales of its row and column."""
    builder = ctx.builder
    sides = []
    for number, (slot, part) in enumerate(
        (("lhs_scale", plan.lhs_scale), ("rhs_scale", plan.rhs_scale))
    ):
        value = op.operands[slot]
        fragment = ctx.fragment(value)
        element = value.type.element
        halves = {at: _halves(builder, scale, element, number) for at, scale in fragment.items()}
        sides.append((part, halves, _renumbered(plan.acc, part)))

    def add(
        products: Products, before: list[ir.Value], offsets: list[int], start: int
    ) -> list[ir.Value]:
        zero = ir.Constant(before[0].type, 0.0)
        total = products([zero] * len(before))
        after = []
        for value, old, offset in zip(total, before, offsets, strict=True):
            pairs = []
            for part, halves, renumbered in sides:
                at = part.at(s=start // plan.slice) ^ renumbered(offset)
                pairs.append(halves[at if part.bits else 0])
            (a, b), (c, d) = pairs
            value = builder.fmul(value, builder.fmul(a, c))
            after.append(builder.fma(value, builder.fmul(b, d), old))
        return after

    return add


def _renumbered(source: Part, target: Part) -> Callable[[int], int]:
    """Return the function from an offset in one part to that in a part with fewer dimensions."""

    def renumbered(offset: int) -> int:
        result = 0
        for dim, (extent, weight) in source.weights.items():
            if dim in target.weights:
                result += offset // weight % extent * target.weights[dim][1]
        return result

    return renumbered


_SINGLE = ir.FloatType()
_BIAS, _FRACTION = 127, 23
_NO_NUMBER = 0xFF


def _halves(
    builder: ir.IRBuilder, scale: ir.Value, element: Element, upper: int
) -> tuple[ir.Value, ir.Value]:
    """Return two f32 whose product is the scale; of a power of two, each has half the exponent.

    The first half is rounded up if `upper`, else down: so the products of the first halves and of
    the second halves of two scales are in the range of f32.
    """
    if element.name != "f8E8M0FNU":
        return widen(builder, scale, element), ir.Constant(_SINGLE, 1.0)
    bits = builder.zext(scale, I32)
    exponent = builder.sub(bits, ir.Constant(I32, _BIAS))
    part = builder.ashr(exponent, ir.Constant(I32, 1))
    halves = [part, builder.sub(exponent, part)]
    is_nan = builder.icmp_unsigned("==", bits, ir.Constant(I32, _NO_NUMBER))
    powers = []
    for half in reversed(halves) if upper else halves:
        biased = builder.add(half, ir.Constant(I32, _BIAS))
        power = builder.shl(biased, ir.Constant(I32, _FRACTION))
        power = builder.select(is_nan, ir.Constant(I32, 0x7FC00000), power)
        powers.append(builder.bitcast(power, _SINGLE))
    return powers[0], powers[1]


LOWERINGS = {"mma": lower_mma, "mma_scaled": lower_mma}
