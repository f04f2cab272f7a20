"""Trials of products: operands of types that tensor cores multiply, and sums that they add to."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import NamedTuple

from tileir.builder import Editor, splat
from tileir.ir import Op, Value
from tileir.types import Scalar

from .hoisting import invariant_cone, is_fixed
from .loops import counted_loop, only_user
from .trial import at_ops

_OPERANDS = ("lhs", "rhs")
_F32, _TF32 = Scalar("f32"), Scalar("tf32")


def _unconverted(value: Value) -> Value | None:
    """Return what a tile was before it was widened; None if it was not."""
    op = value.owner
    if not isinstance(op, Op) or op.name != "ftof":
        return None
    source = op.operands["from"]
    return source if source.type.element.bits < value.type.element.bits else None


def _as_loaded(op: Op, editor: Editor) -> str | None:
    """Multiply what was converted to a wider type as it was before."""
    before = [_unconverted(op.operands[slot]) for slot in _OPERANDS]
    if op.name != "mmaf" or None in before or len({v.type.element for v in before if v}) > 1:
        return None
    for slot, value in zip(_OPERANDS, before, strict=True):
        op.operands[slot] = value
    kind = next(v.type.element for v in before if v)
    return f"multiply the operands in {kind}, without converting them first"


def _as_tf32(op: Op, editor: Editor) -> str | None:
    """Round f32 operands to tf32."""
    if op.name != "mmaf" or any(op.operands[s].type.element != _F32 for s in _OPERANDS):
        return None
    for slot in _OPERANDS:
        value = op.operands[slot]
        made = editor.ftof(value, result=replace(value.type, element=_TF32))
        op.operands[slot] = made
    return "convert the operands to tf32 (ftof), if 11 bits of precision are enough"


def added(product: Op) -> Op | None:
    """Return the op that adds a product to a sum, where the product begins with zeros; or None."""
    if product.name not in ("mmaf", "mmai") or len(product.result.uses) != 1:
        return None
    op = product.result.uses[0].op
    if not _is_zero(product.operands["acc"]) or op.name not in ("addf", "addi"):
        return None
    if op.parent is not product.parent:
        return None
    return op if _sum_of(op, product).is_visible_to(product) else None


def _is_zero(value: Value) -> bool:
    """Whether a value is a constant, all of whose elements are 0."""
    op = value.owner
    if not isinstance(op, Op) or op.name != "constant":
        return False
    constant = op.attributes["value"]
    return constant.is_splat and constant.value() == 0


def _sum_of(op: Op, product: Op) -> Value:
    return op.operands["lhs" if op.operands["rhs"] is product.result else "rhs"]


def _accumulated(op: Op, editor: Editor) -> str | None:
    """Let a product begin with the sum that it is added to."""
    addition = added(op)
    if addition is None:
        return None
    op.operands["acc"] = _sum_of(addition, op)
    addition.result.replace_all_uses_with(op.result)
    addition.remove()
    return f"give {op.name} the sum as its acc, and leave {addition.name} out"


# Factors of an operand in each iteration ----------------------------------------------------------

_SUMMED = {"lhs": -1, "rhs": -2}
"""Operand of a product -> its dimension that is added up."""


class Scaled(NamedTuple):
    """A `mulf` or `divf` of an operand of a product, with a factor that could wait.

    The factor is the same in all iterations of `loop`, and for all that is added up. The loop
    begins with zeros, and only carries the sum of these products, at `index`.

    tile     the other operand, which the product could have as it is
    factor   a constant, or what was broadcast along the dimension that is added up
    """

    loop: Op
    index: int
    tile: Value
    factor: Value


def scaled(op: Op) -> Scaled | None:
    """Return what scales an operand of a product in a loop; None where it could not wait."""
    loop = counted_loop(op)
    if op.name not in ("mulf", "divf") or loop is None:
        return None
    tile, factor = op.operand_list()
    if op.name == "mulf" and is_fixed(tile, loop):
        tile, factor = factor, tile
    if is_fixed(tile, loop) or not is_fixed(factor, loop):
        return None
    value = op.result
    while (user := only_user(value)) is not None and user.name == "ftof":
        value = user.result
    if user is None or user.name != "mmaf":
        return None
    dim = next((dim for slot, dim in _SUMMED.items() if user.operands[slot] is value), None)
    index = _only_summed(user, loop)
    along = None if dim is None else _alike_along(factor, dim)
    return None if index is None or along is None else Scaled(loop, index, tile, along)


def _alike_along(factor: Value, dim: int) -> Value | None:
    """Return what a factor that is the same all along a dimension was before it was broadcast.

    A constant is what it is; None where it is not the same, or not known to be.
    """
    owner = factor.owner
    if not isinstance(owner, Op) or owner.name not in ("constant", "broadcast"):
        return None
    if owner.name == "constant":
        return factor if owner.attributes["value"].is_splat else None
    source = owner.operands["source"]
    return source if source.type.shape[dim] == 1 else None


def _only_summed(product: Op, loop: Op) -> int | None:
    """Return where a loop carries the sum of a product, if that is all it is for; None if not."""
    block = loop.regions[0].block
    carried = product.operands["acc"]
    if carried not in block.arguments[1:] or only_user(carried) is not product:
        return None
    index, end = block.arguments.index(carried) - 1, block.ops[-1]
    given = end.operands["operands"][index]
    if only_user(product.result) is not end or given is not product.result:
        return None
    return index if _is_zero(loop.operands["initValues"][index]) else None


def _behind(op: Op, editor: Editor) -> str | None:
    """Multiply the sum by a factor, behind the loop, in place of an operand."""
    found = scaled(op)
    if found is None:
        return None
    loop, index, tile, factor = found
    user = only_user(op.result)
    op.result.replace_all_uses_with(tile)
    op.remove()
    if user is not None and user.name == "ftof":
        source = _unconverted(tile)  # wider for the factor only
        if source is not None and source.type == user.result.type:
            user.result.replace_all_uses_with(source)
    total = loop.results[index]
    editor.after(loop)
    number = _number(factor)
    if number is not None:
        all_of_it = editor.constant(splat(number, total.type))
    else:
        if not factor.is_visible_to(loop):
            for each in invariant_cone(factor.owner, loop) or []:
                each.move_before(loop)
        wide = replace(factor.type, element=total.type.element)
        converted = factor if wide == factor.type else editor.ftof(factor, result=wide)
        all_of_it = editor.broadcast(converted, result=total.type)
    made = (editor.mulf if op.name == "mulf" else editor.divf)(total, all_of_it)
    total.replace_all_uses_with(made, where=lambda use: use.op is not made.owner)
    fits = "if the rounding and the range of the sum allow it"
    if number is None or not isfinite(number) or (op.name == "divf" and not number):
        fits += " and the divisor is not 0" if op.name == "divf" else " and the factor is finite"
    return f"leave {op.name} out of the loop, and do it to the sum, behind the loop, {fits}"


def _number(factor: Value) -> float | None:
    """Return the number that all elements of a constant are; None of other values."""
    op = factor.owner
    if not isinstance(op, Op) or op.name != "constant" or not op.attributes["value"].is_splat:
        return None
    return op.attributes["value"].value()


ACCUMULATED = at_ops(_accumulated)
"""Products that add to the sum themselves."""
AS_LOADED = at_ops(_as_loaded)
"""Products of the type that operands are loaded in; products of f16 are exact in f32."""
AS_TF32 = at_ops(_as_tf32)
"""Products in tf32."""
SCALED_BEHIND = at_ops(_behind, alone=True)
"""Sums of products are scaled, not their operands."""
