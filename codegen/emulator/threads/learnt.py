"""What threads have learnt of the times of others: rows, which threads that know the same share."""

from __future__ import annotations

import numpy as np

NOTHING = 0
"""The row of who has learnt nothing."""


class Learnt:
    """For each lane a row of times, one for each column of the grid.

    Rows are never changed once they are there. Threads that meet at barriers soon have one row
    in common, so that most meetings have nothing to do.
    """

    def __init__(self, lanes: int, columns: int) -> None:
        self._of = np.zeros(lanes, np.int64)
        """Which row each lane has."""
        self._rows = np.zeros((1, columns), np.int32)
        self._count = 1

    def row(self, number: int) -> np.ndarray:
        """What a lane has learnt; not to be written to."""
        return self._rows[self._of[number]]

    def times(self, numbers: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """What lanes have learnt of a column each."""
        return self._rows[self._of[numbers], columns]

    def learn(self, number: int, row: np.ndarray) -> None:
        """A lane learns a row of times."""
        held = self.row(number)
        joined = np.maximum(held, row)
        if (joined != held).any():
            self._of[number] = self._add(joined)

    def meet(self, members: np.ndarray, waiting: np.ndarray) -> None:
        """Some members wait for all of them, and learn what any of them has."""
        found = self._of[members]
        if (found == found[0]).all():
            return
        different = np.unique(found)
        rows = self._rows[different]
        joined = rows.max(axis=0)
        same = np.flatnonzero((rows == joined).all(axis=1))
        self._of[waiting] = different[same[0]] if len(same) else self._add(joined)

    def _add(self, row: np.ndarray) -> int:
        if self._count == len(self._rows):
            self._make_room()
        self._rows[self._count] = row
        self._count += 1
        return self._count - 1

    def _make_room(self) -> None:
        """Forget rows that no lane has any more; then there is room for as many again."""
        used, self._of = np.unique(np.append(self._of, NOTHING), return_inverse=True)
        self._of = self._of[:-1]
        self._count = len(used)
        rows = np.zeros((2 * len(used) + 1, self._rows.shape[1]), np.int32)
        rows[: len(used)] = self._rows[used]
        self._rows = rows
