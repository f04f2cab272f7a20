"""What threads have learnt, against a row of its own for each of them."""

from __future__ import annotations

import numpy as np
import pytest

from tileir.codegen.emulator.threads.learnt import Learnt

LANES, COLUMNS, STEPS = 6, 5, 400


@pytest.mark.parametrize("seed", range(5))
def test_shared_rows_are_as_good_as_own_ones(seed: int) -> None:
    random = np.random.default_rng(seed)
    learnt, plain = Learnt(LANES, COLUMNS), np.zeros((LANES, COLUMNS), np.int32)
    lanes, columns = np.indices((LANES, COLUMNS))
    for step in range(STEPS):
        if random.integers(2):
            number, row = random.integers(LANES), np.zeros(COLUMNS, np.int32)
            row[random.integers(COLUMNS)] = random.integers(step + 1)
            learnt.learn(number, row)
            plain[number] = np.maximum(plain[number], row)
        else:
            members = np.flatnonzero(random.integers(0, 2, LANES))
            waiting = members[: random.integers(len(members) + 1)]
            if len(members):
                learnt.synchronize(members, waiting)
                plain[waiting] = plain[members].max(axis=0)
        np.testing.assert_array_equal(learnt.times(lanes, columns), plain)
        assert (learnt.row(0) == plain[0]).all()
