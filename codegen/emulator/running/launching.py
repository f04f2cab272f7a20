"""A launch on the emulator: it packs arguments and runs the grid in batches of blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from tileir.codegen.arguments.plan_schema import check_schema
from tileir.codegen.arguments.shown import shown
from tileir.codegen.emulator.counting.counts import EmulatedCounts, counts_of
from tileir.codegen.emulator.counting.recorder import Recorder
from tileir.codegen.emulator.errors import emulation_error
from tileir.codegen.emulator.memory.heap import Heap
from tileir.codegen.emulator.memory.releases import Releases
from tileir.codegen.emulator.memory.spaces import GlobalMemory
from tileir.codegen.emulator.memory.tensor_map import TensorMap
from tileir.codegen.emulator.ops.approximations import approximated
from tileir.errors import EmulationError, LaunchError
from tileir.messages.flags import flag

from .batch import Prepared, RunningBatch, Settings
from .geometry import blocks_of, blocks_together, grid_of, threads_of
from .module import KernelCode, Module
from .packing import Reach, pack, tensor_maps
from .recipes import with_tensor_maps
from .whereabouts import tell_whereabouts

HEAP, MOST_HEAP = 1 << 20, 1 << 28
"""Bytes of the heap for all blocks of a launch, and the most that a plan may raise that to."""


@dataclass(slots=True)
class Result:
    """The results of a launch, besides what it wrote to memory."""

    output: str = ""
    """The text that the kernel printed, in the order of the batches, then of time."""
    thread_instructions: Counter[str] = field(default_factory=Counter)
    """How often each opcode was executed, counted once for each thread."""
    warp_instructions: Counter[str] = field(default_factory=Counter)
    """The same, once for each warp that had a thread in it."""
    counts: EmulatedCounts | None = None
    """Counters, if the launch was asked to count."""


@lru_cache(maxsize=64)
def load_module(ptx: str) -> Module:
    """Return the module of a PTX text; cached, because kernels are launched again and again."""
    return Module(ptx)


def own_module(ptx: str) -> Module:
    """Return a module whose variables are nobody else's; without any, it is the cached one."""
    module = load_module(ptx)
    return Module(ptx) if module.variables else module


def launch(
    ptx: str | Module,
    plan: dict[str, Any],
    grid: int | Sequence[int],
    args: Sequence[Any],
    *,
    schedule: str = "lock-step",
    races: bool = True,
    allocations: Sequence[Any] = (),
    limit: int = 300_000,
    approximations: str = "exact",
    count: bool = False,
) -> Result:
    """Run a kernel on the memory of its arguments.

    `plan` is its launch plan, `grid` the tile grid. A pointer is an array or a Buffer, beyond which
    no access is allowed, or an integer: an address. `allocations` are arrays or Buffers that the
    kernel may access through addresses, too. If an address other than 0 lies in none of those, the
    extent of its memory is unknown. Then the kernel may access whatever this process can write to,
    and a wrong access may damage the process itself: the bounds, for all arguments, are those of
    the memory that is mapped when the launch begins. This takes Linux; elsewhere it is an error.

    `schedule` decides which warps run: "lock-step", all of them, first those that are furthest
    behind in the text; "ascending" or "descending", one as far as it gets, then the next, in or
    against their order; "random-7", in an order drawn with that seed; "later-blocks", those of the
    last of the blocks that run together; "late-7", all but the warp of that number. It decides
    when bulk copies are carried out, too: at once ("ascending") or when no thread can run. A
    correct kernel is correct under all of them. `limit` counts steps: in each, threads of all
    blocks that run together and are at the same instruction continue to the next branch, label or
    barrier. After that many, the kernel is taken for one that never ends. With `races`, accesses of
    two threads that nothing orders are an error.

    An array that NumPy says is read-only must not be written, unless another argument or allocation
    that is writable is the same memory.

    `approximations` is one of `APPROXIMATIONS`: whether approximate instructions on f32 give the
    nearest number, or err as much as the PTX ISA lets them. With `count`, the result has `counts`.

    What the kernel prints goes to standard output. The global variables of a text have their
    initial values at each launch, those of a Module keep what was written. Raises EmulationError.
    """
    _check(ptx, plan, limit)
    recorder = Recorder() if flag("count", count) else None
    settings = Settings(schedule, flag("races", races), limit, recorder)
    plan, args = with_tensor_maps(plan, args)
    module = _fresh(ptx)
    kernel = module.kernel(plan["entry"])
    reach = Reach([*allocations, *module.variables.values()])
    packed = pack(kernel, plan, args, reach)
    maps = tensor_maps(kernel, plan, args, reach)
    threads = threads_of(kernel, plan)
    blocks = blocks_of(kernel, plan, grid)
    together = blocks_together(kernel, threads)
    memory = _memory(kernel, plan, prod(blocks), reach, maps, settings.races)
    shared = kernel.scope.static_shared + plan["dynamic_shared_memory"]
    whole = grid_of(kernel, blocks, threads, together)
    prepared = Prepared(kernel, whole, threads, shared, memory, packed, maps, settings)
    result = Result()
    warps_in: Counter[int] = Counter()
    for first in range(0, prod(blocks), together):
        batch = RunningBatch(prepared, first, min(together, prod(blocks) - first))
        try:
            with approximated(approximations):
                _run(batch, result)
        except EmulationError as problem:
            tell_whereabouts(problem, reach.parameters, module.ptx)
            raise
        warps_in += batch.warps_in
    if recorder is not None:
        instructions = result.warp_instructions, result.thread_instructions
        result.counts = counts_of(
            kernel.name, blocks, module.ptx, kernel.blocks, warps_in, instructions, recorder
        )
    if memory.heap and memory.heap.allocated:
        raise emulation_error("heap", f"{len(memory.heap.allocated)} times malloc without free")
    return result


