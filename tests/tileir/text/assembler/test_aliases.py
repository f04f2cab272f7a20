"""Aliases mean what they stand for, wherever they are defined; how much and how deep has bounds."""

from __future__ import annotations

import pytest

import tileir
from tests.tileir.text.assembler.test_errors import problems_of
from tileir.formats.limits import DEFAULT, MAX_REPEATED_ATTRIBUTES, Limits
from tileir.text.assembler import assemble

SCOPES = """\
#f = #cuda_tile.di_file<"a" in "b">
#u = #cuda_tile.di_compile_unit<file = #f>
#s = #cuda_tile.di_subprogram<file = #f, line = 1, name = "k", linkageName = "k", compileUnit = #u>
#l = #cuda_tile.di_loc<loc("x":1:2) in #s>
"""
BELOW = 4
"""Levels of `#l`: location, function, compile unit, file."""

ORDERS = {"inner first": 1, "outer first": -1}


def chain(calls: int, order: int) -> str:
    """A location inlined so many times, the aliases in that order."""
    lines = [f"#c{i} = loc(callsite(#l at #c{i - 1}))\n" for i in range(1, calls + 1)]
    use = f"entry @k() {{ return loc(#c{calls}) }} loc(#l)\n"
    return f"{SCOPES}#c0 = #l\n{''.join(lines[::order])}{use}"


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_chains_of_calls_are_as_long_as_files_may_have_them(order: int) -> None:
    longest = DEFAULT.location_depth - BELOW
    data = assemble(chain(longest, order)).build()
    assert tileir.disassemble(data, debug=True).count("callsite") == longest
    for calls in (longest + 1, 3 * longest):
        (problem,) = problems_of(chain(calls, order))
        assert problem.message == "debug records inside each other, more than 2000"
        assert problem.source.startswith(f"#c{longest + 1} = ")


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_chains_need_no_room_for_other_nesting(order: int) -> None:
    limits = Limits(region_depth=0, attribute_depth=2, location_depth=2000)
    assert assemble(chain(1900, order), limits=limits).functions[0].ops
    (problem,) = problems_of(chain(9, order), limits=Limits(location_depth=BELOW + 8))
    assert problem.source.startswith("#c9 = ")


def lists(count: int, order: int) -> str:
    """A list in a list in a list, by aliases."""
    lines = ["#a0 = [1]\n", *(f"#a{i} = [#a{i - 1}]\n" for i in range(1, count))]
    use = f"entry @k(%a: tile<i32> {{x.y = #a{count - 1}}}) {{}}\n"
    return f"{''.join(lines[::order])}{use}"


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_attributes_are_as_deep_as_what_aliases_stand_for(order: int) -> None:
    deepest = DEFAULT.attribute_depth - 2  # of the list of parameters, and of its dictionary
    (given,) = assemble(lists(deepest, order)).functions[0].argument_attributes
    assert str(given).count("[") + str(given).count("(") >= deepest
    (problem,) = problems_of(lists(deepest + 1, order))
    assert problem.message == "attributes nested more than 64 deep"
    assert "x.y" in problem.source
    (problem,) = problems_of(lists(3000, order))
    assert problem.source.startswith("#a64 = ")


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize(
    "use", ["module attributes {x = @} {}", "entry @k(%a: tile<i32> {x.y = @}) {}"]
)
def test_aliases_that_double_have_a_bound(use: str, order: int) -> None:
    lines = ["#a0 = [1, 2]\n", *(f"#a{i} = [#a{i - 1}, #a{i - 1}]\n" for i in range(1, 60))]
    (problem,) = problems_of("".join(lines[::order]))
    assert (
        problem.message == f"aliases spelled out are more than {MAX_REPEATED_ATTRIBUTES} attributes"
    )
    found = problems_of("".join(lines[::order]) + use.replace("= @", "= #a59"))
    assert [p.source for p in found] == [problem.source]
    small = "".join(lines[:10][::order]) + use.replace("= @", "= #a9")
    assert assemble(small)


def test_long_groups_cannot_be_repeated_without_end() -> None:
    groups = f"#g = #cuda_tile.same_elements<[{'1, ' * 255}1]>\n"
    ops = "".join(f"%{i} = assume #g, %a : !t\n" for i in range(40_000))
    shape = f"!t = tile<{'1x' * 256}i32>\n"
    text = f"{groups}{shape}entry @k() {{ %a = constant <i32: 1> : !t\n{ops}return }}"
    assert "aliases spelled out" in problems_of(text)[0].message


