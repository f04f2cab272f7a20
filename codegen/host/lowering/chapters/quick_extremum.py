"""Maxima and minima of f32 by one instruction an element, which is wrong for few results.

The op takes the number where one operand is NaN, and +0 for the greater of zeros; a comparison and
a selection do neither. Starting from a number, they leave out every NaN; so the result is right
unless it is a zero, whose sign may be wrong, or the infinity that a NaN is replaced with at the
start. Then the fold is repeated with the op itself.
"""

from __future__ import annotations

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.ir import Op

_RELATIONS = {"maxf": (">", -float("inf")), "minf": ("<", float("inf"))}
"""Op -> how the result compares with others, and what every number is better than or equal to."""


def applies(op: Op) -> bool:
    """Whether a reduction takes a maximum or minimum of f32 that leaves out NaN."""
    if len(op.operands["operands"]) != 1 or op.results[0].type.element.name != "f32":
        return False
    body = op.regions[0].block.ops[0]
    if body.name not in _RELATIONS or len(op.regions[0].block.ops) != 2:
        return False
    return not body.attributes.get("propagate_nan") and not body.attributes.get("flush_to_zero")


def start(builder: Builder, op: Op, elements: list[ir.Value]) -> list[ir.Value]:
    """Return the first element, or the worst number instead of NaN."""
    [element] = elements
    worst = ir.Constant(element.type, _relation(op)[1])
    return [builder.select(builder.fcmp_ordered("ord", element, element), element, worst)]


def fold(builder: Builder, op: Op, one: list[ir.Value], other: list[ir.Value]) -> list[ir.Value]:
    """Return the better one, `other` if they cannot be compared."""
    better = builder.fcmp_ordered(_relation(op)[0], one[0], other[0])
    return [builder.select(better, one[0], other[0])]


def may_be_wrong(builder: Builder, op: Op, result: ir.Value) -> ir.Value:
    """Emit whether a result of these folds may differ from that of the op."""
    doubtful = (ir.Constant(result.type, number) for number in (0.0, _relation(op)[1]))
    zero, worst = (builder.fcmp_ordered("==", result, number) for number in doubtful)
    return builder.or_(zero, worst)


def _relation(op: Op) -> tuple[str, float]:
    return _RELATIONS[op.regions[0].block.ops[0].name]
