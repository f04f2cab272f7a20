"""Trials of products: operands of types that tensor cores multiply, and sums that they add to."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from tileir.builder import Editor, splat
from tileir.ir import Op, Value
from tileir.types import Scalar

from .hoisting import invariant_cone
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
    zeros, op = product.operands["acc"].owner, product.result.uses[0].op
    if not isinstance(zeros, Op) or zeros.name != "constant" or op.name not in ("addf", "addi"):
        return None
    constant = zeros.attributes["value"]
    if not constant.is_splat or constant.value() != 0 or op.parent is not product.parent:
        return None
    return op if _sum_of(op, product).is_visible_to(product) else None


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
    if op.name == "mulf" and _is_fixed(tile, loop):
        tile, factor = factor, tile
    if _is_fixed(tile, loop) or not _is_fixed(factor, loop):
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


def _is_fixed(value: Value, loop: Op) -> bool:
    """Whether a value is the same in all iterations of a loop."""
    if value.is_visible_to(loop):
        return True
    return isinstance(value.owner, Op) and invariant_cone(value.owner, loop) is not None


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
    first = loop.operands["initValues"][index].owner
    if not isinstance(first, Op) or first.name != "constant":
        return None
    zeros = first.attributes["value"]
    return index if zeros.is_splat and zeros.value() == 0 else None


def _behind(op: Op, editor: Editor) -> str | None:
    """Multiply the sum by a factor, behind the loop, in place of an operand."""
    found = scaled(op)
    if found is None:
        return None
    loop, index, tile, factor = found
    user = only_user(op.result)
    op.result.replace_all_uses_with(tile)
    op.remove()
    narrow = tile.owner
    if user is not None and user.name == "ftof" and isinstance(narrow, Op):
        source = narrow.operands.get("from") if narrow.name == "ftof" else None
        if source is not None and source.type == user.result.type:  # wider for the factor only
            user.result.replace_all_uses_with(source)
    total = loop.results[index]
    editor.after(loop)
    if isinstance(factor.owner, Op) and factor.owner.name == "constant":
        all_of_it = editor.constant(splat(factor.owner.attributes["value"].value(), total.type))
    else:
        if not factor.is_visible_to(loop):
            for each in invariant_cone(factor.owner, loop) or []:
                each.move_before(loop)
        wide = replace(factor.type, element=total.type.element)
        converted = factor if wide == factor.type else editor.ftof(factor, result=wide)
        all_of_it = editor.broadcast(converted, result=total.type)
    made = (editor.mulf if op.name == "mulf" else editor.divf)(total, all_of_it)
    total.replace_all_uses_with(made, where=lambda use: use.op is not made.owner)
    return f"leave {op.name} out of the loop, and do it to the sum, behind the loop"


ACCUMULATED = at_ops(_accumulated)
"""Products that add to the sum themselves."""
AS_LOADED = at_ops(_as_loaded)
"""Products of the type that operands are loaded in; products of f16 are exact in f32."""
AS_TF32 = at_ops(_as_tf32)
"""Products in tf32."""
SCALED_BEHIND = at_ops(_behind, alone=True)
"""Sums of products are scaled, not their operands."""
