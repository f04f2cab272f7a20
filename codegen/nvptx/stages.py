"""The stages from Tile IR to PTX, in the order of `pipeline.STAGES`.

Each stage fills in fields of the module's state, or edits kernels. The stages before `emit_llvm`
decide, `emit_llvm` and those behind it carry out. The first line of a docstring is the stage's
headline in `--emit stages`.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

from llvmlite import ir

from tileir.codegen import llvm
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.written_parameters import written_parameters
from tileir.codegen.pipeline import run
from tileir.codegen.scalar.machine import Machine
from tileir.codegen.transform.count_loops import counted_loops
from tileir.codegen.transform.eliminate_dead_ops import eliminate_dead_ops
from tileir.codegen.transform.hoist_invariants import hoist_invariants
from tileir.codegen.transform.share_common_ops import share_common_ops
from tileir.gpus import Target

from .emit.frame import declare_kernel, lower_kernel
from .emit.variables import define_variables
from .launch.contract import (
    check_shared,
    fit_block,
    fit_registers,
    is_hinted,
    lowest_ptx,
    registers_of,
    settle,
)
from .launch.entry_names import entry_names, twin_name
from .launch.line_table import INLINED_CALLS, LineTable
from .launch.parameters import ptx_version, version_with
from .launch.tensor_maps import Twin
from .needs import needs_of
from .passes.choose_copies import choose_copies as copies_of
from .passes.clusters.share_copies import share_copies
from .passes.clusters.split_tiles import split_tiles as split
from .passes.fold_conversions import fold_conversions as fold
from .passes.memory.allocate_memory import allocate_memory as allocate
from .passes.memory.place_barriers import most_resident, shares_of_residents
from .passes.memory.place_barriers import place_barriers as barriers_of
from .passes.memory.place_fences import place_fences as fences_of
from .passes.overlap_products import overlap_products as overlapped
from .passes.pipeline_loops import pipeline_loops as pipeline
from .passes.products.scale_operands import scale_operands
from .passes.roles.specialise_warps import specialise_warps as specialise
from .passes.tensor_stores import store_tensors as stored_by_tensors
from .passes.to_block_ir import to_block_ir as block_ir_of
from .passes.unroll_loops import unroll_loops as unroll
from .plan import launch_plan
from .reasons import Decision
from .schedule.allocations import place_allocations
from .schedule.assign_layouts import assign_layouts as layouts_of
from .schedule.block_size import longest_vector, threads_of
from .schedule.group_products import by_warpgroups
from .schedule.mma_plan import plan_products
from .schedule.prefer_layouts import prefer_layouts as preferences_of
from .schedule.read_conversions import convert_when_read
from .schedule.register_estimate import registers_needed
from .schedule.tensor_recipes import may_have_tensor_maps
from .state import KernelState, State

__all__ = [
    "add_twins",
    "allocate_memory",
    "assign_layouts",
    "choose_atoms",
    "choose_copies",
    "choose_occupancy",
    "choose_ptx",
    "choose_threads",
    "count_loops",
    "describe_launch",
    "eliminate_dead_ops",
    "emit_llvm",
    "emit_ptx",
    "fold_conversions",
    "hoist_invariants",
    "number_lines",
    "optimise",
    "overlap_products",
    "pipeline_loops",
    "place_barriers",
    "place_fences",
    "place_variables",
    "prefer_layouts",
    "settle_launch",
    "share_common_ops",
    "specialise_warps",
    "split_tiles",
    "store_tensors",
    "to_block_ir",
    "unroll_loops",
]

TRIPLE = "nvptx64-nvidia-cuda"
SPEED_LEVEL = 1
"""The level of LLVM's back end; a higher one costs time, and ptxas optimises again."""
NO_LINES = "no line information: nothing in the module says where in source it comes from"


def count_loops(state: State) -> None:
    """Turn loops that count up to a bound into `for` loops, whose loads may go ahead."""
    for kernel_state in state.kernels:
        kernel_state.counted = counted_loops(kernel_state.kernel)


def settle_launch(state: State) -> None:
    """Settle the launch contracts of the entries, and their names in PTX.

    Which parameters are written through is found here, where all addresses are values of Tile IR.
    """
    symbols = [kernel_state.symbol for kernel_state in state.kernels]
    for kernel_state in state.kernels:
        kernel_state.written = written_parameters(kernel_state.kernel)
        kernel_state.contract = settle(kernel_state.kernel, state.target, state.launch)
    for kernel_state, name in zip(state.kernels, entry_names(symbols), strict=True):
        kernel_state.kernel = replace(kernel_state.kernel, symbol=name)


def split_tiles(state: State) -> None:
    """Split tiles between the two blocks of a cluster, where they can work together."""
    for kernel_state in state.kernels:
        split(kernel_state, state.target)


