"""What is known statically about a tile of pointers: its order in memory, its vectors."""

from __future__ import annotations

from typing import NamedTuple

from tileir.codegen.analysis.contiguity import Contiguity
from tileir.codegen.kernel import KernelIR
from tileir.codegen.layouts.linear_layout import LinearLayout, along
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.ops.contiguity import Run
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value
from tileir.messages.wording import counted

from .view_facts import ACCESS_BYTES, vector_in


class Vectors(NamedTuple):
    """How neighbouring elements can be accessed together, as vectors."""

    inner: int
    """The dimension along which neighbours are adjacent in memory."""
    elements: int
    """The most elements that one access can move."""
    masked: int
    """Neighbours that are known to have the same mask."""
    run: int
    """Aligned groups of so many elements are contiguous in memory."""
    reason: Reason
    """Why one access cannot move more."""


def pointers_of(op: Op) -> Value:
    """Return the tile of pointers of a memory op."""
    slots = ("source", "destination", "pointers")
    return next(op.operands[slot] for slot in slots if op.operands.get(slot) is not None)


def pointer_vectors(op: Op, kernel: KernelIR) -> Vectors | None:
    """Return the vectors of a memory op through pointers; None if no neighbours are adjacent."""
    table: Contiguity = kernel.facts(Contiguity)
    pointers = pointers_of(op)
    runs = table[pointers]
    inner = max(range(len(runs)), key=lambda dim: (runs[dim].contiguous, dim), default=None)
    if inner is None or runs[inner].contiguous == 1:
        return None
    size = memory_bytes(pointers.type.pointee)
    limits = (
        (ACCESS_BYTES // size, Reason("widest")),
        (runs[inner].divisor // size, Reason("address", counted(runs[inner].divisor, "byte"))),
        (runs[inner].contiguous, Reason("run", counted(runs[inner].contiguous, "neighbour"))),
    )
    elements, reason = min(limits, key=lambda limit: limit[0])
    elements = max(elements, 1)
    mask = op.operands["mask"]
    masks = Run(constant=elements, edge=elements) if mask is None else table[mask][inner]
    masked = min(masks.constant, elements)
    if masks.edge < elements:
        elements, reason = masked, Reason("mask", counted(masked, "neighbour"))
    return Vectors(inner, elements, masked, runs[inner].contiguous, reason)


def streaming_pointers(op: Op, threads: int, kernel: KernelIR, most: int) -> LinearLayout | None:
    """Return the coalesced layout for an access through pointers: neighbouring threads have
    neighbouring vectors, of `most` elements at most. None if no neighbours are adjacent."""
    vectors = pointer_vectors(op, kernel)
    if vectors is None:
        return None
    pointers = pointers_of(op)
    shape = pointers.type.shape
    order = [dim for dim in range(len(shape)) if dim != vectors.inner]
    return along(shape, [*order, vectors.inner], min(vectors.elements, most), threads)


def pointers_stream(op: Op, layout: LinearLayout, kernel: KernelIR, most: int) -> bool:
    """Whether an access through pointers has as long vectors in this layout as it can have."""
    vectors = pointer_vectors(op, kernel)
    if vectors is None:
        return True
    pointers = pointers_of(op)
    return vector_in(layout, pointers.type.shape, vectors.inner) >= min(vectors.elements, most)
