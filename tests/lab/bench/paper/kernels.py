"""The kernels of the model, and what a trip of their loops is asked for."""

from __future__ import annotations

from collections.abc import Mapping

from tests.lab.bench.gpu.cases import cases

from .bounds import BYTES, Product, Trip


def _gemm(kind: str, m: int, n: int, k: int) -> Trip:
    return Trip(kind, (Product(m, n, k),), (m + n) * k * BYTES[kind])


def _attention(rows: int, columns: int, depth: int) -> Trip:
    products = Product(rows, columns, depth), Product(rows, depth, columns, True)
    return Trip("f16", products, 2 * columns * depth * 2)


def _backward(rows: int, columns: int, depth: int) -> Trip:
    """Of keys: two products with tiles of memory, two with what became of them."""
    first, second = Product(columns, rows, depth), Product(columns, depth, rows, True)
    return Trip("f16", (first, first, second, second), 2 * rows * depth * 2 + 2 * rows * 4)


TRIPS: Mapping[str, Trip] = {
    "gemm_f16_128x128x64": _gemm("f16", 128, 128, 64),
    "gemm_bf16_128x256x64": _gemm("bf16", 128, 256, 64),
    "gemm_batched_64": _gemm("f16", 64, 128, 64),
    "gemm_batched_128": _gemm("f16", 128, 128, 64),
    "gemm_grouped": _gemm("bf16", 64, 128, 64),
    "gemm_split_k": _gemm("f16", 128, 128, 64),
    "gemm_bias_gelu": _gemm("f16", 128, 128, 64),
    "moe_gather": _gemm("bf16", 128, 128, 64),
    "conv3x3": _gemm("f16", 128, 64, 32),
    "gemm_fp8_fast_acc": _gemm("e4m3", 128, 128, 64),
    "gemm_fp8": _gemm("e4m3", 128, 128, 64),
    "gemm_tf32": _gemm("tf32", 128, 64, 32),
    "gemm_int8": _gemm("i8", 128, 128, 64),
    "fmha_causal_d128": _attention(128, 128, 128),
    "fmha_causal_128x64": _attention(128, 64, 128),
    "fmha_causal_d64": _attention(128, 128, 64),
    "fmha_gqa": _attention(128, 128, 128),
    "fmha_backward": _backward(64, 64, 64),
}
"""Case of the GPU benchmark -> what a trip of a block is asked for."""
MEMORY = ("copy", "vector_add", "transpose", "softmax", "softmax_bf16", "rms_norm", "layer_norm")
"""Those of which global memory is what counts."""


def texts() -> dict[str, str]:
    """The Tile IR of all kernels, by their names."""
    known = {case.name: case for case in cases()}
    return {name: known[name].text() for name in (*TRIPS, *MEMORY)}
