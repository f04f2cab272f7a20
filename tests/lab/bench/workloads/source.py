"""Writes the Tile IR of the workloads: ``python -m tests.lab.bench.workloads.source``.

It is measured as it stands beside this file, so that measuring needs no cuTile. Tiles and types
are those that cuTile's users choose for a GPU.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import cuda.tile as ct
from cuda.tile.compilation import (
    ArrayConstraint,
    CallingConvention,
    ConstantConstraint,
    KernelSignature,
    ScalarConstraint,
    export_kernel,
)

from tileir import Bytecode, disassemble

from . import attention, indexed, products, rows

HERE = Path(__file__).parent
TYPES = {
    "f32": ct.float32, "f16": ct.float16, "bf16": ct.bfloat16, "e4m3": ct.float8_e4m3fn,
    "i32": ct.int32, "i8": ct.int8, "u8": ct.uint8, "e8m0": ct.float8_e8m0fnu,
}  # fmt: skip

KERNELS = {
    "gemm_bias_gelu": (products.gemm_bias_gelu, "f16:2 f16:2 f16:1 f16:2", 128, 128, 64),
    "gemm_persistent": (products.gemm_persistent, "bf16:2 bf16:2 bf16:2", 128, 128, 64),
    "gemm_while": (products.gemm_while, "f16:2 f16:2 f16:2", 128, 128, 64),
    "gemm_split_k": (products.gemm_split_k, "f16:2 f16:2 f32:2", 4, 128, 128, 64),
    "gemm_batched": (products.gemm_batched, "f16:3 f16:3 f16:3", 64, 128, 64),
    "gemm_tf32": (products.gemm_tf32, "f32:2 f32:2 f32:2", 128, 64, 32),
    "gemm_grouped": (products.gemm_grouped, "bf16:2 bf16:3 i32:1 bf16:2", 64, 128, 64),
    "gemm_fp8": (products.gemm_fp8, "e4m3:2 e4m3:2 f16:2", 128, 128, 64),
    "gemm_nvfp4": (products.gemm_fp4, "u8:2 e4m3:2 u8:2 e4m3:2 f16:2", 128, 128, 128, 16),
    "gemm_mxfp4": (products.gemm_fp4, "u8:2 e8m0:2 u8:2 e8m0:2 f16:2", 128, 128, 128, 32),
    "gemm_mxfp8": (products.gemm_mxfp8, "e4m3:2 e8m0:2 e4m3:2 e8m0:2 f16:2", 128, 128, 128),
    "moe_gather": (products.moe_gather, "bf16:2 i32:1 bf16:3 i32:1 bf16:2", 128, 128, 64),
    "gemm_int8": (products.gemm_int8, "i8:2 i8:2 f32:1 f32:1 f16:2", 128, 128, 64),
    "gemm_int8_weights": (
        products.gemm_int8_weights, "f16:2 i8:2 f32:1 f16:2", 64, 128, 64
    ),
    "gemv": (products.gemv, "bf16:2 bf16:1 bf16:1", 16, 512),
    "conv3x3": (products.conv3x3, "f16:4 f16:3 f16:2", 128, 64, 32),
    "fmha_causal": (attention.fmha_causal, "f16:3 f16:3 f16:3 f16:3 f32", 128, 64, 128),
    "gqa_decode": (
        attention.gqa_decode, "bf16:3 bf16:3 bf16:3 i32:1 bf16:3 f32", 16, 64, 128
    ),
    "fmha_backward": (
        attention.fmha_backward,
        "f16:3 f16:3 f16:3 f16:3 f32:2 f32:2 f16:3 f16:3 f32", 64, 64, 64,
    ),
    "layer_norm_backward": (
        rows.layer_norm_backward,
        "bf16:2 bf16:2 bf16:1 f32:1 f32:1 bf16:2 f32:1 f32:1", 2048,
    ),
    "rms_norm_residual": (
        rows.rms_norm_residual, "bf16:2 bf16:2 bf16:1 bf16:2 bf16:2 f32", 4096
    ),
    "rope": (rows.rope, "f16:3 f32:2 f32:2 f16:3", 16, 64),
    "cross_entropy": (rows.cross_entropy, "bf16:2 i32:1 f32:1", 4096),
    "log_softmax": (rows.log_softmax, "f32:2 f32:2", 2048),
    "softmax_backward": (rows.softmax_backward, "bf16:2 bf16:2 bf16:2", 2048),
    "top_k": (rows.top_k, "f32:2 f32:2 i32:2", 8, 16, 128),
    "cumsum_long": (rows.cumsum_long, "f32:2 f32:2", 1024),
    "swiglu": (rows.swiglu, "bf16:2 bf16:2 bf16:2", 4, 1024),
    "quantise_rows": (rows.quantise_rows, "bf16:2 i8:2 f32:1", 4096),
    "adamw": (rows.adamw, "f32:1 bf16:1 f32:1 f32:1 f32 f32 f32 f32 f32", 1024),
    "histogram": (indexed.histogram, "i32:1 i32:1", 1024),
    "transpose_batched": (indexed.transpose_batched, "f16:3 f16:3", 64, 64),
    "transpose_heads": (indexed.transpose_heads, "bf16:4 bf16:4", 32, 4, 64),
    "stencil": (indexed.stencil, "f32:2 f32:2", 16, 128),
    "causal_conv1d": (indexed.causal_conv1d, "bf16:3 bf16:2 bf16:3", 32, 64),
    "embedding": (indexed.embedding, "f16:2 i32:1 f16:2", 16, 256),
}  # fmt: skip
"""Name -> kernel; its arrays with their rank, and its scalars; its constants."""


def _row_major(kind: Any, rank: int) -> ArrayConstraint:
    """An array as torch makes it; only rows are a multiple of 16 long, and not lists of indices."""
    free = rank == 1 and kind is ct.int32
    return ArrayConstraint(
        kind,
        rank,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=[None] * (rank - 1) + [1],
        stride_divisible_by=[16] * (rank - 1) + [1],
        shape_divisible_by=[1] * (rank - 1) + [1 if free else 16],
        base_addr_divisible_by=16,
    )


def _constraints(parameters: str, constants: tuple[int, ...]) -> Iterator[Any]:
    for each in parameters.split():
        kind, _, rank = each.partition(":")
        yield _row_major(TYPES[kind], int(rank)) if rank else ScalarConstraint(TYPES[kind])
    yield from map(ConstantConstraint, constants)


def bytecode_of(kernel: Any, versions: Mapping[str, tuple[str, tuple[int, ...]]]) -> bytes:
    """The bytecode of a kernel, as cuTile makes it: an entry for each of `versions`.

    A version is a name, with the parameters and the constants as `KERNELS` has them.
    """
    signatures = [
        KernelSignature(
            list(_constraints(parameters, constants)), CallingConvention.cutile_python_v2(), name
        )
        for name, (parameters, constants) in versions.items()
    ]
    out = io.BytesIO()
    export_kernel(
        kernel, signatures, out, gpu_code=None, output_format="tileir_bytecode",
        bytecode_version="13.3",
    )  # fmt: skip
    return out.getvalue()


def text_of(name: str, kernels: Mapping[str, tuple] = KERNELS) -> str:
    """The Tile IR of a kernel of a table like `KERNELS`."""
    kernel, parameters, *constants = kernels[name]
    return disassemble(Bytecode.parse(bytecode_of(kernel, {name: (parameters, tuple(constants))})))


def main() -> None:
    """Write the text of every kernel."""
    for name in KERNELS:
        (HERE / f"{name}.mlir").write_text(text_of(name), encoding="utf-8")


if __name__ == "__main__":
    main()
