"""Schedules of roles say what their iterations do to slots of rings, in the order of ops."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.codegen.nvptx.passes.test_tensor_rings import TEXT
from tileir import assemble
from tileir.codegen.api import stages


@cache
def lines(**launch: int) -> list[str]:
    """The last text of block IR of a kernel with a ring of tensor copies."""
    recorded = stages(assemble(TEXT), "sm_90", until="unroll_loops", **launch)
    return recorded["unroll_loops"].text.splitlines()


def schedule(role: str) -> str:
    """The schedule of the one loop of a role, as one text."""
    (first,) = [
        n for n, line in enumerate(lines()) if re.search(rf"schedule .* role {role},", line)
    ]
    last = next(n for n in range(first, len(lines())) if "behind the last" in lines()[n])
    return "\n".join(line.removeprefix("// ") for line in lines()[first : last + 1])


@pytest.mark.parametrize(
    ("role", "steps"),
    [
        ("produce", ["acquire slot i mod", "describe copies to slot i mod", "commit slot i mod"]),
        (
            "consume",
            ["wait for slot i mod", "start ", "wait until one product of i", "release "],
        ),
    ],
)
def test_steps_are_in_order(role: str, steps: list[str]) -> None:
    text = schedule(role)
    places = [text.index(f"    {step}") for step in steps]
    assert places == sorted(places)
    assert len(text.splitlines()) == len(steps) + 3


def test_the_slot_before_is_released() -> None:
    (slots,) = {int(each) for each in re.findall(r" mod (\d+) of ", schedule("consume"))}
    assert f"release slot (i+{slots - 1}) mod {slots} of " in schedule("consume")
    assert ", which i-1 has read, if " in schedule("consume")


def test_what_stays_under_way() -> None:
    assert schedule("produce").endswith("behind the last iteration: copies are under way")
    assert schedule("consume").endswith("behind the last iteration: its products are under way")


def test_without_roles_products_stay_under_way_too() -> None:
    """The number of warps is fixed: there is no room for a producer."""
    (head,) = [line for line in lines(num_warps=4) if line.startswith("// schedule of ")]
    assert head.endswith(", the same for all warps:")
    assert any("wait until one product of i, and no earlier" in each for each in lines(num_warps=4))
