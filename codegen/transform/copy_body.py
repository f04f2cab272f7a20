"""A copy of a function's body, for transforms, which may not change the module."""

from __future__ import annotations

from tileir.ir import Block, Body, Op, Region, Value


def copy_body(body: Body) -> tuple[Body, dict[int, Value]]:
    """Return a copy, and the new value of each old one by id. Attributes and types are shared."""
    values: dict[int, Value] = {}
    return Body(body.type, _block(body.block, values)), values


def _block(block: Block, values: dict[int, Value]) -> Block:
    copy = Block()
    copy.arguments = [_value(value, copy, values) for value in block.arguments]
    copy.ops = [_op(op, values) for op in block.ops]
    return copy


def _op(op: Op, values: dict[int, Value]) -> Op:
    operands = {slot: _operand(operand, values) for slot, operand in op.operands.items()}
    copy = Op(
        op.spec,
        operands,
        op.attributes,
        offset=op.offset,
        position=op.position,
        depth=op.depth,
        location=op.location,
    )
    copy.results = [_value(value, copy, values) for value in op.results]
    copy.regions = [
        Region([_block(block, values) for block in region.blocks]) for region in op.regions
    ]
    return copy


def _operand(
    operand: Value | tuple[Value, ...] | None, values: dict[int, Value]
) -> Value | tuple[Value, ...] | None:
    if isinstance(operand, tuple):
        return tuple(values[id(value)] for value in operand)
    return None if operand is None else values[id(operand)]


def _value(value: Value, owner: Op | Block, values: dict[int, Value]) -> Value:
    values[id(value)] = copy = Value(value.type, owner, value.index, value.number)
    return copy
