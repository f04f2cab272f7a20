"""Passes on ops: they go, or another value takes the place of what they compute."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.bytecode import Bytecode
from tileir.formats.ops.spec import SILENT
from tileir.ir import Block, Op, Value
from tileir.reduce.edit import Edit
from tileir.reduce.stand_ins import is_stand_in

from .candidate import Unit, in_edit, ops_of

MOST_OTHERS = 4
"""Values that are tried in the place of a result."""


def erased(bytecode: Bytecode) -> list[Unit]:
    """Return units that take out an op; stand-ins are used for its results."""
    used = {value for _, op in ops_of(bytecode) for value in op.operand_list()}
    return [
        in_edit(Edit.erase, function, op)
        for function, op in ops_of(bytecode)
        if not op.spec.terminator and not (is_stand_in(op) and not used.isdisjoint(op.results))
    ]


def dead(bytecode: Bytecode) -> list[Unit]:
    """Return units that take out ops whose results nobody needs, and which only have results."""
    return [
        in_edit(Edit.erase, function, op)
        for function in bytecode.functions
        for op in _dead(function.body.block)
    ]


def _dead(block: Block) -> list[Op]:
    """Return the outermost dead ops of a block and the blocks in it."""
    needed: set[Value] = set()
    found: list[Op] = []
    waiting: list[Op] = list(block.ops)  # the last one comes first
    while waiting:
        op = waiting.pop()
        if op.spec.terminator or not _is_silent(op) or not needed.isdisjoint(op.results):
            needed.update(op.operand_list())
            waiting += op.nested()
        else:
            found.append(op)
    return found


def _is_silent(op: Op) -> bool:
    if not op.regions:
        return op.spec.effects in SILENT
    return all(
        inner.spec.terminator or inner.spec.effects in SILENT or inner.regions
        for inner in op.walk()
        if inner is not op
    )


def forwarded(bytecode: Bytecode) -> list[Unit]:
    """Return units that take out an op whose result becomes an operand of the same type."""
    units = []
    for function, op in ops_of(bytecode):
        if op.spec.terminator or not op.results:
            continue
        operands = list(op.operand_list())
        others = [
            next((value for value in operands if value.type == result.type), None)
            for result in op.results
        ]
        if any(others):
            units.append(in_edit(_replaced, function, op, others))
    return units


def merged(bytecode: Bytecode) -> list[Unit]:
    """Return units that take out an op whose results become values from before it."""
    units = []
    for function in bytecode.functions:
        for op, known in _with_visible(function.body.block):
            if op.results and not op.spec.terminator:
                first = [known.get(result.type, [])[:MOST_OTHERS] for result in op.results]
                for number in reversed(range(max(map(len, first)))):
                    others = [values[number] if number < len(values) else None for values in first]
                    units.append(in_edit(_replaced, function, op, others))
    return units


def _with_visible(block: Block) -> Iterator[tuple[Op, dict[object, list[Value]]]]:
    """Yield each op with the values that it sees, by type, the first ones first."""
    known: dict[object, list[Value]] = {}
    inside: list[tuple[Iterator[Op | list[Value]], list[Value]]] = [(_steps(block), [])]
    while inside:
        steps, entered = inside[-1]
        step = next(steps, None)
        if step is None:
            for value in reversed(entered):
                known[value.type].pop()
            inside.pop()
        elif isinstance(step, Op):
            yield step, known
            inside += [(_steps(b), []) for region in step.regions for b in region.blocks]
        else:
            entered += step
            for value in step:
                known.setdefault(value.type, []).append(value)


def _steps(block: Block) -> Iterator[Op | list[Value]]:
    """Yield the ops of a block, and between them the values that come in sight."""
    yield block.arguments
    for op in block.ops:
        yield op
        yield op.results


def _replaced(edit: Edit, op: Op, others: list[Value | None]) -> None:
    for result, other in zip(op.results, others, strict=True):
        edit.replace(result, other)
    edit.erase(op)
