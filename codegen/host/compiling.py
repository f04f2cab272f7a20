"""Kernels to machine code: run the stages, and make the object file callable."""

from __future__ import annotations

from collections.abc import Sequence

from tileir.codegen import pipeline
from tileir.codegen.kernel import Kernel
from tileir.codegen.pipeline import Watch

from .machine.machine_code import MachineCode
from .running.compilation import HostCompilation
from .state import KernelState, State


def compile_kernels(
    kernels: list[Kernel], watch: Watch[State] | None, until: str | None, checks: Sequence[str]
) -> HostCompilation | None:
    """Compile kernels; see `compile_kernels` of the package."""
    state = State([KernelState(kernel) for kernel in kernels], checks)
    if not pipeline.run("host", state, watch, until):
        return None
    code = MachineCode(tuple(state.entries), state.object_file, state.llvm_ir)
    return HostCompilation(code)
