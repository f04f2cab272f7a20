"""Kernels of cuTile's samples as files: ``python -m tests.lab.advise.samples CHECKOUT FOLDER``.

The samples are not ours to copy: CHECKOUT is one of https://github.com/NVIDIA/cutile-python. They
are imported without torch, which only their launches need; arrays are row-major, as torch has them.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from unittest.mock import MagicMock

import cuda.tile as ct

from tests.lab.bench.workloads.source import text_of

KERNELS = {
    "VectorAddition.vec_add_kernel_1d": ("f32:1 f32:1 f32:1", 1024),
    "VectorAddition.vec_add_kernel_2d": ("f32:2 f32:2 f32:2", 1, 1024),
    "VectorAddition.vec_add_kernel_1d_gather": ("f32:1 f32:1 f32:1", 1024),
    "VectorAddition.vec_add_kernel_2d_gather": ("f32:2 f32:2 f32:2", 1, 1024),
    "Transpose.transpose_kernel": ("f16:2 f16:2", 64, 64),
    "MatMul.matmul_kernel": ("f16:2 f16:2 f16:2", 128, 256, 64),
    "MatMul.persistent_matmul_kernel": ("f16:2 f16:2 f16:2", 128, 256, 64),
    "BatchMatMul.batch_matmul_kernel": ("f16:3 f16:3 f16:3", 128, 256, 64),
    "AttentionFMHA.fmha_kernel": (
        "f16:4 f16:4 f16:4 f16:4 f32 i32", 64, 16, 128, 128, 1, True, True
    ),
    "LayerNorm.layer_norm_fwd": ("f16:2 f16:1 f16:1 f16:2 f32:1 f32:1 f32", 1024),
    "LayerNorm.layer_norm_bwd_dx_partial_dwdb": (
        "f16:2 f16:2 f32:2 f32:2 f16:2 f16:1 f32:1 f32:1 i32:1", 1024
    ),
    "LayerNorm.layer_norm_bwd_dwdb": ("f32:2 f32:2 f16:1 f16:1", 32, 1024),
    "FFT.fft_kernel": ("f32:3 f32:3 f32:3 f32:3 f32:3 f32:3 f32:3", 512, 8, 8, 8, 1, 8),
    "MoE.fused_moe_kernel": (
        "f16:2 f16:3 f16:2 f16:1 i32:1 i32:1 i32", True, 128, 128, 64
    ),
    "MoE.silu_and_mul_kernel": ("f16:2 f16:2 f16:2", 2048),
}  # fmt: skip
"""Kernel -> its arrays with their rank, and its scalars; its constants, as samples choose."""


class _Stub(ModuleType):
    """A module that has everything: the types of elements, and mocks."""

    def __getattr__(self, name: str) -> object:
        return getattr(ct, name) if name in ("int32", "float16", "float32") else MagicMock()


def main() -> None:
    """Write the text of every kernel into a folder."""
    parser = argparse.ArgumentParser(prog="python -m tests.lab.advise.samples", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.checkout / "samples"))
    for name in ("torch", "torch.nn", "torch.nn.functional", "torch.nn.attention"):
        sys.modules[name] = _Stub(name)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, row in KERNELS.items():
        module, _, kernel = name.partition(".")
        table = {kernel: (getattr(import_module(module), kernel), *row)}
        path = arguments.folder / f"{kernel}.mlir"
        path.write_text(text_of(kernel, table), encoding="utf-8")


if __name__ == "__main__":
    main()
