"""Tiles of memory that a block has: until something may have changed them, wherever that is."""

from __future__ import annotations

import pytest

import tileir
from tests.codegen.advise.test_computing import FOR, HEAD, LOAD, ONE, STORE, T
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
