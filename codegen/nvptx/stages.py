"""The stages from Tile IR to PTX, in the order of `pipeline.STAGES`.

Each stage fills in fields of the module's state. The stages before `emit_llvm` decide, `emit_llvm`
and those behind it carry out. What is decided only in `emit_llvm`, because it depends on the code
emitted so far, is noted as remarks. The first line of a docstring is the stage's headline in
`--emit stages`.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

from llvmlite import ir

from tileir.codegen import llvm
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.scalar.machine import Machine
from tileir.codegen.transform.eliminate_dead_ops import eliminate_dead_ops
from tileir.errors import Diagnostic, UnsupportedError
from tileir.read.text_positions import located

from .emit.control.read_ahead import loads_ahead
from .emit.kernel import declare_kernel, lower_kernel
from .emit.memory import nibbles
from .emit.products.fill_staged import allocate_staged
from .launch.contract import check_shared, fit_block, lowest_ptx, settle
from .launch.entry_names import entry_names
from .launch.line_table import INLINED_CALLS, LineTable
from .launch.parameters import ptx_version
from .needs import needs_of
from .plan import launch_plan
from .schedule.allocations import place_allocations
from .schedule.assign_layouts import assign_layouts as layouts_of
from .schedule.block_size import longest_vector, threads_of
from .schedule.mma_plan import plan_products
from .schedule.place_barriers import place_barriers as barriers_of
from .schedule.plan_rings import plan_rings
from .schedule.prefer_layouts import prefer_layouts as preferences_of
from .schedule.unroll import unroll_factor
from .state import KernelState, State

__all__ = [
    "allocate_memory",
    "assign_layouts",
    "choose_atoms",
    "choose_ptx",
    "choose_threads",
    "describe_launch",
    "eliminate_dead_ops",
    "emit_llvm",
    "emit_ptx",
    "number_lines",
    "optimise",
    "pipeline_loops",
    "place_barriers",
    "place_variables",
    "prefer_layouts",
    "read_ahead",
    "settle_launch",
    "unroll_loops",
]

TRIPLE = "nvptx64-nvidia-cuda"
SPEED_LEVEL = 1
"""The optimisation level of LLVM; a higher one costs time, and ptxas optimises again."""
NO_LINES = "no line information: nothing in the module says where in source it comes from"


def settle_launch(state: State) -> None:
    """Settle the launch contracts of the entries, and their names in PTX."""
    symbols = [each.symbol for each in state.kernels]
    for each in state.kernels:
        each.contract = settle(each.kernel, state.target, state.launch)
    for each, name in zip(state.kernels, entry_names(symbols), strict=True):
        each.kernel = replace(each.kernel, symbol=name)


def number_lines(state: State) -> None:
    """Number source locations, if line information is asked for."""
    if not state.lineinfo:
        return
    state.lines = LineTable(each.kernel for each in state.kernels)
    if not state.lines.known:
        warnings.warn(NO_LINES, RuntimeWarning, stacklevel=2)


def choose_ptx(state: State) -> None:
    """Choose the lowest PTX ISA version, and the form of the target, that the kernels need."""
    kernels = [each.kernel for each in state.kernels]
    needs = needs_of([op for kernel in kernels for op in kernel.walk()], state.target)
    state.target = state.target.using(needs.features)
    lowest = max(state.target.ptx, needs.ptx, ptx_version(kernels))
    version = lowest_ptx((each.contract for each in state.kernels), lowest)
    if state.lines and state.lines.has_calls:
        version = max(version, INLINED_CALLS)
    state.target = replace(state.target, ptx=version)


def choose_threads(state: State) -> None:
    """Choose the number of threads of a block, and the longest vector of a thread."""
    for each in state.kernels:
        each.threads = threads_of(each.kernel, state.target, each.contract)
        each.longest_vector = longest_vector(each.kernel, each.threads, state.target)
        each.contract = fit_block(each.kernel, state.target, each.contract, each.threads)


def place_variables(state: State) -> None:
    """Allocate variables (alloca) in shared memory or on the device's heap."""
    for each in state.kernels:
        each.variables, each.heap = place_allocations(each.kernel, state.target)


