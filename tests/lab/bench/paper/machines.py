"""What a multiprocessor does in a clock, and where that is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TENSOR_FMA = {"f16": 2048, "bf16": 2048, "tf32": 1024, "e4m3": 4096, "i8": 4096}
"""Fused multiply-adds of the tensor cores of one multiprocessor in a clock, by element type.

NVIDIA H100 Tensor Core GPU Architecture (whitepaper), peak rates of H100 SXM5 without sparsity:
989.4 TFLOP/s in f16 with 132 multiprocessors at 1,830 MHz; half of it in tf32, twice in 8 bits.
"""
MMA_SYNC = 0.62
"""The part of that which `mma.sync` reaches on Hopper: Luo and others, Benchmarking and Dissecting
the Nvidia Hopper GPU Architecture via Microbenchmarking (2024)."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A GPU. Rates are those of one multiprocessor in a clock, if they do not say otherwise."""

    name: str
    processors: int
    clock: float
    """Hz, with the tensor cores busy."""
    shared: int = 128
    """Bytes of shared memory: CUDA C++ Programming Guide, 32 banks of 4 bytes."""
    functions: int = 16
    """Special functions (MUFU): CUDA C++ Programming Guide, throughput of native instructions."""
    issued: int = 4
    """Instructions of warps: one for each of four schedulers."""
    level2: float = 43.0
    """Bytes from the L2 cache; microbenchmarks say 5.5 to 6 KB a clock for the whole GPU."""
    memory: float = 3.35e12
    """Bytes of global memory a second, of the GPU; data sheets of H100 SXM and H200."""
    latency: float = 700e-9
    """Seconds that a load takes under way, about; the same microbenchmarks."""


H100 = Machine("H100 SXM", 132, 1.83e9)
H200 = Machine("H200", 132, 1.83e9, memory=4.8e12)
MACHINES: Mapping[str, Machine] = {each.name: each for each in (H100, H200)}
