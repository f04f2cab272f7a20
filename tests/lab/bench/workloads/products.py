"""Kernels that multiply matrices, in cuTile: linear layers, experts, a convolution."""

from __future__ import annotations

import cuda.tile as ct

ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def gemm_bias_gelu(x, y, bias, z, m: ConstInt, n: ConstInt, k: ConstInt):
    """A linear layer: gelu(x y + bias), by tanh."""
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(x, 1, (m, k))):
        left = ct.load(x, (i, step), (m, k), padding_mode=ZERO)
        right = ct.load(y, (step, j), (k, n), padding_mode=ZERO)
        total = ct.mma(left, right, total)
    total += ct.astype(ct.load(bias, (j,), (n,), padding_mode=ZERO), ct.float32)
    inner = 0.7978845608028654 * (total + 0.044715 * total * total * total)
    ct.store(z, (i, j), ct.astype(0.5 * total * (1.0 + ct.tanh(inner)), z.dtype))


@ct.kernel
def gemm_persistent(x, y, z, m: ConstInt, n: ConstInt, k: ConstInt):
    """A block computes one tile after the other, as many as there are for each block."""
    columns = ct.cdiv(y.shape[1], n)
    tiles = ct.cdiv(x.shape[0], m) * columns
    for tile in range(ct.bid(0), tiles, ct.num_blocks(0)):
        i, j = tile // columns, tile % columns
        total = ct.zeros((m, n), ct.float32)
        for step in range(ct.num_tiles(x, 1, (m, k))):
            left = ct.load(x, (i, step), (m, k), padding_mode=ZERO)
            right = ct.load(y, (step, j), (k, n), padding_mode=ZERO)
            total = ct.mma(left, right, total)
        ct.store(z, (i, j), ct.astype(total, z.dtype))


@ct.kernel
def gemm_while(x, y, z, m: ConstInt, n: ConstInt, k: ConstInt):
    """A product whose loop counts by itself."""
    i, j = ct.bid(0), ct.bid(1)
    total, step = ct.zeros((m, n), ct.float32), 0
    while step < ct.num_tiles(x, 1, (m, k)):
        left = ct.load(x, (i, step), (m, k), padding_mode=ZERO)
        right = ct.load(y, (step, j), (k, n), padding_mode=ZERO)
        total = ct.mma(left, right, total)
        step = step + 1
    ct.store(z, (i, j), ct.astype(total, z.dtype))


@ct.kernel
def gemm_split_k(x, y, z, splits: ConstInt, m: ConstInt, n: ConstInt, k: ConstInt):
    """Several blocks sum up one tile, each a part of k, with atomic additions."""
    i, j = ct.bid(0), ct.bid(1)
    steps = ct.cdiv(x.shape[1], k)
    each = ct.cdiv(steps, splits)
    first = ct.bid(2) * each
    total = ct.zeros((m, n), ct.float32)
    for step in range(first, min(first + each, steps)):
        left = ct.load(x, (i, step), (m, k), padding_mode=ZERO)
        right = ct.load(y, (step, j), (k, n), padding_mode=ZERO)
        total = ct.mma(left, right, total)
    rows = i * m + ct.arange(m, dtype=ct.int32)
    columns = j * n + ct.arange(n, dtype=ct.int32)
    order = ct.MemoryOrder.RELAXED
    ct.atomic_add(z, (rows[:, None], columns[None, :]), total, memory_order=order)


@ct.kernel
def gemm_batched(x, y, z, m: ConstInt, n: ConstInt, k: ConstInt):
    """One product for every entry of a batch."""
    batch, i, j = ct.bid(2), ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.cdiv(x.shape[2], k)):
        left = ct.load(x, (batch, i, step), (1, m, k), padding_mode=ZERO)
        right = ct.load(y, (batch, step, j), (1, k, n), padding_mode=ZERO)
        total = ct.mma(ct.reshape(left, (m, k)), ct.reshape(right, (k, n)), total)
    ct.store(z, (batch, i, j), ct.reshape(ct.astype(total, z.dtype), (1, m, n)))


