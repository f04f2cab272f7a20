"""The host's CPU as a target: fused loops over buffers, the grid spread over threads."""

from __future__ import annotations

from .compilation import HostCompilation, HostKernel, compile_kernels
from .supported import why_not

__all__ = ["HostCompilation", "HostKernel", "compile_kernels", "why_not"]
