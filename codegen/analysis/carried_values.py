"""Data flow through control flow: which value becomes which block argument or result."""

from __future__ import annotations

from collections.abc import Sequence

from tileir.codegen.ops import Family, family_of
from tileir.ir import Block, Op, Value


def carried_arguments(op: Op) -> Sequence[Value]:
    """Return the block arguments that a `for` or `loop` carries, without the counter."""
    return op.regions[0].block.arguments[1 if op.name == "for" else 0 :]


def targets(op: Op, around: Sequence[Op]) -> Sequence[Value]:
    """Return what the operands of a terminator become; `around` are its parent ops, innermost last.

    Empty for `return`, and in reduce and scan, whose lowerings handle the yielded values.
    """
    if op.name == "yield":
        return around[-1].results if around[-1].name == "if" else ()
    loop = next((outer for outer in reversed(around) if family_of(outer) is Family.LOOP), None)
    if loop is None:
        return ()
    if op.name == "break":
        return loop.results
    return carried_arguments(loop) if op.name == "continue" else ()


def handed_on(block: Block, around: tuple[Op, ...] = ()) -> list[tuple[Value, Value]]:
    """Return all pairs of a value and the value it becomes, in the block and nested blocks."""
    pairs: list[tuple[Value, Value]] = []
    for op in block.ops:
        if op.spec.terminator:
            pairs += zip(op.operand_list(), targets(op, around), strict=False)
        if family_of(op) is Family.LOOP:
            pairs += zip(op.operands["initValues"], carried_arguments(op), strict=True)
        for region in op.regions:
            for inner in region.blocks:
                pairs += handed_on(inner, (*around, op))
        if op.name == "for":
            pairs += zip(carried_arguments(op), op.results, strict=True)
    return pairs
