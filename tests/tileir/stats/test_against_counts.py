"""The formulas of work are what kernels do: launches that count, with trips that they run."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

from tests.launches import NAMES, Launch, newest
from tileir.codegen import compile
from tileir.launch.counts import Counts
from tileir.stats.formula import Formula
from tileir.stats.module_stats import stats_of

UNTOLD = {"print_values", "check_values", "dependent_launch"}
"""Launches that print, or fail on purpose."""


def evaluated(formula: Formula, names: dict[str, Any]) -> int | None:
    """What a formula is for these arguments; None if they do not tell."""
    try:
        return formula.value({symbol: int(eval(symbol, names)) for symbol in formula.symbols})
    except (NameError, AttributeError):
        return None


@pytest.mark.sampled(25)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in UNTOLD])
def test_flops_are_those_that_a_launch_counts(name: str) -> None:
    """Where trips depend on arguments alone, and not on the number of a block."""
    launch, bytecode = Launch(name), newest(name)
    args = launch.arguments(launch.arrays())
    found: list[Counts] = []
    kernel = compile(bytecode, symbols=[launch.entry], count=True)[launch.entry]
    kernel.launch(launch.grid, args, on_counts=found.append)
    counted: Counter[str] = Counter()
    for row in found[0].flops:
        counted[f"{row.type} products"] += row.products
        counted[row.type] += row.others
    (stats,) = [each for each in stats_of(bytecode).functions if each.name == launch.entry]
    names: dict[str, Any] = {f"arg{number}": value for number, value in enumerate(args)}
    names |= {"ceil": math.ceil, "floor": math.floor, "trunc": math.trunc, "min": min, "max": max}
    blocks = math.prod(launch.grid)
    for kind, formula in stats.flops.items():
        each = evaluated(formula, names)
        assert each is None or blocks * each == counted[kind], (kind, str(formula))
    assert {kind for kind, number in counted.items() if number} <= stats.flops.keys()
