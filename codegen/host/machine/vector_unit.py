"""The vector registers of the CPU this process runs on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm


@dataclass(frozen=True, slots=True)
class VectorUnit:
    """`bits` of one register; `accumulators`: registers that a matrix product may accumulate in.

    That is half of them; the others hold operands.
    """

    bits: int
    accumulators: int

    @staticmethod
    @cache
    def of_host() -> VectorUnit:
        """Return the vector unit that LLVM detects."""
        features = llvm.get_host_cpu_features()
        if features.get("avx512f"):
            return VectorUnit(bits=512, accumulators=16)
        if features.get("avx"):
            return VectorUnit(bits=256, accumulators=8)
        if llvm.get_process_triple().startswith(("aarch64", "arm64")):
            return VectorUnit(bits=128, accumulators=16)
        return VectorUnit(bits=128, accumulators=8)
