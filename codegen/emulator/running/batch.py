"""A running batch: some blocks of a grid together; it chooses the lanes that run next."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from tileir.codegen.emulator.counting.recorder import Recorder
from tileir.codegen.emulator.errors import emulation_error
from tileir.codegen.emulator.memory.bulk import BulkCopies
from tileir.codegen.emulator.memory.copies import Copies
from tileir.codegen.emulator.memory.mbarriers import Mbarriers
from tileir.codegen.emulator.memory.products import Products
from tileir.codegen.emulator.memory.proxies import AsyncProxy
from tileir.codegen.emulator.memory.scratch import Scratch
from tileir.codegen.emulator.memory.spaces import GlobalMemory, Memory
from tileir.codegen.emulator.memory.tensor_map import TensorMap
from tileir.codegen.emulator.ptx.control import DONE
from tileir.codegen.emulator.threads.barriers import Barriers
from tileir.codegen.emulator.threads.clocks import Clocks
from tileir.codegen.emulator.threads.clusters import ClusterBarriers
from tileir.codegen.emulator.threads.lanes import WARP, Lanes
from tileir.codegen.emulator.threads.registers import Registers
from tileir.codegen.emulator.threads.schedules import Completion, ranks
from tileir.codegen.emulator.threads.scopes import Grid
from tileir.codegen.emulator.threads.special import special_register
from tileir.errors import EmulationError

from .geometry import cluster_of
from .module import KernelCode

FAIR, FAIR_AMONG_BLOCKS = 97, 7
"""Steps after which another group of lanes gets a turn, so that spinning lanes end at last; fewer
where blocks may wait for each other."""


@dataclass(slots=True)
class Settings:
    """Options of a launch."""

    schedule: str = "lock-step"
    races: bool = True
    limit: int = 300_000
    """The most steps of a batch: a step is one basic block for some lanes."""
    recorder: Recorder | None = None
    """What is told of accesses to memory, if the launch counts."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What all batches of a launch have in common."""

    kernel: KernelCode
    grid: Grid
    threads: tuple[int, int, int]
    """The shape of a block."""
    shared_bytes: int
    """Shared memory of a block."""
    memory: GlobalMemory
    parameters: bytes
    """The arguments, as the kernel has them."""
    maps: Mapping[int, TensorMap]
    """The tensor maps among the arguments, by their offsets."""
    settings: Settings


