"""When an assumption is false: the conditions that `check="undefined"` tests at assume ops."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from llvmlite import ir

from tileir.attributes import Bounded, DivBy, SameElements
from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.evaluate import Evaluator
from tileir.codegen.host.lowering.position import INDEX, Position
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op
from tileir.types import Pointer


def violations(
    lowering: Lowering, op: Op, value: ir.Value, position: Position
) -> Iterator[ir.Value]:
    """Yield i1 values that are 1 where an element of a tile is not as the op assumes."""
    predicate = op.attributes["predicate"]
    yield from _VIOLATIONS[type(predicate)](lowering, op, predicate, value, position)


def indivisible(builder: ir.IRBuilder, value: ir.Value, divisor: int) -> ir.Value:
    """Whether an integer is no multiple of a power of two."""
    rest = (divisor - 1) & ((1 << value.type.width) - 1)
    rest = builder.and_(value, ir.Constant(value.type, rest))
    return builder.icmp_unsigned("!=", rest, ir.Constant(value.type, 0))


def _bounded(
    lowering: Lowering, op: Op, bounds: Bounded, value: ir.Value, position: Position
) -> Iterator[ir.Value]:
    builder, mask = lowering.builder, (1 << value.type.width) - 1
    for relation, bound in (("<", bounds.lower), (">", bounds.upper)):
        if bound is not None:
            limit = ir.Constant(value.type, bound & mask)
            yield builder.icmp_signed(relation, value, limit)


def _divisible(
    lowering: Lowering, op: Op, predicate: DivBy, value: ir.Value, position: Position
) -> Iterator[ir.Value]:
    """In groups, elements count up from the first of each, by one or by the size of a pointee."""
    builder = lowering.builder
    if not predicate.every or predicate.along is None:
        yield indivisible(builder, value, predicate.divisor)
        return
    along = predicate.along
    groups = [1] * len(position.shape)
    groups[along] = predicate.every
    first = _first_of_group(lowering, op, position, groups)
    yield indivisible(builder, first, predicate.divisor)
    element = op.result.type.element
    step = memory_bytes(element.pointee) if isinstance(element, Pointer) else 1
    offset = builder.urem(position.indices[along], ir.Constant(INDEX, predicate.every))
    if value.type != INDEX:
        offset = builder.trunc(offset, value.type)
    mask = (1 << value.type.width) - 1
    expected = builder.add(first, builder.mul(offset, ir.Constant(value.type, step & mask)))
    yield builder.icmp_unsigned("!=", value, expected)


def _same(
    lowering: Lowering, op: Op, predicate: SameElements, value: ir.Value, position: Position
) -> Iterator[ir.Value]:
    first = _first_of_group(lowering, op, position, predicate.groups)
    yield lowering.builder.icmp_unsigned("!=", value, first)


def _first_of_group(
    lowering: Lowering, op: Op, position: Position, groups: tuple[int, ...] | list[int]
) -> ir.Value:
    """Return the first element of the group of neighbours that an element belongs to."""
    builder = lowering.builder
    indices = [
        builder.sub(index, builder.urem(index, ir.Constant(INDEX, max(group, 1))))
        for index, group in zip(position.indices, groups, strict=True)
    ]
    first = Position(builder, position.shape, indices)
    return Evaluator(lowering, first).element(op.operands["value"])


_VIOLATIONS: dict[type, Callable[..., Iterator[ir.Value]]] = {
    Bounded: _bounded,
    DivBy: _divisible,
    SameElements: _same,
}
