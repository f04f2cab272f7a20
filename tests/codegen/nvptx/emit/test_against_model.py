"""Random kernels of every op that GPUs have, compiled to PTX, against the model."""

from __future__ import annotations

from functools import partial

import pytest

from tests.codegen.nvptx.on_emulator import launch
from tests.lab.model.kernels.comparing import differences
from tileir.errors import UnsupportedError
from tileir.smith.case import Case
from tileir.smith.program import program
from tileir.smith.recipes import RECIPES, single

SEEDS = 2
"""Kernels of each op, with --whole; one of them otherwise."""
PROGRAMS = 12


def on_gpu(case: Case, args: list, target: str = "sm_90") -> None:
    launch(case.bytecode, case.symbol, case.grid, args, target)


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_kernels_of_one_op(name: str, whole: bool) -> None:
    """Other ones than on the CPU come first."""
    supported = 0
    for seed in range(1, 10):
        try:
            assert not differences(single(name, seed), on_gpu), f"seed {seed}"
            supported += 1
        except UnsupportedError:
            continue
        if supported == (SEEDS if whole else 1):
            break
    assert supported


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_programs_of_many_ops(seed: int) -> None:
    """LLVM has other instructions for newer GPUs."""
    on = partial(on_gpu, target=("sm_90", "sm_121")[seed % 2])
    try:
        assert not differences(program(seed), on)
    except UnsupportedError as error:
        pytest.skip(str(error).splitlines()[1])
