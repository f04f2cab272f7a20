"""The stages from Tile IR to PTX, in the order of `pipeline.STAGES`.

Each takes the state of the module and puts what it decides into fields of it. Those before
`emit_llvm` decide, those behind it carry out; what is only decided in `emit_llvm`, since it depends
on the code around, leaves remarks.
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
from .emit.products.fill_staged import place_staged
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
from .schedule.unroll import trips_at_once
from .state import KernelState, State

__all__ = [
    "allocate_memory", "assign_layouts", "choose_atoms", "choose_ptx_version", "choose_threads",
    "describe_launch", "eliminate_dead_ops", "emit_llvm", "emit_ptx", "number_lines", "optimise",
    "pipeline_loops", "place_barriers", "place_variables", "prefer_layouts", "read_ahead",
    "settle_launch", "unroll_loops",
]  # fmt: skip

TRIPLE = "nvptx64-nvidia-cuda"
SPEED_LEVEL = 1
"""Of LLVM's optimiser: more costs time, and ptxas does it again."""
NO_LINES = "no line information: nothing in the module says where in source it comes from"


def settle_launch(state: State) -> None:
    """Settle what is said about launches, and what entries are called in PTX."""
    symbols = [each.symbol for each in state.kernels]
    for each in state.kernels:
        each.contract = settle(each.kernel, state.target, state.launch)
    for each, name in zip(state.kernels, entry_names(symbols), strict=True):
        each.kernel = replace(each.kernel, symbol=name)


def number_lines(state: State) -> None:
    """Number the positions in source, if the PTX is to tell them."""
    if not state.lineinfo:
        return
    state.lines = LineTable(each.kernel for each in state.kernels)
    if not state.lines.known:
        warnings.warn(NO_LINES, RuntimeWarning, stacklevel=2)


def choose_ptx_version(state: State) -> None:
    """Choose the form of the target and the lowest PTX ISA version that all kernels can do with."""
    kernels = [each.kernel for each in state.kernels]
    needs = needs_of([op for kernel in kernels for op in kernel.walk()], state.target)
    state.target = state.target.using(needs.features)
    lowest = max(state.target.ptx, needs.ptx, ptx_version(kernels))
    version = lowest_ptx((each.contract for each in state.kernels), lowest)
    if state.lines and state.lines.has_calls:
        version = max(version, INLINED_CALLS)
    state.target = replace(state.target, ptx=version)


def choose_threads(state: State) -> None:
    """Choose how many threads a block has, and how many neighbours each of them holds at most."""
    for each in state.kernels:
        each.threads = threads_of(each.kernel, state.target, each.contract)
        each.longest_vector = longest_vector(each.kernel, each.threads, state.target)
        each.contract = fit_block(each.kernel, state.target, each.contract, each.threads)


def place_variables(state: State) -> None:
    """Place what a block allocates: in shared memory, or on the device's heap."""
    for each in state.kernels:
        each.variables, each.heap = place_allocations(each.kernel, state.target)


def choose_atoms(state: State) -> None:
    """Cut matrix products into atoms, the instructions of tensor cores, divided by warps."""
    for each in state.kernels:
        facts = each.kernel.facts(Divisibility)
        each.products = plan_products(each.kernel, each.threads, state.target, facts)


def prefer_layouts(state: State) -> None:
    """Find the layout in which each tile comes into being most cheaply, forwards from loads."""
    for each in state.kernels:
        each.preferences = preferences_of(
            each.kernel, each.threads, each.products, each.longest_vector
        )


def assign_layouts(state: State) -> None:
    """Assign layouts, backwards from stores; tiles that products read are staged."""
    for each in state.kernels:
        each.assignment = layouts_of(each, state.target)


def pipeline_loops(state: State) -> None:
    """Fetch what loops multiply iterations ahead, through a ring of buffers."""
    for each in state.kernels:
        plan_rings(each, state.target)


def place_barriers(state: State) -> None:
    """Place barriers where tokens order what different threads do."""
    for each in state.kernels:
        each.barriers = barriers_of(each.kernel, each.assignment)
        each.updates_nibbles = nibbles.stores(each.kernel)


def read_ahead(state: State) -> None:
    """Load a trip ahead, into registers, what loops load in which threads meet or write."""
    for each, loop in _loops(state):
        if loads := loads_ahead(loop, each.assignment, each.barriers):
            each.reads_ahead[loop] = loads


def allocate_memory(state: State) -> None:
    """Give staged tiles their places in shared memory, behind variables."""
    for each in state.kernels:
        staged = each.assignment.staged
        each.kept_bytes = place_staged(each.kernel, staged, each.variables.size)


def unroll_loops(state: State) -> None:
    """Make several trips of plain loops at once, so that enough loads are under way."""
    for each, loop in _loops(state):
        trips = trips_at_once(loop, each.assignment)
        if trips > 1:
            each.trips[loop] = trips


def emit_llvm(state: State) -> None:
    """Write LLVM IR for one thread; shared memory is known then."""
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
    """Run LLVM's optimiser."""
    state.optimised = llvm.parse(state.llvm_ir)
    llvm.optimize(state.optimised, state.machine, speed_level=SPEED_LEVEL)


def emit_ptx(state: State) -> None:
    """Have LLVM write PTX, and put positions in source into it."""
    state.ptx = state.machine.emit_assembly(state.optimised)
    if state.lines:
        state.ptx = state.lines.written(state.ptx)


def describe_launch(state: State) -> None:
    """Describe what a launcher has to know."""
    for each in state.kernels:
        state.plans[each.symbol] = launch_plan(each, state.target)


def _loops(state: State):
    """The kernels and each of their `for` loops."""
    for each in state.kernels:
        for op in each.kernel.walk():
            if op.name == "for":
                yield each, op


def _check_shared(state: State, each: KernelState) -> None:
    """UnsupportedError if a kernel needs more shared memory than a block can have."""
    target, kernel = state.target, each.kernel
    if each.shared_bytes > target.shared_bytes:
        why = (
            f"takes {each.shared_bytes} bytes of shared memory;"
            f" a block of {target.name} has {target.shared_bytes}"
        )
        found = [Diagnostic("error", "unsupported", why, function=kernel.symbol)]
        found = located(found, kernel.bytecode)
        raise UnsupportedError("tiles that threads exchange are too large:", found)
    check_shared(kernel, target, each.contract, each.shared_bytes)
