"""Kernels that go through rows, in cuTile: norms, losses, routers, optimisers."""

from __future__ import annotations

import cuda.tile as ct

ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
NEG_INF = ct.PaddingMode.NEG_INF


@ct.kernel
def layer_norm_backward(x, dy, weight, mean, scale, dx, dweight, dbias, width: ConstInt):
    """One row a block; the gradients of weight and bias are summed with atomic additions."""
    i = ct.bid(0)
    count = x.shape[1]
    column = ct.arange(width, dtype=ct.int32)[None, :]
    row = ct.astype(ct.load(x, (i, 0), (1, width), padding_mode=ZERO), ct.float32)
    gradient = ct.astype(ct.load(dy, (i, 0), (1, width), padding_mode=ZERO), ct.float32)
    factor = ct.astype(ct.load(weight, (0,), (width,), padding_mode=ZERO), ct.float32)[None, :]
    spread = ct.gather(scale, i)
    centred = ct.where(column < count, (row - ct.gather(mean, i)) * spread, 0.0)
    weighted = factor * gradient
    along = ct.sum(centred * weighted, 1, keepdims=True) / count
    level = ct.sum(weighted, 1, keepdims=True) / count
    result = (weighted - (centred * along + level)) * spread
    ct.store(dx, (i, 0), ct.astype(result, dx.dtype))
    at = ct.arange(width, dtype=ct.int32)
    order = ct.MemoryOrder.RELAXED
    ct.atomic_add(dweight, at, ct.reshape(gradient * centred, (width,)), memory_order=order)
    ct.atomic_add(dbias, at, ct.reshape(gradient, (width,)), memory_order=order)


@ct.kernel
def rms_norm_residual(x, residual, weight, y, z, eps, width: ConstInt):
    """Add the residual, keep the sum, and norm it."""
    i = ct.bid(0)
    row = ct.astype(ct.load(x, (i, 0), (1, width), padding_mode=ZERO), ct.float32)
    row += ct.astype(ct.load(residual, (i, 0), (1, width), padding_mode=ZERO), ct.float32)
    ct.store(z, (i, 0), ct.astype(row, z.dtype))
    scale = ct.rsqrt(ct.sum(row * row, 1, keepdims=True) / x.shape[1] + eps)
    factor = ct.astype(ct.load(weight, (0,), (width,), padding_mode=ZERO), ct.float32)
    ct.store(y, (i, 0), ct.astype(row * scale * factor[None, :], y.dtype))


@ct.kernel
def rope(x, cosines, sines, y, heads: ConstInt, half: ConstInt):
    """Rotate the halves of every head by the angles of a token."""
    token, group = ct.bid(0), ct.bid(1)
    shape = (1, heads, half)
    first = ct.astype(ct.load(x, (token, group, 0), shape, padding_mode=ZERO), ct.float32)
    second = ct.astype(ct.load(x, (token, group, 1), shape, padding_mode=ZERO), ct.float32)
    cosine = ct.reshape(ct.load(cosines, (token, 0), (1, half)), (1, 1, half))
    sine = ct.reshape(ct.load(sines, (token, 0), (1, half)), (1, 1, half))
    ct.store(y, (token, group, 0), ct.astype(first * cosine - second * sine, y.dtype))
    ct.store(y, (token, group, 1), ct.astype(second * cosine + first * sine, y.dtype))


@ct.kernel
def cross_entropy(x, labels, losses, width: ConstInt):
    """One token a block, through its vocabulary once."""
    i = ct.bid(0)
    most = ct.full((1, 1), -float("inf"), ct.float32)
    sums = ct.zeros((1, 1), ct.float32)
    for step in range(ct.num_tiles(x, 1, (1, width))):
        part = ct.load(x, (i, step), (1, width), padding_mode=NEG_INF)
        part = ct.astype(part, ct.float32)
        higher = max(most, ct.max(part, 1, keepdims=True))
        sums = sums * ct.exp(most - higher) + ct.sum(ct.exp(part - higher), 1, keepdims=True)
        most = higher
    label = ct.gather(labels, i)
    chosen = ct.astype(ct.gather(x, (i, label)), ct.float32)
    ct.store(losses, (i,), ct.reshape(ct.log(sums) + most - chosen, (1,)))


