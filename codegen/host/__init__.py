"""The host's CPU as a target: fused loops over buffers, the grid spread over threads."""

from __future__ import annotations

from . import machine
from .compilation import HostCompilation, HostKernel, compile_kernels
from .supported import why_not

__all__ = ["HostCompilation", "HostKernel", "compile_kernels", "identity", "restore", "why_not"]


def identity(target: str) -> str | None:
    """What machine code depends on besides the module: LLVM and the CPU."""
    return machine.identity()


def restore(data: bytes) -> HostCompilation:
    """The compilation whose `to_bytes` these are."""
    return HostCompilation.from_bytes(data)
