"""The host's CPU as a target: fused loops over buffers, the grid spread over threads.

Modules that only compiling needs are imported when something is compiled: a kernel from the cache
starts without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tileir.formats.forks import not_forking

from .machine import cpu
from .running.compilation import HostCompilation, HostKernel

if TYPE_CHECKING:
    from tileir.codegen.kernel import KernelIR
    from tileir.codegen.pipeline import AfterStage
    from tileir.ir import Op

    from .state import State

__all__ = ["HostCompilation", "HostKernel", "compile_kernels", "identity", "restore", "why_not"]


def identity(target: str) -> str | None:
    """Return what machine code depends on besides the module: LLVM and the CPU."""
    return cpu.identity()


def restore(data: bytes) -> HostCompilation | None:
    """Return the compilation whose `to_bytes` gave these bytes; None if none gave them."""
    try:
        return HostCompilation.from_bytes(data)
    except ValueError:
        return None


def why_not(op: Op, target: str) -> str | None:
    """Return why the host cannot run an op, or None."""
    with not_forking:
        from . import supported

    return supported.why_not(op)


def compile_kernels(
    kernels: list[KernelIR],
    target: str,
    after_stage: AfterStage[State] | None = None,
    until: str | None = None,
    checks: Sequence[str] = (),
) -> HostCompilation | None:
    """Compile the kernels, which `support` has checked; `checks` are some of those that there are.

    None if stages end before there is machine code: `after_stage` and `until` are those of
    `pipeline.run`.
    """
    with not_forking:
        from . import compiling

    return compiling.compile_kernels(kernels, after_stage, until, checks)
