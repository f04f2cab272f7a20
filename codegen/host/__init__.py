"""The host's CPU as a target: fused loops over buffers, the grid spread over threads."""

from __future__ import annotations

from tileir.ir import Op

from .compilation import HostCompilation, HostKernel, compile_kernels

__all__ = ["HostCompilation", "HostKernel", "compile_kernels", "why_not"]


def why_not(op: Op, target: str) -> str | None:
    """What the host cannot do that is lowered elsewhere: nothing."""
    return None
