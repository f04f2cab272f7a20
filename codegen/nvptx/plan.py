"""The launch plan: all that a launcher needs besides the PTX, as plain JSON data.

schema                  1; grows when the meaning of an entry changes
entry                   symbol of the kernel in the PTX
target                  the GPU it was compiled for, as tileiras spells it
ptx_target, ptx_version what the PTX says it needs: ".target", and ".version" as "8.6"
parameters              one per parameter of the Tile IR entry, in order:
                        index, type (as in Tile IR), size and offset in bytes, naturally aligned
block                   threads along x, y and z
cluster                 blocks of a cluster along x, y and z
dynamic_shared_memory   bytes to ask for at launch
grid                    the launch grid, as a function of the tile grid: for x, y and z which
                        extent of the tile grid it is
grid_limits             the largest tile grid along x, y and z
tensor_maps             recipes for tensor maps, which follow the parameters; none so far
"""

from __future__ import annotations

from typing import Any

from tileir.types import Element

from ..kernel import Kernel
from ..passes.infer_divisibility import GRID_LIMIT
from ..scalar.types import memory_bytes
from .targets import Target

SCHEMA = 1


def launch_plan(kernel: Kernel, target: Target, threads: int, shared: int) -> dict[str, Any]:
    """The plan of one kernel, with blocks of `threads` and so many bytes of shared memory."""
    major, minor = target.ptx
    return {
        "schema": SCHEMA,
        "entry": kernel.symbol,
        "target": target.name,
        "ptx_target": target.base,
        "ptx_version": f"{major}.{minor}",
        "parameters": _parameters([value.type.element for value in kernel.parameters]),
        "block": [threads, 1, 1],
        "cluster": [1, 1, 1],
        "dynamic_shared_memory": shared,
        "grid": ["x", "y", "z"],
        "grid_limits": [min(limit, GRID_LIMIT) for limit in target.max_grid],
        "tensor_maps": [],
    }


def _parameters(elements: list[Element]) -> list[dict[str, Any]]:
    rows, end = [], 0
    for index, element in enumerate(elements):
        size = memory_bytes(element)
        offset = -(-end // size) * size
        rows.append({"index": index, "type": str(element), "size": size, "offset": offset})
        end = offset + size
    return rows
