"""Costs of ops: those of the table of ops, and of what it has no issue slots for."""

from __future__ import annotations

import pytest

from tileir.codegen.advise.random_runs.costs import SLOTS, slots_of
from tileir.codegen.ops import ROWS
from tileir.codegen.ops.spec import FUNCTION, NEVER_AGAIN, Family


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_cost_is_said_once_and_is_one_of_issue_slots(row) -> None:
    assert slots_of(row.name) <= FUNCTION < NEVER_AGAIN
    if row.family is Family.ELEMENT_WISE:
        assert row.name not in SLOTS
        assert slots_of(row.name) > 0
