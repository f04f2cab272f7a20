"""How many floating-point operations an op takes: a figure of its types, the same on every target.

Tiles count as wholes: what is computed on padding, or for elements that a mask leaves out of an
access, is computed nevertheless.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from tileir.codegen.ops import Family, family_of, traits_of
from tileir.ir import Op
from tileir.types import Tile


class Arithmetic(NamedTuple):
    """A kind of operations: the element type, and whether they belong to matrix products.

    The type of a product is that of its factors, as it decides which units of a processor do it.
    Products of integers are counted, too; other operations on integers are not.
    """

    type: str
    product: bool


def flops_of(op: Op) -> Counter[Arithmetic]:
    """Count the operations of one execution of an op, without those of regions that it may enter.

    A product of an MxK by a KxN tile takes 2*M*N*K. A reduce or a scan along a dimension of n
    elements applies its region n - 1 times for each of the other elements; an `if` in there, with
    what is in it, is not included. An op whose types break rules takes none.
    """
    family = family_of(op)
    if family is Family.PRODUCT:
        factor = op.operands["lhs"].type
        if not isinstance(factor, Tile) or not factor.rank or not isinstance(op.result.type, Tile):
            return Counter()
        kind = Arithmetic(str(factor.element), True)
        return Counter({kind: 2 * op.result.type.size * factor.shape[-1]})
    if family is Family.FOLD:
        return _fold(op)
    each = traits_of(op).flops
    if not each or not isinstance(op.result.type, Tile):
        return Counter()
    return Counter({Arithmetic(str(op.result.type.element), False): each * op.result.type.size})


def _fold(op: Op) -> Counter[Arithmetic]:
    tile = next((value.type for value in op.operand_list()), None)
    dim, total = op.attributes["dim"], Counter[Arithmetic]()
    if not isinstance(tile, Tile) or not 0 <= dim < tile.rank or not tile.shape[dim]:
        return total
    extent = tile.shape[dim]
    times = tile.size // extent * (extent - 1)
    for inner in op.regions[0].block.ops:
        for kind, number in flops_of(inner).items():
            total[kind] += times * number
    return total
