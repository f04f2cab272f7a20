"""The blocks of a launch: their grid, their threads, and how many of them run together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from tileir.codegen.arguments.grid import check_grid
from tileir.codegen.emulator.errors import emulation_error
from tileir.codegen.emulator.threads.lanes import WARP
from tileir.codegen.emulator.threads.scopes import CLOCKS, Grid
from tileir.errors import LaunchError

from .module import KernelCode

LANES, FEW_LANES = 1 << 14, 1 << 10
"""The most threads of a batch; few where blocks may wait for each other."""
Extents = tuple[int, int, int]


def threads_of(kernel: KernelCode, plan: Mapping[str, Any]) -> Extents:
    """Return the shape of a block; EmulationError if plan and PTX differ in it."""
    threads = tuple(plan["block"])
    if kernel.scope.entry.threads not in (None, threads):
        message = f"the plan has blocks of {threads}, the PTX of {kernel.scope.entry.threads}"
        raise emulation_error("launch", message)
    return threads


def blocks_of(kernel: KernelCode, plan: Mapping[str, Any], grid: int | Sequence[int]) -> Extents:
    """Return the grid in blocks, as a driver computes it from the grid of tiles."""
    entry, tiles = kernel.scope.entry, _tiles(plan, grid)
    extents = [
        tiles[axis] * times for axis, times in zip(plan["grid"], plan["grid_scale"], strict=True)
    ]
    cluster = cluster_of(kernel)
    if cluster != tuple(plan["cluster"]):
        message = f"the plan has clusters of {plan['cluster']}, the PTX of {cluster}"
        raise emulation_error("launch", message)
    if entry.counts_clusters:
        return tuple(extent * blocks for extent, blocks in zip(extents, cluster, strict=True))
    if any(extent % blocks for extent, blocks in zip(extents, cluster, strict=True)):
        raise emulation_error(
            "launch", f"a grid of {extents} is no whole number of {cluster} clusters"
        )
    return tuple(extents)


def cluster_of(kernel: KernelCode) -> Extents:
    """Return the blocks of a cluster along each axis."""
    return kernel.scope.entry.cluster or (1, 1, 1)


def blocks_together(kernel: KernelCode, threads: Extents) -> int:
    """Return how many blocks of a launch run together: whole clusters, at least one."""
    lanes = FEW_LANES if kernel.orders_threads else LANES
    size = prod(cluster_of(kernel))
    return max(1, min(lanes // prod(threads), CLOCKS // prod(threads) ** 2) // size) * size


def grid_of(kernel: KernelCode, blocks: Extents, threads: Extents, together: int) -> Grid:
    """Return the grid of a launch, of which so many blocks run together."""
    pitch = -(-prod(threads) // WARP) * WARP
    return Grid(blocks, cluster_of(kernel), pitch, together * pitch, kernel.agents)


def _tiles(plan: Mapping[str, Any], grid: int | Sequence[int]) -> dict[str, int]:
    """Return the extents of the tile grid by the names of its axes."""
    try:
        tiles = dict(zip("xyz", check_grid(plan["entry"], grid), strict=True))
    except LaunchError as problem:
        raise emulation_error("launch", str(problem)) from None
    for (axis, extent), most in zip(tiles.items(), plan["grid_limits"], strict=True):
        if extent > most:
            raise emulation_error("launch", f"{extent} tile blocks along {axis}, at most {most}")
    return tiles
