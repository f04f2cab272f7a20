"""Of equal ops one is left, where it comes before the others on every way to them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tileir
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.transform.share_common_ops import replace_equal_ops
from tileir.ir.constants import Constant

from .kernels import ACCESSES, kernel, loop, module, names, use

SUM = "addi %a, %b : tile<i32>"
SPLAT = "tile<64xi32>"
SPREAD = f"""\
%r{{0}} = reshape %a : tile<i32> -> tile<1xi32>
%s{{0}} = broadcast %r{{0}} : tile<1xi32> -> {SPLAT}"""


def left(body: str) -> list[str]:
    """The ops that are left of a body."""
    edited = kernel(body)
    replace_equal_ops(edited)
    return names(edited)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("addi %a, %b : tile<i32>", "addi %a, %b : tile<i32>"),
        ("addi %a, %b : tile<i32>", "addi %b, %a : tile<i32>"),
        ("andi %a, %b : tile<i32>", "andi %b, %a : tile<i32>"),
        ("maxi %a, %b signed : tile<i32>", "maxi %b, %a signed : tile<i32>"),
        ("divi %a, %b signed : tile<i32>", "divi %a, %b signed : tile<i32>"),
        ("shli %a, %b : tile<i32>", "shli %a, %b : tile<i32>"),
        ("constant <i32: 7> : tile<i32>", "constant <i32: 7> : tile<i32>"),
        ("assume bounded<0, ?>, %a : tile<i32>", "assume bounded<0, ?>, %a : tile<i32>"),
        ("select %c, %a, %b : tile<i1>, tile<i32>", "select %c, %a, %b : tile<i1>, tile<i32>"),
    ],
)
def test_equal_ops_become_one(first: str, second: str) -> None:
    kept = left(f"%x = {first}\n%y = {second}\n{use('x', 'y')}")
    assert kept == [first.split()[0], "print_tko"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("subi %a, %b : tile<i32>", "subi %b, %a : tile<i32>"),
        ("addi %a, %b : tile<i32>", "addi %a, %b overflow<no_signed_wrap> : tile<i32>"),
        ("maxi %a, %b signed : tile<i32>", "maxi %a, %b unsigned : tile<i32>"),
        ("maxi %a, %b signed : tile<i32>", "mini %a, %b signed : tile<i32>"),
        ("constant <i32: 7> : tile<i32>", "constant <i32: 8> : tile<i32>"),
        ("assume bounded<0, ?>, %a : tile<i32>", "assume bounded<1, ?>, %a : tile<i32>"),
        ("ftoi %f signed : tile<f32> -> tile<i32>", "ftoi %f unsigned : tile<f32> -> tile<i32>"),
        ("select %c, %a, %b : tile<i1>, tile<i32>", "select %c, %b, %a : tile<i1>, tile<i32>"),
    ],
)
def test_others_stay(first: str, second: str) -> None:
    kept = left(f"%x = {first}\n%y = {second}\n{use('x', 'y')}")
    assert kept == [first.split()[0], second.split()[0], "print_tko"]


@pytest.mark.parametrize("name", ["addf", "mulf"])
def test_operands_of_float_ops_keep_their_order(name: str) -> None:
    """Of two NaNs the first is handed on, on some targets."""
    lines = [f"%{x} = {name} {these} : tile<f32>" for x, these in
             zip("xyz", ("%f, %g", "%g, %f", "%f, %g"), strict=True)]  # fmt: skip
    kept = left("\n".join([*lines, use("x", "y", "z", type="f32").replace("%i", "%f")]))
    assert kept == [name, name, "print_tko"]


def test_what_is_made_of_equal_ops_is_equal() -> None:
    body = f"""\
%x1 = {SUM}
%y1 = muli %x1, %a : tile<i32>
%x2 = {SUM}
%y2 = muli %x2, %a : tile<i32>
{use("y1", "y2")}"""
    assert left(body) == ["addi", "muli", "print_tko"]


def test_results_of_several_kinds() -> None:
    body = f"""\
%x1, %y1, %z1 = get_tile_block_id : tile<i32>
%x2, %y2, %z2 = get_tile_block_id : tile<i32>
{use("x1", "y2")}"""
    edited = kernel(body)
    assert [*replace_equal_ops(edited).values()] == [1]
    (ids, shown) = list(edited.walk())[:2]
    assert shown.operands["args"] == (ids.results[0], ids.results[1])


# Where ----------------------------------------------------------------------------------------


def test_regions_use_what_comes_before_them_and_not_the_other_way_round() -> None:
    body = f"""\
if %c {{
  %x1 = {SUM}
  {use("x1")}
}}
%x2 = {SUM}
if %c {{
  %x3 = {SUM}
  {use("x3")}
}}
{use("x2")}"""
    assert left(body) == ["if", "addi", "print_tko", "yield", "addi", "if", "print_tko", "yield",
                          "print_tko"]  # fmt: skip


def test_siblings_share_nothing() -> None:
    body = f"""\
if %c {{
  %x1 = {SUM}
  {use("x1")}
}} else {{
  %x2 = {SUM}
  {use("x2")}
}}"""
    assert left(body).count("addi") == 2


def test_loops_use_what_comes_before_them() -> None:
    inner = f"%x2 = {SUM}\n{use('x2')}"
    assert left(f"%x1 = {SUM}\n{use('x1')}\n{loop(inner)}").count("addi") == 1
    assert left(f"{loop(inner)}\n%x1 = {SUM}\n{use('x1')}").count("addi") == 2


def test_bodies_of_reductions_keep_their_own_ops() -> None:
    body = f"""\