def choose_atoms(state: State) -> None:
    """Choose the mma instruction of each matrix product, and divide products among warps."""
    for each in state.kernels:
        facts = each.kernel.facts(Divisibility)
        each.products = plan_products(each.kernel, each.threads, state.target, facts)


def prefer_layouts(state: State) -> None:
    """Propagate preferred layouts forwards, from loads and matrix products."""
    for each in state.kernels:
        each.preferences = preferences_of(
            each.kernel, each.threads, each.products, each.longest_vector
        )


def assign_layouts(state: State) -> None:
    """Assign a layout to every tile, backwards from stores; stage operands of matrix products."""
    for each in state.kernels:
        each.assignment = layouts_of(each, state.target)


def pipeline_loops(state: State) -> None:
    """Software-pipeline loops: copy operands of matrix products ahead, into a ring of buffers."""
    for each in state.kernels:
        plan_rings(each, state.target)


def place_barriers(state: State) -> None:
    """Place barriers where tokens order memory accesses of different threads."""
    for each in state.kernels:
        each.barriers = barriers_of(each.kernel, each.assignment)
        each.updates_nibbles = nibbles.stores(each.kernel)


def read_ahead(state: State) -> None:
    """Load one iteration ahead, into registers, in loops that have barriers or stores."""
    for each, loop in _loops(state):
        if loads := loads_ahead(loop, each.assignment, each.barriers):
            each.reads_ahead[loop] = loads


def allocate_memory(state: State) -> None:
    """Allocate shared memory for staged tiles, behind the variables."""
    for each in state.kernels:
        staged = each.assignment.staged
        each.kept_bytes = allocate_staged(each.kernel, staged, each.variables.size)


def unroll_loops(state: State) -> None:
    """Unroll loops that only load and compute, to have more loads in flight."""
    for each, loop in _loops(state):
        factor = unroll_factor(loop, each.assignment)
        if factor > 1:
            each.unroll_factors[loop] = factor


def emit_llvm(state: State) -> None:
    """Emit LLVM IR for one thread, and find out how much shared memory a block takes."""
    target = state.target
    llvm.start("all")
    state.machine = llvm.target_machine(
        TRIPLE, target.ptx_target, target.llvm_features, speed_level=SPEED_LEVEL
    )
    module = ir.Module(name="tileir", context=ir.Context())
    module.machine = Machine.of_gpu(target)
    module.triple, module.data_layout = TRIPLE, str(state.machine.target_data)
    for each in state.kernels:
        declare_kernel(module, each.kernel)
    for each in state.kernels:
        each.shared_bytes = lower_kernel(module, each, target, state.lines)
        _check_shared(state, each)
    state.llvm_ir = str(module)


def optimise(state: State) -> None:
    """Run LLVM's optimisation passes."""
    state.optimised = llvm.parse(state.llvm_ir)
    llvm.optimize(state.optimised, state.machine, speed_level=SPEED_LEVEL)


def emit_ptx(state: State) -> None:
    """Emit PTX with LLVM's back end, and insert line information."""
    state.ptx = state.machine.emit_assembly(state.optimised)
    if state.lines:
        state.ptx = state.lines.written(state.ptx)


def describe_launch(state: State) -> None:
    """Write the launch plans, which say how to launch each kernel."""
    for each in state.kernels:
        state.plans[each.symbol] = launch_plan(each, state.target)


def _loops(state: State):
    """Return each kernel with each of its `for` loops."""
    for each in state.kernels:
        for op in each.kernel.walk():
            if op.name == "for":
                yield each, op


def _check_shared(state: State, each: KernelState) -> None:
    """Raise UnsupportedError if a kernel needs more shared memory than a block can have."""
    target, kernel = state.target, each.kernel
    if each.shared_bytes > target.shared_bytes:
        why = (
            f"takes {each.shared_bytes} bytes of shared memory;"
            f" a block of {target.name} has {target.shared_bytes}"
        )
        problem = Diagnostic("error", "unsupported", why, function=kernel.symbol)
        diagnostics = located([problem], kernel.bytecode)
        raise UnsupportedError("tiles that threads exchange are too large:", diagnostics)
    check_shared(kernel, target, each.contract, each.shared_bytes)
