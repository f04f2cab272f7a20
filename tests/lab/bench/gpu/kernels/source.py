"""Writes the Tile IR of these kernels: ``python -m tests.lab.bench.gpu.kernels.source``."""

from __future__ import annotations

from pathlib import Path

import cuda.tile as ct

from tests.lab.bench.workloads import attention, products, source

HERE = Path(__file__).parent
ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
LOG2_E = 1.4426950408889634


@ct.kernel
def fmha_gqa(
    q, k, v, z, scale, group: ConstInt, rows: ConstInt, columns: ConstInt, depth: ConstInt
):
    """Causal attention whose heads share keys and values, `group` of them each."""
    i, head = ct.bid(0), ct.bid(1)
    shared = head // group
    scale = scale * LOG2_E
    most = ct.full((rows, 1), -float("inf"), ct.float32)
    sums = ct.zeros((rows, 1), ct.float32)
    total = ct.zeros((rows, depth), ct.float32)
    query = ct.load(q, (head, i, 0), (1, rows, depth), padding_mode=ZERO)
    query = ct.reshape(query, (rows, depth))
    row = i * rows + ct.arange(rows, dtype=ct.int32)[:, None]
    inside = i * rows // columns
    for step in range(min(ct.cdiv((i + 1) * rows, columns), ct.cdiv(k.shape[1], columns))):
        key = ct.load(k, (shared, 0, step), (1, depth, columns), order=(0, 2, 1), padding_mode=ZERO)
        score = ct.zeros((rows, columns), ct.float32)
        score = ct.mma(query, ct.reshape(key, (depth, columns)), score)
        if step >= inside:
            column = step * columns + ct.arange(columns, dtype=ct.int32)[None, :]
            score = ct.where(row >= column, score, -float("inf"))
        higher = max(most, ct.max(score, 1, keepdims=True) * scale)
        power = ct.exp2(score * scale - higher, flush_to_zero=True)
        shrink = ct.exp2(most - higher, flush_to_zero=True)
        sums = sums * shrink + ct.sum(power, 1, keepdims=True)
        value = ct.load(v, (shared, step, 0), (1, columns, depth), padding_mode=ZERO)
        value = ct.reshape(value, (columns, depth))
        total = ct.mma(ct.astype(power, v.dtype), value, total * shrink)
        most = higher
    result = ct.astype(total / sums, z.dtype)
    ct.store(z, (head, i, 0), ct.reshape(result, (1, rows, depth)))


_HEADS = "f16:3 f16:3 f16:3 f16:3 f32"
KERNELS = {
    "gemm_128x256": (products.gemm_persistent, "bf16:2 bf16:2 bf16:2", 128, 256, 64),
    "gemm_batched_128": (products.gemm_batched, "f16:3 f16:3 f16:3", 128, 128, 64),
    "fmha_causal_d128": (attention.fmha_causal, _HEADS, 128, 128, 128),
    "fmha_causal_d64": (attention.fmha_causal, _HEADS, 128, 128, 64),
    "fmha_gqa": (fmha_gqa, _HEADS, 4, 128, 128, 128),
}
"""As in the workloads' source."""


def main() -> None:
    """Write the text of every kernel."""
    for name in KERNELS:
        (HERE / f"{name}.mlir").write_text(source.text_of(name, KERNELS), encoding="utf-8")


if __name__ == "__main__":
    main()
