"""Ops that a loop does not change run before it, unless they may be undefined there."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tileir.codegen.transform.hoist_invariants import hoist_ops
from tileir.ir.locations import CompileUnit, File, SourceLocation, Subprogram

from .kernels import ACCESSES, around, kernel, loop, module, names, only, use

BIG = "tile<64xi32>"
THREES = f"%k = constant <i32: 3> : {BIG}"
SPLAT = """\
%r = reshape %a : tile<i32> -> tile<1xi32>
%s = broadcast %r : tile<1xi32> -> tile<64xi32>"""


def place(line: str, head: str = "") -> str:
    """Where an op of a loop is after hoisting: in which op, "" for the top level."""
    name = line.split()[0]
    type = "i1" if name == "cmpi" else line.rsplit("tile<", 1)[1].removesuffix(">")
    edited = kernel(f"{head}\n{loop(f'%x = {line}', use('x', type=type))}")
    hoist_ops(edited)
    assert "for" in names(edited)
    return around([op for op in edited.walk() if op.name == name][-1])


@pytest.mark.parametrize(
    "line",
    [
        "addi %a, %b : tile<i32>",
        "muli %a, %b : tile<i32>",
        "mulhii %a, %b : tile<i32>",
        "cmpi less_than %a, %b, signed : tile<i32> -> tile<i1>",
        "trunci %a : tile<i32> -> tile<i8>",
        "select %c, %a, %b : tile<i1>, tile<i32>",
        "bitcast %f : tile<f32> -> tile<i32>",
    ],
)
def test_total_ops_leave_loops(line: str) -> None:
    assert place(line) == ""


@pytest.mark.parametrize(
    "line",
    [
        "divi %a, %b signed : tile<i32>",
        "remi %a, %b signed : tile<i32>",
        "shli %a, %b : tile<i32>",
        "shri %a, %b unsigned : tile<i32>",
        "addi %a, %b overflow<no_signed_wrap> : tile<i32>",
        "subi %a, %b overflow<no_wrap> : tile<i32>",
        "muli %a, %b overflow<no_unsigned_wrap> : tile<i32>",
        "negi %a overflow<no_signed_wrap> : tile<i32>",
        "trunci %a overflow<no_wrap> : tile<i32> -> tile<i8>",
        "ftoi %f signed : tile<f32> -> tile<i32>",
        "assume bounded<0, ?>, %a : tile<i32>",
    ],
)
def test_ops_that_may_be_undefined_stay(line: str) -> None:
    """The loop may run zero times, because the divisor is zero."""
    assert place(line) == "for"


@pytest.mark.parametrize(
    ("line", "head", "leaves"),
    [
        ("divi %a, %n signed : tile<i32>", "%n = constant <i32: 3> : tile<i32>", True),
        ("divi %a, %n signed : tile<i32>", "%n = constant <i32: 0> : tile<i32>", False),
        ("divi %a, %n signed : tile<i32>", "%n = constant <i32: -1> : tile<i32>", False),
        ("divi %a, %n signed : tile<i32>", "%n = assume bounded<1, ?>, %b : tile<i32>", True),
        ("divi %a, %n signed : tile<i32>", "%n = assume bounded<0, ?>, %b : tile<i32>", False),
        ("remi %a, %n signed : tile<i32>", "%n = constant <i32: 3> : tile<i32>", True),
        ("shli %a, %n : tile<i32>", "%n = constant <i32: 31> : tile<i32>", True),
        ("shli %a, %n : tile<i32>", "%n = constant <i32: 32> : tile<i32>", False),
        ("shli %a, %n : tile<i32>", "%n = constant <i32: -1> : tile<i32>", False),
        ("shli %a, %n overflow<no_wrap> : tile<i32>", "%n = constant <i32: 3> : tile<i32>", False),
        ("shri %a, %n signed : tile<i32>", "%n = constant <i32: 0> : tile<i32>", True),
    ],
)
def test_what_is_known_of_operands_counts(line: str, head: str, leaves: bool) -> None:
    assert place(line, head) == ("" if leaves else "for")


@pytest.mark.parametrize("line", ACCESSES)
def test_memory_is_accessed_in_the_loop(line: str) -> None:
    edited = kernel(loop(line.format(1), use("x1")))
    assert not hoist_ops(edited)


def test_prints_and_assertions_stay_and_tokens_leave() -> None:
    body = 'assert %c, "no" : tile<i1>\n%n = make_token : token\n'
    body += '%u = print_tko "%i", %a token=%n : tile<i32> -> token'
    edited = kernel(loop(body))
    assert [op.name for op in hoist_ops(edited)] == ["make_token"]
    assert names(edited)[2:] == ["make_token", "for", "assert", "print_tko", "continue"]


def test_what_the_loop_changes_stays() -> None:
    edited = kernel(loop(f"%x = addi %i, %a : tile<i32>\n%y = muli %x, %b : tile<i32>\n{use('y')}"))
    assert not hoist_ops(edited)


def test_what_is_made_of_invariants_follows_them() -> None:
    body = f"""\
