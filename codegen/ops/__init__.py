"""Traits of ops for code generation on every target: one row an op, in the chapters of the formats.

Whether an op is a loop, a product, or expensive is a property of its row, so that files that ask
for it need no list of ops. What a single target or pass asks of ops, by their names, stays in its
own file. The effects of an op on memory and its slots are in the formats' table.
"""

from __future__ import annotations

from tileir.formats.ops.spec import PURE, READS, READS_WRITES, WRITES
from tileir.ir import Op
from tileir.types import Tile

from . import (
    atomics,
    bitwise,
    control_flow,
    conversions,
    core,
    floating_point,
    integer,
    memory,
    miscellaneous,
    preview,
    views,
)
from .powers import cost_of_short_power
from .spec import OTHER, SIMPLE, Traits
from .spec import Family as Family

CHAPTERS = (
    core,
    conversions,
    control_flow,
    memory,
    views,
    atomics,
    integer,
    floating_point,
    bitwise,
    miscellaneous,
    preview,
)

ROWS = tuple(row for chapter in CHAPTERS for row in chapter.ROWS)
BY_NAME = {row.name: row for row in ROWS}


def traits_of(op: Op) -> Traits:
    """Return the row of an op; of an op that Tile IR does not have, nothing is known."""
    return BY_NAME.get(op.name, OTHER)


def family_of(op: Op) -> Family:
    """Return the family of an op."""
    return traits_of(op).family


def cost_of(op: Op) -> int:
    """Return the number of simple operations that recompute an element.

    It is the `cost` of the op's row, but for powers that a constant exponent makes cheaper.
    """
    short = cost_of_short_power(op)
    return traits_of(op).cost if short is None else short


def is_load(op: Op) -> bool:
    """Whether an op reads memory and writes none."""
    return op.spec.effects == READS


def is_recomputed(op: Op) -> bool:
    """Whether a tile is cheaper to make again than to keep: in registers, or in a buffer.

    These are constants, iota, tiles that only repeat the elements of a smaller one, and those that
    take one simple operation for an element. One element, or none at all, costs nothing to keep.
    """
    if len(op.results) != 1 or not isinstance(op.result.type, Tile) or op.result.type.size == 1:
        return False
    family, size = family_of(op), op.result.type.size
    if family is Family.RENUMBERING and op.spec.effects == PURE:
        return next(op.operand_list()).type.size < size
    if family is Family.ELEMENT_WISE:
        return cost_of(op) <= SIMPLE
    return family is Family.GENERATOR


def is_multimem(op: Op) -> bool:
    """Whether an op accesses multicast memory, which several devices share."""
    return family_of(op) in (Family.MULTIMEM_LOAD, Family.MULTIMEM_STORE)


def is_atomic(op: Op) -> bool:
    """Whether an op reads memory and writes it at once, as atomic updates do."""
    return op.spec.effects == READS_WRITES


def writes_memory(op: Op) -> bool:
    """Whether an op writes memory; it may also read it."""
    return op.spec.effects in (WRITES, READS_WRITES)
