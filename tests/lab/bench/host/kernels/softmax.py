"""Softmax in cuTile: through gathers, and in two passes over parts of a row."""

from __future__ import annotations

import cuda.tile as ct

ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
NEG_INF = ct.PaddingMode.NEG_INF


@ct.kernel
def softmax_gather(x, y, width: ConstInt):
    """A block goes through rows, element by element through indices."""
    at = ct.arange(width, dtype=ct.int32)
    for i in range(ct.bid(0), x.shape[0], ct.num_blocks(0)):
        row = ct.gather(x, (i, at), padding_value=-float("inf"))
        row = ct.astype(row, ct.float32)
        power = ct.exp(row - ct.max(row))
        ct.scatter(y, (i, at), ct.astype(power / ct.sum(power), y.dtype))


@ct.kernel
def softmax_online(x, y, width: ConstInt):
    """One row a block; its maximum and its sum in one pass."""
    i = ct.bid(0)
    most = ct.full((1, 1), -float("inf"), ct.float32)
    sums = ct.zeros((1, 1), ct.float32)
    steps = ct.num_tiles(x, 1, (1, width))
    for step in range(steps):
        part = ct.load(x, (i, step), (1, width), padding_mode=NEG_INF)
        higher = max(most, ct.max(part, 1, keepdims=True))
        sums = sums * ct.exp(most - higher) + ct.sum(ct.exp(part - higher), 1, keepdims=True)
        most = higher
    for step in range(steps):
        part = ct.load(x, (i, step), (1, width), padding_mode=ZERO)
        ct.store(y, (i, step), ct.exp(part - most) / sums)
