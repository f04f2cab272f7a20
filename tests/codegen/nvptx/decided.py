"""What the stages decide about a kernel, up to one of them."""

from __future__ import annotations

from tileir.codegen import pipeline
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.state import KernelState, State
from tileir.gpus import TARGETS


def decided(kernel: KernelIR, target: str, until: str) -> KernelState:
    """The state of the kernel after a stage."""
    state = State([KernelState(kernel, kernel.symbol)], TARGETS[target], {})
    pipeline.run("nvptx", state, until=until)
    return state.kernels[0]
