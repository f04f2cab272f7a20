"""The host's CPU as a target: fused loops over buffers, the grid spread over threads.

Modules that only compiling needs are imported when something is compiled: a kernel from the cache
starts without them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tileir.codegen.cache.key import MACHINE_CODE
from tileir.codegen.cache.slot import Slot
from tileir.formats.forks import not_forking

from .machine import cpu
from .running.compilation import HostCompilation, HostKernel

if TYPE_CHECKING:
    from tileir.codegen.kernel import KernelIR
    from tileir.codegen.pipeline import AfterStage
    from tileir.ir import Op

    from .state import State

__all__ = [
    "KEPT_AS",
    "HostCompilation",
    "HostKernel",
    "compile_kernels",
    "identity",
    "restore",
    "why_not",
]

KEPT_AS = MACHINE_CODE
"""The kind of a compilation in the cache."""


def identity(target: str) -> str:
    """Return what machine code depends on besides the module: LLVM and the CPU."""
    return cpu.identity()


def restore(slot: Slot, again: Callable[[], HostCompilation]) -> HostCompilation | None:
    """Return the compilation that is kept in a slot; None if there is none, or it is damaged.

    It is all there, so nobody has to compile it `again`.
    """
    stored = slot.get()
    try:
        return None if stored is None else HostCompilation.from_bytes(stored)
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
    count: bool = False,
) -> HostCompilation | None:
    """Compile the kernels, which `support` has checked; `checks` are some of those that there are.

    With `count`, the kernels count what they access and compute.

    None if stages end before there is machine code: `after_stage` and `until` are those of
    `pipeline.run`.
    """
    with not_forking:
        from . import compiling

    return compiling.compile_kernels(kernels, after_stage, until, checks, count)