def number_lines(state: State) -> None:
    """Number source locations, if line information is asked for."""
    if not state.lineinfo:
        return
    state.lines = LineTable(kernel_state.kernel for kernel_state in state.kernels)
    if not state.lines.known:
        warnings.warn(NO_LINES, RuntimeWarning, stacklevel=2)


def choose_ptx(state: State) -> None:
    """Choose the lowest PTX ISA version, and the form of the target, that the kernels need."""
    kernels = [kernel_state.kernel for kernel_state in state.kernels]
    atoms = [plan.atom for each in state.kernels for plan in each.products.values()]
    needs = needs_of([op for kernel in kernels for op in kernel.walk()], atoms, state.target)
    state.target = state.target.using(needs.features)
    lowest = max(state.target.ptx, needs.ptx, ptx_version(kernels))
    version = lowest_ptx((kernel_state.contract for kernel_state in state.kernels), lowest)
    if state.lines and state.lines.has_calls:
        version = max(version, INLINED_CALLS)
    state.target = replace(state.target, ptx=version)


def choose_threads(state: State) -> None:
    """Choose the number of threads of a block, and the longest vector of a thread."""
    for kernel_state in state.kernels:
        kernel_state.threads = threads_of(kernel_state.kernel, state.target, kernel_state.contract)
        kernel_state.longest_vector = longest_vector(
            kernel_state.kernel, kernel_state.threads, state.target
        )
        kernel_state.contract = fit_block(
            kernel_state.kernel, state.target, kernel_state.contract, kernel_state.threads
        )


def place_variables(state: State) -> None:
    """Allocate variables (alloca) in shared memory or on the device's heap."""
    for kernel_state in state.kernels:
        kernel_state.variables, kernel_state.heap = place_allocations(
            kernel_state.kernel, state.target
        )


def choose_atoms(state: State) -> None:
    """Choose the mma instruction of each matrix product, and divide products among warps."""
    for kernel_state in state.kernels:
        kernel, threads, target = kernel_state.kernel, kernel_state.threads, state.target
        scale_operands(kernel, target)
        facts = kernel.facts(Divisibility)
        registers = registers_of(target, kernel_state.contract, threads)
        room = kernel_state.room(target)
        products = plan_products(kernel, threads, target, facts)
        chosen = by_warpgroups(kernel, products, threads, registers, target, facts, room)
        for op, why in chosen.refused.items():
            kernel_state.reasons[Decision.NOT_BY_GROUPS].add(op, why)
        kernel_state.restaged = chosen.restaged
        kernel_state.products, kernel_state.readings = convert_when_read(
            kernel_state.kernel, chosen.plans, kernel_state.threads, state.target
        )


def prefer_layouts(state: State) -> None:
    """Propagate preferred layouts forwards, from loads and matrix products."""
    for kernel_state in state.kernels:
        kernel_state.preferences = preferences_of(
            kernel_state.kernel,
            kernel_state.threads,
            kernel_state.products,
            kernel_state.longest_vector,
        )


def assign_layouts(state: State) -> None:
    """Assign a layout to every tile, backwards from stores; stage operands of matrix products."""
    for kernel_state in state.kernels:
        kernel_state.assignment = layouts_of(kernel_state, state.target)


def to_block_ir(state: State) -> None:
    """Make block IR: layouts become types; conversions, staging and exchange become ops.

    It is one conversion: ops that block IR does not have (products, folds, scans, slices, prints of
    tiles) become those that it has, and the ends of grids and heaps the ops of a kernel's frame.
    """
    for kernel_state in state.kernels:
        block_ir_of(kernel_state, state.target)


def fold_conversions(state: State) -> None:
    """Remove conversions between layouts that others can replace."""
    for kernel_state in state.kernels:
        fold(kernel_state)
        if state.target.has("tensor copies") and may_have_tensor_maps(kernel_state.kernel):
            kernel_state.untouched = kernel_state.copy()


def store_tensors(state: State) -> None:
    """Store tiles of matrix products through shared memory by tensor copies, where they can."""
    for kernel_state in state.kernels:
        stored_by_tensors(kernel_state, state.target)


def choose_copies(state: State) -> None:
    """Choose how each conversion moves elements: by registers, shuffles, or shared memory."""
    for kernel_state in state.kernels:
        room = kernel_state.room(state.target)
        copies_of(kernel_state.kernel.body, room, kernel_state.reasons[Decision.CONVERSION])
        kernel_state.kernel.edited(Divisibility)


def choose_occupancy(state: State) -> None:
    """Follow a hint for the blocks that an SM holds, as far as threads have registers enough."""
    for kernel_state in state.kernels:
        if is_hinted(kernel_state.contract):
            kernel_state.contract = fit_registers(
                state.target,
                kernel_state.contract,
                registers_needed(kernel_state.kernel.body, state.target),
            )


def pipeline_loops(state: State) -> None:
    """Software-pipeline loops: copy into rings, or load into registers, iterations ahead."""
    for kernel_state in state.kernels:
        pipeline(kernel_state, state.target)
        lowest = version_with(kernel_state.kernel, len(kernel_state.tensor_maps))
        state.target = replace(state.target, ptx=max(state.target.ptx, lowest))


