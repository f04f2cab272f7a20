"""Scalar abilities of the target machine, so that emitters can use its instructions.

The creator of an LLVM module sets its attribute `machine`; without it, emitters assume none of the
abilities.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm
from llvmlite import ir

from tileir.gpus import Target

from .ptx import PAIRS


@dataclass(frozen=True, slots=True)
class Machine:
    """Abilities of a target. All false is correct everywhere, and slower."""

    half_conversions: bool = False
    """Whether LLVM's conversions between f16 and f32 are instructions, not library calls."""
    fused: bool = False
    """Whether LLVM's fused multiply-add of f32 and f64 is an instruction."""
    scales: bool = False
    """Whether LLVM's multiplication of f32 by a power of two (ldexp) is an instruction."""
    ptx: bool = False
    """Whether the target runs PTX, so that `scalar.ptx` can be used."""
    nan_extremes: bool = False
    """Whether minima and maxima can propagate NaN: LLVM's of f32, PTX's of f16 and bf16."""
    rounds: frozenset[str] = frozenset()
    """Element types that PTX converts f32 to; those in `ptx.PAIRS` are also converted back."""

    @staticmethod
    @cache
    def of_host() -> Machine:
        """Return the abilities of the CPU of this process."""
        arm64 = llvm.get_process_triple().startswith(("aarch64", "arm64"))
        features = llvm.get_host_cpu_features()
        return Machine(
            half_conversions=arm64 or features.get("f16c", False),
            fused=arm64 or features.get("fma", False),
            scales=features.get("avx512f", False),
        )

    @staticmethod
    def nvptx(nan_extremes: bool = False, rounds: frozenset[str] = frozenset()) -> Machine:
        """Return the abilities of a GPU."""
        return Machine(
            half_conversions=True, fused=True, ptx=True, nan_extremes=nan_extremes, rounds=rounds
        )

    @staticmethod
    def of_gpu(target: Target) -> Machine:
        """A GPU, with what its PTX version has of it."""
        rounds = {"bf16"} if target.has("bf16 arithmetic") else set()
        if target.has("f8 conversions") and target.ptx >= target.ptx_of("f8 conversions"):
            rounds |= PAIRS.keys()
        if target.has("tf32 conversions"):
            rounds.add("tf32")
        return Machine.nvptx(target.has("min.NaN"), frozenset(rounds))


PORTABLE = Machine()


def machine_of(builder: ir.IRBuilder) -> Machine:
    """Return the machine of the module under construction."""
    return getattr(builder.module, "machine", PORTABLE)
