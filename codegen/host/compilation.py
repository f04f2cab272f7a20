"""Kernels to machine code in this process."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

from tileir.references import display

from .. import llvm as backend
from ..api import Compilation, Compiled
from ..kernel import Kernel
from ..scalar.machine import Machine
from .arguments import Parameters
from .driver import build_driver
from .launch import Blocks, run_grid
from .lower import BlockLowering, llvm_name
from .storage import plan_storage
from .written import written_parameters

_ADDRESS, _COUNT, _EXTENT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
_BLOCKS = ctypes.CFUNCTYPE(
    None, _ADDRESS, _COUNT, _COUNT, _EXTENT, _EXTENT, _EXTENT, _ADDRESS
)  # fmt: skip


class HostKernel(Compiled):
    """An entry as machine code."""

    def __init__(self, kernel: Kernel, blocks: Blocks, workspace: int, keep: Any) -> None:
        self.symbol = kernel.symbol
        self.parameters = Parameters.of(kernel, written_parameters(kernel))
        self.workspace = workspace
        self._blocks = blocks
        self._keep = keep  # owns the machine code

    def launch(
        self, grid: int | Sequence[int], args: Sequence[Any], threads: int | None = None
    ) -> None:
        """Run the kernel on every block of the grid and return when all have finished.

        `grid` has up to three extents, missing ones are 1. `args` has one entry a parameter: for a
        pointer a NumPy array (or what offers __array_interface__ or __dlpack__ in host memory), a
        `Buffer` or an address; for a scalar a number. `threads` defaults to the CPUs there are.

        The kernel gets addresses, as on a GPU. Extents and strides (in elements) are what its
        scalar arguments say, whatever an array's own are; accesses are not checked against sizes.
        """
        run_grid(
            display(self.symbol), self._blocks, self.workspace, self.parameters, grid, args, threads
        )


class HostCompilation(Compilation):
    """A module compiled for the CPU this process runs on."""

    def __init__(self, entries: dict[str, HostKernel], llvm_ir: str, module: Any) -> None:
        super().__init__("host", entries, llvm_ir)
        self._module = module

    @property
    def assembly(self) -> str:
        """The machine code as text, for reading."""
        return _machine().emit_assembly(self._module)


def compile_kernels(kernels: list[Kernel], target: str) -> HostCompilation:
    """Compile the kernels, which `support` has checked."""
    module = ir.Module("tileir")
    module.machine = Machine.of_host()
    sizes = {}
    for kernel in kernels:
        storage = plan_storage(kernel)
        sizes[kernel.symbol] = storage.size
        build_driver(module, kernel.symbol, BlockLowering(module, kernel, storage).run())
    machine = _machine()
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    text = str(module)
    parsed = backend.parse(text)
    # Interleaved vector loops are enough; unrolling them too doubles the time and gains nothing.
    backend.optimize(parsed, machine, speed_level=2, vectorize=True, unroll=False)
    optimized = parsed.clone()
    engine = llvm.create_mcjit_compiler(parsed, _machine_for_engine())
    engine.finalize_object()
    entries = {
        kernel.symbol: HostKernel(
            kernel,
            _BLOCKS(engine.get_function_address(llvm_name(kernel.symbol, "blocks"))),
            sizes[kernel.symbol],
            engine,
        )
        for kernel in kernels
    }
    return HostCompilation(entries, text, optimized)


@cache
def _machine() -> llvm.TargetMachine:
    return _machine_for_engine()


def _machine_for_engine() -> llvm.TargetMachine:
    """A new one, because an engine takes possession of its machine."""
    backend.start("native")
    return backend.target_machine(
        llvm.get_process_triple(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        jit=True,
    )