def add_twins(state: State) -> None:
    """Add an entry without tensor maps for every kernel that takes some.

    It is for arguments that no tensor map can describe, and goes through the same stages.
    """
    for kernel_state in list(state.kernels):
        copy, kernel_state.untouched = kernel_state.untouched, None
        if not kernel_state.tensor_maps or copy is None:
            continue
        kernel = kernel_state.kernel
        alone = State([copy], state.target.without("tensor copies"), state.launch)
        run("nvptx", alone, since="store_tensors", until="pipeline_loops")
        taken = [each.kernel.symbol for each in state.kernels]
        copy.kernel = replace(copy.kernel, symbol=twin_name(kernel.symbol, taken))
        copy.twin_of = kernel_state
        if state.lines:
            state.lines.add(copy.kernel, kernel.symbol)
        state.kernels.append(copy)


def specialise_warps(state: State) -> None:
    """Specialise warps: where it can, one of them fills the rings of tensor copies."""
    for kernel_state in state.kernels:
        if specialise(kernel_state, state.target):
            share_copies(kernel_state, state.target)


def overlap_products(state: State) -> None:
    """Keep matrix products of an iteration under way while the next iteration starts its own."""
    for kernel_state in state.kernels:
        overlapped(kernel_state, state.target)


def place_barriers(state: State) -> None:
    """Place barriers where one thread may access what another one writes."""
    for kernel_state in state.kernels:
        kernel = kernel_state.kernel
        room = state.target.shared_of_each(kernel_state.contract["minnctapersm"])
        resident = shares_of_residents(state.target, _most_resident(kernel_state, state.target))
        barriers_of(kernel.body, kernel.facts(Divisibility), room, resident)
        kernel.edited()


def _most_resident(kernel_state: KernelState, target: Target) -> int:
    """Return the most blocks of a kernel that threads and registers of an SM may be enough for.

    Where warps have roles, `specialise_warps` has settled it.
    """
    contract = kernel_state.contract
    if any(op.name == "role" for op in kernel_state.kernel.body.block.ops):
        return contract["minnctapersm"]
    return most_resident(target, kernel_state.threads)


def place_fences(state: State) -> None:
    """Place fences between what threads store and what the async proxy reads or writes."""
    for kernel_state in state.kernels:
        fences_of(kernel_state.kernel.body)
        kernel_state.kernel.edited()
        kernel_state.ordered = True


def allocate_memory(state: State) -> None:
    """Allocate shared memory: variables, and tiles for as long as they live."""
    for kernel_state in state.kernels:
        kernel, contract = kernel_state.kernel, kernel_state.contract
        size = allocate(kernel, state.target)
        check_shared(kernel, state.target, contract, size)
        kernel_state.shared_bytes = size


def unroll_loops(state: State) -> None:
    """Unroll loops that only load and compute, to have more loads in flight."""
    for kernel_state in state.kernels:
        unroll(kernel_state)


def emit_llvm(state: State) -> None:
    """Emit LLVM IR for one thread."""
    target = state.target
    llvm.start("all")
    state.machine = llvm.target_machine(
        TRIPLE, target.ptx_target, target.llvm_features, speed_level=SPEED_LEVEL
    )
    module = ir.Module(name="tileir", context=ir.Context())
    module.machine = Machine.of_gpu(target)
    module.triple, module.data_layout = TRIPLE, str(state.machine.target_data)
    for kernel_state in state.kernels:
        declare_kernel(module, kernel_state.kernel, len(kernel_state.tensor_maps))
        kernel = kernel_state.kernel
        define_variables(module, kernel.walk(), kernel.bytecode.globals if kernel.bytecode else ())
    for kernel_state in state.kernels:
        kernel, contract = kernel_state.kernel, kernel_state.contract
        lower_kernel(module, kernel, contract, kernel_state.threads, state.lines)
    state.llvm_ir = str(module)


def optimise(state: State) -> None:
    """Run LLVM's optimisation passes."""
    state.optimised = llvm.parse(state.llvm_ir)
    llvm.simplify(state.optimised, state.machine)


def emit_ptx(state: State) -> None:
    """Emit PTX with LLVM's back end, and insert line information."""
    state.ptx = state.machine.emit_assembly(state.optimised)
    if state.lines:
        state.ptx = state.lines.written(state.ptx)


def describe_launch(state: State) -> None:
    """Write the launch plans, which say how to launch each kernel."""
    for kernel_state in state.kernels:
        if original := kernel_state.twin_of:
            threads = kernel_state.contract["num_warps"] * state.target.warp
            entry = kernel_state.kernel.symbol
            original.twin = Twin(entry, threads, kernel_state.shared_bytes)
    for kernel_state in state.kernels:
        if kernel_state.twin_of is None:
            state.plans[kernel_state.symbol] = launch_plan(kernel_state, state.target)
