"""Kernels that move elements or find them by index, in cuTile."""

from __future__ import annotations

import cuda.tile as ct

ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def histogram(x, bins, size: ConstInt):
    """How often each number occurs, one tile of numbers a block."""
    i = ct.bid(0)
    at = i * size + ct.arange(size, dtype=ct.int32)
    found = ct.gather(x, at, padding_value=-1)
    ct.atomic_add(bins, found, 1, memory_order=ct.MemoryOrder.RELAXED)


@ct.kernel
def transpose_batched(x, y, rows: ConstInt, columns: ConstInt):
    """Swap the last two dimensions."""
    batch, i, j = ct.bid(2), ct.bid(0), ct.bid(1)
    part = ct.load(x, (batch, i, j), (1, rows, columns), padding_mode=ZERO)
    ct.store(y, (batch, j, i), ct.permute(part, (0, 2, 1)))


@ct.kernel
def transpose_heads(x, y, tokens: ConstInt, heads: ConstInt, depth: ConstInt):
    """From (batch, token, head, depth) to (batch, head, token, depth)."""
    batch, i, head = ct.bid(2), ct.bid(0), ct.bid(1)
    part = ct.load(x, (batch, i, head, 0), (1, tokens, heads, depth), padding_mode=ZERO)
    ct.store(y, (batch, head, i, 0), ct.permute(part, (0, 2, 1, 3)))


@ct.kernel
def stencil(x, y, rows: ConstInt, columns: ConstInt):
    """Five points of a plane; beyond its edge there is zero."""
    i, j = ct.bid(0), ct.bid(1)
    row = (i * rows + ct.arange(rows, dtype=ct.int32))[:, None]
    column = (j * columns + ct.arange(columns, dtype=ct.int32))[None, :]
    around = ct.gather(x, (row - 1, column)) + ct.gather(x, (row + 1, column))
    around += ct.gather(x, (row, column - 1)) + ct.gather(x, (row, column + 1))
    result = 0.5 * ct.gather(x, (row, column)) + 0.125 * around
    ct.scatter(y, (row, column), result)


@ct.kernel
def causal_conv1d(x, weights, y, tokens: ConstInt, channels: ConstInt):
    """Four taps along the tokens, for every channel its own, then silu."""
    batch, i, j = ct.bid(2), ct.bid(0), ct.bid(1)
    token = (i * tokens + ct.arange(tokens, dtype=ct.int32))[:, None]
    channel = (j * channels + ct.arange(channels, dtype=ct.int32))[None, :]
    total = ct.zeros((tokens, channels), ct.float32)
    for tap in ct.static_iter(range(4)):
        part = ct.gather(x, (batch, token + (tap - 3), channel))
        weight = ct.load(weights, (tap, j), (1, channels), padding_mode=ZERO)
        total += ct.astype(part, ct.float32) * ct.astype(weight, ct.float32)
    result = total / (1.0 + ct.exp(-total))
    ct.scatter(y, (batch, token, channel), ct.astype(result, y.dtype))


@ct.kernel
def embedding(table, tokens, y, rows: ConstInt, columns: ConstInt):
    """Rows of a table, chosen by tokens."""
    i, j = ct.bid(0), ct.bid(1)
    chosen = ct.load(tokens, (i,), (rows,), padding_mode=ZERO)
    column = j * columns + ct.arange(columns, dtype=ct.int32)
    found = ct.gather(table, (chosen[:, None], column[None, :]))
    ct.store(y, (i, j), found)
