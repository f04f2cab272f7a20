"""The fixtures that compile for a GPU give the expected bits, in whatever order warps run."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.launches import NAMES, Launch, newest
from tileir.codegen import compile
from tileir.codegen.emulator import BETWEEN_BLOCKS, SCHEDULES, launch, load_module
from tileir.errors import UnsupportedError

TARGETS = ("sm_80", "sm_75", "sm_90")
FEWEST = 119
"""As many fixtures at least compile for a GPU; a larger number with every op lowered."""


@cache
def compiled(name: str, target: str) -> Any:
    """The newest bytecode of a fixture for a GPU; None if something in it is not lowered."""
    try:
        return compile(newest(name), target)
    except UnsupportedError:
        return None


def test_enough_fixtures_compile() -> None:
    assert sum(compiled(name, "sm_90") is not None for name in NAMES) >= FEWEST


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_fixture_gives_the_expected_bits(name: str, target: str) -> None:
    """Code that another target has too is run once."""
    kernels = compiled(name, target)
    if kernels is None:
        pytest.skip("not lowered for GPUs")
    if target != TARGETS[0] and same_code(kernels.ptx, compiled(name, TARGETS[0]).ptx):
        return
    about = Launch(name)
    plan = kernels[about.entry].plan
    orders = load_module(kernels.ptx).kernel(about.entry).orders_threads
    for schedule in (*SCHEDULES, *(BETWEEN_BLOCKS if orders else ())):
        arrays = about.arrays()
        launch(kernels.ptx, plan, about.grid, about.arguments(arrays), schedule=schedule)
        about.check(arrays)


def same_code(ptx: str, other: str) -> bool:
    """Whether two texts differ in their headers only."""
    return ptx.partition(".address_size")[2] == other.partition(".address_size")[2]
