"""Atomic updates of a loop that are made behind it: what memory has then, and when they stay."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.codegen.advise.test_doing import AT, IN_BRANCH, UPDATE, module
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Original
from tileir.codegen.advise.trials.atomics import BEHIND


def test_updates_of_a_branch_are_made_behind_the_loop() -> None:
    """The same is added up where the condition holds in some iterations, all, or none."""
    text = module(IN_BRANCH)
    copy = Original(text).copy()
    (number,) = [n for n, op in copy.ops.items() if op.name == "atomic_rmw_tko"]
    assert BEHIND.edit(copy, [Site("k", number)])
    assert copy.ops[number].parent is copy.functions[number].body.block
    for blocks, size in ((3, 16), (1, 16), (2, 0)):
        made, expected = np.zeros(4096, np.float32), np.zeros(4096, np.float32)
        for x, bytecode in ((made, copy.module), (expected, text)):
            y = np.zeros(4096, np.float32)
            tileir.compile(bytecode)["k"].launch((blocks,), [x, y, size])
        assert expected.any() == (size > 0 and blocks > 1)
        assert (made == expected).all()


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (UPDATE.format("addf", "%few"), True),
        (UPDATE.format("xchg", "%few"), False),
        (f"load_ptr_tko weak %at : {AT} -> tile<32xf32>, token", False),
    ],
    ids=["updated alike", "updated in another way", "read"],
)
def test_what_else_a_loop_does_with_an_array_that_it_updates(more: str, told: bool) -> None:
    update = f"%o, %ot = {UPDATE.format('addf', '%few')}\n"
    copy = Original(module(IN_BRANCH.replace(update, f"{update}%p, %pt = {more}\n"))).copy()
    number = min(number for number, op in copy.ops.items() if op.name == "atomic_rmw_tko")
    assert bool(BEHIND.edit(copy, [Site("k", number)])) is told
