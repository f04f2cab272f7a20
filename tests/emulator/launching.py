"""A launch on the emulator: arguments into parameters, the grid in batches, what came of it."""

from __future__ import annotations

import operator
import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np

from tileir.buffer import Buffer
from tileir.codegen.arguments.grid import check_grid
from tileir.codegen.scalar.types import memory_bytes
from tileir.errors import LaunchError
from tileir.types import Scalar

from .errors import EmulationError
from .heap import Heap
from .machine import Batch, Settings
from .mapped import writable
from .memory import HostMemory
from .program import Kernel, Module

HEAP = 1 << 20
"""Bytes that all blocks of a launch may take from the heap."""
LANES, FEW_LANES = 1 << 14, 1 << 10
"""Threads that are run together at most; few where some may wait for what a block does alone."""
CLOCKS = 1 << 22
"""What they know of each other's times takes at most so many numbers."""
_SMALL_FLOATS = {
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}
_FLOATS = {"f16": "<e", "f32": "<f", "tf32": "<f", "f64": "<d"}


@dataclass(slots=True)
class Result:
    """What a launch did, besides what it wrote to memory."""

    output: str = ""
    """What the kernel printed; in the order of the batches, then of time."""
    thread_instructions: Counter[str] = field(default_factory=Counter)
    """How often each opcode was executed, counted once for each thread."""
    warp_instructions: Counter[str] = field(default_factory=Counter)
    """The same, once for each warp that had a thread in it."""


@lru_cache(maxsize=64)
def load(ptx: str) -> Module:
    """The module of a PTX text, kept because the same kernels are launched again and again."""
    return Module(ptx)


