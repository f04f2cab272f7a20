"""Every barrier in the code of the fixtures is needed: without it, some launch goes wrong.

The launch that comes with a fixture seldom shows it. So each is launched in other ways too, in
which rows overlap, or all arrays are one memory: what tokens order must then stay in order.
"""

from __future__ import annotations

import re

import pytest

from tests.codegen.emulator.ways_to_launch import Fixture

BARRIER = re.compile(r"\tbar\.sync[^;]*;")
NAMES = (
    "alias_fence", "atomic_modes", "atomic_sum_f32", "atomic_swap", "atomic_unsigned",
    "dependent_launch", "exact_unary", "gather_rows", "histogram", "insert_corner", "int_widths",
    "layer_norm", "mma_f16_f16", "nested_loops", "ordered_flags", "print_values", "reduce_pair",
    "row_sum", "scan_affine", "scratch_memory", "softmax", "transpose_view", "unsigned_numbers",
)  # fmt: skip
"""Some for each reason why there are barriers."""
EQUIVALENT = {
    "atomic_modes": ([1, 2, 3, 4, 5], "atomics do not race, and those of one warp go together"),
    "atomic_unsigned": ([1], "atomics do not race, and those of one warp go together"),
}
"""Barriers that these launches do not need."""


def superfluous(kernel: Fixture) -> list[int]:
    """Which barriers nobody misses."""
    return [
        number
        for number, found in enumerate(BARRIER.finditer(kernel.ptx))
        if all(
            kernel.result(kernel.ptx[: found.start()] + kernel.ptx[found.end() :], *way) == expected
            for *way, expected in kernel.ways()
        )
    ]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_without_any_barrier_something_goes_wrong(name: str) -> None:
    assert superfluous(Fixture(name)) == EQUIVALENT.get(name, ([], ""))[0]
