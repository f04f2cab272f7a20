"""Lowering of matrix products: atoms, slice after slice along k.

The sum is in registers, in the layout that atoms have it in, and stays there. Of the factors one
slice along k is in registers at a time (see `read_factors`). Sums of f16 are formed in f32 and
rounded once.

Scaled factors are multiplied without their scales, one run of elements with a common scale at a
time. The sum of a run is then multiplied by both scales and added. So nothing overflows that would
not do so in the result: scales that are powers of two are applied as two factors of half the
exponent each.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import span
from tileir.codegen.nvptx.emit.fragments import I32, Context
from tileir.codegen.nvptx.machine.mma_atoms import multiply
from tileir.codegen.nvptx.schedule.mma_plan import Part, Plan
from tileir.codegen.nvptx.schedule.staged import Staged, find, root_of
from tileir.codegen.scalar.conversions.narrowing import narrow
from tileir.codegen.scalar.conversions.widening import widen
from tileir.ir import Op
from tileir.types import Element

from .fill_staged import fill_pieces
from .read_factors import Factor, HeldFactor, StagedFactor

MOST_ATOMS = 256
"""With more atoms in a row, a loop along k is shorter code."""

Sums = dict[int, ir.Value]


def lower_product(ctx: Context, op: Op) -> None:
    """mmaf, mmai, mmaf_scaled."""
    plan, builder = ctx.assignment.products[op], ctx.builder
    element, layout = op.result.type.element, plan.sum.layout
    sums = dict(ctx.fragment(op.operands["acc"], layout))
    if element.name == "f16":
        sums = {offset: widen(builder, value, element) for offset, value in sums.items()}
    add: Add = _scaled(ctx, op, plan) if op.name == "mmaf_scaled" else _added
    start_next, cut = ctx.meanwhile.pop(op, None), ctx.assignment.cut.get(op)
    length = cut.length if cut else plan.extents["k"]
    for first in range(0, plan.extents["k"], length):
        pieces = fill_pieces(ctx, op, first) if cut else {}
        left, right = (_factor(ctx, op, slot, pieces.get(slot)) for slot in ("lhs", "rhs"))
        run = _Run(ctx, plan, left, right, add, range(first, first + length, plan.slice))
        if run.atoms > MOST_ATOMS and run.movable and op.name != "mmaf_scaled":
            if start_next and first == 0:
                start_next()
            run.in_loop(sums)
            continue
        for start in run.slices:
            run.slice(sums, start)
            if start_next and start == 0:
                # From here on tensor cores have something to do.
                start_next()
    if element.name == "f16":
        sums = {offset: narrow(builder, value, element) for offset, value in sums.items()}
    ctx.define(op.result, ctx.assignment.computed(op.result)[0], sums)


def _factor(ctx: Context, op: Op, slot: str, piece: Staged | None) -> Factor:
    plan, value = ctx.assignment.products[op], op.operands[slot]
    part, staged = plan.part(slot), piece or find(ctx.staged, value)
    if staged is None:
        fragment = ctx.fragment(value, part.layout)
        ctx.remark(f"{slot} read from registers", "it is where the atom wants it")
        return HeldFactor(ctx, plan, part, fragment, value.type.element)
    staging = ctx.assignment.staged.get(root_of(value))
    if staging is not None and piece is None:
        ctx.shared.before_use(*staging.range)
    dim, weight = ("m", part.weights["m"][1]) if slot == "lhs" else ("n", part.weights["n"][1])
    inside = [step for step in plan.along["k"] if step < plan.slice]
    free = [step * weight for step in plan.along[dim]]
    free += [part.at(k=step) for step in inside]
    factor = StagedFactor(ctx, plan, part, staged, free)
    by = (
        "ldmatrix"
        if factor.by_matrices
        else "plain loads, as rows do not lie as ldmatrix wants them"
    )
    ctx.remark(f"{slot} read from shared memory", f"by {by}")
    return factor


class _Run:
    """All atoms of one product, or of one piece of it along k: of the slices that begin there."""

    def __init__(
        self, ctx: Context, plan: Plan, left: Factor, right: Factor, add: Add, slices: range
    ) -> None:
        self._ctx, self._plan, self._add = ctx, plan, add
        self._left, self._right = left, right
        self._rows, self._columns, self._batch = (span(plan.along[dim]) for dim in "mnb")
        self._own, self.slices = plan.sum.own(), slices

    @property
    def atoms(self) -> int:
        count = len(self._rows) * len(self._columns) * len(self._batch) * len(self._own)
        along = len(self.slices) * self._plan.slice
        return count * (along // self._plan.atom.k or 1) // 4

    @property
    def movable(self) -> bool:
        """Whether a slice may be chosen at run time."""
        return all(isinstance(factor, StagedFactor) for factor in (self._left, self._right))

    def slice(self, sums: Sums, start: int, moving: ir.Value | None = None) -> None:
        """Add the products of one slice; it starts `moving` slices further along k."""
        plan = self._plan
        for batch in self._batch:
            for factor, part in ((self._left, plan.left), (self._right, plan.right)):
                if isinstance(factor, StagedFactor):
                    factor.open(part.at(b=batch, k=start), moving)
            for row in self._rows:
                for column in self._columns:
                    at = plan.sum.at(b=batch, m=row, n=column)
                    offsets = [at ^ own for own in self._own]
                    before = [sums[offset] for offset in offsets]

                    def products(
                        total: list[ir.Value], batch=batch, row=row, column=column
                    ) -> list[ir.Value]:
                        for k in range(start, start + plan.slice, plan.atom.k):
                            a = self._left.words(plan.left.at(b=batch, m=row, k=k))
                            b = self._right.words(plan.right.at(b=batch, k=k, n=column))
                            total = multiply(self._ctx.builder, plan.atom, a, b, total)
                        return total

                    after = self._add(products, before, offsets, start)
                    sums.update(zip(offsets, after, strict=True))

    def in_loop(self, sums: Sums) -> None:
        """Slice after slice, in a loop."""
        ctx, builder = self._ctx, self._ctx.builder
        variables = {offset: ctx.variable(value.type) for offset, value in sums.items()}
        counter = ctx.variable(I32)
        builder.store(ir.Constant(I32, 0), counter)
        for offset, variable in variables.items():
            builder.store(sums[offset], variable)
        body, after = (builder.append_basic_block(name) for name in ("slice", "sliced"))
        builder.branch(body)
        builder.position_at_end(body)
        number = builder.load(counter, typ=I32)
        inside = {offset: builder.load(v, typ=sums[offset].type) for offset, v in variables.items()}
        self.slice(inside, self.slices.start, number)
        for offset, variable in variables.items():
            builder.store(inside[offset], variable)
        number = builder.add(number, ir.Constant(I32, 1))
        builder.store(number, counter)
        more = builder.icmp_unsigned("<", number, ir.Constant(I32, len(self.slices)))
        builder.cbranch(more, body, after)
        builder.position_at_end(after)
        for offset, variable in variables.items():
            sums[offset] = builder.load(variable, typ=sums[offset].type)


Products = Callable[[list[ir.Value]], list[ir.Value]]
"""Adds the products of a slice to the registers of one atom's sum."""
Add = Callable[[Products, list[ir.Value], list[int], int], list[ir.Value]]
"""From those, the sums before, their offsets, and where the slice starts: the sums after it."""


