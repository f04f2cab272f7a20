"""Trials of products: operands of types that tensor cores multiply, and sums that they add to."""

from __future__ import annotations

from dataclasses import replace

from tileir.builder import Editor
from tileir.ir import Op, Value
from tileir.types import Scalar

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


ACCUMULATED = at_ops(_accumulated)
"""Products that add to the sum themselves."""
AS_LOADED = at_ops(_as_loaded)
"""Products of the type that operands are loaded in; products of f16 are exact in f32."""
AS_TF32 = at_ops(_as_tf32)
"""Products in tf32."""
