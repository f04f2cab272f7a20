"""Control flow of the block IR on the emulator: loops that work ahead, and nested exits."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.build import tile
from tests.codegen.nvptx.emit.block_kernels import BlockKernel
from tileir.codegen.block.types import Turn
from tileir.codegen.layouts.linear_layout import blocked

LAYOUT = blocked(128, 2, 64)


def ranges(trips: int, step: int = 3) -> tuple[int, int, int]:
    """Bounds with so many trips, of which the last one is cut short."""
    return 5, 5 + trips * step - (1 if trips else 0), step


@pytest.mark.parametrize("trips", [0, 1, 2, 7])
def test_a_loop_hands_on_tiles_and_scalars(trips: int) -> None:
    kernel = BlockKernel("ptr<i32>", "i32", "i32", "i32")
    out, low, high, step = kernel.parameters
    start = kernel.constant(kernel.load(out, [128], LAYOUT).type, 1)
    with kernel.inside(tile("i32"), start.type) as (region, (index, total)):
        one = kernel.op("reshape", [tile("1xi32")], source=index)
        kernel.op(
            "continue",
            operands=(kernel.add(total, kernel.op("broadcast", [start.type], source=one)),),
        )
    total = kernel.op(
        "for", [start.type], [region], lowerBound=low, upperBound=high, step=step,
        initValues=(start,),
    )  # fmt: skip
    kernel.store(out, total)
    found = np.zeros(128, np.int32)
    kernel.run(found, *ranges(trips))
    assert (found == 1 + sum(range(*ranges(trips)))).all()
