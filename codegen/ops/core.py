"""Traits of the ops of the chapter Core."""

from __future__ import annotations

from tileir.ir import Op

from . import contiguity, divisibility, totality
from .spec import Coordinates, Family, Traits, element_wise


def _broadcast(op: Op) -> Coordinates:
    """Dimensions of extent one are stretched."""
    extents = enumerate(op.operands["source"].type.shape)
    return tuple(dim if extent > 1 else None for dim, extent in extents)


def _permute(op: Op) -> Coordinates:
    """Dimension i of the result is dimension permutation[i] of the operand."""
    permutation = op.attributes["permutation"]
    return tuple(permutation.index(dim) for dim in range(len(permutation)))


ROWS = (
    Traits(
        "broadcast",
        Family.RENUMBERING,
        coordinates=_broadcast,
        divisibility=divisibility.same,
        contiguity=contiguity.broadcast,
    ),
    Traits("cat", Family.JOINING),
    Traits(
        "constant",
        Family.GENERATOR,
        divisibility=divisibility.constant,
        contiguity=contiguity.constant,
    ),
    Traits("extract", Family.SLICE, total=totality.never),
    Traits("get_global", Family.VARIABLE),
    Traits("get_num_tile_blocks", Family.QUERY, divisibility=divisibility.block_count),
    Traits("get_tile_block_id", Family.QUERY, divisibility=divisibility.block_id),
    Traits("insert", Family.SLICE, total=totality.never),
    Traits("iota", Family.GENERATOR, divisibility=divisibility.iota, contiguity=contiguity.iota),
    element_wise(
        "offset",
        divisibility=divisibility.offset,
        contiguity=contiguity.offset,
        total=totality.never,
    ),
    Traits("pack", Family.JOINING),
    Traits(
        "permute",
        Family.RENUMBERING,
        coordinates=_permute,
        divisibility=divisibility.same,
        contiguity=contiguity.permute,
    ),
    Traits("reduce", Family.FOLD),
    Traits(
        "reshape", Family.RENUMBERING, divisibility=divisibility.same, contiguity=contiguity.reshape
    ),
    Traits("scan", Family.FOLD),
    element_wise("select", divisibility=divisibility.one_of),
    Traits("unpack", Family.JOINING),
)
