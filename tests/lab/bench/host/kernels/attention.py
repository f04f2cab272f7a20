"""The gradient of queries in cuTile, beside that of keys and values in the workloads."""

from __future__ import annotations

import cuda.tile as ct

ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
LOG2_E = 1.4426950408889634


@ct.kernel
def attention_deltas(z, dz, deltas, rows: ConstInt, depth: ConstInt):
    """The sums of the result times its gradient, for some rows of one head a block."""
    i, head = ct.bid(0), ct.bid(1)
    result = ct.load(z, (head, i, 0), (1, rows, depth), padding_mode=ZERO)
    gradient = ct.load(dz, (head, i, 0), (1, rows, depth), padding_mode=ZERO)
    product = ct.astype(result, ct.float32) * ct.astype(gradient, ct.float32)
    ct.store(deltas, (head, i), ct.sum(product, 2))


@ct.kernel
def attention_backward_queries(
    q, k, v, dz, sums, deltas, dq, scale, rows: ConstInt, columns: ConstInt, depth: ConstInt
):
    """The gradient of some queries of one head a block (no mask)."""
    i, head = ct.bid(0), ct.bid(1)
    query = ct.reshape(ct.load(q, (head, i, 0), (1, rows, depth)), (rows, depth))
    gradient = ct.reshape(ct.load(dz, (head, i, 0), (1, rows, depth)), (rows, depth))
    level = ct.reshape(ct.load(sums, (head, i), (1, rows)), (rows, 1))
    delta = ct.reshape(ct.load(deltas, (head, i), (1, rows)), (rows, 1))
    total = ct.zeros((rows, depth), ct.float32)
    zero = ct.zeros((rows, columns), ct.float32)
    for step in range(ct.cdiv(k.shape[1], columns)):
        key = ct.load(k, (head, step, 0), (1, columns, depth), padding_mode=ZERO)
        key = ct.reshape(key, (columns, depth))
        value = ct.load(v, (head, step, 0), (1, columns, depth), padding_mode=ZERO)
        score = ct.mma(query, ct.transpose(key), zero)
        power = ct.exp2(score * (scale * LOG2_E) - level, flush_to_zero=True)
        power_gradient = ct.mma(gradient, ct.transpose(ct.reshape(value, (columns, depth))), zero)
        score_gradient = power * (power_gradient - delta) * scale
        total = ct.mma(ct.astype(score_gradient, q.dtype), key, total)
    ct.store(dq, (head, i, 0), ct.reshape(ct.astype(total, dq.dtype), (1, rows, depth)))