%x = addi %a, %b : tile<i32>
%y = addi %x, %i : tile<i32>
%z = muli %x, %a : tile<i32>
{use("y", "z")}"""
    edited = kernel(loop(body))
    assert [op.name for op in hoist_ops(edited)] == ["addi", "muli"]
    assert names(edited)[2:] == ["addi", "muli", "for", "addi", "print_tko", "continue"]


def test_carried_values_are_no_invariants() -> None:
    body = f"""\
{use("a")}
%r = loop iter_values(%v = %a) : tile<i32> -> tile<i32> {{
  %x = addi %v, %a : tile<i32>
  %y = muli %a, %b : tile<i32>
  %more = cmpi less_than %x, %y, signed : tile<i32> -> tile<i1>
  if %more {{
    break %x : tile<i32>
  }}
  continue %x : tile<i32>
}}
{use("r")}"""
    edited = kernel(body)
    (moved,) = hoist_ops(edited)
    assert moved.name == "muli"
    assert names(edited)[:3] == ["print_tko", "muli", "loop"]


# Nested regions -------------------------------------------------------------------------------


def nested() -> str:
    """A loop in a loop, with sums of what each of them changes and does not."""
    return f"""\
%zero = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
for %i in (%zero to %a, step %one) : tile<i32> {{
  for %j in (%zero to %b, step %one) : tile<i32> {{
    %u = muli %a, %b : tile<i32>
    %v = subi %u, %i : tile<i32>
    %w = addi %v, %j : tile<i32>
    {use("w")}
    continue
  }}
  continue
}}"""


def test_as_many_loops_are_left_as_change_nothing() -> None:
    edited = kernel(nested())
    outer = next(op for op in edited.walk() if op.name == "for")
    moved = hoist_ops(edited)
    assert names(edited) == [
        "constant", "constant", "muli", "for", "subi", "for", "addi", "print_tko", "continue",
        "continue",
    ]  # fmt: skip
    assert [op.name for op in moved] == ["muli", "subi"]
    assert moved[only(edited, "muli")] is outer


def test_what_stands_in_an_if_stays_there() -> None:
    """It would run where the program does not run it, which costs time."""
    edited = kernel(loop(f"if %c {{\n  %x = muli %a, %b : tile<i32>\n  {use('x')}\n}}"))
    assert not hoist_ops(edited)


def test_a_loop_in_an_if_is_left_but_not_the_if() -> None:
    edited = kernel(f"if %c {{\n{loop('%x = muli %a, %b : tile<i32>', use('x'))}\n}}")
    assert [op.name for op in hoist_ops(edited)] == ["muli"]
    assert around(only(edited, "muli")) == "if"


def test_bodies_of_reductions_are_no_loops() -> None:
    body = f"""\
{SPLAT}
%m = reduce %s dim=0 identities=[0 : i32] : {BIG} -> tile<i32> (%d: tile<i32>, %e: tile<i32>) {{
  %x = muli %a, %b : tile<i32>
  %y = addi %d, %x : tile<i32>
  yield %y : tile<i32>
}}
{use("m")}"""
    edited = kernel(body)
    assert not hoist_ops(edited)
    inside = kernel(loop(body))
    assert [op.name for op in hoist_ops(inside)] == ["reshape"]
    assert around(only(inside, "muli")) == "reduce"


# Cheap tiles ----------------------------------------------------------------------------------


def test_cheap_tiles_are_made_in_the_loop() -> None:
    body = f"""\
{SPLAT}
%n = iota : {BIG}
%k = constant <i32: 3> : {BIG}
{use("s", "n", "k", type="64xi32")}"""
    edited = kernel(loop(body))
    assert [op.name for op in hoist_ops(edited)] == ["reshape"]
    assert names(edited)[2:] == [
        "reshape", "for", "broadcast", "iota", "constant", "print_tko", "continue",
    ]  # fmt: skip


def test_what_is_made_of_cheap_tiles_takes_copies_along() -> None:
    body = f"""\
{SPLAT}
%n = iota : {BIG}
%w = addi %s, %n : {BIG}
%x = divi %w, %k signed : {BIG}
%y = muli %x, %n : {BIG}
{use("n", "y", type="64xi32")}"""
    edited = kernel(f"{THREES}\n{loop(body)}")
    assert [op.name for op in hoist_ops(edited)] == ["reshape", "divi"]
    assert names(edited)[3:] == [
        "reshape", "broadcast", "iota", "addi", "divi", "for", "iota", "muli", "print_tko",
        "continue",
    ]  # fmt: skip


def test_long_chains_of_simple_operations() -> None:
    count = 3000
    lines = [f"%x0 = iota : {BIG}"]
    lines += [f"%x{at + 1} = addi %x{at}, %x{at} : {BIG}" for at in range(count)]
    lines += [f"%y = divi %x{count}, %k signed : {BIG}", use("y", type="64xi32")]
    edited = kernel(f"{THREES}\n{loop(*lines)}")
    assert [op.name for op in hoist_ops(edited)] == ["divi"]
    kept = names(edited)
    assert kept.index("for") == 3 + 1 + count + 1
    assert kept.count("addi") == count


def test_numbers_are_kept() -> None:
    edited = kernel(loop(f"%k = constant <i32: 3> : tile<i32>\n{use('k')}"))
    assert [op.name for op in hoist_ops(edited)] == ["constant"]


# Beside it ------------------------------------------------------------------------------------


def test_a_loop_that_never_runs_does_nothing_new(capfd: pytest.CaptureFixture) -> None:
    """Neither does it divide by the zero that would have kept it from running."""
    text = loop(
        f"%x = divi %a, %a signed : tile<i32>\n%y = muli %a, %b : tile<i32>\n{use('x', 'y')}"
    )
    kernel = tileir.compile(module(text), "host", cache=False)["k"]
    for count, printed in ((0, ""), (2, "1616")):
        kernel.launch(1, [np.zeros(1, "i4"), count, 3, 0.0, 0.0, True])
        assert capfd.readouterr().out == printed


def test_locations_stay_with_ops_and_copies() -> None:
    body = f"%n = iota : {BIG}\n%x = divi %n, %k signed : {BIG}\n"
    edited = kernel(f"{THREES}\n{loop(body, use('n', 'x', type='64xi32'))}")
    places: dict[str, object] = {}
    for at, op in enumerate(edited.walk()):
        op.location = places[op.name] = located(at)
    hoist_ops(edited)
    assert all(
        op.location is places[op.name] for op in edited.walk() if op.name in ("iota", "divi")
    )
    assert names(edited).count("iota") == 2


def located(line: int) -> SourceLocation:
    """A position in a source file."""
    file = File("k.py", "/src")
    scope = Subprogram(file, 1, "k", "k", CompileUnit(file), 1)
    return SourceLocation(scope, "k.py", line + 1, 1)


def test_what_is_told_of_it() -> None:
    for target in ("host", "sm_90"):
        recorded = tileir.compile(module(nested()), target, cache=False).stages["hoist_invariants"]
        assert [(each.op.name, str(each)) for each in recorded.remarks] == [
            ("muli", "hoisted out of a for: its operands do not change there"),
            ("subi", "hoisted out of a for: its operands do not change there"),
        ]
        assert "// hoisted out of a for: its operands do not change there\n  %0 = muli" in (
            recorded.text
        )


@pytest.mark.parametrize("options", [{"check": "memory"}, {"check": "undefined"}, {"trace": "%0"}])
def test_checks_and_traces_see_every_op_where_it_is(options: dict[str, str]) -> None:
    compiled = tileir.compile(module(nested()), "host", cache=False, **options)
    assert not compiled.stages["hoist_invariants"].remarks
