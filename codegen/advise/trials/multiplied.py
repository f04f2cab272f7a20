"""The trial of sums of products that are a matrix product, or a batch of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import NamedTuple

from tileir.builder import Editor, splat
from tileir.codegen.advise.random_runs.specials import folded_by
from tileir.ir import Op, Value
from tileir.types import Scalar, Tile

from .trial import at_ops

_FACTORS = ("f16", "bf16", "f32", "f8E4M3FN", "f8E5M2")
"""Types that tensor cores multiply, f32 as tf32."""
_SHAPED = ("reshape", "permute", "broadcast")


class Factors(NamedTuple):
    """The factors of a sum of products over the dimension `summed` of a tile of shape `shape`.

    `lhs` has all of its dimensions but those of `columns`, where its extent is 1, `rhs` all but
    those of `rows`. Both have the dimensions of `batch`.
    """

    lhs: Value
    rhs: Value
    shape: tuple[int, ...]
    summed: int
    batch: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]


def factors(reduction: Op) -> Factors | None:
    """Return the factors that a reduction is the matrix product of; None for others.

    It adds up products of two tiles, one of them a broadcast along the columns, the other along
    the rows. Products may be converted to a wider type before they are added up.
    """
    if reduction.name != "reduce" or folded_by(reduction) != "addf":
        return None
    (tile,) = reduction.operands["operands"]
    op, dim = _unwidened(tile).owner, reduction.attributes["dim"]
    if not isinstance(op, Op) or op.name != "mulf":
        return None
    one, other = (_before_broadcast(value) for value in op.operand_list())
    if any(value.type.element.name not in _FACTORS for value in (one, other)):
        return None
    shape = tile.type.shape
    batch, rows, columns = [], [], []
    for d, extent in enumerate(shape):
        has = one.type.shape[d] == extent, other.type.shape[d] == extent
        if d == dim or not any(has):
            if not all(has):
                return None
        else:
            (batch if all(has) else rows if has[0] else columns).append(d)
    if not rows or not columns:
        return None
    return Factors(one, other, shape, dim, tuple(batch), tuple(rows), tuple(columns))


def _unwidened(value: Value) -> Value:
    """Return what a tile was before it was converted to a wider type, or else itself."""
    op = value.owner
    if isinstance(op, Op) and op.name == "ftof":
        source = op.operands["from"]
        if source.type.element.bits < value.type.element.bits:
            return _unwidened(source)
    return value


def _before_broadcast(value: Value) -> Value:
    """Return what a tile was before it was broadcast, and converted to a wider type."""
    while isinstance(op := _unwidened(value).owner, Op) and op.name == "broadcast":
        value = op.operands["source"]
    return _unwidened(value)


def _narrow(value: Value) -> list[Op] | None:
    """Return the ops that shape what is before a wider type, the last one first; None if none."""
    shaping: list[Op] = []
    while isinstance(op := value.owner, Op) and op.name in _SHAPED:
        shaping.append(op)
        value = op.operands["source"]
    source = _unwidened(value)
    return None if source is value or source.type.element.name not in _FACTORS else shaping


def _as_loaded(value: Value, editor: Editor) -> Value:
    """Return a tile in the type that it had before a conversion to a wider one, or itself."""
    shaping = _narrow(value)
    if not shaping:
        return value
    made = _unwidened(shaping[-1].operands["source"])
    for op in reversed(shaping):
        result = replace(op.result.type, element=made.type.element)
        if op.name == "permute":
            order = op.attributes["permutation"]
            made = editor.permute(made, permutation=order, result=result)
        else:
            made = getattr(editor, op.name)(made, result=result)
    return made


def _as_product(op: Op, editor: Editor) -> str | None:
    """Multiply matrices, in the type that they were loaded in; f32 in tf32."""
    found = factors(op)
    if found is None:
        return None
    given = found.lhs, found.rhs
    lhs, rhs = (_as_loaded(value, editor) for value in given)
    if lhs.type.element != rhs.type.element:
        wider = Scalar("f32")
        lhs, rhs = (
            each
            if each.type.element == wider
            else editor.ftof(each, result=replace(each.type, element=wider))
            for each in given
        )
    lhs = _matrix(lhs, (found.batch, found.rows, (found.summed,)), editor)
    rhs = _matrix(rhs, (found.batch, (found.summed,), found.columns), editor)
    m, k, n = *lhs.type.shape[-2:], rhs.type.shape[-1]
    said = f"multiply matrices of {m}x{k} and {k}x{n}"
    if lhs.type.element.name == "f32":
        kind = Scalar("tf32")
        lhs, rhs = (editor.ftof(v, result=Tile(kind, v.type.shape)) for v in (lhs, rhs))
        said += " in tf32 (mmaf), if 11 bits of precision are enough"
    else:
        said += f" in {lhs.type.element} (mmaf)"
    total = Tile(Scalar("f32"), (*lhs.type.shape[:-1], n))
    made = editor.mmaf(lhs, rhs, editor.constant(splat(0, total)))
    made = _result(made, found, editor)
    if made.type != op.results[0].type:
        made = editor.ftof(made, result=op.results[0].type)
    op.results[0].replace_all_uses_with(made)
    op.remove()
    return f"{said}, {prod(found.shape[d] for d in found.batch)} at once" if found.batch else said


def _matrix(value: Value, groups: Sequence[Sequence[int]], editor: Editor) -> Value:
    """Return a tile as a matrix, or a batch of them: a dimension for each group of dimensions.

    A batch of no dimensions is none.
    """
    kind, shape = value.type.element, value.type.shape
    order = [d for group in groups for d in group]
    value = editor.reshape(value, result=Tile(kind, tuple(shape[d] for d in sorted(order))))
    value = _turned(value, [sorted(order).index(d) for d in order], editor)
    groups = groups if groups[0] else groups[1:]
    extents = tuple(prod(shape[d] for d in group) for group in groups)
    return editor.reshape(value, result=Tile(kind, extents))


def _turned(value: Value, order: Sequence[int], editor: Editor) -> Value:
    if [*order] == sorted(order):
        return value
    shape = tuple(value.type.shape[d] for d in order)
    result = Tile(value.type.element, shape)
    return editor.permute(value, permutation=[*order], result=result)


def _result(made: Value, found: Factors, editor: Editor) -> Value:
    """Return a product with its dimensions as those of the sums."""
    order = (*found.batch, *found.rows, *found.columns)
    shape = tuple(found.shape[d] for d in order)
    made = editor.reshape(made, result=Tile(made.type.element, shape))
    return _turned(made, [order.index(d) for d in sorted(order)], editor)


AS_PRODUCT = at_ops(_as_product, alone=True)
"""Sums of products are matrix products."""
