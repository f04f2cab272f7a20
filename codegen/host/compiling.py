"""Kernels to machine code: run the stages, and make the object file callable."""

from __future__ import annotations

from collections.abc import Sequence

from tileir.codegen import pipeline
from tileir.codegen.kernel import KernelIR
from tileir.codegen.pipeline import AfterStage

from .machine.machine_code import MachineCode
from .running.compilation import HostCompilation
from .state import KernelState, State


def compile_kernels(
    kernels: list[KernelIR],
    after_stage: AfterStage[State] | None,
    until: str | None,
    checks: Sequence[str],
    count: bool,
) -> HostCompilation | None:
    """Compile kernels; see `compile_kernels` of the package."""
    state = State([KernelState(kernel) for kernel in kernels], checks, count)
    if not pipeline.run("host", state, after_stage, until):
        return None
    code = MachineCode(tuple(state.entries), state.object_file, state.llvm_ir)
    return HostCompilation(code)
