"""cat and insert: tiles assembled from pieces, which are copied into the result.

And extract, where it takes a tile apart of which a vector has several pieces: such slices are kept,
because LLVM has no good code for loops that read them. Vectors are taken apart and put together by
shuffles, which is what networks that sort, and rotations of neighbours, are made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from llvmlite import ir

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.evaluate import Evaluator, fill
from tileir.codegen.host.lowering.loops import loop, nest
from tileir.codegen.host.lowering.position import INDEX, ZERO, Position
from tileir.codegen.host.lowering.prefetch import LINE
from tileir.codegen.host.lowering.row import Row
from tileir.codegen.host.planning.tiles import is_single
from tileir.codegen.scalar.types import is_packed, memory_bytes, memory_type, to_memory
from tileir.ir import Op, Value

from .lanes import numbered


def _cat(lowering: Lowering, op: Op) -> None:
    lhs, rhs, dim = op.operands["lhs"], op.operands["rhs"], op.attributes["dim"]
    run = prod(lhs.type.shape[dim:])
    if lhs.type.shape == rhs.type.shape and _is_short(op.result, run):
        _interleave(lowering, op, run)
        return
    first, second = [ZERO] * lhs.type.rank, [ZERO] * lhs.type.rank
    second[dim] = ir.Constant(INDEX, lhs.type.shape[dim])
    with lowering.writing(lowering.buffer(op.result)):
        if lhs.type.shape == rhs.type.shape:  # what both are computed from is computed once
            _copy(lowering, op, [(lhs, first), (rhs, second)])
        else:
            _copy(lowering, op, [(lhs, first)])
            _copy(lowering, op, [(rhs, second)])


def _insert(lowering: Lowering, op: Op) -> None:
    source, destination = op.operands["source"], op.operands["destination"]
    if is_single(op.result):
        lowering.singles[id(op.result)] = lowering.single(source)
        return
    fill(lowering, destination, lowering.buffer(op.result))
    with lowering.writing(lowering.buffer(op.result)):
        _copy(lowering, op, [(source, lowering.slice_starts(op, destination, source))])


def _copy(lowering: Lowering, op: Op, pieces: Sequence[tuple[Value, Sequence[ir.Value]]]) -> None:
    """Copy pieces of one shape into the result, each from its own indices on."""
    builder = lowering.builder
    with nest(builder, pieces[0][0].type.shape) as position:
        at = Evaluator(lowering, position)
        elements = [at.element(piece) for piece, _ in pieces]
        for element, (_, start) in zip(elements, pieces, strict=True):
            indices = [
                index if first is ZERO else builder.add(first, index, flags=("nuw", "nsw"))
                for first, index in zip(start, position.indices, strict=True)
            ]
            target = Position(builder, op.result.type.shape, indices)
            lowering.store_element(op.result, target, element)


def is_short_slice(op: Op) -> bool:
    """Whether an extract takes every other short run of its source."""
    return _slice(op) is not None


def keep_slice(lowering: Lowering, op: Op) -> None:
    """Compute a short slice into its buffer."""
    run, start = _slice(op) or (0, 0)
    builder, lanes = lowering.builder, _LANES
    chosen = [at // run * 2 * run + start + at % run for at in range(lanes)]
    with loop(builder, op.result.type.size // lanes) as chunk:
        [vectors] = _vectors(lowering, [op.operands["source"]], chunk, 2)
        _store(lowering, op.result, chunk, _shuffled(builder, vectors, chosen))


def _slice(op: Op) -> tuple[int, int] | None:
    """Return the elements of a run, and where the first one starts; None of other slices."""
    if op.name != "extract":
        return None
    whole, part = op.operands["source"].type.shape, op.result.type.shape
    cut = [d for d, (old, new) in enumerate(zip(whole, part, strict=True)) if old != new]
    if len(cut) != 1 or whole[cut[0]] != 2 * part[cut[0]]:
        return None
    made, run = op.operands["indices"][cut[0]].owner, prod(part[cut[0] :])
    if not isinstance(made, Op) or made.name != "constant" or not _is_short(op.result, run):
        return None
    return run, made.attributes["value"].bits() % 2 * run


def _is_short(tile: Value, run: int) -> bool:
    """Whether vectors of a tile have several runs of so many elements."""
    size = 1 if is_packed(tile.type.element) else memory_bytes(tile.type.element)
    return run < _LANES <= tile.type.size // 2 and size > 1


def _interleave(lowering: Lowering, op: Op, run: int) -> None:
    """Compute the operands of a cat together, and store runs of both in turn."""
    builder, lanes = lowering.builder, _LANES
    pieces = [op.operands["lhs"], op.operands["rhs"]]
    written = lowering.writing(lowering.buffer(op.result))
    with written, loop(builder, pieces[0].type.size // lanes) as chunk:
        vectors = [vector for [vector] in _vectors(lowering, pieces, chunk, 1)]
        for half in range(2):
            chosen = []
            for at in range(half * lanes, half * lanes + lanes):
                block, rest = divmod(at, run)
                chosen.append(block % 2 * lanes + block // 2 * run + rest)
            number = numbered(builder, chunk, 2, ir.Constant(INDEX, half))
            _store(lowering, op.result, number, _shuffled(builder, vectors, chosen))


def _vectors(
    lowering: Lowering, tiles: Sequence[Value], chunk: ir.Value, count: int
) -> list[list[ir.Value]]:
    """Return `count` vectors of each tile, which are as large as each other, from a chunk on."""
    builder, many = lowering.builder, count * _LANES
    kind = memory_type(tiles[0].type.element)
    arrays = [
        lowering.shared_slot(ir.ArrayType(kind, many), ("piece", number), LINE)
        for number, _ in enumerate(tiles)
    ]
    shape = tiles[0].type.shape
    with loop(builder, many, unrolled=True, most=_MOST) as lane:
        index = numbered(builder, chunk, many, lane)
        position = Position(builder, (prod(shape),), [index]).reshape(shape)
        at = Evaluator(lowering, position)
        for tile, array in zip(tiles, arrays, strict=True):
            value = to_memory(builder, at.element(tile), tile.type.element)
            stored = builder.store(value, builder.gep(array, [ZERO, lane], inbounds=True))
            stored.set_metadata("alias.scope", lowering.stack)
    vector = ir.VectorType(kind, _LANES)
    return [
        [
            builder.load(
                builder.gep(array, [ZERO, ir.Constant(INDEX, first)], inbounds=True),
                typ=vector,
                align=_alignment(tiles[0]),
            )
            for first in range(0, many, _LANES)
        ]
        for array in arrays
    ]


def _shuffled(builder: ir.IRBuilder, vectors: list[ir.Value], chosen: list[int]) -> ir.Value:
    kind = ir.VectorType(ir.IntType(32), len(chosen))
    return builder.shuffle_vector(*vectors, ir.Constant(kind, chosen))


def _store(lowering: Lowering, tile: Value, number: ir.Value, vector: ir.Value) -> None:
    """Store a vector of a kept tile."""
    builder = lowering.builder
    start = lowering.address(lowering.buffer(tile))
    address = builder.gep(start, [number], inbounds=True, source_etype=vector.type)
    lowering.mark_as_written(builder.store(vector, address, align=_alignment(tile)), tile)


def _alignment(tile: Value) -> int:
    return min(LINE, _LANES * memory_bytes(tile.type.element))


_LANES = 16
"""Elements of a vector that is shuffled."""

_MOST = 200
"""Instructions for an element, above which loops for vectors are not unrolled."""

ROWS = {
    "cat": Row(_cat, together=False),
    "insert": Row(_insert, together=False, onto="destination"),
}
