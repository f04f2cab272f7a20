"""Code for NVIDIA GPUs: PTX and launch plans, without any of NVIDIA's tools.

`assign_layouts` and `place_barriers` take the decisions, `lower` writes LLVM IR, LLVM writes PTX.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from llvmlite import ir

from tileir.codegen import llvm
from tileir.codegen.api import Compilation, Compiled
from tileir.codegen.device.image import Image
from tileir.codegen.device.launch import launch, load
from tileir.codegen.kernel import Kernel
from tileir.codegen.scalar.machine import Machine
from tileir.errors import Diagnostic, UnsupportedError
from tileir.gpus import TARGETS, Target
from tileir.ir import Op
from tileir.read.text_positions import located
from tileir.types import Element, Tile

from .emit.kernel import declare_kernel, lower_kernel
from .launch.contract import check_shared, contract_of, fit_block, lowest_ptx, settle
from .launch.entry_names import entry_names
from .launch.line_table import INLINED_CALLS, LineTable
from .launch.parameters import ptx_version
from .needs import needs_of
from .plan import launch_plan
from .schedule import supported
from .schedule.assign_layouts import assign_layouts
from .schedule.block_size import MOST_WORDS, too_large
from .schedule.plan_rings import plan_rings

TRIPLE = "nvptx64-nvidia-cuda"
SPEED_LEVEL = 1
"""Of LLVM's optimiser: more costs time, and ptxas does it again."""
NO_LINES = "no line information: nothing in the module says where in source it comes from"
_NOTHING: Mapping[str, object] = MappingProxyType({})


class CompiledEntry(Compiled):
    """An entry as PTX and launch plan."""

    def __init__(
        self, symbol: str, elements: Iterable[Element], plan: dict[str, Any], image: Image
    ) -> None:
        super().__init__(symbol, elements)
        self.plan = plan
        self._image = image

    def launch(
        self, grid: int | Sequence[int], args: Sequence[Any], *, stream: Any = None, **others: Any
    ) -> None:
        """Run the kernel on the GPU of this thread's CUDA context, or else that of the arguments.

        `grid` has up to three extents, missing ones are 1; with an extent of 0 nothing runs. `args`
        has one entry a parameter: for a pointer memory of the GPU that offers __dlpack__ or
        __cuda_array_interface__, as tensors of PyTorch and arrays of CuPy do, a `Buffer` or an
        address; for a scalar a number. The kernel gets addresses: extents and strides (in elements)
        are what its scalar arguments say.

        With a `stream` (a handle, or an object of PyTorch, CuPy, Numba or cuda.core) the launch is
        put there and goes on after this returns: what is passed has to stay alive, and what goes
        wrong is told by whoever waits for the stream. Without one, it goes to the default stream
        and has finished when this returns.

        KernelAssertionError if an assertion of the kernel is false, DeviceError for whatever else
        the driver complains about, also where there is none. LaunchError if something does not fit
        the kernel or the GPU; then nothing has run. Whatever can be is checked first, and an
        empty grid needs no GPU. MissingPackageError without cuda-bindings.
        """
        self.refuse(others)
        launch(self.symbol, self.plan, self.elements, self._image, grid, args, stream)

    def load(self) -> None:
        """Give the code to the driver now, for the current GPU; the first launch does it otherwise.

        LaunchError, DeviceError and MissingPackageError as of a launch.
        """
        load(self.symbol, self.plan, self._image)


class PtxCompilation(Compilation):
    """Kernels compiled for a GPU: `ptx` holds all of them, `plan` one launch plan each."""


def identity(target: str) -> None:
    """Nothing that is compiled for GPUs is kept on disk."""


def why_not(op: Op, target: str) -> str | None:
    """Why this target cannot lower an op, or None."""
    gpu = TARGETS[target]
    if reason := supported.why_not(op) or supported.lacks(op, gpu):
        return reason
    for value in op.results:
        if isinstance(value.type, Tile) and too_large(value.type, gpu):
            most = MOST_WORDS * gpu.max_threads
            return f"{value.type} does not fit the {most} words that one tile may take"
    return None


def compile_kernels(
    kernels: list[Kernel], target: str, launch: Mapping[str, object] = _NOTHING,
    lineinfo: bool = False, portable: bool = False,
) -> PtxCompilation:  # fmt: skip
    """PTX and plans for kernels that have passed `why_not` and the pipeline.

    `launch` has the options about launching (see `launch_terms`). With `lineinfo`, the PTX says
    which lines of source its instructions come from. `portable` leaves out what only the form of
    the target with the suffix a has.
    """
    gpu = TARGETS[target].portable() if portable else TARGETS[target]
    symbols, needed = [kernel.symbol for kernel in kernels], ptx_version(kernels)
    kernels = [
        replace(settle(kernel, gpu, launch), symbol=name)
        for kernel, name in zip(kernels, entry_names(symbols), strict=True)
    ]
    ops = [op for kernel in kernels for op in kernel.walk()]
    lines = LineTable(kernels) if lineinfo else None
    if lines and not lines.known:
        warnings.warn(NO_LINES, RuntimeWarning, stacklevel=2)
    needs = needs_of(ops, gpu)
    gpu = gpu.using(needs.features)
    version = lowest_ptx(map(contract_of, kernels), max(gpu.ptx, needs.ptx, needed))
    if lines and lines.has_calls:
        version = max(version, INLINED_CALLS)
    gpu = replace(gpu, ptx=version)
    llvm.start("all")
    machine = llvm.target_machine(
        TRIPLE, gpu.ptx_target, gpu.llvm_features, speed_level=SPEED_LEVEL
    )
    module = ir.Module(name="tileir", context=ir.Context())
    module.machine = Machine.of_gpu(gpu)
    module.triple, module.data_layout = TRIPLE, str(machine.target_data)
    for kernel in kernels:
        declare_kernel(module, kernel)
    lowered = [_lowered(module, kernel, gpu, lines) for kernel in kernels]
    text = str(module)
    parsed = llvm.parse(text)
    llvm.optimize(parsed, machine, speed_level=SPEED_LEVEL)
    ptx = machine.emit_assembly(parsed)
    if lines:
        ptx = lines.written(ptx)
    image = Image(ptx)
    entries = {
        symbol: CompiledEntry(symbol, elements, plan, image)
        for symbol, (elements, plan) in zip(symbols, lowered, strict=True)
    }
    plans = {symbol: entry.plan for symbol, entry in entries.items()}
    return PtxCompilation(target, entries, text, ptx, plans)


def _lowered(
    module: ir.Module, kernel: Kernel, gpu: Target, lines: LineTable | None
) -> tuple[list[Element], dict[str, Any]]:
    """Put a kernel into the module; its parameters and its plan.

    UnsupportedError if it needs more shared memory than a block can have.
    """
    assignment = assign_layouts(kernel, gpu)
    kernel = fit_block(kernel, gpu, assignment.threads)
    plan_rings(kernel, assignment, gpu)
    shared = lower_kernel(module, kernel, gpu, assignment, lines)
    if shared > gpu.shared_bytes:
        why = f"takes {shared} bytes of shared memory; a block of {gpu.name} has {gpu.shared_bytes}"
        found = [Diagnostic("error", "unsupported", why, function=kernel.symbol)]
        found = located(found, kernel.bytecode)
        raise UnsupportedError("tiles that threads exchange are too large:", found)
    check_shared(kernel, gpu, shared)
    elements = [value.type.element for value in kernel.parameters]
    return elements, launch_plan(kernel, gpu, shared)
