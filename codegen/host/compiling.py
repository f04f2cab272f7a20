"""Kernels to machine code: plan storage, lower blocks to LLVM IR, let LLVM compile it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from llvmlite import ir

from tileir.codegen.analysis.written_parameters import written_parameters
from tileir.codegen.kernel import Kernel
from tileir.codegen.scalar.machine import Machine

from .checking.checks import CheckedLowering
from .lowering.block_lowering import BlockLowering
from .lowering.block_run import build_driver
from .lowering.entry import argument_offsets
from .machine import cpu
from .machine.machine_code import MachineCode
from .planning.storage import plan_storage
from .running.compilation import HostCompilation
from .running.kernel_info import KernelInfo

_LOOPS = ("for", "loop")


def compile_kernels(kernels: list[Kernel], checks: Sequence[str]) -> HostCompilation:
    """Compile kernels; `checks` names the run-time checks to build in."""
    module = ir.Module("tileir")
    module.machine = Machine.of_host()
    module.triple, module.data_layout = cpu.triple_and_layout()
    entries = []
    for kernel in kernels:
        storage = plan_storage(kernel)
        if checks:
            lowering = CheckedLowering(module, kernel, storage, checks)
        else:
            lowering = BlockLowering(module, kernel, storage)
        build_driver(module, kernel.symbol, lowering.run())
        entries.append(_info(kernel, storage.size, tuple(lowering.sites)))
    text = str(module)
    return HostCompilation(MachineCode(tuple(entries), cpu.object_code(text), text))


def _info(kernel: Kernel, workspace: int, sites: tuple[Mapping[str, Any], ...]) -> KernelInfo:
    """Return what a launch needs to know of a lowered kernel."""
    offsets, size = argument_offsets(kernel)
    return KernelInfo(
        symbol=kernel.symbol,
        elements=tuple(value.type.element for value in kernel.parameters),
        offsets=tuple(offsets),
        size=size,
        written=frozenset(written_parameters(kernel)),
        workspace=workspace,
        may_run_long=any(op.name in _LOOPS for op in kernel.walk()),
        sites=sites,
    )