class RunningBatch:
    """Blocks `first`, `first + 1` ... of a grid, with the state of their threads."""

    def __init__(self, launch: Prepared, first: int, blocks: int) -> None:
        """Prepare `blocks` blocks of a launch, from `first` on; nothing runs yet."""
        kernel, grid, memory, settings = launch.kernel, launch.grid, launch.memory, launch.settings
        shape, shared_bytes = launch.threads, launch.shared_bytes
        self.kernel, self.scope, self.grid = kernel, kernel.scope, grid.extents
        self.first, self.blocks = first, blocks
        self.shape, self.parameters, self.settings = shape, launch.parameters, settings
        self.schedule, self.tensor_maps = settings.schedule, launch.maps
        self.recorder = settings.recorder
        self.shared_bytes = shared_bytes
        self.cluster = cluster_of(kernel)
        self.threads = shape[0] * shape[1] * shape[2]
        self.pitch = grid.threads
        self.count = blocks * self.pitch
        self.kinds = kernel.scope.kinds
        self.fair = FAIR_AMONG_BLOCKS if kernel.orders_threads else FAIR
        self.registers: dict[int, Any] = defaultdict(lambda: None)
        self.defined: dict[int, Any] = defaultdict(lambda: None)
        lane = np.arange(self.count)
        self.block_of, self.thread_of = lane // self.pitch, lane % self.pitch
        self.clocks = Clocks(first, blocks, grid)
        granule = kernel.granules["shared"] if settings.races else None
        orders = kernel.orders_threads
        cluster = prod(self.cluster)
        self.shared = shared = Scratch(
            "shared", blocks, self.block_of, shared_bytes, granule, orders, cluster
        )
        local = Scratch("local", self.count, lane, kernel.scope.local_bytes, None, cluster=0)
        self.spaces: dict[str, Memory] = {"global": memory, "shared": shared, "local": local}
        self.next = np.where(self.thread_of < self.threads, 0, DONE).astype(np.int32)
        self.waiting = np.zeros(self.count, bool)
        self.barriers = Barriers(self)
        self.async_proxy = AsyncProxy(self, shared, memory)
        self.products = Products(self, self.async_proxy)
        completion = Completion(settings.schedule)
        self.mbarriers = Mbarriers(self, shared, completion)
        self.cluster_barriers = ClusterBarriers(self)
        entry = kernel.scope.entry
        self.registers_of_warps = Registers(self, entry.most_registers, entry.resident)
        self.bulk = BulkCopies(self, self.async_proxy, self.mbarriers, completion)
        self.copies = Copies(self, memory, shared, self.mbarriers, completion)
        self.outgoing: dict[str, Any] = {}
        self.printed: list[tuple[int, str]] = []
        self.threads_in: Counter[int] = Counter()
        self.warps_in: Counter[int] = Counter()
        self._special: dict[str, Any] = {}
        order = ranks(settings.schedule, blocks, self.pitch // WARP)
        self.ranks = np.repeat(order.ravel(), WARP) if order.any() else None

    # Coordinates ------------------------------------------------------------------------------

    def block_and_threads(
        self, numbers: np.ndarray
    ) -> tuple[tuple[int, int, int], tuple[int, ...]]:
        """Return the block of the first of these lanes, and the threads of the lanes in it."""
        block = self.block_of[numbers[0]]
        here = numbers[self.block_of[numbers] == block]
        threads = dict.fromkeys(self.thread_of[here].tolist())
        return self.coordinates(self.first + int(block)), tuple(threads)

    def coordinates(self, number: int) -> tuple[int, int, int]:
        """Return the coordinates of a block in the grid."""
        grid = self.clocks.grid
        return grid.coordinate(number, 0), grid.coordinate(number, 1), grid.coordinate(number, 2)

    def special(self, name: str) -> Any:
        """Return the value of a special register for all lanes."""
        if name not in self._special:
            self._special[name] = special_register(self, name)
        return self._special[name]

    # Running ----------------------------------------------------------------------------------

    def run(self) -> None:
        """Run until every thread has ended."""
        self._run()
        self.bulk.end()
        if self.shared.visits and (problem := self.shared.visits.end(self)):
            raise problem
        if problem := self.registers_of_warps.end():
            raise emulation_error("registers", problem, schedule=self.schedule)

    def _run(self) -> None:
        everyone, counting = Lanes(self, None), self.recorder is not None
        together = 0 if (self.next == 0).all() and self.ranks is None else None
        for step in range(self.settings.limit):
            if self._is_turn(step):
                self._finish_some()
            if together is not None and not self.kernel.blocks[together].needs_warp:
                block, lanes = together, everyone
            else:
                chosen = self._choose(step)
                if chosen is None:
                    return
                block, index = chosen
                lanes = everyone if len(index) == self.count else Lanes(self, index)
            self._count(block, lanes)
            together = self._go(lanes, self.kernel.function(block, counting)(lanes))
            if together == DONE:
                return
        steps = self.settings.limit
        raise self._stuck("livelock", f"not done after {steps} steps, so taken to run for ever")

    def _count(self, block: int, lanes: Lanes) -> None:
        self.threads_in[block] += lanes.count
        if lanes.index is None:
            self.warps_in[block] += self.count // WARP
        else:
            warps = lanes.index // WARP
            self.warps_in[block] += 1 + int(np.count_nonzero(warps[1:] != warps[:-1]))

    def _go(self, lanes: Lanes, target: Any) -> int | None:
        """Send lanes to their next blocks; return the block if all lanes of the batch go to one."""
        if isinstance(target, tuple):
            guard, taken, other = target
            if guard.all():
                target = taken
            elif not guard.any():
                target = other
            else:
                target = np.where(guard, taken, other)
        everyone = lanes.index is None
        self.next[slice(None) if everyone else lanes.index] = target
        uniform = everyone and np.ndim(target) == 0 and not self.waiting.any()
        return int(target) if uniform and self.ranks is None else None

    def _choose(self, step: int) -> tuple[int, np.ndarray] | None:
        """Return a block and the lanes that execute it now; None when all have ended."""
        while True:
            runnable = self._runnable()
            if chosen := self._first(step, runnable):
                return chosen
            self.barriers.release()
            self.cluster_barriers.release()
            if (self._runnable() != runnable).any():
                continue
            if (self.next == DONE).all():
                return None
            if not self._finish_some() and not self.mbarriers.give_up():
                raise self._stuck("deadlock", self._who_waits())

    def _runnable(self) -> np.ndarray:
        return (self.next != DONE) & ~self.waiting

    def _first(self, step: int, runnable: np.ndarray) -> tuple[int, np.ndarray] | None:
        """Return the block, and its lanes, whose turn it is; None if no lane can go on."""
        groups = self._groups(runnable) if runnable.any() else []
        turn = step // self.fair % len(groups) if groups and self._is_turn(step) else 0
        for rank, block in groups[turn:] + groups[:turn]:
            basic_block = self.kernel.blocks[block]
            here = runnable & (self.next == block)
            # Warps of a warpgroup that have come far enough do not wait for their ranks.
            index = np.flatnonzero(here if basic_block.warpgroup else here & self._ranked(rank))
            if basic_block.ends_at_aligned_barrier:
                # The barrier is for whole warps, of which some lanes may only be late.
                torn = np.asarray(self.waiting.reshape(-1, WARP).any(axis=1))
                index = index[~torn[index // WARP]]
                index = self._first_in_warp(index, runnable) if turn else index
            if basic_block.needs_warp or basic_block.aligned or basic_block.warpgroup:
                index = self.barriers.converged(basic_block, index)
            if len(index):
                return block, index
        return None

    def _is_turn(self, step: int) -> bool:
        """Whether another group of lanes gets a turn."""
        return step % self.fair == self.fair - 1

    def _finish_some(self) -> bool:
        """Carry out copies that threads may wait for; False if there are none."""
        return self.bulk.finish_some() or self.copies.arrive_some()

    def _who_waits(self) -> str:
        held = "; ".join(
            told
            for each in (
                self.barriers,
                self.mbarriers,
                self.cluster_barriers,
                self.registers_of_warps,
            )
            for told in each.who_waits()
        )
        if self._runnable().any():
            return f"lanes wait for others of their warp or warpgroup{': ' if held else ''}{held}"
        return f"all threads that have not ended wait at barriers: {held}"

    def _first_in_warp(self, index: np.ndarray, runnable: np.ndarray) -> np.ndarray:
        """Return the lanes whose block is the first one among the runnable lanes of their warp."""
        places, last = self.kernel.places[self.next], len(self.kernel.blocks)
        first = np.where(runnable, places, last).reshape(-1, WARP).min(axis=1)
        return index[places[index] == first[index // WARP]]

    def _ranked(self, rank: int) -> Any:
        return True if self.ranks is None else self.ranks == rank

    def _groups(self, runnable: np.ndarray) -> list[tuple[int, int]]:
        """Return ranks and blocks that have runnable lanes, in the order of the schedule."""
        order, keys = self.kernel.scope.order, self.kernel.places[self.next[runnable]]
        if self.ranks is not None:
            keys = self.ranks[runnable].astype(np.int64) << 32 | keys
        return [(key >> 32, order[key & 0xFFFFFFFF]) for key in _distinct(keys)]

    def _stuck(self, kind: str, message: str) -> EmulationError:
        numbers = np.flatnonzero(self.next != DONE)
        block, threads = self.block_and_threads(numbers)
        waits = self.waiting[numbers[0]]
        statements = self.kernel.blocks[max(int(self.next[numbers[0]]) - waits, 0)].statements
        last = statements[-1 if waits else 0] if statements else None
        return emulation_error(
            kind,
            message,
            line=last.line if last else None,
            text=last.text if last else "",
            block=block,
            threads=threads,
            schedule=self.schedule,
        )


def _distinct(values: np.ndarray) -> list[int]:
    """Return the different values of an array, ascending; `np.unique` takes longer for few."""
    values = np.sort(values)
    return [*values[:1].tolist(), *values[1:][values[1:] != values[:-1]].tolist()]
