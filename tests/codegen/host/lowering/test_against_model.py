"""Every op on the CPU against the model, on random types, attributes and values."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.lab.model.kernels.comparing import differences
from tileir.smith.program import program
from tileir.smith.recipes import RECIPES, single, uncovered

EXAMPLES = 2
"""Kernels of each op with --whole, otherwise one. `python -m tests.lab.model.kernels --op NAME`
tries more."""

PROGRAMS = 10
"""Programs of many ops; `python -m tests.lab.model.kernels` tries more."""


def test_no_op_is_forgotten() -> None:
    assert not uncovered()


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_op_does_what_the_model_does(name: str, whole: bool) -> None:
    @settings(
        max_examples=EXAMPLES if whole else 1, deadline=None, database=None, derandomize=True,
        phases=[Phase.explicit, Phase.generate],
    )  # fmt: skip
    @given(st.integers(0, 2**32 - 1))
    def compare(seed: int) -> None:
        assert not differences(single(name, seed)), f"--op {name} --seed {seed}"

    compare()


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_programs_do_what_the_model_does(seed: int) -> None:
    assert not differences(program(seed))
