"""What the target machine can do for one element, so that an emitter may use its instructions.

Whoever makes an LLVM module sets its attribute `machine`; without one, code is written for any
machine that LLVM knows.
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
    """Abilities of a target. All false is right everywhere, and slower."""

    half_conversions: bool = False
    """LLVM's conversions between f16 and f32 are instructions, not calls of a library."""
    fused: bool = False
    """So is its fused multiply-add of f32 and f64."""
    ptx: bool = False
    """It runs PTX, and with it what `scalar.ptx` has."""
    nan_extremes: bool = False
    """It has minima and maxima that give a NaN if one operand is one: LLVM's of f32, and PTX's of
    f16 and bf16."""
    rounds: frozenset[str] = frozenset()
    """Elements that an instruction of PTX rounds an f32 to; of those in `ptx.PAIRS` it has the way
    back too."""

    @staticmethod
    @cache
    def of_host() -> Machine:
        """The CPU this process runs on."""
        arm64 = llvm.get_process_triple().startswith(("aarch64", "arm64"))
        features = llvm.get_host_cpu_features()
        return Machine(
            half_conversions=arm64 or features.get("f16c", False),
            fused=arm64 or features.get("fma", False),
        )

    @staticmethod
    def nvptx(nan_extremes: bool = False, rounds: frozenset[str] = frozenset()) -> Machine:
        """A GPU that PTX is written for."""
        return Machine(
            half_conversions=True, fused=True, ptx=True, nan_extremes=nan_extremes, rounds=rounds
        )

    @staticmethod
    def of_gpu(target: Target) -> Machine:
        """A GPU, with what its PTX version has of it."""
        rounds = {"bf16"} if target.has("bf16 arithmetic") else set()
        if target.has("f8 conversions") and target.ptx >= target.ptx_of("f8 conversions"):
            rounds |= PAIRS.keys()
        return Machine.nvptx(target.has("min.NaN"), frozenset(rounds))


PORTABLE = Machine()


def machine_of(builder: ir.IRBuilder) -> Machine:
    """What the module under construction is for."""
    return getattr(builder.module, "machine", PORTABLE)