@ct.kernel
def gemm_tf32(x, y, z, m: ConstInt, n: ConstInt, k: ConstInt):
    """Factors of f32, rounded to tf32; the right one is transposed in memory, as weights are."""
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(x, 1, (m, k))):
        left = ct.load(x, (i, step), (m, k), padding_mode=ZERO)
        right = ct.transpose(ct.load(y, (j, step), (n, k), padding_mode=ZERO))
        total = ct.mma(ct.astype(left, ct.tfloat32), ct.astype(right, ct.tfloat32), total)
    ct.store(z, (i, j), total)


@ct.kernel
def gemm_fp8(x, y, z, m: ConstInt, n: ConstInt, k: ConstInt):
    """Factors of e4m3, summed in f32; the right one is transposed in memory, as weights are."""
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(x, 1, (m, k))):
        left = ct.load(x, (i, step), (m, k), padding_mode=ZERO)
        right = ct.transpose(ct.load(y, (j, step), (n, k), padding_mode=ZERO))
        total = ct.mma(left, right, total)
    ct.store(z, (i, j), ct.astype(total, z.dtype))


@ct.kernel
def gemm_grouped(x, weights, experts, z, m: ConstInt, n: ConstInt, k: ConstInt):
    """A mixture of experts: the tokens of a tile of rows all go to one expert."""
    i, j = ct.bid(0), ct.bid(1)
    expert = ct.gather(experts, i)
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(x, 1, (m, k))):
        left = ct.load(x, (i, step), (m, k), padding_mode=ZERO)
        right = ct.load(weights, (expert, step, j), (1, k, n), padding_mode=ZERO)
        total = ct.mma(left, ct.reshape(right, (k, n)), total)
    ct.store(z, (i, j), ct.astype(total, z.dtype))


@ct.kernel
def moe_gather(x, tokens, weights, experts, z, m: ConstInt, n: ConstInt, k: ConstInt):
    """A mixture of experts that gathers its tokens: rows of x, in the order of their experts."""
    i, j = ct.bid(0), ct.bid(1)
    expert = ct.gather(experts, i)
    rows = ct.gather(tokens, i * m + ct.arange(m, dtype=ct.int32), padding_value=-1)
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.cdiv(x.shape[1], k)):
        columns = step * k + ct.arange(k, dtype=ct.int32)
        left = ct.gather(x, (rows[:, None], columns[None, :]), padding_value=0)
        right = ct.load(weights, (expert, step, j), (1, k, n), padding_mode=ZERO)
        total = ct.mma(left, ct.reshape(right, (k, n)), total)
    ct.store(z, (i, j), ct.astype(total, z.dtype))


