"""Losses in cuTile that write their gradients at once."""

from __future__ import annotations

import cuda.tile as ct

ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
NEG_INF = ct.PaddingMode.NEG_INF


@ct.kernel
def cross_entropy_backward(x, labels, losses, dx, width: ConstInt):
    """One token a block: its loss, then the gradient of the mean, in two passes."""
    i = ct.bid(0)
    most = ct.full((1, 1), -float("inf"), ct.float32)
    sums = ct.zeros((1, 1), ct.float32)
    steps = ct.num_tiles(x, 1, (1, width))
    for step in range(steps):
        part = ct.load(x, (i, step), (1, width), padding_mode=NEG_INF)
        part = ct.astype(part, ct.float32)
        higher = max(most, ct.max(part, 1, keepdims=True))
        sums = sums * ct.exp(most - higher) + ct.sum(ct.exp(part - higher), 1, keepdims=True)
        most = higher
    label = ct.gather(labels, i)
    chosen = ct.astype(ct.gather(x, (i, label)), ct.float32)
    ct.store(losses, (i,), ct.reshape(ct.log(sums) + most - chosen, (1,)))
    for step in range(steps):
        part = ct.load(x, (i, step), (1, width), padding_mode=NEG_INF)
        power = ct.exp(ct.astype(part, ct.float32) - most) / sums
        column = step * width + ct.arange(width, dtype=ct.int32)[None, :]
        power = ct.where(column == label, power - 1.0, power) / x.shape[0]
        ct.store(dx, (i, step), ct.astype(power, dx.dtype))


@ct.kernel
def mse_backward(x, y, loss, dx, size: ConstInt):
    """One tile a block: its part of the loss, and its gradient."""
    i = ct.bid(0)
    count = x.shape[0]
    difference = ct.load(x, (i,), (size,), padding_mode=ZERO)
    difference -= ct.load(y, (i,), (size,), padding_mode=ZERO)
    ct.store(dx, (i,), difference * (2.0 / count))
    part = ct.sum(difference * difference) / count
    ct.atomic_add(loss, 0, part, memory_order=ct.MemoryOrder.RELAXED)


@ct.kernel
def kl_backward(x, y, losses, dx, width: ConstInt):
    """One row a block: x has logarithms, y probabilities; the gradient of the mean of rows."""
    i = ct.bid(0)
    total = ct.zeros((1, width), ct.float32)
    for step in range(ct.num_tiles(x, 1, (1, width))):
        guess = ct.load(x, (i, step), (1, width), padding_mode=ZERO)
        truth = ct.load(y, (i, step), (1, width), padding_mode=ZERO)
        known = ct.where(truth > 0.0, truth, 1.0)
        total += truth * (ct.log(known) - guess)
        ct.store(dx, (i, step), -truth / x.shape[0])
    ct.store(losses, (i,), ct.sum(total, 1))