def launch(
    ptx: str | Module, plan: dict[str, Any], grid: int | Sequence[int], args: Sequence[Any], *,
    schedule: str = "lock-step", races: bool = True, allocations: Sequence[Any] = (),
    limit: int = 300_000,
) -> Result:  # fmt: skip
    """Run a kernel on the memory of its arguments.

    `plan` is its launch plan, `grid` the tile grid. A pointer is an array or a Buffer, beyond which
    no access may go, or an integer: an address. `allocations` are arrays or Buffers that the kernel
    may reach through addresses, too. If an address other than 0 lies in none of those, nobody has
    said how far its memory goes. Then the kernel may access whatever this process can write to, and
    one that goes astray may damage the process itself: bounds are those of the memory that is
    mapped when the launch begins, for all arguments. This takes Linux; elsewhere it is an error.

    `schedule` says which warps of a block go on: "lock-step", all of them, those first that are
    furthest behind in the text; "ascending" or "descending", one as far as it gets, then the next,
    in or against their order; "random-7", in an order drawn with that seed. What is right is right
    under all of them. `limit` counts steps: in each, threads of all blocks that run together and
    stand at the same place go on to the next branch, label or barrier. After so many, the kernel is
    taken for one that never ends. With `races`, accesses of two threads that nothing orders are an
    error.

    What the kernel prints goes to standard output. Global variables of a text have their initial
    values at each launch, those of a Module keep what was written. Raises EmulationError.
    """
    if not isinstance(plan.get("entry"), str):
        listed = ", ".join(map(repr, plan))
        raise EmulationError("launch", f"expected the plan of one kernel, got those of {listed}")
    module = ptx
    if isinstance(ptx, str):
        module = load(ptx)
        module.reset()
    kernel = module.kernel(plan["entry"])
    regions = [_region(each) for each in [*allocations, *module.variables.values()]]
    packed = _pack(kernel, plan, args, regions)
    if not all(_inside(address, regions) for address in _addresses(plan, args)):
        regions += writable()
    tiles = _tiles(plan, grid)
    block = tuple(plan["block"])
    if kernel.scope.entry.threads not in (None, block):
        message = f"the plan has blocks of {block}, the PTX of {kernel.scope.entry.threads}"
        raise EmulationError("launch", message)
    blocks = _blocks(kernel, plan, tiles)
    settings = Settings(schedule, races, limit)
    heap = Heap(HEAP) if kernel.allocates else None
    memory = HostMemory(regions, kernel.granules["global"] if races else None, heap)
    shared = kernel.scope.static_shared + plan["dynamic_shared_memory"]
    total = blocks[0] * blocks[1] * blocks[2]
    threads = block[0] * block[1] * block[2]
    lanes = FEW_LANES if kernel.orders_between_blocks else LANES
    together = max(1, min(lanes // threads, CLOCKS // threads**2))
    result = Result()
    for first in range(0, total, together):
        count = min(together, total - first)
        batch = Batch(kernel, blocks, first, count, block, shared, memory, bytes(packed), settings)
        _run(batch, result)
    if heap and heap.taken:
        raise EmulationError("heap", f"{len(heap.taken)} times malloc without free")
    return result


def _tiles(plan: dict[str, Any], grid: int | Sequence[int]) -> dict[str, int]:
    """The extents of the tile grid by their names."""
    try:
        tiles = dict(zip("xyz", check_grid(plan["entry"], grid), strict=True))
    except LaunchError as problem:
        raise EmulationError("launch", str(problem)) from None
    for (axis, extent), most in zip(tiles.items(), plan["grid_limits"], strict=True):
        if extent > most:
            raise EmulationError("launch", f"{extent} tile blocks along {axis}, at most {most}")
    return tiles


def _blocks(kernel: Kernel, plan: dict[str, Any], tiles: dict[str, int]) -> tuple[int, ...]:
    """The grid in blocks: what a driver makes of the launch grid."""
    entry = kernel.scope.entry
    grid = [
        tiles[axis] * times for axis, times in zip(plan["grid"], plan["grid_scale"], strict=True)
    ]
    cluster = entry.cluster or (1, 1, 1)
    if cluster != tuple(plan["cluster"]):
        message = f"the plan has clusters of {plan['cluster']}, the PTX of {cluster}"
        raise EmulationError("launch", message)
    if entry.counts_clusters:
        return tuple(extent * blocks for extent, blocks in zip(grid, cluster, strict=True))
    if any(extent % blocks for extent, blocks in zip(grid, cluster, strict=True)):
        raise EmulationError("launch", f"a grid of {grid} is no whole number of {cluster} clusters")
    return tuple(grid)


def _run(batch: Batch, result: Result) -> None:
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


def _show(batch: Batch, result: Result) -> str:
    """Print what the batch has printed; all that the launch has printed so far."""
    printed = "".join(text for _, text in batch.printed)
    result.output += printed
    print(printed, end="", flush=True)
    return result.output


def _region(argument: Any) -> tuple[int, int]:
    """Address and bytes of an array or a Buffer."""
    if isinstance(argument, Buffer):
        return argument.address, argument.nbytes
    low, high = np.lib.array_utils.byte_bounds(argument)
    return low, high - low


def _addresses(plan: dict[str, Any], args: Sequence[Any]) -> list[int]:
    """The pointers that are given as integers, but for null."""
    rows = zip(plan["parameters"], args, strict=True)
    pointers = [argument for row, argument in rows if row["type"].startswith("ptr")]
    plain = [each for each in pointers if not (isinstance(each, Buffer) or _is_array(each))]
    return [int(each) for each in plain if int(each)]


def _inside(address: int, regions: list[tuple[int, int]]) -> bool:
    return any(start <= address < start + size for start, size in regions)


def _is_array(argument: Any) -> bool:
    return hasattr(argument, "__array_interface__") and not isinstance(argument, np.generic)


def _pack(
    kernel: Kernel, plan: dict[str, Any], args: Sequence[Any], regions: list[tuple[int, int]]
) -> bytearray:
    declared, rows = kernel.scope.entry.parameters, plan["parameters"]
    if not len(declared) == len(rows) == len(args):
        message = (
            f"{len(declared)} parameters in the PTX, {len(rows)} in the plan, {len(args)} given"
        )
        raise EmulationError("launch", message)
    packed = bytearray(max(kernel.scope.parameter_bytes, 1))
    for variable, row, argument in zip(declared, rows, args, strict=True):
        offset = kernel.scope.parameters[variable.name]
        if (offset, variable.size) != (row["offset"], row["size"]):
            message = f"the plan puts parameter {row['index']} elsewhere than the PTX"
            raise EmulationError("launch", message)
        try:
            packed[offset : offset + variable.size] = _bytes(row, argument, regions)
        except (TypeError, ValueError, OverflowError) as problem:
            message = f"parameter {row['index']} ({row['type']}): {problem}"
            raise EmulationError("launch", message) from None
    return packed


def _bytes(row: dict[str, Any], argument: Any, regions: list[tuple[int, int]]) -> bytes:
    size, kind = row["size"], row["type"]
    if kind.startswith("ptr"):
        _check_elements(kind, argument)
        return _address(argument, regions).to_bytes(8, "little")
    if kind in _FLOATS:
        return struct.pack(_FLOATS[kind], float(argument))
    if kind in _SMALL_FLOATS:
        return np.float64(argument).astype(_SMALL_FLOATS[kind]).tobytes()
    return (_whole(argument) & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def _check_elements(kind: str, argument: Any) -> None:
    """ValueError for an array whose elements have another size than those of the pointer.

    The plan of a text that no compiler wrote may have pointers to nothing in particular: ``ptr``.
    """
    name = kind[len("ptr<") : -1].partition(",")[0]
    if not name or not _is_array(argument):
        return
    size, found = memory_bytes(Scalar(name)), np.asarray(argument).dtype
    if found.itemsize != size:
        raise ValueError(f"expected elements of {size} bytes, got an array of {found}")


def _address(argument: Any, regions: list[tuple[int, int]]) -> int:
    """Where memory starts, which the kernel may reach if its size is known."""
    if isinstance(argument, Buffer):
        regions.append(_region(argument))
        return argument.address
    if _is_array(argument):
        array = np.asarray(argument)
        regions.append(_region(array))
        return array.__array_interface__["data"][0]
    return _whole(argument)


def _whole(argument: Any) -> int:
    return int(argument) if isinstance(argument, np.bool_) else operator.index(argument)
