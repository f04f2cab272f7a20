"""A kernel of cuTile with loads, stores, a loop, a product and a reduction: the sample's text."""

from __future__ import annotations

import cuda.tile as ct


@ct.kernel
def sample(x, y, out, factor, tile: ct.Constant[int]):
    """Add up products of tiles, scaled."""
    row = ct.bid(0)
    total = ct.full((tile, tile), 0, ct.float32)
    for column in range(ct.num_tiles(x, axis=1, shape=(tile, tile))):
        left = ct.load(x, (row, column), (tile, tile))
        right = ct.load(y, (column, row), (tile, tile))
        total = ct.mma(left, right, total)
    ct.store(out, (row,), ct.sum(total * factor, axis=1))