def _added(
    products: Products, before: list[ir.Value], _offsets: list[int], _start: int
) -> list[ir.Value]:
    return products(before)


def _scaled(ctx: Context, op: Op, plan: Plan) -> Add:
    """Sums of runs, each times the scales of its row and column."""
    builder = ctx.builder
    sides = []
    for number, (slot, part) in enumerate(
        (("lhs_scale", plan.left_scale), ("rhs_scale", plan.right_scale))
    ):
        value = op.operands[slot]
        fragment = ctx.fragment(value, part.layout)
        element = value.type.element
        halves = {at: _halves(builder, scale, element, number) for at, scale in fragment.items()}
        sides.append((part, halves, _renumbered(plan.sum, part)))

    def add(
        products: Products, before: list[ir.Value], offsets: list[int], start: int
    ) -> list[ir.Value]:
        zero = ir.Constant(before[0].type, 0.0)
        total = products([zero] * len(before))
        after = []
        for value, old, offset in zip(total, before, offsets, strict=True):
            pairs = []
            for part, halves, images in sides:
                at = part.at(s=start // plan.slice) ^ images(offset)
                pairs.append(halves[at if part.bits else 0])
            (a, b), (c, d) = pairs
            value = builder.fmul(value, builder.fmul(a, c))
            after.append(builder.fma(value, builder.fmul(b, d), old))
        return after

    return add


def _renumbered(source: Part, target: Part) -> Callable[[int], int]:
    """The offset, in a part that lacks some dimensions, of what is at an offset of another."""

    def image(offset: int) -> int:
        found = 0
        for dim, (extent, weight) in source.weights.items():
            if dim in target.weights:
                found += offset // weight % extent * target.weights[dim][1]
        return found

    return image


_SINGLE = ir.FloatType()
_BIAS, _FRACTION = 127, 23
_NO_NUMBER = 0xFF


def _halves(
    builder: ir.IRBuilder, scale: ir.Value, element: Element, upper: int
) -> tuple[ir.Value, ir.Value]:
    """Two f32 whose product is the scale; of powers of two, each has half of the exponent.

    The first half is rounded up if `upper`, else down: so the halves of two scales, multiplied
    first with first, and second with second, are in the range of f32.
    """
    if element.name != "f8E8M0FNU":
        return widen(builder, scale, element), ir.Constant(_SINGLE, 1.0)
    bits = builder.zext(scale, I32)
    exponent = builder.sub(bits, ir.Constant(I32, _BIAS))
    part = builder.ashr(exponent, ir.Constant(I32, 1))
    halves = [part, builder.sub(exponent, part)]
    is_nan = builder.icmp_unsigned("==", bits, ir.Constant(I32, _NO_NUMBER))
    found = []
    for half in reversed(halves) if upper else halves:
        biased = builder.add(half, ir.Constant(I32, _BIAS))
        power = builder.shl(biased, ir.Constant(I32, _FRACTION))
        power = builder.select(is_nan, ir.Constant(I32, 0x7FC00000), power)
        found.append(builder.bitcast(power, _SINGLE))
    return found[0], found[1]


LOWERINGS = dict.fromkeys(("mmaf", "mmaf_scaled", "mmai"), lower_product)
