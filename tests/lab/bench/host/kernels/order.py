"""Sorting in cuTile."""

from __future__ import annotations

import cuda.tile as ct

ConstInt = ct.Constant[int]


@ct.kernel
def sort_rows(x, y, rows: ConstInt, levels: ConstInt):
    """Some rows of 2^levels elements a block, by a bitonic network."""
    i = ct.bid(0)
    width = 1 << levels
    part = ct.load(x, (i, 0), (rows, width))
    for level in ct.static_iter(range(1, levels + 1)):
        for step in ct.static_iter(range(level - 1, -1, -1)):
            pairs, apart = width >> (step + 1), 1 << step
            split = ct.reshape(part, (rows, pairs, 2, apart))
            first = ct.extract(split, (0, 0, 0, 0), (rows, pairs, 1, apart))
            second = ct.extract(split, (0, 0, 1, 0), (rows, pairs, 1, apart))
            pair = ct.arange(pairs, dtype=ct.int32)[None, :, None, None]
            rising = (pair >> (level - step - 1)) % 2 == 0
            low, high = ct.minimum(first, second), ct.maximum(first, second)
            split = ct.cat((ct.where(rising, low, high), ct.where(rising, high, low)), 2)
            part = ct.reshape(split, (rows, width))
    ct.store(y, (i, 0), part)
