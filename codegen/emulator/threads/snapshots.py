"""What threads know at a time: handed over by those that arrive somewhere to those that wait there.

Times of the threads of a block are exact; towards other blocks they are columns of the grid, as in
`Clocks`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(slots=True)
class Snapshot:
    """The times that some threads know together, their own among them."""

    blocks: dict[int, np.ndarray] = field(default_factory=dict)
    """Block in the batch -> a time for each of its threads."""
    learnt: np.ndarray | None = None
    """A row of times for all columns of the grid."""

    def joined(self, other: Snapshot) -> Snapshot:
        """Return what both know."""
        blocks = dict(self.blocks)
        for block, row in other.blocks.items():
            blocks[block] = np.maximum(blocks[block], row) if block in blocks else row
        rows = [each for each in (self.learnt, other.learnt) if each is not None]
        return Snapshot(blocks, np.maximum.reduce(rows) if rows else None)

    def knowing(self, column: int, time: int, width: int) -> Snapshot:
        """Return the same with the time of one column of `width` columns."""
        row = np.zeros(width, np.int32) if self.learnt is None else self.learnt.copy()
        row[column] = max(int(row[column]), time)
        return Snapshot(self.blocks, row)
