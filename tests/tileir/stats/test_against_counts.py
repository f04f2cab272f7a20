"""The formulas of work are what kernels do: launches that count, with trips that they run."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

from tests.launches import NAMES, Launch, newest
from tileir import assemble
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


@pytest.mark.parametrize(
    "end",
    [
        "addi %large, %large",  # 200 is -56
        "subi %least, %large",  # -228 is 28
        "muli %large, %three",  # 300 is 44
        "divi %least, %less signed rounding<zero>",  # 128 is -128
        "maxi %less, %three unsigned",  # 255 is -1
    ],
)
def test_numbers_of_few_bits_wrap_around(end: str) -> None:
    """Where all is constant, too: the end of a loop is what the CPU computes."""
    numbers = {"zero": 0, "one": 1, "three": 3, "large": 100, "less": -1, "least": -128}
    constants = "".join(
        f"%{name} = constant <i8: {number}> : tile<i8>\n" for name, number in numbers.items()
    )
    bytecode = assemble(f"""entry @k() {{
        {constants} %end = {end} : tile<i8>
        %x = constant <f32: 1.0> : tile<8xf32>
        %all = for %i in (%zero to %end, step %one) : tile<i8> iter_values(%y = %x)
            -> (tile<8xf32>) {{
          %z = addf %y, %x rounding<nearest_even> : tile<8xf32>
          continue %z : tile<8xf32>
        }}
        print_tko "%f", %all : tile<8xf32> -> token
        return
    }}""")
    found: list[Counts] = []
    kernel = compile(bytecode, count=True)["k"]
    kernel.launch((1,), [], on_counts=found.append)
    (stats,) = stats_of(bytecode).functions
    assert stats.flops.get("f32", Formula()).constant == sum(row.others for row in found[0].flops)
