"""Ways to a value: expressions that give its numbers, infinities included."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tileir.codegen.advise.random_runs.ways import ways_of_floats

TEXT = "cuda_tile.module @m { entry @k(%x: tile<f32>, %y: tile<f32>) { return } }"


@pytest.mark.parametrize("other", [np.inf, -np.inf, np.nan, 7.0])
def test_each_element_has_to_be_equal(other: float) -> None:
    (function,) = tileir.assemble(TEXT).functions
    one, two = function.body.block.arguments
    random = np.random.default_rng(1)
    rows = [(value, random.uniform(-1, 1, 64)) for value in (one, two)]
    larger = np.maximum(rows[0][1], rows[1][1])
    with np.errstate(all="ignore"):
        found = {str(way) for way in ways_of_floats(larger, rows)}
        assert found == {"maxf(a parameter, a parameter)"}
        larger[3] = other
        assert not [*ways_of_floats(larger, rows)]
