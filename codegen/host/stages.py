"""The stages from Tile IR to machine code, in the order of `pipeline.STAGES`.

Each stage takes the state of the module and stores its decisions in fields of it.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.analysis.written_parameters import written_parameters
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.machine import Machine
from tileir.codegen.transform.eliminate_dead_ops import eliminate_dead_ops
from tileir.codegen.transform.hoist_invariants import hoist_invariants
from tileir.codegen.transform.share_common_ops import share_common_ops
from tileir.launch.roles import roles_of

from .checking.checks import CheckedLowering
from .counting.counted import CountedLowering
from .lowering.block_lowering import BlockLowering
from .lowering.block_run import build_driver
from .lowering.entry import argument_offsets
from .lowering.pointer_rows import loads_of_rows
from .machine import cpu
from .planning.fusion import plan_fusion
from .planning.order import Order
from .planning.storage import plan_storage
from .running.kernel_info import KernelInfo
from .state import KernelState, State

__all__ = [
    "eliminate_dead_ops",
    "emit_llvm",
    "emit_object",
    "fuse",
    "hoist_invariants",
    "optimise",
    "order",
    "place_buffers",
    "share_common_ops",
]


def order(state: State) -> None:
    """Number the ops in program order, with the loops around each."""
    for kernel_state in state.kernels:
        kernel_state.order = Order(kernel_state.kernel.body)


def fuse(state: State) -> None:
    """Decide which tiles get a buffer; all others are computed in the loops that use them.

    Checks of results look at tiles before the loops that use them, which are in buffers then. What
    is loaded is in buffers, too, where loads are counted.
    """
    for kernel_state in state.kernels:
        kernel_state.fusion = plan_fusion(
            kernel_state.order,
            deferring=not (state.counts or {"nan", "undefined"}.intersection(state.checks)),
            in_place=not state.looks_at_elements,
            slices=not state.looks_at_elements,
            by_row=None if state.looks_at_elements else loads_of_rows(kernel_state.kernel),
        )


def place_buffers(state: State) -> None:
    """Lay out the buffers in the workspace of a thread."""
    for kernel_state in state.kernels:
        kernel_state.storage = plan_storage(kernel_state.order, kernel_state.fusion)


def emit_llvm(state: State) -> None:
    """Emit LLVM IR for one tile block."""
    module = ir.Module("tileir")
    module.machine = Machine.of_host()
    module.triple, module.data_layout = cpu.triple_and_layout()
    for kernel_state in state.kernels:
        given = module, kernel_state.kernel, kernel_state.storage
        if state.counts:
            lowering = CountedLowering(*given, state.checks)
        elif state.checks:
            lowering = CheckedLowering(*given, state.checks)
        else:
            lowering = BlockLowering(*given)
        build_driver(module, kernel_state.symbol, lowering.run(), lowering.streams)
        state.entries.append(_info(kernel_state, lowering))
    state.llvm_ir = str(module)


def optimise(state: State) -> None:
    """Run LLVM's optimisation passes for this machine's CPU."""
    state.optimised = cpu.optimised(state.llvm_ir)


def emit_object(state: State) -> None:
    """Emit machine code with LLVM's back end."""
    state.object_file = cpu.object_code(state.optimised)


def _info(kernel_state: KernelState, lowering: BlockLowering) -> KernelInfo:
    """Return what a launch needs to know of a lowered kernel."""
    kernel = kernel_state.kernel
    offsets, size = argument_offsets(kernel)
    return KernelInfo(
        symbol=kernel.symbol,
        elements=tuple(value.type.element for value in kernel.parameters),
        offsets=tuple(offsets),
        size=size,
        written=frozenset(written_parameters(kernel)),
        workspace=kernel_state.storage.size,
        may_run_long=any(family_of(op) is Family.LOOP for op in kernel.walk()),
        sites=tuple(lowering.sites),
        roles=roles_of(kernel.function.body),
        counters=lowering.counters,
    )
