"""Norms in cuTile: through gathers, by blocks that stay, of groups and of batches, and backward."""

from __future__ import annotations

import cuda.tile as ct

ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def layer_norm_gather(x, weight, bias, y, eps, width: ConstInt):
    """One row a block, element by element through indices."""
    i = ct.bid(0)
    at = ct.arange(width, dtype=ct.int32)
    count = x.shape[1]
    row = ct.astype(ct.gather(x, (i, at), padding_value=0), ct.float32)
    mean = ct.sum(row) / count
    centred = ct.where(at < count, row - mean, 0.0)
    scale = ct.rsqrt(ct.sum(centred * centred) / count + eps)
    factor = ct.astype(ct.gather(weight, at, padding_value=0), ct.float32)
    shift = ct.astype(ct.gather(bias, at, padding_value=0), ct.float32)
    ct.scatter(y, (i, at), ct.astype(centred * scale * factor + shift, y.dtype))


@ct.kernel
def layer_norm_persistent(x, weight, bias, y, eps, rows: ConstInt, width: ConstInt):
    """A block goes through some rows at a time, as many as there are for each block."""
    count = x.shape[1]
    factor = ct.astype(ct.load(weight, (0,), (width,), padding_mode=ZERO), ct.float32)[None, :]
    shift = ct.astype(ct.load(bias, (0,), (width,), padding_mode=ZERO), ct.float32)[None, :]
    inside = (ct.arange(width, dtype=ct.int32) < count)[None, :]
    for i in range(ct.bid(0), ct.cdiv(x.shape[0], rows), ct.num_blocks(0)):
        part = ct.astype(ct.load(x, (i, 0), (rows, width), padding_mode=ZERO), ct.float32)
        mean = ct.sum(part, 1, keepdims=True) / count
        centred = ct.where(inside, part - mean, 0.0)
        scale = ct.rsqrt(ct.sum(centred * centred, 1, keepdims=True) / count + eps)
        ct.store(y, (i, 0), ct.astype(centred * scale * factor + shift, y.dtype))


@ct.kernel
def rms_norm_backward(x, dy, weight, scale, dx, dweight, width: ConstInt):
    """One row a block; the gradient of the weight is summed with atomic additions."""
    i = ct.bid(0)
    at = ct.arange(width, dtype=ct.int32)
    row = ct.astype(ct.load(x, (i, 0), (1, width), padding_mode=ZERO), ct.float32)
    gradient = ct.astype(ct.load(dy, (i, 0), (1, width), padding_mode=ZERO), ct.float32)
    factor = ct.astype(ct.load(weight, (0,), (width,), padding_mode=ZERO), ct.float32)[None, :]
    spread = ct.gather(scale, i)
    weighted = gradient * factor
    along = ct.sum(weighted * row, 1, keepdims=True) * (spread * spread / x.shape[1])
    ct.store(dx, (i, 0), ct.astype((weighted - row * along) * spread, dx.dtype))
    term = ct.reshape(gradient * row * spread, (width,))
    ct.atomic_add(dweight, at, term, memory_order=ct.MemoryOrder.RELAXED)


@ct.kernel
def group_norm(x, weight, bias, y, eps, groups: ConstInt, channels: ConstInt, size: ConstInt):
    """One group of one image a block, a part of its positions at a time, in two passes."""
    i = ct.bid(0)
    first = i % groups
    steps = ct.num_tiles(x, 2, (1, channels, size))
    sums = ct.zeros((1, channels, size), ct.float32)
    squares = ct.zeros((1, channels, size), ct.float32)
    for step in range(steps):
        part = ct.load(x, (i, 0, step), (1, channels, size), padding_mode=ZERO)
        part = ct.astype(part, ct.float32)
        sums += part
        squares += part * part
    count = x.shape[1] * x.shape[2]
    mean = ct.sum(sums) / count
    scale = ct.rsqrt(ct.sum(squares) / count - mean * mean + eps)
    factor = ct.load(weight, (first,), (channels,), padding_mode=ZERO)[None, :, None]
    shift = ct.load(bias, (first,), (channels,), padding_mode=ZERO)[None, :, None]
    for step in range(steps):
        part = ct.load(x, (i, 0, step), (1, channels, size), padding_mode=ZERO)
        part = (ct.astype(part, ct.float32) - mean) * scale * factor + shift
        ct.store(y, (i, 0, step), ct.astype(part, y.dtype))


@ct.kernel
def batch_norm(x, weight, bias, y, eps, size: ConstInt):
    """One channel of all images a block (training: with the statistics of the batch)."""
    channel = ct.bid(0)
    images = x.shape[0]
    steps = ct.num_tiles(x, 2, (1, 1, size))
    sums = ct.zeros((1, 1, size), ct.float32)
    squares = ct.zeros((1, 1, size), ct.float32)
    for image in range(images):
        for step in range(steps):
            part = ct.load(x, (image, channel, step), (1, 1, size), padding_mode=ZERO)
            sums += part
            squares += part * part
    count = images * x.shape[2]
    mean = ct.sum(sums) / count
    scale = ct.rsqrt(ct.sum(squares) / count - mean * mean + eps) * ct.gather(weight, channel)
    shift = ct.gather(bias, channel) - mean * scale
    for image in range(images):
        for step in range(steps):
            part = ct.load(x, (image, channel, step), (1, 1, size), padding_mode=ZERO)
            ct.store(y, (image, channel, step), part * scale + shift)
