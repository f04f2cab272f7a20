"""Matrix products: mmaf, mmai, mmaf_scaled.

Operands are staged for the microkernel: first all of lhs, row-major, then panel after panel of rhs,
so that a panel is in the L1 cache when it is used; rows that are far apart in a tensor would be in
each other's way there. They are widened to f32 or f64, or, where the CPU multiplies words of narrow
elements (`dot_products`), grouped along K. The product is added to the result's buffer, or to a
wider accumulator, which is rounded at the end.

All sums are of f32, f64 or i32. Of floats, K products are within K * 2**-24 of the sum of their
magnitudes in f32, and K * 2**-53 in f64, beside the one rounding of the result to its type.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite import ir

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.evaluate import Evaluator, fill
from tileir.codegen.host.lowering.loops import loop, nest
from tileir.codegen.host.lowering.position import INDEX, ZERO, Position
from tileir.codegen.host.lowering.row import Row
from tileir.codegen.host.machine.vector_unit import VectorUnit
from tileir.codegen.host.planning.contiguous import contiguous_dimension
from tileir.codegen.host.planning.tiles import is_single
from tileir.codegen.scalar.conversions.narrowing import narrow
from tileir.ir import Op

from .ahead import Lines, lines_ahead
from .dot_products import WORDS, flipped_zeros, multiply_add, takes
from .memory import with_deferred
from .microkernel import KINDS, Product, function_of
from .mma_operands import narrow_element, operand_element, widened
from .transposed import across

_WORD_OF = {"bf16": "bf16x2", "f8E4M3FN": "bf16x2", "f8E5M2": "bf16x2", "i8": "i8x4"}
"""Element type -> the operand type of a microkernel that holds several of them in a word."""

_LHS, _RHS, _ACCUMULATOR = range(3)
"""Numbers of the temporaries."""


def product_of(op: Op) -> Product:
    """Return the product that computes one matrix of the batch.

    A scaled operand may be too large for f32 although the result is not; in f64 nothing overflows,
    and every product is exact.
    """
    m, k = op.operands["lhs"].type.shape[-2:]
    n = op.operands["rhs"].type.shape[-1]
    element = op.operands["lhs"].type.element.name
    if word := _word(op, element, n, k):
        signs = [op.attributes.get(f"signedness_{slot}", "")[:1] for slot in ("lhs", "rhs")]
        accumulator = "i32" if op.name == "mmai" else "f32"
        return Product(word, accumulator, m, n, k // WORDS[word], "".join(signs))
    kind = accumulator = "f32"
    if op.name == "mmaf_scaled" or op.result.type.element.name == "f64":
        kind = accumulator = "f64"
    elif op.name == "mmai":
        accumulator = "i32"
    return Product(kind, accumulator, m, n, k)


def _word(op: Op, element: str, n: int, k: int) -> str | None:
    """Return the words that the CPU can multiply the operands in, if any."""
    if op.name == "mmaf_scaled":
        return None
    word = _WORD_OF.get(element)
    if word not in VectorUnit.of_host().dot_products or k < WORDS[word] or not takes(word, n):
        return None
    return word


def _has_own_accumulator(op: Op) -> bool:
    """Whether the accumulator is a temporary, not the result's own buffer."""
    return op.result.type.element.name != product_of(op).accumulator or is_single(op.result)


def _temporaries(op: Op) -> list[int]:
    product = product_of(op)
    sizes = [product.m * product.k, (product.k + product.is_flipped) * product.width]
    if _has_own_accumulator(op):
        sizes.append(op.result.type.size)
    return [size * product.bytes for size in sizes]


def _mma(lowering: Lowering, op: Op) -> None:
    ahead: list[Lines] = []
    with_deferred(lowering, op, lambda *_: _multiply(lowering, op, ahead))
    if _has_own_accumulator(op):
        _round(lowering, op)
    lowering.finish(op.result)


