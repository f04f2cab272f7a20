"""Matrix products: mmaf, mmai, mmaf_scaled.

Operands are staged for the microkernel, widened to f32 or f64: first all of lhs, row-major, then
panel after panel of rhs, so that a panel is in the L1 cache when it is used. The product is added
to the result's buffer, or to a wider accumulator, which is rounded at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite import ir

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.evaluate import Evaluator, fill
from tileir.codegen.host.lowering.loops import loop, nest
from tileir.codegen.host.lowering.position import INDEX, Position
from tileir.codegen.host.lowering.row import Row
from tileir.codegen.host.planning.contiguous import contiguous_dimension
from tileir.codegen.host.planning.tiles import is_single
from tileir.codegen.scalar.conversions.narrowing import narrow
from tileir.ir import Op

from .memory import with_deferred
from .microkernel import KINDS, Product, function_of
from .mma_operands import operand_element, widened

_LHS, _RHS, _ACCUMULATOR = range(3)
"""Numbers of the temporaries."""


def product_of(op: Op) -> Product:
    """Return the product that computes one matrix of the batch.

    A scaled operand may be too large for f32 although the result is not; in f64 nothing overflows,
    and every product is exact.
    """
    m, k = op.operands["lhs"].type.shape[-2:]
    n = op.operands["rhs"].type.shape[-1]
    kind = accumulator = "f32"
    if op.name == "mmaf_scaled" or op.result.type.element.name == "f64":
        kind = accumulator = "f64"
    elif op.name == "mmai":
        accumulator = "i32"
    return Product(kind, accumulator, m, n, k)


def _has_own_accumulator(op: Op) -> bool:
    """Whether the accumulator is a temporary, not the result's own buffer."""
    return op.result.type.element.name != product_of(op).accumulator or is_single(op.result)


def _temporaries(op: Op) -> list[int]:
    product = product_of(op)
    sizes = [product.m * product.k, product.k * product.width]
    if _has_own_accumulator(op):
        sizes.append(op.result.type.size)
    return [size * product.bytes for size in sizes]


def _mma(lowering: Lowering, op: Op) -> None:
    with_deferred(lowering, op, lambda *_: _multiply(lowering, op))
    if _has_own_accumulator(op):
        _round(lowering, op)
    lowering.finish(op.result)


def _multiply(lowering: Lowering, op: Op) -> None:
    """Add the product to the accumulator, matrix by matrix."""
    product, builder = product_of(op), lowering.builder
    if _has_own_accumulator(op):
        total = lowering.temporary(op, _ACCUMULATOR)
        _widen(lowering, op)
    else:
        total = lowering.buffer(op.result)
        fill(lowering, op.operands["acc"], total)
    function = function_of(builder.module, product)
    with _matrices(lowering, op) as number:
        accumulators = lowering.address(total)
        for index in number:
            start = builder.mul(index, ir.Constant(INDEX, product.m * product.n))
            accumulators = _at(builder, accumulators, product.accumulator, start)
        lhs = _stage_lhs(lowering, op, number)
        with loop(builder, product.n // product.width) as panel:
            first = builder.mul(panel, ir.Constant(INDEX, product.width), flags=("nuw", "nsw"))
            rhs = _stage_panel(lowering, op, number, first)
            part = _at(builder, accumulators, product.accumulator, first)
            builder.call(function, [lhs, rhs, part])


@contextmanager
def _matrices(lowering: Lowering, op: Op) -> Iterator[list[ir.Value]]:
    """Code inside runs for each matrix of the batch; yield the indices before row and column."""
    shape = op.result.type.shape
    if len(shape) == 2:
        yield []
    else:
        with loop(lowering.builder, shape[0]) as number:
            yield [number]


def _stage_lhs(lowering: Lowering, op: Op, number: list[ir.Value]) -> ir.Value:
    """Store lhs, row-major, in its temporary; return the address."""
    builder, product = lowering.builder, product_of(op)
    start = lowering.address(lowering.temporary(op, _LHS))
    with nest(builder, (product.m, product.k), inner=_inner(lowering, op, "lhs")) as position:
        row, column = position.indices
        value = operand_element(lowering, op, "lhs", [*number, row, column])
        _store(builder, start, product.operand, position, value)
    return start


def _stage_panel(lowering: Lowering, op: Op, number: list[ir.Value], first: ir.Value) -> ir.Value:
    """Store a panel of rhs, the columns from `first` on, in its temporary; return the address."""
    builder, product = lowering.builder, product_of(op)
    start = lowering.address(lowering.temporary(op, _RHS))
    with nest(builder, (product.k, product.width), inner=_inner(lowering, op, "rhs")) as position:
        row, column = position.indices
        column = builder.add(first, column, flags=("nuw", "nsw"))
        value = operand_element(lowering, op, "rhs", [*number, row, column])
        _store(builder, start, product.operand, position, value)
    return start


def _inner(lowering: Lowering, op: Op, slot: str) -> int | None:
    """Return which dimension of an operand's matrix is contiguous: 0, 1, or None if unknown."""
    value = op.operands[slot]
    dimension = contiguous_dimension(lowering, value)
    first_row = len(value.type.shape) - 2
    return None if dimension is None or dimension < first_row else dimension - first_row


def _widen(lowering: Lowering, op: Op) -> None:
    """Store operand `acc` in the temporary accumulator, widened to its type."""
    builder, kind = lowering.builder, product_of(op).accumulator
    acc = op.operands["acc"]
    start = lowering.address(lowering.temporary(op, _ACCUMULATOR))
    with nest(builder, acc.type.shape) as position:
        value = Evaluator(lowering, position).element(acc)
        if kind != "i32":
            value = widened(builder, value, acc.type.element)
        if value.type != KINDS[kind]:
            value = builder.fpext(value, KINDS[kind])
        _store(builder, start, kind, position, value)


def _round(lowering: Lowering, op: Op) -> None:
    """Round the temporary accumulator to the result."""
    builder, kind = lowering.builder, product_of(op).accumulator
    element = op.result.type.element
    start = lowering.address(lowering.temporary(op, _ACCUMULATOR))
    with nest(builder, op.result.type.shape) as position:
        address = _at(builder, start, kind, position.linear)
        value = builder.load(address, typ=KINDS[kind], align=product_of(op).bytes)
        if element.name != kind:
            value = narrow(builder, value, element)
        lowering.store_element(op.result, position, value)


def _store(
    builder: ir.IRBuilder, start: ir.Value, kind: str, position: Position, value: ir.Value
) -> None:
    align = 8 if kind == "f64" else 4
    builder.store(value, _at(builder, start, kind, position.linear), align=align)


def _at(builder: ir.IRBuilder, start: ir.Value, kind: str, number: ir.Value) -> ir.Value:
    return builder.gep(start, [number], inbounds=True, source_etype=KINDS[kind])


ROWS = dict.fromkeys(
    ("mmaf", "mmaf_scaled", "mmai"),
    Row(_mma, together=False, onto="acc", temporaries=_temporaries, direct=True),
)
