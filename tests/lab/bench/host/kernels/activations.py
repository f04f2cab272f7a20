"""Element-wise kernels in cuTile: activations and dropout."""

from __future__ import annotations

import cuda.tile as ct

ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def relu(x, y, size: ConstInt):
    """One tile a block."""
    i = ct.bid(0)
    ct.store(y, (i,), ct.maximum(ct.load(x, (i,), (size,), padding_mode=ZERO), 0))


@ct.kernel
def gelu(x, y, size: ConstInt):
    """By tanh, one tile a block."""
    i = ct.bid(0)
    part = ct.astype(ct.load(x, (i,), (size,), padding_mode=ZERO), ct.float32)
    inner = 0.7978845608028654 * (part + 0.044715 * part * part * part)
    ct.store(y, (i,), ct.astype(0.5 * part * (1.0 + ct.tanh(inner)), y.dtype))


@ct.kernel
def geglu(x, y, z, rows: ConstInt, columns: ConstInt):
    """gelu(x) y, by tanh, one tile a block."""
    i, j = ct.bid(0), ct.bid(1)
    gate = ct.astype(ct.load(x, (i, j), (rows, columns), padding_mode=ZERO), ct.float32)
    up = ct.astype(ct.load(y, (i, j), (rows, columns), padding_mode=ZERO), ct.float32)
    inner = 0.7978845608028654 * (gate + 0.044715 * gate * gate * gate)
    ct.store(z, (i, j), ct.astype(0.5 * gate * (1.0 + ct.tanh(inner)) * up, z.dtype))


@ct.kernel
def dropout(x, y, share, seed, size: ConstInt):
    """Drop a share of the elements, by a hash of seed and number; one tile a block."""
    i = ct.bid(0)
    bits = ct.astype(i * size + ct.arange(size, dtype=ct.int32) + seed, ct.uint32)
    bits = (bits ^ (bits >> 16)) * 0x7FEB352D
    bits = (bits ^ (bits >> 15)) * 0x846CA68B
    bits = bits ^ (bits >> 16)
    drawn = ct.astype(bits >> 8, ct.float32) * (1.0 / (1 << 24))
    part = ct.load(x, (i,), (size,), padding_mode=ZERO)
    ct.store(y, (i,), ct.where(drawn >= share, part / (1.0 - share), 0.0))