def _multiply(lowering: Lowering, op: Op, ahead: list[Lines]) -> None:
    """Add the product to the accumulator, matrix by matrix.

    The same function reads operands from tensors, where `ahead` gets the lines that it prefetches,
    and from buffers, where it is told to prefetch one line again and again.
    """
    product, builder = product_of(op), lowering.builder
    if _has_own_accumulator(op):
        total = lowering.temporary(op, _ACCUMULATOR)
        _widen(lowering, op)
    else:
        total = lowering.buffer(op.result)
        fill(lowering, op.operands["acc"], total)
    following = [lines_ahead(lowering, op, slot) for slot in ("lhs", "rhs")]
    coming = [each for each in following if each is not None]
    if coming:
        ahead[:] = [lines for lines, *_ in coming]
        places = [value for _, *start_and_stride in coming for value in start_and_stride]
    else:
        places = [lowering.address(total), ZERO] * len(ahead)
    function = function_of(builder.module, product, tuple(ahead))
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
            builder.call(function, [lhs, rhs, part, panel, *places])


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
    if lying := across(lowering, op, "lhs", product, product.m):
        lying.stage(number, ZERO, product.m, start)
        return start
    each = WORDS.get(product.operand, 1)
    shape = product.m, product.k * each
    with nest(builder, shape, inner=_inner(lowering, op, "lhs")) as position:
        indices = [*number, *position.indices]
        if each > 1:
            value = narrow_element(lowering, op, "lhs", indices, product)
            address = builder.gep(start, [position.linear], inbounds=True, source_etype=value.type)
            builder.store(value, address, align=value.type.width // 8)
        else:
            value = operand_element(lowering, op, "lhs", indices)
            _store(builder, start, product.operand, position, value)
    return start


def _stage_panel(lowering: Lowering, op: Op, number: list[ir.Value], first: ir.Value) -> ir.Value:
    """Store a panel of rhs, the columns from `first` on, in its temporary; return the address."""
    builder, product = lowering.builder, product_of(op)
    start = lowering.address(lowering.temporary(op, _RHS))
    if lying := across(lowering, op, "rhs", product, product.width):
        lying.stage(number, first, product.width, start)
    else:
        _stage_elements(lowering, op, number, first, start)
    if product.is_flipped:
        _stage_flipped_zeros(builder, product, start)
    return start


def _stage_elements(
    lowering: Lowering, op: Op, number: list[ir.Value], first: ir.Value, start: ir.Value
) -> None:
    """Store a panel of rhs element by element, or word by word."""
    builder, product = lowering.builder, product_of(op)
    with nest(builder, (product.k, product.width), inner=_inner(lowering, op, "rhs")) as position:
        row, column = position.indices
        column = builder.add(first, column, flags=("nuw", "nsw"))
        if product.operand in WORDS:
            value = _word_of_rhs(lowering, op, number, row, column)
        else:
            value = operand_element(lowering, op, "rhs", [*number, row, column])
        _store(builder, start, product.operand, position, value)


def _word_of_rhs(
    lowering: Lowering, op: Op, number: list[ir.Value], row: ir.Value, column: ir.Value
) -> ir.Value:
    """Emit a word of rhs: neighbours along K, the first one in the lowest bits."""
    builder, product = lowering.builder, product_of(op)
    each = WORDS[product.operand]
    first = builder.mul(row, ir.Constant(INDEX, each), flags=("nuw", "nsw"))
    word = None
    for at in range(each):
        index = builder.add(first, ir.Constant(INDEX, at), flags=("nuw", "nsw"))
        part = narrow_element(lowering, op, "rhs", [*number, index, column], product)
        part = builder.zext(part, KINDS[product.operand])
        if at:
            part = builder.shl(part, ir.Constant(part.type, at * part.type.width // each))
        word = part if word is None else builder.or_(word, part)
    return word


def _stage_flipped_zeros(builder: ir.IRBuilder, product: Product, start: ir.Value) -> None:
    """Store behind a panel its product with a row of lhs of zeros, whose top bits are flipped."""
    kind = ir.VectorType(KINDS["i32"], product.lanes)
    for vector in range(product.width // product.lanes):
        before = builder.block
        column = ir.Constant(INDEX, vector * product.lanes)
        with loop(builder, product.k) as step:
            total = builder.phi(kind)
            row = builder.mul(step, ir.Constant(INDEX, product.width), flags=("nuw", "nsw"))
            at = _at(builder, start, "i32", builder.add(row, column, flags=("nuw", "nsw")))
            words = builder.load(at, typ=kind, align=4 * product.lanes)
            added = multiply_add(
                builder, product.operand, product.signs, flipped_zeros(), words, total
            )
            total.add_incoming(ir.Constant(kind, None), before)
            total.add_incoming(added, builder.block)
        behind = ir.Constant(INDEX, product.k * product.width + vector * product.lanes)
        builder.store(added, _at(builder, start, "i32", behind), align=4 * product.lanes)


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
