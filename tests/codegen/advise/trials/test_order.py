"""Accesses that are given a token of their own: not where another access is of the same array."""

from __future__ import annotations

import pytest

import tileir
from tests.codegen.advise.test_computing import HEAD, LOAD, STORE
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Original
from tileir.codegen.advise.trials.order import UNORDERED

OTHER = LOAD.replace(" : ", " token=%st : ", 1).format("%j")
SAME = OTHER.replace("%xs", "%ys")
OF_X = STORE.replace("%ys", "%xs").replace(" : ", " token=%v : ", 1).format("%t")


@pytest.mark.parametrize(
    ("accesses", "name", "told"),
    [
        (f"%st = {STORE.format('%none')}\n%t, %v = {OTHER}\n", "load_view_tko", True),
        (f"%st = {STORE.format('%none')}\n%t, %v = {SAME}\n", "load_view_tko", False),
        (f"%t, %v = {LOAD.format('%i')}\n%w = {OF_X}\n", "store_view_tko", False),
    ],
    ids=["behind a store to another array", "to the same", "a store behind a load of the same"],
)
def test_an_order_that_nothing_needs(accesses: str, name: str, told: bool) -> None:
    copy = Original(tileir.assemble(f"{HEAD}{accesses}return }} }}")).copy()
    (number,) = [number for number, op in copy.ops.items() if op.name == name]
    assert bool(UNORDERED.edit(copy, [Site("k", number)])) is told
