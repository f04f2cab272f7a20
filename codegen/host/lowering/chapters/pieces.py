"""cat and insert: tiles assembled from pieces, which are copied into the result."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.evaluate import Evaluator, fill
from tileir.codegen.host.lowering.loops import nest
from tileir.codegen.host.lowering.position import INDEX, ZERO, Position
from tileir.codegen.host.lowering.row import Row
from tileir.codegen.host.planning.tiles import is_single
from tileir.ir import Op, Value


def _cat(lowering: Lowering, op: Op) -> None:
    lhs, rhs, dim = op.operands["lhs"], op.operands["rhs"], op.attributes["dim"]
    start = [ZERO] * lhs.type.rank
    _copy(lowering, op, lhs, start)
    start[dim] = ir.Constant(INDEX, lhs.type.shape[dim])
    _copy(lowering, op, rhs, start)


def _insert(lowering: Lowering, op: Op) -> None:
    source, destination = op.operands["source"], op.operands["destination"]
    if is_single(op.result):
        lowering.singles[id(op.result)] = lowering.single(source)
        return
    fill(lowering, destination, lowering.buffer(op.result))
    _copy(lowering, op, source, lowering.slice_starts(op, destination, source))


def _copy(lowering: Lowering, op: Op, piece: Value, start: Sequence[ir.Value]) -> None:
    """Copy a piece into the result, from the indices `start` on."""
    builder = lowering.builder
    with nest(builder, piece.type.shape) as position:
        element = Evaluator(lowering, position).element(piece)
        indices = [
            index if first is ZERO else builder.add(first, index, flags=("nuw", "nsw"))
            for first, index in zip(start, position.indices, strict=True)
        ]
        target = Position(builder, op.result.type.shape, indices)
        lowering.store_element(op.result, target, element)


ROWS = {
    "cat": Row(_cat, together=False),
    "insert": Row(_insert, together=False, onto="destination"),
}
