"""Cases for Hopper: products of every kind, and attention, at the sizes that people quote.

Their texts are those of the workloads and of `kernels/`; where only a type differs, the text is
that of the other type with the name of the type replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, prod

from .cases import OWN, PROCESSORS, Case, Tensor, workload

_TO_F16 = (("bf16", "f16"),)
_FAST = ((" : tile<128x64xf8E4M3FN>, tile<64x128xf8E4M3FN>",
          " fast_acc : tile<128x64xf8E4M3FN>, tile<64x128xf8E4M3FN>"),)  # fmt: skip


def cases(small: bool) -> Iterator[Case]:
    """The ones that the goals are about come first."""
    yield from _persistent(small)
    yield from _attention(small)
    yield from _eight_bits(small)
    yield from _with_more(small)
    yield from _of_experts(small)


def _tiles(*pairs: tuple[int, int]) -> tuple[int, ...]:
    return tuple(ceil(extent / tile) for extent, tile in pairs)


def _persistent(small: bool) -> Iterator[Case]:
    size = 272 if small else 8192
    for dtype, short in (("float16", "f16"), ("bfloat16", "bf16")):
        operand = Tensor((size, size), dtype=dtype)
        tensors = (operand, operand, Tensor((size, size), "result", dtype))
        replaced = _TO_F16 if short == "f16" else ()
        for source, n in ((OWN / "gemm_128x256.mlir", 256), (workload("gemm_persistent"), 128)):
            tiles = prod(_tiles((size, 128), (size, n)))
            grids = tuple((min(tiles, each * PROCESSORS),) for each in (1, 2))
            name = f"gemm_{short}_128x{n}x64"
            yield Case(name, source, "product", tensors, grids, 1e-2, (), 2 * size**3, replaced)


def _attention(small: bool) -> Iterator[Case]:
    heads, length = (8, 208) if small else (64, 4096)
    for name, depth, rows in (("fmha_causal_d128", 128, 128), ("fmha_causal_d64", 64, 128)):
        yield _fmha(name, OWN / f"{name}.mlir", heads, heads, length, depth, rows)
    yield _fmha("fmha_gqa", OWN / "fmha_gqa.mlir", heads, heads // 4, length, 128, 128)
    yield _fmha("fmha_causal_128x64", workload("fmha_causal"), heads, heads, length, 128, 128)
    head, rows = Tensor((heads, length, 64), dtype="float16"), (heads, length)
    sums, deltas = Tensor(rows, scale=0.1, offset=10.0), Tensor(rows, scale=0.1)
    result = Tensor(head.shape, "result", "float16")
    yield Case(
        "fmha_backward", workload("fmha_backward"), "attention backward",
        (head, head, head, head, sums, deltas, result, result),
        (_tiles((length, 64), (heads, 1)),), 2e-2, (64**-0.5,), 8 * heads * length**2 * 64,
    )  # fmt: skip


def _fmha(
    name: str, source: object, heads: int, shared: int, length: int, depth: int, rows: int
) -> Case:
    head = Tensor((heads, length, depth), dtype="float16")
    keys = Tensor((shared, length, depth), dtype="float16")
    tensors = (head, keys, keys, Tensor(head.shape, "result", "float16"))
    flops = 2 * heads * length**2 * depth  # half of the pairs count
    return Case(
        name, source, "causal attention", tensors, (_tiles((length, rows), (heads, 1)),), 1e-2,
        (depth**-0.5,), flops,
    )  # fmt: skip


def _eight_bits(small: bool) -> Iterator[Case]:
    size = 272 if small else 8192
    left = Tensor((size, size), dtype="e4m3")
    tensors = (left, left, Tensor((size, size), "result", "float16"))
    grids, flops = (_tiles((size, 128), (size, 128)),), 2 * size**3
    fp8 = workload("gemm_fp8")
    # Short sums of many products are off by that much.
    yield Case("gemm_fp8_fast_acc", fp8, "product by rows", tensors, grids, 0.1, (), flops, _FAST)
    yield Case("gemm_fp8", fp8, "product by rows", tensors, grids, 2e-2, (), flops)
    whole, scale = Tensor((size, size), 127, "int8"), Tensor((size,), scale=1e-2)
    tensors = (whole, whole, scale, scale, Tensor((size, size), "result", "float16"))
    yield Case("gemm_int8", workload("gemm_int8"), "scaled product", tensors, grids, 1e-2, (),
               flops)  # fmt: skip
    size = size // 2 // 16 * 16
    wide = Tensor((size, size))
    grids = (_tiles((size, 128), (size, 64)),)
    tensors = (wide, wide, Tensor(wide.shape, "result"))
    flops = 2 * size**3
    yield Case(
        "gemm_tf32", workload("gemm_tf32"), "product by rows", tensors, grids, 5e-2, (), flops
    )


def _with_more(small: bool) -> Iterator[Case]:
    m, n, k = (272, 144, 80) if small else (8192, 8192, 4096)
    x, y = Tensor((m, k), dtype="float16"), Tensor((k, n), dtype="float16", scale=0.1)
    z = Tensor((m, n), "result", "float16")
    grids = (_tiles((m, 128), (n, 128)),)
    bias = Tensor((n,), dtype="float16")
    yield Case("gemm_bias_gelu", workload("gemm_bias_gelu"), "linear gelu", (x, y, bias, z), grids,
               1e-2, (), 2 * m * n * k)  # fmt: skip
    m, n, k = (139, 80, 400) if small else (1024, 1024, 16384)
    x, y = Tensor((m, k), dtype="float16"), Tensor((k, n), dtype="float16")
    yield Case("gemm_split_k", workload("gemm_split_k"), "product", (x, y, Tensor((m, n), "sum")),
               ((*_tiles((m, 128), (n, 128)), 4),), 1e-2, (), 2 * m * n * k)  # fmt: skip
    batch, m, n, k = (2, 75, 144, 96) if small else (32, 2048, 2048, 1024)
    x, y = Tensor((batch, m, k), dtype="float16"), Tensor((batch, k, n), dtype="float16")
    z = Tensor((batch, m, n), "result", "float16")
    for name, source, rows in (
        ("gemm_batched_64", workload("gemm_batched"), 64),
        ("gemm_batched_128", OWN / "gemm_batched_128.mlir", 128),
    ):
        grids = ((*_tiles((m, rows), (n, 128)), batch),)
        yield Case(name, source, "product", (x, y, z), grids, 1e-2, (), 2 * batch * m * n * k)
    size, height, inner, outer = (2, 11, 48, 80) if small else (32, 56, 256, 256)
    pixels = size * height * height
    x = Tensor((size, height, height, inner), dtype="float16")
    weights = Tensor((9, inner, outer), dtype="float16", scale=0.1)
    grids = (_tiles((pixels, 128), (outer, 64)),)
    yield Case("conv3x3", workload("conv3x3"), "convolution",
               (x, weights, Tensor((pixels, outer), "result", "float16")), grids, 1e-2, (),
               2 * pixels * 9 * inner * outer)  # fmt: skip


def _of_experts(small: bool) -> Iterator[Case]:
    experts, rows, inner, outer = (3, 144, 80, 144) if small else (8, 8192, 4096, 4096)
    weights = Tensor((experts, inner, outer), dtype="bfloat16", scale=0.1)
    result = Tensor((rows, outer), "result", "bfloat16")
    flops = 2 * rows * inner * outer
    x, tiles = Tensor((rows, inner), dtype="bfloat16"), ceil(rows / 64)
    yield Case("gemm_grouped", workload("gemm_grouped"), "experts",
               (x, weights, Tensor((tiles,), experts, "int32"), result),
               (_tiles((rows, 64), (outer, 128)),), 2e-2, (), flops)  # fmt: skip
    tiles = ceil(rows / 128)
    tokens, x = Tensor((rows,), rows // 2, "int32"), Tensor((rows // 2, inner), dtype="bfloat16")
    yield Case("moe_gather", workload("moe_gather"), "gathered experts",
               (x, tokens, weights, Tensor((tiles,), experts, "int32"), result),
               (_tiles((rows, 128), (outer, 128)),), 2e-2, (), flops)  # fmt: skip