@ct.kernel
def gemm_fp4(x, x_scale, y, y_scale, z, m: ConstInt, n: ConstInt, k: ConstInt, run: ConstInt):
    """Both factors are quantised: two elements a byte, and a scale for each run along k."""
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(x, 1, (m, k // 2))):
        bytes_ = ct.load(x, (i, step), (m, k // 2), padding_mode=ZERO).reshape((-1,))
        left = ct.unpack_from_bytes(bytes_, ct.float4_e2m1fn).reshape((m, k))
        bytes_ = ct.load(y, (j, step), (n, k // 2), padding_mode=ZERO).reshape((-1,))
        right = ct.unpack_from_bytes(bytes_, ct.float4_e2m1fn).reshape((n, k))
        rows = ct.load(x_scale, (i, step), (m, k // run), padding_mode=ZERO)
        columns = ct.load(y_scale, (j, step), (n, k // run), padding_mode=ZERO)
        right, columns = right.permute((1, 0)), columns.permute((1, 0))
        total = ct.mma_scaled(left, rows, right, columns, total)
    ct.store(z, (i, j), ct.astype(total, z.dtype))


@ct.kernel
def gemm_mxfp8(x, x_scale, y, y_scale, z, m: ConstInt, n: ConstInt, k: ConstInt):
    """The same with an element a byte, and a power of two for each run of 32."""
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(x, 1, (m, k))):
        left = ct.load(x, (i, step), (m, k), padding_mode=ZERO)
        right = ct.load(y, (j, step), (n, k), padding_mode=ZERO).permute((1, 0))
        rows = ct.load(x_scale, (i, step), (m, k // 32), padding_mode=ZERO)
        columns = ct.load(y_scale, (j, step), (n, k // 32), padding_mode=ZERO).permute((1, 0))
        total = ct.mma_scaled(left, rows, right, columns, total)
    ct.store(z, (i, j), ct.astype(total, z.dtype))


@ct.kernel
def gemm_int8(x, y, row_scale, column_scale, z, m: ConstInt, n: ConstInt, k: ConstInt):
    """Both factors are quantised: integers are summed, and scaled at the end."""
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.int32)
    for step in range(ct.num_tiles(x, 1, (m, k))):
        left = ct.load(x, (i, step), (m, k), padding_mode=ZERO)
        right = ct.load(y, (step, j), (k, n), padding_mode=ZERO)
        total = ct.mma(left, right, total)
    rows = ct.load(row_scale, (i,), (m,), padding_mode=ZERO)
    columns = ct.load(column_scale, (j,), (n,), padding_mode=ZERO)
    scaled = ct.astype(total, ct.float32) * rows[:, None] * columns[None, :]
    ct.store(z, (i, j), ct.astype(scaled, z.dtype))


@ct.kernel
def gemm_int8_weights(x, y, scale, z, m: ConstInt, n: ConstInt, k: ConstInt):
    """Only the weights are quantised: they become f16 on the way."""
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(x, 1, (m, k))):
        left = ct.load(x, (i, step), (m, k), padding_mode=ZERO)
        right = ct.load(y, (step, j), (k, n), padding_mode=ZERO)
        total = ct.mma(left, ct.astype(right, x.dtype), total)
    columns = ct.load(scale, (j,), (n,), padding_mode=ZERO)
    ct.store(z, (i, j), ct.astype(total * columns[None, :], z.dtype))


@ct.kernel
def gemv(x, y, z, rows: ConstInt, columns: ConstInt):
    """A matrix times a vector, as in decoding one token: some rows a block."""
    i = ct.bid(0)
    total = ct.zeros((rows, columns), ct.float32)
    for step in range(ct.num_tiles(x, 1, (rows, columns))):
        left = ct.load(x, (i, step), (rows, columns), padding_mode=ZERO)
        right = ct.load(y, (step,), (columns,), padding_mode=ZERO)
        total += ct.astype(left, ct.float32) * ct.astype(right, ct.float32)[None, :]
    ct.store(z, (i,), ct.astype(ct.sum(total, 1), z.dtype))


@ct.kernel
def conv3x3(x, weights, z, m: ConstInt, n: ConstInt, k: ConstInt):
    """A convolution of 3 x 3 as a product: its rows are pixels (NHWC), its columns outputs."""
    i, j = ct.bid(0), ct.bid(1)
    height, width, channels = x.shape[1], x.shape[2], x.shape[3]
    pixel = i * m + ct.arange(m, dtype=ct.int32)
    image = pixel // (height * width)
    row = pixel // width % height
    column = pixel % width
    total = ct.zeros((m, n), ct.float32)
    for tap in range(9):
        above, left = row + (tap // 3 - 1), column + (tap % 3 - 1)
        for step in range(ct.cdiv(channels, k)):
            channel = step * k + ct.arange(k, dtype=ct.int32)
            at = (image[:, None], above[:, None], left[:, None], channel[None, :])
            pixels = ct.gather(x, at)
            weight = ct.load(weights, (tap, step, j), (1, k, n), padding_mode=ZERO)
            total = ct.mma(pixels, ct.reshape(weight, (k, n)), total)
    ct.store(z, (i, j), ct.astype(total, z.dtype))
