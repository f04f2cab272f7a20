"""Trials of what is computed for each element, although fewer different numbers go into it."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from tileir.builder import Editor, number, splat
from tileir.codegen.ops import Family, family_of
from tileir.ir import Op, Value
from tileir.ir.constants import Constant

from .atomics import COMBINED, neutral
from .parameters import origin
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
    return family_of(op) is Family.ELEMENT_WISE and len(op.results) == 1


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


def _reciprocal_first(op: Op, editor: Editor) -> str | None:
    """Divide 1 by what is broadcast, and multiply by that."""
    if not divides_by_fewer(op):
        return None
    divisor = op.operands["rhs"]
    few = narrowed(divisor, varies(divisor), editor, op)
    how = {name: op.attributes[name] for name in ("rounding_mode", "flush_to_zero")}
    inverse = editor.divf(editor.constant(splat(1.0, few.type)), few, **how)
    inverse.owner.location = op.location
    product = editor.mulf(op.operands["lhs"], _stretched(inverse, divisor.type.shape, editor))
    product.owner.location = op.location
    op.result.replace_all_uses_with(product)
    op.remove()
    return (
        f"divide 1 by the divisor of {_spelled(few.type.shape)}, and multiply by that, "
        "if a quotient may be rounded twice"
    )


def divides_by_fewer(op: Op) -> bool:
    """Whether an op divides a tile of f32 by what is a broadcast of fewer numbers, no constant."""
    if op.name != "divf" or op.result.type.element.name != "f32":
        return False
    divisor = op.operands["rhs"]
    made = origin(divisor).owner
    known = isinstance(made, Op) and made.name == "constant"
    return not known and prod(varies(divisor)) < prod(varies(op.result))


def _spelled(shape: Shape) -> str:
    return "x".join(map(str, shape)) if prod(shape) > 1 else "one element"


def shared_dims(op: Op) -> list[int]:
    """Return the dimensions along which elements are combined with one place by an atomic update.

    None of an update whose old values are wanted, or that leaves out some of the elements.
    """
    if op.name != "atomic_rmw_tko" or op.attributes["mode"] not in COMBINED or op.results[0].uses:
        return []
    sizes, places = op.operands["arg"].type.shape, varies(op.operands["pointers"])
    mask = op.operands.get("mask")
    if mask is not None:
        places = tuple(map(max, places, varies(mask)))
    return [dim for dim, size in enumerate(sizes) if places[dim] < size]


def _reduced_first(op: Op, editor: Editor) -> str | None:
    """Combine in the block what is combined with one place in memory."""
    dims = shared_dims(op)
    if not dims:
        return None
    given = op.operands["arg"]
    shape = tuple(1 if dim in dims else size for dim, size in enumerate(given.type.shape))
    combining, more, start = COMBINED[op.attributes["mode"]]
    identity = number(neutral(start, combining, given.type.element), given.type.element)
    value = given
    for dim in reversed(dims):
        with editor.reduce((value,), dim=dim, identities=(identity,)) as fold:
            lhs, rhs = fold.arguments
            editor.yield_((getattr(editor, combining)(lhs, rhs, **more),))
        value = fold.result
    single = editor.reshape(value, result=replace(given.type, shape=shape))
    for slot in ("pointers", "mask"):
        if op.operands.get(slot) is not None:
            fewer = narrowed(op.operands[slot], shape, editor, op)
            op.operands[slot] = _stretched(fewer, shape, editor)
    op.operands["arg"] = single
    op.results[0].type = single.type
    return f"combine {given.type.size // single.type.size} elements in the block first"


REDUCED_FIRST = at_ops(_reduced_first)
"""Atomic updates of one place are made once."""
RECIPROCAL_FIRST = at_ops(_reciprocal_first)
"""Quotients by what is broadcast are products with its reciprocal."""
OF_FEWER = at_ops(_of_fewer)
"""Ops compute with what is broadcast before it is."""