def _check(ptx: object, plan: object, limit: object) -> None:
    """Raise TypeError or EmulationError if these are no arguments of `launch`."""
    if not isinstance(ptx, str | Module) or not isinstance(plan, Mapping):
        kinds = f"{type(ptx).__name__} and {type(plan).__name__}"
        raise TypeError(f"expected PTX and the plan of a kernel, got {kinds}")
    if isinstance(limit, bool) or not isinstance(limit, int | np.integer):
        raise emulation_error("launch", f"limit must be a number of steps, got {shown(limit)}")
    if not isinstance(plan.get("entry"), str):
        listed = ", ".join(map(repr, plan))
        raise emulation_error("launch", f"expected the plan of one kernel, got those of {listed}")
    try:
        check_schema(plan["entry"], plan)
    except LaunchError as problem:
        raise emulation_error("launch", str(problem)) from None


def _fresh(ptx: str | Module) -> Module:
    """Return the module of a text, its variables as they were at first; a module as it is."""
    if isinstance(ptx, Module):
        return ptx
    module = load_module(ptx)
    module.reset()
    return module


def _memory(
    kernel: KernelCode,
    plan: Mapping[str, Any],
    blocks: int,
    reach: Reach,
    maps: Mapping[int, TensorMap],
    races: bool,
) -> GlobalMemory:
    """Return the global memory of a launch of so many blocks, with a heap if the kernel needs it.

    The smallest access of the kernel is what races are looked for in.
    """
    wanted = 2 * plan.get("heap", 0) * blocks
    heap = Heap(min(max(HEAP, wanted), MOST_HEAP)) if kernel.allocates else None
    sizes = [kernel.granules["global"], *(each.size for each in maps.values())]
    releases = Releases() if kernel.orders_threads else None
    granule = min(sizes) if races else None
    return GlobalMemory(reach.regions, granule, heap, releases, reach.read_only())


def _run(batch: RunningBatch, result: Result) -> None:
    try:
        with np.errstate(all="ignore"):
            batch.run()
    except EmulationError as problem:
        problem.output = _show(batch, result)
        raise
    _show(batch, result)
    for counted, visits in (
        (result.thread_instructions, batch.threads_in),
        (result.warp_instructions, batch.warps_in),
    ):
        for block, times in visits.items():
            for opcode, number in batch.kernel.opcodes[block].items():
                counted[opcode] += number * times


def _show(batch: RunningBatch, result: Result) -> str:
    """Print the output of the batch, and return that of the launch so far."""
    printed = "".join(text for _, text in batch.printed)
    result.output += printed
    print(printed, end="", flush=True)
    return result.output
