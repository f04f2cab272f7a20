"""Where the memory lies that tile blocks allocate: in shared memory, or on the device's heap.

Blocks see each other's memory only on the heap. What does not fit shared memory goes there too.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tileir.codegen.kernel import Kernel
from tileir.codegen.nvptx.emit.shared import ALIGNMENT, SCRATCH
from tileir.codegen.scalar.types import is_packed, memory_bytes
from tileir.gpus import Target
from tileir.ir import Op

STRICTEST = 1 << 10
"""The most that the start of shared memory is aligned to."""
MOST = 1 << 48
"""Bytes that no heap has."""


@dataclass(slots=True)
class Area:
    """Memory laid out one piece after the other: its size, and what it has to be aligned to."""

    size: int = 0
    alignment: int = ALIGNMENT
    places: dict[Op, int] = field(default_factory=dict)

    @property
    def slack(self) -> int:
        """Bytes that may be lost by aligning the start of memory from the heap."""
        return min(max(self.alignment - ALIGNMENT, 0), MOST)

    @property
    def taken(self) -> int:
        """Bytes to ask the heap for; none if nothing lies there."""
        return max(min(self.size, MOST) + self.slack, 1) if self.places else 0

    def after(self, op: Op) -> tuple[int, int]:
        """Where the memory of an `alloca` starts and ends if it comes next."""
        alignment = max(op.attributes["alignment"], ALIGNMENT)
        start = -(-self.size // alignment) * alignment
        return start, start + allocated_bytes(op)

    def add(self, op: Op) -> None:
        """Lay out the memory of an `alloca`."""
        self.places[op], self.size = self.after(op)
        self.alignment = max(self.alignment, op.attributes["alignment"])


def place_allocations(kernel: Kernel, target: Target) -> tuple[Area, Area]:
    """What each `alloca` gets: of shared memory, and of the heap."""
    shared, heap = Area(), Area()
    most = target.shared_bytes - SCRATCH
    for op in kernel.walk():
        if op.name == "alloca":
            fits = shared.after(op)[1] <= most and op.attributes["alignment"] <= STRICTEST
            (heap if op.attributes["global"] or not fits else shared).add(op)
    return shared, heap


def allocated_bytes(op: Op) -> int:
    """The size of what an `alloca` makes."""
    element, count = op.results[0].type.element.pointee, op.attributes["num_elem"]
    size = -(-count // 2) if is_packed(element) else count * memory_bytes(element)
    return min(size, MOST)