@ct.kernel
def log_softmax(x, y, width: ConstInt):
    """One row a block, in two passes over parts of it."""
    i = ct.bid(0)
    most = ct.full((1, width), -float("inf"), ct.float32)
    sums = ct.zeros((1, width), ct.float32)
    for step in range(ct.num_tiles(x, 1, (1, width))):
        part = ct.load(x, (i, step), (1, width), padding_mode=NEG_INF)
        higher = max(most, part)
        known = ct.where(higher > -float("inf"), higher, 0.0)
        sums = sums * ct.exp(most - known) + ct.exp(part - known)
        most = higher
    level = ct.max(most, 1, keepdims=True)
    total = ct.log(ct.sum(sums * ct.exp(most - level), 1, keepdims=True)) + level
    for step in range(ct.num_tiles(x, 1, (1, width))):
        part = ct.load(x, (i, step), (1, width), padding_mode=ZERO)
        ct.store(y, (i, step), part - total)


@ct.kernel
def softmax_backward(y, dy, dx, width: ConstInt):
    """One row a block."""
    i = ct.bid(0)
    row = ct.astype(ct.load(y, (i, 0), (1, width), padding_mode=ZERO), ct.float32)
    gradient = ct.astype(ct.load(dy, (i, 0), (1, width), padding_mode=ZERO), ct.float32)
    level = ct.sum(row * gradient, 1, keepdims=True)
    ct.store(dx, (i, 0), ct.astype(row * (gradient - level), dx.dtype))


@ct.kernel
def top_k(x, values, indices, k: ConstInt, rows: ConstInt, width: ConstInt):
    """The router of a mixture of experts: the k largest of each row, one after the other."""
    i = ct.bid(0)
    part = ct.load(x, (i, 0), (rows, width), padding_mode=NEG_INF)
    row = i * rows + ct.arange(rows, dtype=ct.int32)
    column = ct.arange(width, dtype=ct.int32)[None, :]
    for place in range(k):
        best = ct.argmax(part, 1)
        ct.scatter(values, (row, place), ct.max(part, 1))
        ct.scatter(indices, (row, place), best)
        part = ct.where(column == best[:, None], -float("inf"), part)


@ct.kernel
def cumsum_long(x, y, width: ConstInt):
    """One row a block, a part after the other."""
    i = ct.bid(0)
    before = ct.zeros((1, 1), ct.float32)
    for step in range(ct.num_tiles(x, 1, (1, width))):
        part = ct.load(x, (i, step), (1, width), padding_mode=ZERO)
        ct.store(y, (i, step), before + ct.cumsum(part, 1))
        before += ct.sum(part, 1, keepdims=True)


@ct.kernel
def swiglu(x, y, z, rows: ConstInt, columns: ConstInt):
    """silu(x) y, one tile a block."""
    i, j = ct.bid(0), ct.bid(1)
    gate = ct.astype(ct.load(x, (i, j), (rows, columns), padding_mode=ZERO), ct.float32)
    up = ct.astype(ct.load(y, (i, j), (rows, columns), padding_mode=ZERO), ct.float32)
    ct.store(z, (i, j), ct.astype(gate / (1.0 + ct.exp(-gate)) * up, z.dtype))


@ct.kernel
def quantise_rows(x, y, scales, width: ConstInt):
    """One row a block: integers of 8 bits, and the scale that gives the row back."""
    i = ct.bid(0)
    row = ct.astype(ct.load(x, (i, 0), (1, width), padding_mode=ZERO), ct.float32)
    scale = max(ct.max(ct.abs(row), 1, keepdims=True), 1e-8) / 127.0
    ct.store(y, (i, 0), ct.astype(ct.floor(row / scale + 0.5), ct.int8))
    ct.store(scales, (i,), ct.reshape(scale, (1,)))


@ct.kernel
def adamw(p, g, m, v, rate, beta, gamma, eps, decay, size: ConstInt):
    """One step of the optimiser, in place."""
    i = ct.bid(0)
    gradient = ct.astype(ct.load(g, (i,), (size,), padding_mode=ZERO), ct.float32)
    first = ct.load(m, (i,), (size,), padding_mode=ZERO)
    second = ct.load(v, (i,), (size,), padding_mode=ZERO)
    weight = ct.load(p, (i,), (size,), padding_mode=ZERO)
    first = beta * first + (1.0 - beta) * gradient
    second = gamma * second + (1.0 - gamma) * gradient * gradient
    weight -= rate * (first / (ct.sqrt(second) + eps) + decay * weight)
    ct.store(m, (i,), first)
    ct.store(v, (i,), second)
    ct.store(p, (i,), weight)
