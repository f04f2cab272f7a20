"""Which loads asynchronous copies can make: of the tiles of views, and through pointers."""

from __future__ import annotations

from math import prod

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.block.types import Frag
from tileir.codegen.nvptx.machine.async_copy import COPY_BYTES
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.constants import padding_bits
from tileir.codegen.scalar.types import is_packed, memory_bytes
from tileir.ir import Op, Value
from tileir.types import Element

from .view_facts import vector_of

LEAST_SLOTS = 2
"""The fewest slots of a ring: one is read while the other is filled."""
MOST_COPIES = 64
"""The most copies of a thread for one tile."""


def copy_problem(load: Op, threads: int, facts: Divisibility) -> Reason | None:
    """Return why asynchronous copies cannot make a load; None if they can.

    One through pointers is of the block IR, which says how wide its accesses are.
    """
    if load.name == "load_ptr_tko":
        return _gather_problem(load)
    view = load.operands["view"].type
    element, vector = view.view.element, vector_of(load, facts)
    if is_packed(element):
        return Reason("packed")
    if padding_bits(element, view.padding):
        return Reason("padding")
    return _size_problem(element, vector, prod(view.tile) // threads)


def _gather_problem(load: Op) -> Reason | None:
    kind = load.results[0].type
    if not isinstance(kind, Frag):
        return Reason("single")
    if is_packed(kind.element):
        return Reason("packed")
    padding = load.operands["paddingValue"]
    if load.operands["mask"] is not None and padding is not None and not _is_zero(padding):
        return Reason("masked")
    return _size_problem(kind.element, gather_vector(load), 1 << len(kind.layout.register))


def _size_problem(element: Element, vector: int, elements: int) -> Reason | None:
    """Return what is wrong with copies of so many elements each, for so many of a thread."""
    if (size := memory_bytes(element) * vector) not in COPY_BYTES:
        return Reason("narrow_copies", size)
    copies = elements // vector
    return Reason("many_copies", copies) if copies > MOST_COPIES else None


def gather_vector(load: Op) -> int:
    """Return the neighbours that one copy through pointers copies: under one mask."""
    vector, masked = load.attributes["vector"], load.attributes["masked"]
    return vector if load.operands["mask"] is None else min(vector, masked)


def _is_zero(value: Value) -> bool:
    """Whether all elements of a tile are a constant whose bits are all zero."""
    while isinstance(value.owner, Op) and family_of(value.owner) is Family.RENUMBERING:
        value = next(value.owner.operand_list())
    op = value.owner
    return isinstance(op, Op) and op.name == "constant" and not any(op.attributes["value"].data)