%x = {SUM}
{SPREAD.format(1)}
%t = addi %s1, %s1 : {SPLAT}
%m = reduce %t dim=0 identities=[0 : i32] : {SPLAT} -> tile<i32> (%d: tile<i32>, %e: tile<i32>) {{
  %x1 = {SUM}
  %x2 = {SUM}
  %y = addi %d, %e : tile<i32>
  %z = addi %y, %x1 : tile<i32>
  %w = subi %z, %x2 : tile<i32>
  yield %w : tile<i32>
}}
{use("x", "m")}"""
    kept = left(body)
    inside = kept[kept.index("reduce") : kept.index("yield")]
    assert inside == ["reduce", "addi", "addi", "addi", "subi"]


# What stays -----------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ACCESSES)
def test_accesses_of_memory_stay(line: str) -> None:
    kept = left(f"{line.format(1)}\n{line.format(2)}\n{use('x1', 'x2')}")
    assert len(kept) == 3


def test_prints_and_assertions_stay() -> None:
    body = f'assert %c, "no" : tile<i1>\nassert %c, "no" : tile<i1>\n{use("a")}\n'
    assert left(body + use("a").replace("used_", "again_")) == [*["assert"] * 2, *["print_tko"] * 2]


def test_tokens_that_order_nothing_are_one() -> None:
    line = "%x{0}, %t{0} = load_ptr_tko weak %p token=%n{0} : tile<ptr<i32>> -> tile<i32>, token"
    body = "\n".join(f"%n{at} = make_token : token\n{line.format(at)}" for at in (1, 2))
    assert left(f"{body}\n{use('x1', 'x2')}") == ["make_token", *["load_ptr_tko"] * 2, "print_tko"]


def test_cheap_tiles_are_made_again() -> None:
    """They stay where they are wanted; but what is made of them is shared."""
    body = f"""\
{SPREAD.format(1)}
%i1 = iota : {SPLAT}
%x1 = remi %s1, %i1 signed : {SPLAT}
{use("x1", type="64xi32")}
{SPREAD.format(2)}
%i2 = iota : {SPLAT}
%k = constant <i32: 3> : {SPLAT}
%x2 = remi %s2, %i2 signed : {SPLAT}
{use("x2", type="64xi32")}
{use("i2", "s2", "k", type="64xi32")}"""
    assert left(body) == ["reshape", "broadcast", "iota", "remi", "print_tko",
                          "broadcast", "iota", "constant", "print_tko", "print_tko"]  # fmt: skip


def test_simple_operations_are_repeated() -> None:
    """A tile takes registers or a buffer as long as it is kept; one more addition takes less."""
    line = "%x{{0}} = {} %k, %k : tile<64xf32>"
    head = "%k = constant <f32: 3.0> : tile<64xf32>\n"
    for name, left_over in (("addf", 2), ("divf", 1)):
        lines = "\n".join(line.format(name).format(at) for at in (1, 2))
        shown = use("x1", "x2", type="64xf32").replace("%i", "%f")
        assert left(f"{head}{lines}\n{shown}").count(name) == left_over


def test_large_constants_are_compared_by_their_contents() -> None:
    edited = kernel(
        f"""\
%k1 = constant <i32: [1, 2, 3, 4]> : tile<4xi32>
%k2 = constant <i32: [1, 2, 3, 4]> : tile<4xi32>
%k3 = constant <i32: [1, 2, 3, 5]> : tile<4xi32>
%x1 = divi %k1, %k1 signed : tile<4xi32>
%x2 = divi %k2, %k2 signed : tile<4xi32>
%x3 = divi %k3, %k3 signed : tile<4xi32>
{use("x1", "x2", "x3", type="4xi32")}"""
    )
    second = [op for op in edited.walk() if op.name == "constant"][1]
    value = second.attributes["value"]
    second.attributes["value"] = Constant(value.type, np.frombuffer(value.data, "i4").copy().data)
    replace_equal_ops(edited)
    assert names(edited) == ["constant", "constant", "divi", "divi", "print_tko"]


def test_the_one_that_stays_keeps_its_location() -> None:
    edited = kernel(f"%x1 = {SUM}\n%x2 = {SUM}\n{use('x1', 'x2')}")
    first, second, *_ = edited.walk()
    first.location, second.location = None, second.location
    (stays,) = replace_equal_ops(edited)
    assert stays is first
    assert stays.location is None
    assert stays.parent


def test_facts_are_dropped_only_if_something_changed() -> None:
    changed, same = kernel(f"%x = {SUM}\n%y = {SUM}\n{use('x', 'y')}"), kernel(use("a"))
    facts = [each.facts(Divisibility) for each in (changed, same)]
    assert replace_equal_ops(changed)
    assert not replace_equal_ops(same)
    assert changed.facts(Divisibility) is not facts[0]
    assert same.facts(Divisibility) is facts[1]


def test_what_is_told_of_it() -> None:
    text = f"%x = {SUM}\n%y = {SUM}\n%z = {SUM}\n{use('x', 'y', 'z')}"
    for target in ("host", "sm_90"):
        recorded = tileir.compile(module(text), target, cache=False).stages["share_common_ops"]
        whole, about = recorded.remarks
        assert str(whole) == "2 ops eliminated: equal ones run before them"
        assert str(about) == "replaces 2 equal ops: it runs first"
        assert about.op.name == "addi"


@pytest.mark.parametrize("options", [{"check": "memory"}, {"check": "undefined"}, {"trace": "%0"}])
def test_checks_and_traces_see_every_op(options: dict[str, str]) -> None:
    text = f"%x = {SUM}\n%y = {SUM}\n{use('x', 'y')}"
    compiled = tileir.compile(module(text), "host", cache=False, **options)
    assert not compiled.stages["share_common_ops"].remarks
    assert len(re.findall(r"\baddi\b", compiled.stages["hoist_invariants"].text)) == 2
