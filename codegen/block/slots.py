"""Types and attributes that several rows of the block IR have in common."""

from __future__ import annotations

from tileir.formats.ops.spec import (
    READS,
    WRITES,
    Attribute,
    Constraint,
    unit,
)

from .attributes import INTEGER
from .block_row import Memory

SHARED = Memory(("shared",))
READ = Memory(("shared",), READS)
WRITTEN = Memory(("shared",), WRITES)
FLIGHT = Constraint(("flight",))
TURN = Constraint(("turn",))
MBARRIER = Memory(("mbarrier",), READS)
MBARRIER_CHANGED = Memory(("mbarrier",), WRITES)
HANDED_ON = Constraint(("tile", "token", "turn", "flight"))
"""Types of values that a pipelined loop hands to later iterations."""

VECTOR = Attribute("vector", INTEGER, "The most elements that one instruction moves.")
ALONG = Attribute("along", INTEGER, "The dimension along which the elements of a vector lie.")
RUN = Attribute("run", INTEGER, "Neighbours that are contiguous in memory.")
WHOLE = unit("whole", "Every vector is entirely inside of the tensor, or entirely outside.")
NARROW = unit("narrow", "Offsets within the tensor fit in 32 bits.")
CLUSTERS = unit("clusters", "A tile block is a cluster of several blocks.")
OFFSET = Attribute("offset", INTEGER, "Byte of shared memory at which it lies.", optional=True)
PART = Attribute(
    "part",
    INTEGER,
    "The bits, of those whose offset in shared memory is 0, of the elements that are there.",
    optional=True,
)
