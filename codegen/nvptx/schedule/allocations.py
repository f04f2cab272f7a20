"""Lay out the memory that a tile block allocates (alloca): in shared memory, or on the heap.

Global variables, which other blocks may access, go to the heap, and so does what does not fit in
shared memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tileir.codegen.block.areas import ALIGNMENT, area_bytes
from tileir.codegen.kernel import KernelIR
from tileir.gpus import Target
from tileir.ir import Op

from .staged import SCRATCH

STRICTEST = 1 << 10
"""The largest alignment of the start of shared memory, in bytes."""
MOST = 1 << 48
"""More bytes than any heap has; larger sizes count as this one."""


@dataclass(slots=True)
class Area:
    """A region of memory for variables, with its size and alignment in bytes.

    `offsets` maps each `alloca` to the offset of its memory.
    """

    size: int = 0
    alignment: int = ALIGNMENT
    offsets: dict[Op, int] = field(default_factory=dict)

    @property
    def slack(self) -> int:
        """Bytes that may be lost when the start of memory from the heap is aligned."""
        return min(max(self.alignment - ALIGNMENT, 0), MOST)

    @property
    def taken(self) -> int:
        """Bytes to ask malloc for; 0 if there are no variables."""
        return max(min(self.size, MOST) + self.slack, 1) if self.offsets else 0

    def after(self, op: Op) -> tuple[int, int]:
        """Return the start and end of the memory of an `alloca` if it is added next."""
        alignment = max(op.attributes["alignment"], ALIGNMENT)
        start = -(-self.size // alignment) * alignment
        return start, start + min(area_bytes(op), MOST)

    def add(self, op: Op) -> None:
        """Add the memory of an `alloca`."""
        self.offsets[op], self.size = self.after(op)
        self.alignment = max(self.alignment, op.attributes["alignment"])


def place_allocations(kernel: KernelIR, target: Target) -> tuple[Area, Area]:
    """Return the variables in shared memory, and those on the heap."""
    shared, heap = Area(), Area()
    most = target.shared_bytes - SCRATCH
    for op in kernel.walk():
        if op.name == "alloca":
            fits = shared.after(op)[1] <= most and op.attributes["alignment"] <= STRICTEST
            (heap if op.attributes["global"] or not fits else shared).add(op)
    return shared, heap
