"""What has to be true of every body after every edit: parents, indices and uses, counted anew."""

from __future__ import annotations

from collections import defaultdict

from tileir import Bytecode
from tileir.ir import Body, Op, Use, Value


def untruths(bytecode: Bytecode) -> list[str]:
    """What is not true of the bodies of a module; the uses of all of their values are asked for."""
    return [text for function in bytecode.functions for text in _body(function.body)]


def _body(body: Body) -> list[str]:
    wrong: list[str] = []
    values: list[Value] = []
    uses: dict[Value, set[Use]] = defaultdict(set)
    waiting = [(body.block, body)]
    while waiting:
        block, parent = waiting.pop()
        if block.parent is not parent:
            wrong.append(f"parent of a block: {block.parent!r}")
        values += block.arguments
        for index, op in enumerate(block.ops):
            if op.parent is not block:
                wrong.append(f"parent of {op!r}: {op.parent!r}")
            if op.index != index or (index and not block.ops[index - 1].is_before(op)):
                wrong.append(f"index of {op!r}: {op.index}, it is {index}")
            values += op.results
            _count(op, uses)
            for region in op.regions:
                if region.parent is not op:
                    wrong.append(f"parent of a region of {op!r}")
                waiting += [(inner, region) for inner in region.blocks]
    for value in values:
        if isinstance(value, Value) and set(value.uses) != uses[value]:
            wrong.append(f"uses of {value!r}: {value.uses}, they are {uses[value]}")
    return wrong


def _count(op: Op, uses: dict[Value, set[Use]]) -> None:
    for slot, operand in op.operands.items():
        if isinstance(operand, Value):
            uses[operand].add(Use(op, slot, None))
        elif isinstance(operand, tuple):
            for index, each in enumerate(operand):
                if isinstance(each, Value):
                    uses[each].add(Use(op, slot, index))
