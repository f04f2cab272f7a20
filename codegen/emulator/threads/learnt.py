"""The times that threads have learnt by acquires: rows, shared by threads that know the same."""

from __future__ import annotations

import numpy as np

NOTHING = 0
"""The row of lanes that have learnt nothing."""


class Learnt:
    """For each lane a row of times, one for each column of the grid.

    Rows never change. Threads of one barrier soon share one row, so that most barriers have nothing
    to do.
    """

    def __init__(self, lanes: int, columns: int) -> None:
        self._of = np.zeros(lanes, np.int64)
        """The row of each lane."""
        self._rows = np.zeros((1, columns), np.int32)
        self._count = 1

    def row(self, number: int) -> np.ndarray:
        """Return the row of a lane, which must not be written to."""
        return self._rows[self._of[number]]

    def times(self, numbers: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return for each lane the time that it has learnt for one column."""
        return self._rows[self._of[numbers], columns]

    def learn(self, number: int, row: np.ndarray) -> None:
        """Let a lane learn a row of times."""
        held = self.row(number)
        joined = np.maximum(held, row)
        if (joined != held).any():
            self._of[number] = self._add(joined)

    def learn_all(self, numbers: np.ndarray, row: np.ndarray) -> None:
        """Let several lanes learn a row of times."""
        held = self._of[numbers]
        # A new row may renumber all others, so the lanes are divided beforehand.
        for group in [numbers[held == each] for each in np.unique(held)]:
            before = self.row(int(group[0]))
            joined = np.maximum(before, row)
            if (joined != before).any():
                self._of[group] = self._add(joined)

    def joined(self, numbers: np.ndarray) -> np.ndarray:
        """Return what any of several lanes has learnt."""
        return self._rows[np.unique(self._of[numbers])].max(axis=0)

    def synchronize(self, members: np.ndarray, waiting: np.ndarray) -> None:
        """Let the `waiting` members of a barrier learn what any member has learnt."""
        held = self._of[members]
        if (held == held[0]).all():
            return
        different = np.unique(held)
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
        """Drop rows that no lane has any more, and make room for as many again."""
        used, self._of = np.unique(np.append(self._of, NOTHING), return_inverse=True)
        self._of = self._of[:-1]
        self._count = len(used)
        rows = np.zeros((2 * len(used) + 1, self._rows.shape[1]), np.int32)
        rows[: len(used)] = self._rows[used]
        self._rows = rows
