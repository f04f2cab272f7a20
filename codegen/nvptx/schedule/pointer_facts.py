"""What is known of a tile of pointers before the kernel runs: its order in memory, its vectors."""

from __future__ import annotations

from typing import NamedTuple

from tileir.codegen.analysis.contiguity import Contiguity
from tileir.codegen.kernel import Kernel
from tileir.codegen.layouts.linear_layout import LinearLayout, along
from tileir.codegen.ops.contiguity import Run
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value

from .view_facts import ACCESS_BYTES, vector_in


class Vectors(NamedTuple):
    """How neighbouring elements can be accessed together."""

    inner: int
    """The dimension along which neighbours lie side by side in memory."""
    elements: int
    """The most that one access can move."""
    masked: int
    """Neighbours that are known to be masked alike; more of them may be."""
    run: int
    """Aligned groups of so many lie side by side."""


def pointers_of(op: Op) -> Value:
    """The tile of pointers that a memory op goes through."""
    slots = ("source", "destination", "pointers")
    return next(op.operands[slot] for slot in slots if op.operands.get(slot) is not None)


def pointer_vectors(op: Op, kernel: Kernel) -> Vectors | None:
    """For a memory op through a tile of pointers; None where nothing lies side by side."""
    table: Contiguity = kernel.facts(Contiguity)
    pointers = pointers_of(op)
    runs = table[pointers]
    inner = max(range(len(runs)), key=lambda dim: (runs[dim].contiguous, dim), default=None)
    if inner is None or runs[inner].contiguous == 1:
        return None
    size = memory_bytes(pointers.type.element.pointee)
    most = min(ACCESS_BYTES, runs[inner].divisor)
    elements = max(min(most // size, runs[inner].contiguous), 1)
    mask = op.operands["mask"]
    masks = Run(constant=elements, edge=elements) if mask is None else table[mask][inner]
    masked = min(masks.constant, elements)
    if masks.edge < elements:
        elements = masked
    return Vectors(inner, elements, masked, runs[inner].contiguous)


def streaming_pointers(op: Op, threads: int, kernel: Kernel, most: int) -> LinearLayout | None:
    """The best layout for such an access: neighbouring threads at neighbouring vectors.

    Those have `most` elements at most.
    """
    vectors = pointer_vectors(op, kernel)
    if vectors is None:
        return None
    pointers = pointers_of(op)
    shape = pointers.type.shape
    order = [dim for dim in range(len(shape)) if dim != vectors.inner]
    return along(shape, [*order, vectors.inner], min(vectors.elements, most), threads)


def pointers_stream(op: Op, layout: LinearLayout, kernel: Kernel, most: int) -> bool:
    """Whether such an access in this layout moves as much at once as in its best one."""
    vectors = pointer_vectors(op, kernel)
    if vectors is None:
        return True
    pointers = pointers_of(op)
    return vector_in(layout, pointers.type.shape, vectors.inner) >= min(vectors.elements, most)
