"""Which loads asynchronous copies can make, as far as the load alone says."""

from __future__ import annotations

from math import prod

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.nvptx.machine.async_copy import COPY_BYTES
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.scalar.constants import padding_bits
from tileir.codegen.scalar.types import is_packed, memory_bytes
from tileir.ir import Op

from .view_facts import vector_of

MOST_COPIES = 64
"""The most copies of a thread for one tile."""


def copy_problem(load: Op, threads: int, facts: Divisibility) -> Reason | None:
    """Return why asynchronous copies cannot make a load of a view; None if they can."""
    view = load.operands["view"].type
    element, vector = view.view.element, vector_of(load, facts)
    if is_packed(element):
        return Reason("packed")
    if padding_bits(element, view.padding):
        return Reason("padding")
    if (size := memory_bytes(element) * vector) not in COPY_BYTES:
        return Reason("narrow_copies", size)
    copies = prod(view.tile) // vector // threads
    return Reason("many_copies", copies) if copies > MOST_COPIES else None
