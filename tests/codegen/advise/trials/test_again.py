"""Tiles of memory that a block has: until something may have changed them, wherever that is."""

from __future__ import annotations

import pytest

import tileir
from tests.codegen.advise.test_computing import FOR, HEAD, LOAD, ONE, STORE, SUM, T
from tileir.codegen.advise.trials.again import Held, kept

AGAIN = f"%d, %v = {LOAD.format('%i')}\n"
TO_X = STORE.replace("%ys[", "%xs[")


def loop(*lines: str) -> str:
    """Return a loop of lines, which carries a tile."""
    return f"%r = {FOR.format('%none', T, chr(10).join(lines), '%none', T)}\n"


TENSOR = "tensor_view<?xf32, strides=[1]>"
A_LATER = "%a2 = offset %a, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"
EITHER = "%a2 = select %yes, %a, %b : tile<i1>, tile<ptr<f32>>\n"
B_LATER = A_LATER.replace("%a,", "%b,")


def view(of: str, name: str) -> str:
    """Return a partition view, of a name, of the array at an address."""
    return (
        f"%{name}v = make_tensor_view %{of}, shape = [%n], strides = [1] : tile<i32> -> {TENSOR}\n"
        f"%{name}s = make_partition_view %{name}v : partition_view<tile=(4096), {TENSOR}>\n"
    )


AGAIN_LATER = A_LATER + view("a2", "z")
"""The array of %a, from its second element on, as %zs."""
INSIDE = AGAIN_LATER.replace("%z", "%w").replace("%a2", "%a3")
"""The same, made again."""
TO_Z, TO_W = (STORE.replace("%ys[", f"%{name}s[").format("%none") for name in "zw")

STORED = {
    "nothing": ("", True),
    "the array, in a loop": (loop(f"%g = {TO_X.format('%none')}"), False),
    "the array, in a branch": (f"if %yes {{\n%g = {TO_X.format('%none')}\nyield }}\n", False),
    "another array, in a loop": (loop(f"%g = {STORE.format('%none')}"), True),
    "an acquire in a loop": (
        loop("%g, %h = " + LOAD.format("%c").replace("weak", "acquire device")),
        False,
    ),
    "the array, an element later": (f"{AGAIN_LATER}%g = {TO_Z}\n", False),
    "another array, an element later": (f"{B_LATER}{view('a2', 'z')}%g = {TO_Z}\n", True),
    "either array": (f"{EITHER}{view('a2', 'z')}%g = {TO_Z}\n", False),
    "what a loop's pointer is of": (
        (
            "%e = for %c in (%zero to %n, step %one) : tile<i32> iter_values(%a2 = %a) "
            "-> (tile<ptr<f32>>) {\n"
            f"{view('a2', 'z')}%g = {TO_Z}\ncontinue %a2 : tile<ptr<f32>> }}\n"
        ),
        False,
    ),
    "a wait for other grids": ("%g = gdc_wait_tko -> token\n", False),
}


def function(body: str):
    yes = "%yes = constant <i1: true> : tile<i1>\n"
    (found,) = tileir.assemble(f"{HEAD}{yes}{body}return }} }}").functions
    return found


@pytest.mark.parametrize(("between", "held"), STORED.values(), ids=STORED)
def test_a_tile_is_held_until_its_array_may_have_changed(between: str, held: bool) -> None:
    found = Held(function(ONE + between + AGAIN).body.block).found
    assert len(found) is int(held)


def test_a_tile_is_not_held_where_a_loop_makes_its_view_again() -> None:
    one, again = (each.replace("%xs", "%zs") for each in (ONE, AGAIN))
    held, ended = (
        Held(function(AGAIN_LATER + one + loop(INSIDE, store) + again).body.block).found
        for store in (f"%g = {STORE.format('%none')}", f"%g = {TO_W}")
    )
    assert held
    assert not ended


ZERO, NAN = (f"padding_value = {each}, " for each in ("zero", "nan"))


def padded(name: str, padding: str) -> str:
    """Return a view of the array that %xs is of, whose tiles are padded."""
    kind = f"partition_view<tile=(4096), {padding}tensor_view<?xf32, strides=[1]>>"
    return f"%{name} = make_partition_view %xv : {kind}\n"


def in_view(line: str, name: str, padding: str) -> str:
    """Return a line that accesses %xs as one that accesses a padded view."""
    return line.replace("%xs[", f"%{name}[").replace("(4096), ", f"(4096), {padding}")


