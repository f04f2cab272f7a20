"""A producer has the values that loops around its ring carry, as far as copies need them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.codegen.emulator.values import aligned
from tileir import assemble, emulator
from tileir.codegen import compile
from tileir.codegen.emulator import SCHEDULES

from .test_tensor_rings import TEXT

CARRIED = (
    TEXT.replace(
        "    %sum = for",
        "    %two = constant <i32: 2> : tile<i32>\n"
        "    %sum, %end = for %again in (%zero to %two, step %one) : tile<i32>\n"
        "        iter_values(%before = %none, %row = %x) -> (tile<64x64xf32>, tile<i32>) {\n"
        "    %more = for",
    )
    .replace("(%acc = %none)", "(%acc = %before)")
    .replace("%pa[%x, %i]", "%pa[%row, %i]")
    .replace(
        "    %u =",
        "    %following = addi %row, %one : tile<i32>\n"
        "    continue %more, %following : tile<64x64xf32>, tile<i32>\n    }\n    %u =",
    )
)
"""The sums of a tile's row and of the next one, whose number the loop around carries."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_producer_copies_the_rows_that_are_carried(schedule: str) -> None:
    compiled = compile(assemble(CARRIED), "sm_90")
    assert re.search(r"setmaxnreg\.dec", compiled.ptx), "the kernel has no roles"
    random, (rows, columns, deep) = np.random.default_rng(5), (128, 64, 96)
    a = aligned(random.integers(-4, 5, (rows + 64, deep)).astype(np.float16))
    b = aligned(random.integers(-4, 5, (deep, columns)).astype(np.float16))
    c = aligned(np.zeros((rows + 64, columns), np.float32))
    each = a.astype(np.float32) @ b.astype(np.float32)
    args = [a, b, c, rows + 64, columns, deep, deep, columns, columns]
    emulator.load(compiled)["k"].launch((2, 1), args, schedule=schedule)
    assert (c[:rows] == each[:rows] + each[64:]).all()
