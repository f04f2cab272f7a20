"""The vector registers of the CPU this process runs on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm


@dataclass(frozen=True, slots=True)
class VectorUnit:
    """`bits` of one register; `accumulators`: registers that a matrix product may accumulate in.

    That is half of them; the others hold operands. `dot_products` has the operand types of a
    microkernel that are multiplied by an instruction of their own (see `dot_products.py`).
    """

    bits: int
    accumulators: int
    dot_products: frozenset[str] = frozenset()

    @staticmethod
    @cache
    def of_host() -> VectorUnit:
        """Return the vector unit that LLVM detects."""
        features = llvm.get_host_cpu_features()
        if features.get("avx512f"):
            found = frozenset(
                operand for operand, feature in DOT_PRODUCTS.items() if features.get(feature)
            )
            return VectorUnit(bits=512, accumulators=16, dot_products=found)
        if features.get("avx"):
            return VectorUnit(bits=256, accumulators=8)
        if llvm.get_process_triple().startswith(("aarch64", "arm64")):
            return VectorUnit(bits=128, accumulators=16)
        return VectorUnit(bits=128, accumulators=8)


DOT_PRODUCTS = {"bf16x2": "avx512bf16", "i8x4": "avx512vnni"}
"""Operand type of a microkernel -> LLVM's name of the feature that multiplies registers of it."""
