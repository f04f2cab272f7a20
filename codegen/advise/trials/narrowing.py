"""Trials of what is computed for each element, although fewer different numbers go into it."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from tileir.builder import Editor, number
from tileir.codegen.ops import Family, family_of
from tileir.ir import Op, Value
from tileir.ir.constants import Constant

from .trial import at_ops

Shape = tuple[int, ...]
_DEEP = 8
"""So many ops behind each other are looked through."""


def varies(value: Value, deep: int = _DEEP) -> Shape:
    """Return the shape of the smallest tile of which a value is a broadcast, as far as is seen."""
    op, shape = value.owner, value.type.shape
    if not isinstance(op, Op) or not deep:
        return shape
    if op.name == "broadcast":
        return op.operands["source"].type.shape
    if op.name == "constant" and op.attributes["value"].is_splat:
        return (1,) * len(shape)
    if not _is_element_wise(op):
        return shape
    shapes = [varies(each, deep - 1) for each in op.operand_list()]
    return tuple(map(max, zip(*shapes, strict=True)))


def _is_element_wise(op: Op) -> bool:
    return family_of(op) is Family.ELEMENT_WISE and len(op.results) == 1 and op.name != "offset"


def narrowed(value: Value, shape: Shape, editor: Editor, anchor: Op) -> Value:
    """Return a tile of this shape, or a smaller one, of which a value is a broadcast.

    What it takes is made before the op `anchor`, as `editor` does.
    """
    op = value.owner
    assert isinstance(op, Op)
    if op.name == "broadcast":
        return op.operands["source"]
    kind = replace(value.type, shape=shape)
    if op.name == "constant":
        return editor.constant(Constant(kind, op.attributes["value"].data))
    made = op.clone()
    for slot, operand in made.operands.items():
        if operand is not None:
            small = narrowed(operand, shape, editor, anchor)
            made.operands[slot] = _stretched(small, shape, editor)
    made.result.type = kind
    made.location = anchor.location
    made.insert_before(anchor)
    return made.result


def _stretched(value: Value, shape: Shape, editor: Editor) -> Value:
    if value.type.shape == shape:
        return value
    return editor.broadcast(value, result=replace(value.type, shape=shape))


def _of_fewer(op: Op, editor: Editor) -> str | None:
    """Compute with tiles as they are before they are broadcast."""
    shape = varies(op.result)
    if prod(shape) == prod(op.result.type.shape):
        return None
    made = narrowed(op.result, shape, editor, op)
    op.result.replace_all_uses_with(_stretched(made, op.result.type.shape, editor))
    return f"compute {op.name} of a tile of {_spelled(shape)}, and broadcast the result"


def _spelled(shape: Shape) -> str:
    return "x".join(map(str, shape)) if prod(shape) > 1 else "one element"


def to_one(op: Op) -> bool:
    """Whether an atomic update is made by all elements of a line to one place, for a sum."""
    return (
        op.name == "atomic_rmw_tko"
        and op.attributes["mode"] in ("add", "addf")
        and op.operands.get("mask") is None
        and not op.results[0].uses
        and len(op.operands["arg"].type.shape) == 1
        and prod(varies(op.operands["pointers"])) < op.operands["arg"].type.size
    )


def _reduced_first(op: Op, editor: Editor) -> str | None:
    """Add up in the block what is added to one place in memory."""
    given = op.operands["arg"]
    (one,) = op.operands["pointers"].owner.operand_list()
    zero = number(0, given.type.element)
    with editor.reduce((given,), dim=0, identities=(zero,)) as sums:
        add = editor.addf if given.type.element.is_float else editor.addi
        lhs, rhs = sums.arguments
        editor.yield_((add(lhs, rhs),))
    single = editor.reshape(sums.result, result=replace(given.type, shape=(1,)))
    op.operands["pointers"], op.operands["arg"] = one, single
    op.results[0].type = single.type
    return f"add up {given.type.size} elements in the block first"


REDUCED_FIRST = at_ops(_reduced_first)
"""Atomic updates of one place are made once."""
OF_FEWER = at_ops(_of_fewer)
"""Ops compute with what is broadcast before it is."""
