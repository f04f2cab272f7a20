"""Ops that nobody can notice are gone, inside of regions too."""

from __future__ import annotations

import pytest

import tileir
from tileir.codegen.transform.eliminate_dead_ops import erase_dead_ops

from .kernels import ACCESSES, kernel, loop, module, names, use

DEAD = """\
%x = addi %a, %b : tile<i32>
%y = muli %x, %a : tile<i32>
%z, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token"""


def left(body: str, nested: bool = True) -> list[str]:
    """The ops that are left of a body."""
    edited = kernel(body)
    erase_dead_ops(edited, nested)
    return names(edited)


def test_chains_of_dead_ops_and_loads_are_erased() -> None:
    assert left(DEAD) == []


@pytest.mark.parametrize("nested", [True, False])
def test_in_regions_if_that_is_asked_for(nested: bool) -> None:
    kept = left(loop(f"if %c {{\n{DEAD}\n{use('b')}\n}}"), nested)
    assert kept.count("addi") == kept.count("muli") == kept.count("load_ptr_tko") == 1 - nested
    assert kept.count("print_tko") == 1


def test_what_a_region_or_a_terminator_uses_stays() -> None:
    body = f"""\
%x = addi %a, %b : tile<i32>
%r = if %c -> (tile<i32>) {{
  %y = muli %x, %b : tile<i32>
  yield %y : tile<i32>
}} else {{
  yield %x : tile<i32>
}}
{use("r")}"""
    assert left(body) == ["addi", "if", "muli", "yield", "yield", "print_tko"]


@pytest.mark.parametrize("line", [*ACCESSES[1:], 'assert %c, "no" : tile<i1>'])
def test_effects_stay(line: str) -> None:
    assert len(left(line.format(1))) == 1


def test_checks_see_what_loops_access() -> None:
    text = loop(f"{DEAD}\n{use('b')}")
    for options, kept in (({}, False), ({"check": "memory"}, True)):
        stages = tileir.compile(module(text), "host", cache=False, **options).stages
        assert ("load_ptr_tko" in stages["eliminate_dead_ops"].text) is kept
