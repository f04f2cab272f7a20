"""How many processors a process may use: what the system says, and what others have set."""

from __future__ import annotations

import os

import pytest

from tileir.launch.processors import usable_cpus


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system binds no process")
def test_a_process_that_is_bound_uses_what_is_left() -> None:
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert usable_cpus() == 1
    finally:
        os.sched_setaffinity(0, before)
    assert usable_cpus() == len(before)


@pytest.mark.parametrize(("told", "usable"), [(6, 6), (None, 1)])
def test_where_no_process_is_bound(
    told: int | None, usable: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: told)
    assert usable_cpus() == usable
