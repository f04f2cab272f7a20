"""Attention kernels in cuTile: causal, one token after a long past, and the way back."""

from __future__ import annotations

import cuda.tile as ct

ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
LOG2_E = 1.4426950408889634


@ct.kernel
def fmha_causal(q, k, v, z, scale, rows: ConstInt, columns: ConstInt, depth: ConstInt):
    """Some rows of one head a block; a mask is applied where keys may be later than queries."""
    i, head = ct.bid(0), ct.bid(1)
    scale = scale * LOG2_E
    most = ct.full((rows, 1), -float("inf"), ct.float32)
    sums = ct.zeros((rows, 1), ct.float32)
    total = ct.zeros((rows, depth), ct.float32)
    query = ct.load(q, (head, i, 0), (1, rows, depth), padding_mode=ZERO)
    query = ct.reshape(query, (rows, depth))
    row = i * rows + ct.arange(rows, dtype=ct.int32)[:, None]
    inside = i * rows // columns
    for step in range(min(ct.cdiv((i + 1) * rows, columns), ct.cdiv(k.shape[1], columns))):
        key = ct.load(k, (head, 0, step), (1, depth, columns), order=(0, 2, 1), padding_mode=ZERO)
        score = ct.zeros((rows, columns), ct.float32)
        score = ct.mma(query, ct.reshape(key, (depth, columns)), score)
        if step >= inside:
            column = step * columns + ct.arange(columns, dtype=ct.int32)[None, :]
            score = ct.where(row >= column, score, -float("inf"))
        higher = max(most, ct.max(score, 1, keepdims=True) * scale)
        power = ct.exp2(score * scale - higher, flush_to_zero=True)
        shrink = ct.exp2(most - higher, flush_to_zero=True)
        sums = sums * shrink + ct.sum(power, 1, keepdims=True)
        value = ct.load(v, (head, step, 0), (1, columns, depth), padding_mode=ZERO)
        value = ct.reshape(value, (columns, depth))
        total = ct.mma(ct.astype(power, v.dtype), value, total * shrink)
        most = higher
    result = ct.astype(total / sums, z.dtype)
    ct.store(z, (head, i, 0), ct.reshape(result, (1, rows, depth)))


@ct.kernel
def gqa_decode(q, k, v, lengths, z, scale, group: ConstInt, columns: ConstInt, depth: ConstInt):
    """One new token: the queries that share a head of keys and values are the rows of a tile."""
    head = ct.bid(0)
    scale = scale * LOG2_E
    length = ct.gather(lengths, head)
    most = ct.full((group, 1), -float("inf"), ct.float32)
    sums = ct.zeros((group, 1), ct.float32)
    total = ct.zeros((group, depth), ct.float32)
    query = ct.reshape(ct.load(q, (head, 0, 0), (1, group, depth)), (group, depth))
    for step in range(ct.cdiv(length, columns)):
        key = ct.load(k, (head, step, 0), (1, columns, depth), padding_mode=ZERO)
        key = ct.transpose(ct.reshape(key, (columns, depth)))
        score = ct.mma(query, key, ct.zeros((group, columns), ct.float32))
        column = step * columns + ct.arange(columns, dtype=ct.int32)[None, :]
        score = ct.where(column < length, score * scale, -float("inf"))
        higher = max(most, ct.max(score, 1, keepdims=True))
        power = ct.exp2(score - higher, flush_to_zero=True)
        shrink = ct.exp2(most - higher, flush_to_zero=True)
        sums = sums * shrink + ct.sum(power, 1, keepdims=True)
        value = ct.load(v, (head, step, 0), (1, columns, depth), padding_mode=ZERO)
        value = ct.reshape(value, (columns, depth))
        total = ct.mma(ct.astype(power, v.dtype), value, total * shrink)
        most = higher
    result = ct.astype(total / sums, z.dtype)
    ct.store(z, (head, 0, 0), ct.reshape(result, (1, group, depth)))


@ct.kernel
def fmha_backward(
    q, k, v, dz, sums, deltas, dk, dv, scale, rows: ConstInt, columns: ConstInt, depth: ConstInt
):
    """Gradients of keys and values (no mask): some keys of one head a block.

    `sums` has the logarithm of the sum of each row of powers, of base 2; `deltas` has the sums of
    the result times its gradient.
    """
    j, head = ct.bid(0), ct.bid(1)
    key = ct.reshape(
        ct.load(k, (head, j, 0), (1, columns, depth), padding_mode=ZERO), (columns, depth)
    )
    value = ct.reshape(
        ct.load(v, (head, j, 0), (1, columns, depth), padding_mode=ZERO), (columns, depth)
    )
    key_gradient = ct.zeros((columns, depth), ct.float32)
    value_gradient = ct.zeros((columns, depth), ct.float32)
    for step in range(ct.cdiv(q.shape[1], rows)):
        query = ct.load(q, (head, step, 0), (1, rows, depth), padding_mode=ZERO)
        query = ct.reshape(query, (rows, depth))
        gradient = ct.load(dz, (head, step, 0), (1, rows, depth), padding_mode=ZERO)
        gradient = ct.reshape(gradient, (rows, depth))
        row_sums = ct.load(sums, (head, step), (1, rows), padding_mode=ct.PaddingMode.POS_INF)
        delta = ct.load(deltas, (head, step), (1, rows), padding_mode=ZERO)
        zero = ct.zeros((columns, rows), ct.float32)
        score = ct.mma(key, ct.transpose(query), zero)
        power = ct.exp2(score * (scale * LOG2_E) - row_sums, flush_to_zero=True)
        value_gradient = ct.mma(ct.astype(power, q.dtype), gradient, value_gradient)
        power_gradient = ct.mma(value, ct.transpose(gradient), zero)
        score_gradient = power * (power_gradient - delta) * scale
        key_gradient = ct.mma(ct.astype(score_gradient, q.dtype), query, key_gradient)
    shape = (1, columns, depth)
    ct.store(dk, (head, j, 0), ct.reshape(ct.astype(key_gradient, dk.dtype), shape))
    ct.store(dv, (head, j, 0), ct.reshape(ct.astype(value_gradient, dv.dtype), shape))
