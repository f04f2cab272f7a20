"""The trial of sums of products that are a matrix product."""

from __future__ import annotations

from tileir.builder import Editor, splat
from tileir.codegen.advise.random_runs.specials import folded_by
from tileir.ir import Op, Value
from tileir.types import Scalar, Tile

from .trial import at_ops

_FACTORS = ("f16", "bf16", "f32")
"""Types that tensor cores multiply, f32 as tf32."""


def factors(reduction: Op) -> tuple[Value, Value] | None:
    """Return the matrices M x K and K x N that a reduction is the product of; None for others.

    It adds up a product of two tiles of rank 3, one of them a broadcast along N, the other along M.
    """
    if reduction.name != "reduce" or folded_by(reduction) != "addf":
        return None
    (tile,) = reduction.operands["operands"]
    op, dim = tile.owner, reduction.attributes["dim"]
    if not isinstance(op, Op) or op.name != "mulf" or len(tile.type.shape) != 3:
        return None
    if tile.type.element.name not in _FACTORS:
        return None
    first, second = (d for d in range(3) if d != dim)
    sources = [_before_broadcast(value) for value in op.operand_list()]
    for one, other in (sources, sources[::-1]):
        m, n = one.type.shape[first], other.type.shape[second]
        if one.type.shape[second] == other.type.shape[first] == 1 and min(m, n) > 1:
            return one, other
    return None


def _before_broadcast(value: Value) -> Value:
    op = value.owner
    while isinstance(op, Op) and op.name == "broadcast":
        value = op.operands["source"]
        op = value.owner
    return value


def _as_product(op: Op, editor: Editor) -> str | None:
    found = factors(op)
    if found is None:
        return None
    dim = op.attributes["dim"]
    first, second = (d for d in range(3) if d != dim)
    (tile,) = op.operands["operands"]
    m, n, k = (tile.type.shape[d] for d in (first, second, dim))
    lhs = _matrix(found[0], (m, k), first < dim, editor)
    rhs = _matrix(found[1], (k, n), dim < second, editor)
    if tile.type.element.name == "f32":
        kind = Scalar("tf32")
        lhs, rhs = (editor.ftof(v, result=Tile(kind, v.type.shape)) for v in (lhs, rhs))
    total = Tile(Scalar("f32"), (m, n))
    made = editor.mmaf(lhs, rhs, editor.constant(splat(0, total)))
    if made.type != op.results[0].type:
        made = editor.ftof(made, result=op.results[0].type)
    op.results[0].replace_all_uses_with(made)
    op.remove()
    return f"multiply matrices of {m}x{k} and {k}x{n} (mmaf)"


def _matrix(value: Value, shape: tuple[int, int], in_order: bool, editor: Editor) -> Value:
    """Return a tile of rank 3 with one dimension of one element as a matrix."""
    kind = value.type.element
    if in_order:
        return editor.reshape(value, result=Tile(kind, shape))
    turned = editor.reshape(value, result=Tile(kind, shape[::-1]))
    return editor.permute(turned, permutation=[1, 0], result=Tile(kind, shape))


AS_PRODUCT = at_ops(_as_product, alone=True)
"""Sums of products are matrix products."""