@pytest.mark.parametrize(
    ("first", "again", "held"),
    [("", "", True), (ZERO, ZERO, True), (ZERO, "", True), ("", ZERO, False), (NAN, ZERO, False)],
)
def test_a_tile_is_held_with_its_padding(first: str, again: str, held: bool) -> None:
    body = padded("first", first) + padded("other", again)
    body += in_view(ONE, "first", first) + in_view(AGAIN, "other", again)
    assert len(Held(function(body).body.block).found) is int(held)


@pytest.mark.parametrize(("padding", "held"), [("", True), (ZERO, False)])
def test_what_was_stored_has_no_padding(padding: str, held: bool) -> None:
    body = f"%g = {TO_X.format('%none')}\n" + padded("other", padding)
    body += in_view(AGAIN, "other", padding)
    assert len(Held(function(body).body.block).found) is int(held)


MASKED = (
    "load_ptr_tko weak %ps, {0}, %pad{1} : tile<4096xptr<f32>>, tile<4096xi1>, tile<4096xf32> "
    "-> tile<4096xf32>, token\n"
)


@pytest.mark.parametrize("alike", [True, False])
def test_a_masked_tile_is_held_with_its_padding(alike: bool) -> None:
    body = (
        "%p0 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
        "%ps = broadcast %p0 : tile<1xptr<f32>> -> tile<4096xptr<f32>>\n"
        "%mask = constant <i1: true> : tile<4096xi1>\n"
        "%pad1 = constant <f32: 1.0> : tile<4096xf32>\n"
        f"%pad2 = constant <f32: {1.0 if alike else 2.0}> : tile<4096xf32>\n"
    )
    body += f"%t, %u = {MASKED.format('%mask', 1)}%d, %v = {MASKED.format('%mask', 2)}"
    assert len(Held(function(body).body.block).found) is int(alike)


@pytest.mark.parametrize(
    ("padding", "made", "stays"),
    [
        ("", SUM.format("%d") + "%r1 = reshape %v2 : tile<f32> -> tile<1xf32>\n", True),
        (ZERO, SUM.format("%d") + "%r1 = reshape %v2 : tile<f32> -> tile<1xf32>\n", False),
        (ZERO, "", True),
        (ZERO, "reshape", True),
    ],
    ids=["any padding", "the padding is added up", "each element by itself", "in another shape"],
)
def test_padding_that_a_loop_adds_up_is_not_stored(padding: str, made: str, stays: bool) -> None:
    tile = "%z = negf %d : " + T
    if made == "reshape":
        flat = "tile<64x64xf32>"
        made = f"%d0 = reshape %d : {T} -> {flat}\n%d1 = negf %d0 : {flat}\n"
        tile = f"%z = reshape %d1 : {flat} -> {T}"
    elif made:
        made = "%v2 = " + made
        tile = f"%z = broadcast %r1 : tile<1xf32> -> {T}"
    load = f"%d, %v = {in_view(LOAD.format('%i'), 'first', padding)}"
    store = "%g = " + in_view(TO_X.format("%z"), "first", padding)
    body = padded("first", padding) + loop(load, made, tile, store)
    assert bool([*kept(function(body))]) is stays


@pytest.mark.parametrize(
    ("branch", "stays"),
    [("yield", True), (f"continue %s : {T}", False)],
    ids=["all iterations", "some"],
)
def test_a_store_stays_in_a_loop_that_may_pass_it_by(branch: str, stays: bool) -> None:
    body = loop(f"if %yes {{ {branch} }}", f"%g = {STORE.format('%none')}")
    assert bool([*kept(function(body))]) is stays


@pytest.mark.parametrize(
    ("beside", "stays"),
    [
        ("", True),
        (f"%f, %h = {LOAD.format('%c')}", True),
        (f"%f, %h = {LOAD.format('%c').replace('%xs', '%ys')}", False),
        (f"%f, %h = {LOAD.format('%c').replace('weak', 'acquire device')}", False),
        (f"{B_LATER}{view('a2', 'z')}%f, %h = {LOAD.format('%c').replace('%xs', '%zs')}", False),
        (f"{EITHER}{view('a2', 'z')}%f, %h = {LOAD.format('%c').replace('%xs', '%zs')}", False),
    ],
    ids=["nothing", "another array", "the array", "an acquire", "an element later", "any array"],
)
def test_a_store_leaves_a_loop_in_which_nobody_sees_its_tile(beside: str, stays: bool) -> None:
    body = loop(f"%z = negf %s : {T}", f"%g = {STORE.format('%z')}", beside)
    assert bool([*kept(function(body))]) is stays
