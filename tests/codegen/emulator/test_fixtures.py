"""The fixtures that compile for a GPU give the expected bits, in whatever order warps run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.launches import NAMES, Launch, newest
from tileir.codegen import compile
from tileir.codegen.emulator import BETWEEN_BLOCKS, SCHEDULES, launch, load_module

TARGETS = ("sm_80", "sm_75", "sm_90")


@pytest.mark.parametrize("name", NAMES)
def test_fixture_gives_the_expected_bits(name: str, named: Callable, whole: bool) -> None:
    """Code that another target has too is run once.

    Kernels take turns to be compiled for one target besides the first, and its code is run in one
    order; with --whole, for all of them, and in every order.
    """
    seen: list[str] = []
    others = TARGETS[1:] if whole else TARGETS[1 + NAMES.index(name) % 2 :][:1]
    for target in (TARGETS[0], *others):
        with named(target):
            kernels = compile(newest(name), target)
            if not any(same_code(kernels.ptx, ptx) for ptx in seen):
                seen.append(kernels.ptx)
                check_bits(name, kernels, every=whole or len(seen) == 1)


def check_bits(name: str, kernels: Any, every: bool) -> None:
    """In every order of warps, and of blocks where they depend on each other; or in the last."""
    about = Launch(name)
    plan = kernels[about.entry].plan
    orders = load_module(kernels.ptx).kernel(about.entry).orders_threads
    schedules = [*SCHEDULES, *(BETWEEN_BLOCKS if orders else ())]
    for schedule in schedules if every else schedules[-1:]:
        arrays = about.arrays()
        launch(kernels.ptx, plan, about.grid, about.arguments(arrays), schedule=schedule)
        about.check(arrays)


def same_code(ptx: str, other: str) -> bool:
    """Whether two texts differ in their headers only."""
    return ptx.partition(".address_size")[2] == other.partition(".address_size")[2]
