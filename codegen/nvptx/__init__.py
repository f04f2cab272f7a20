"""Code for NVIDIA GPUs: PTX and launch plans, without any of NVIDIA's tools.

`assign_layouts` and `place_barriers` take the decisions, `lower` writes LLVM IR, LLVM writes PTX.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from llvmlite import ir

from tileir.errors import Diagnostic, LaunchError, UnsupportedError
from tileir.ir import Op
from tileir.types import Element, Tile
from tileir.verifier.names import spelled_in_ptx

from .. import llvm
from ..api import Compilation, Compiled
from ..kernel import Kernel
from ..scalar.machine import Machine
from . import supported
from .assign_layouts import assign_layouts
from .block_size import MOST_WORDS, too_large
from .launch_contract import contract_of, fit_block, lowest_ptx, settle
from .lineinfo import INLINED_CALLS, LineTable
from .lower import declare_kernel, lower_kernel
from .plan import launch_plan
from .targets import TARGETS, Target

TRIPLE = "nvptx64-nvidia-cuda"
SPEED_LEVEL = 1
"""Of LLVM's optimiser: more costs time, and ptxas does it again."""
_NOTHING: Mapping[str, object] = MappingProxyType({})


class CompiledEntry(Compiled):
    """An entry as PTX and launch plan."""

    def __init__(self, symbol: str, elements: Iterable[Element], plan: dict[str, Any]) -> None:
        super().__init__(symbol, elements)
        self.plan = plan

    def launch(
        self, grid: int | Sequence[int], args: Sequence[Any], threads: int | None = None
    ) -> None:
        raise LaunchError(
            f"{self.symbol} was compiled for {self.plan['target']}: load its PTX with a CUDA driver"
            " and launch it as its plan says; launching on a GPU is not built in yet"
        )


class PtxCompilation(Compilation):
    """Kernels compiled for a GPU: `ptx` holds all of them, `plan` one launch plan each."""


def identity(target: str) -> None:
    """Nothing that is compiled for GPUs is kept on disk."""


def why_not(op: Op, target: str) -> str | None:
    """Why this target cannot lower an op, or None."""
    if reason := supported.why_not(op):
        return reason
    gpu = TARGETS[target]
    for value in op.results:
        if isinstance(value.type, Tile) and too_large(value.type, gpu):
            most = MOST_WORDS * gpu.max_threads
            return f"{value.type} does not fit the {most} registers that one tile may take"
    return None


def compile_kernels(
    kernels: list[Kernel], target: str, launch: Mapping[str, object] = _NOTHING,
    lineinfo: bool = False,
) -> PtxCompilation:  # fmt: skip
    """PTX and plans for kernels that have passed `why_not` and the pipeline.

    `launch` has the options about launching (see `launch_terms`). With `lineinfo`, the PTX says
    which lines of source its instructions come from.
    """
    _check_names(kernels)
    gpu = TARGETS[target]
    kernels = [settle(kernel, gpu, launch) for kernel in kernels]
    ops = [op for kernel in kernels for op in kernel.walk()]
    lines = LineTable(kernels) if lineinfo else None
    version = lowest_ptx(map(contract_of, kernels), supported.ptx_version(ops, gpu.ptx))
    if lines and lines.has_calls:
        version = max(version, INLINED_CALLS)
    gpu = replace(gpu, ptx=version)
    llvm.start("all")
    machine = llvm.target_machine(TRIPLE, gpu.base, gpu.feature, speed_level=SPEED_LEVEL)
    module = ir.Module(name="tileir", context=ir.Context())
    module.machine = Machine.nvptx(gpu.nan_extremes)
    module.triple, module.data_layout = TRIPLE, str(machine.target_data)
    for kernel in kernels:
        declare_kernel(module, kernel)
    entries = {kernel.symbol: _lowered(module, kernel, gpu, lines) for kernel in kernels}
    text = str(module)
    parsed = llvm.parse(text)
    llvm.optimize(parsed, machine, speed_level=SPEED_LEVEL)
    ptx = machine.emit_assembly(parsed)
    if lines:
        ptx = lines.written(ptx)
    plans = {symbol: entry.plan for symbol, entry in entries.items()}
    return PtxCompilation(target, entries, text, ptx, plans)


def _lowered(
    module: ir.Module, kernel: Kernel, gpu: Target, lines: LineTable | None
) -> CompiledEntry:
    assignment = assign_layouts(kernel, gpu)
    kernel = fit_block(kernel, gpu, assignment.threads)
    shared = lower_kernel(module, kernel, gpu, assignment, lines)
    elements = [value.type.element for value in kernel.parameters]
    plan = launch_plan(kernel, gpu, shared)
    return CompiledEntry(kernel.symbol, elements, plan)


def _check_names(kernels: list[Kernel]) -> None:
    """PTX has fewer symbols than Tile IR, and LLVM would silently choose others."""
    found = [
        Diagnostic(
            "error", "unsupported", f"{kernel.symbol!r} is not a name that PTX can have",
            function=kernel.symbol,
        )
        for kernel in kernels
        if not spelled_in_ptx(kernel.symbol)
    ]  # fmt: skip
    if found:
        raise UnsupportedError("entry names that PTX does not have:", found)
