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


STORED = {
    "nothing": ("", True),
    "the array, in a loop": (loop(f"%g = {TO_X.format('%none')}"), False),
    "the array, in a branch": (f"if %yes {{\n%g = {TO_X.format('%none')}\nyield }}\n", False),
    "another array, in a loop": (loop(f"%g = {STORE.format('%none')}"), True),
    "an acquire in a loop": (
        loop("%g, %h = " + LOAD.format("%c").replace("weak", "acquire device")),
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


@pytest.mark.parametrize(
    ("beside", "stays"),
    [
        ("", True),
        (f"%f, %h = {LOAD.format('%c')}", True),
        (f"%f, %h = {LOAD.format('%c').replace('%xs', '%ys')}", False),
        (f"%f, %h = {LOAD.format('%c').replace('weak', 'acquire device')}", False),
    ],
    ids=["nothing", "a load of another array", "a load of the array", "an acquire"],
)
def test_a_store_leaves_a_loop_in_which_nobody_sees_its_tile(beside: str, stays: bool) -> None:
    body = loop(f"%z = negf %s : {T}", f"%g = {STORE.format('%z')}", beside)
    assert bool([*kept(function(body))]) is stays
