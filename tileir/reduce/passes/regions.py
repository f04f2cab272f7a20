"""Passes on ops with regions: one of them takes the op's place, or a value less goes through."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.bytecode import Bytecode
from tileir.ir import Block, Op, Value
from tileir.reduce.edit import Edit

from .candidate import Unit, in_edit, ops_of


def inlined(bytecode: Bytecode) -> list[Unit]:
    """Return units that put a branch, or the body of a loop once, in the place of its op."""
    units = []
    for function, op in ops_of(bytecode):
        for region in op.regions:
            for block in region.blocks:
                given = _given(op, block)
                if given is not None:
                    units.append(in_edit(Edit.inline, function, op, block, *given))
    return units


def _given(op: Op, block: Block) -> tuple[list[Value | None], str] | None:
    """Return the arguments of a block where it stands alone, and the terminator that ends it."""
    match op.name:
        case "if":
            return [], "yield"
        case "for":
            return [op.operands["lowerBound"], *op.operands["initValues"]], "continue"
        case "loop":
            ended = bool(block.ops) and block.ops[-1].name == "break"
            return [*op.operands["initValues"]], "break" if ended else "continue"
        case "reduce" | "scan":
            return [None] * len(block.arguments), "yield"
    return None


def without_else(bytecode: Bytecode) -> list[Unit]:
    """Return units that empty the else region of an `if` without results."""
    return [
        in_edit(_emptied, function, op)
        for function, op in ops_of(bytecode)
        if op.name == "if" and not op.results and op.regions[1].blocks
    ]


def _emptied(edit: Edit, op: Op) -> None:
    op.regions[1].blocks = []


def carried(bytecode: Bytecode) -> list[Unit]:
    """Return units that take out one of the values that an op with regions hands on or gives."""
    units = []
    for function, op in ops_of(bytecode):
        if op.name in _WITHOUT:
            count = len(op.results)
            if op.name == "loop":
                units += [
                    in_edit(_without_initial, function, op, number)
                    for number in range(len(op.operands["initValues"]))
                ]
            if op.name not in ("reduce", "scan") or count > 1:
                units += [
                    in_edit(_WITHOUT[op.name], function, op, number) for number in range(count)
                ]
    return units


def _without_result(edit: Edit, op: Op, number: int, end: str = "yield") -> None:
    """Take a result out of an `if` or `loop`, and what terminators hand over for it."""
    if number < len(op.results):
        for terminator in _ends(op, end):
            _shorten(terminator, "operands", number)
        edit.replace(op.results[number], None)
        _drop(op.results, number)


def _without_break(edit: Edit, op: Op, number: int) -> None:
    _without_result(edit, op, number, "break")


def _without_initial(edit: Edit, op: Op, number: int, first: int = 0) -> None:
    """Take a carried value out of a loop: it has its initial value in each iteration."""
    initial = op.operands["initValues"]
    if number < len(initial):
        for terminator in _ends(op, "continue"):
            _shorten(terminator, "operands", number)
        for region in op.regions:
            for block in region.blocks:
                edit.replace(block.arguments[number + first], initial[number])
                _drop(block.arguments, number + first)
        _shorten(op, "initValues", number)


def _without_carried(edit: Edit, op: Op, number: int) -> None:
    if number < len(op.results):
        edit.replace(op.results[number], op.operands["initValues"][number])
        _without_initial(edit, op, number, first=1)
        _drop(op.results, number)


def _without_combined(edit: Edit, op: Op, number: int) -> None:
    """Take an operand out of a reduce or scan, and all that belongs to it."""
    if not number < len(op.results) > 1:
        return
    for region in op.regions:
        for block in region.blocks:
            for _ in range(2):
                edit.replace(block.arguments[2 * number], None)
                _drop(block.arguments, 2 * number)
    for terminator in _ends(op, "yield"):
        _shorten(terminator, "operands", number)
    edit.replace(op.results[number], None)
    _drop(op.results, number)
    _shorten(op, "operands", number)
    identities = op.attributes["identities"]
    op.attributes["identities"] = (*identities[:number], *identities[number + 1 :])


_WITHOUT = {
    "if": _without_result,
    "for": _without_carried,
    "loop": _without_break,
    "reduce": _without_combined,
    "scan": _without_combined,
}


def _ends(op: Op, name: str) -> Iterator[Op]:
    """Yield the terminators of that name which hand values to an op; only ifs lie between."""
    waiting = [op]
    while waiting:
        around = waiting.pop()
        for inner in around.nested():
            if inner.name == name and (name != "yield" or around is op):
                yield inner
            elif inner.name == "if" and name != "yield":
                waiting.append(inner)


def _shorten(op: Op, slot: str, number: int) -> None:
    values = op.operands[slot]
    op.operands[slot] = (*values[:number], *values[number + 1 :])


def _drop(values: list[Value], number: int) -> None:
    """Take out a result or argument, whose uses the edit is to replace."""
    del values[number]
    for position, value in enumerate(values):
        value.index = position
