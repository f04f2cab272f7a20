"""Barriers of whole kernels: none twice, none at the end, none that one thread would need alone."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.codegen.nvptx.compiled import compiled


def ptx_of(name: str) -> list[str]:
    """The lines of a fixture with barriers, accesses of memory, and ends."""
    steps = re.compile(r"\tbar\.|\b(ld|st|atom|red)\.(?!param)|\tret")
    return [line for line in compiled(name, "sm_90").ptx.splitlines() if steps.search(line)]


@pytest.mark.parametrize("name", ["atomic_modes", "atomic_swap", "histogram", "ordered_flags"])
def test_nobody_waits_twice_or_at_the_end(name: str) -> None:
    lines = ptx_of(name)
    after = {line.split()[0] for before, line in pairwise(lines) if "bar." in before}
    assert after
    assert not after & {"bar.sync", "ret;"}


def test_a_scalar_is_stored_by_the_same_thread_in_every_iteration() -> None:
    lines = ptx_of("loop_steps")
    assert any("st.global" in line for line in lines)
    assert not any("bar." in line for line in lines)


def test_a_fence_for_aliases_needs_one_barrier() -> None:
    assert sum("bar." in line for line in ptx_of("alias_fence")) == 1