@pytest.mark.parametrize("long", [f'"{"a" * 100_000}"', "dense"])
def test_long_attributes_cannot_be_repeated_without_end(long: str) -> None:
    if long == "dense":
        long = f'dense<"0x{"01" * 65535}02"> : tile<65536xi8>'
    uses = ", ".join(["#a"] * 1000)
    text = f"#a = {long}\nentry @k(%a: tile<i32> {{x.y = [{uses}]}}) {{}}"
    assert len(problems_of(text)) == 1


def test_circles_are_told_once() -> None:
    for count in (1, 2, 3, 50, 5000):
        text = "".join(f"#c{i} = [#c{(i + 1) % count}]\n" for i in range(count))
        for limits in (DEFAULT, Limits(region_depth=0, attribute_depth=1, location_depth=1)):
            (problem,) = problems_of(text, limits=limits)
            assert "refers to itself" in problem.message
        (problem,) = problems_of(text.replace("[", "loc(").replace("]", ")"))
        assert "refers to itself" in problem.message


def test_what_only_looks_like_a_circle_is_none() -> None:
    text = "#a = #foo.x<#b>\n#b = [#a, 1]\n#c = #foo.y<#c>\nmodule attributes {x = #b} {}"
    assert assemble(text).launch_attributes.module["x"] == ("#foo.x<#b>", 1)


def test_chains_of_names_may_be_of_any_length() -> None:
    names = "".join(f"#a{i} = #a{i + 1}\n" for i in range(20_000))
    text = f"{names}#a20000 = 5 : i8\nmodule attributes {{x = #a0}} {{}}"
    assert assemble(text).launch_attributes.module["x"] == 5


def test_a_definition_may_start_anywhere_an_item_may() -> None:
    text = (
        "#a = #cuda_tile.div_by<4> !t = tile<i32> // #a = 1\n"
        'entry @k(%a: !t) { %0 = assume #a, %a : !t print_tko "#a = 2" -> token return } '
        '#b = "#a = 3" #c // between\n = loc(unknown)'
    )
    op = assemble(text).functions[0].ops[0]
    assert str(op.attributes["predicate"]) == "div_by<4>"
    (problem,) = problems_of("#a = 1 #b = 2 #a = 3")
    assert (problem.column, problem.message) == (15, "redefinition of #a")


@pytest.mark.parametrize("value", ["false", "true", "1", "[]", "{}", '"x"', "tile<i32>"])
def test_an_assumption_is_one(value: str) -> None:
    text = f"#a = {value}\nentry @k(%a: tile<i32>) {{ %0 = assume #a, %a : tile<i32> return }}"
    (problem,) = problems_of(text)
    assert problem.message == "expected 'bounded', 'div_by' or 'same_elements'"


@pytest.mark.parametrize("value", ["[)", "#cuda_tile.div_by<x>", "tile<x>", "#b", "[#a]"])
def test_about_what_uses_a_broken_alias_nothing_is_said(value: str) -> None:
    uses = (
        "entry @k(%a: tile<f32> {x.y = #a, x.z = [#a]}) { %0 = assume #a, %a : tile<f32> return }\n"
        "entry @l() optimization_hints=<sm_90 = #a> {}\n"
    )
    found = problems_of(f"{uses}#a = {value}\n")
    assert [problem.line for problem in found] == [3]


def test_locations_are_no_attributes_and_unknown_is_no_scope() -> None:
    for name in ("#l", "#s", "#f", "#n", "#p"):
        text = (
            f'{SCOPES}#n = loc(unknown)\n#p = loc("f":1:2)\nmodule attributes {{x = {name}}} {{}}'
        )
        (problem,) = problems_of(text)
        assert problem.message == f"{name} is a location, which is no attribute"
    for wrong in ("loc(unknown) in #s", 'loc("f":1:2) in #n', 'loc("f":1:2) in #l', "#l in #s"):
        text = f"{SCOPES}#n = loc(unknown)\n#m = #cuda_tile.di_loc<{wrong}>\n"
        (problem,) = problems_of(text + "entry @k() { return loc(#m) } loc(#l)\n")
        assert "expected a" in problem.message
        assert problem.line == 6
