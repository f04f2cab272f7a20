"""The launch plan: all that a launcher needs besides the PTX, as plain JSON data.

schema                  1; grows when the meaning of an entry changes
entry                   symbol of the kernel in the PTX
target                  the GPU it was compiled for, as tileiras spells it
ptx_target, ptx_version what the PTX says it needs: ".target", and ".version" as "8.6"
parameters              one per parameter of the Tile IR entry, in order:
                        index, type (as in Tile IR), size and offset in bytes, naturally aligned
block                   threads along x, y and z
cluster                 blocks of a cluster along x, y and z; PTX says it too. With more than 8,
                        the kernel needs leave for clusters that not every GPU has
dynamic_shared_memory   bytes to ask for at launch; with more than 48 KB, the kernel needs leave
grid                    the launch grid, as a function of the tile grid: for x, y and z which
                        extent of the tile grid is multiplied ...
grid_scale              ... by this number: 1 unless a cluster has several blocks
grid_limits             the largest tile grid along x, y and z
contract                what was settled about the launch: term -> its value, and who chose it "by":
                        an option, an attribute, a hint (with its name), or the compiler
asserts                 whether a false assertion may end the launch
tensor_maps             recipes for tensor maps, which follow the parameters; none so far
"""

from __future__ import annotations

from typing import Any

from tileir.types import Element

from ..arguments.grid import MAX_EXTENT
from ..kernel import Kernel
from ..launch_terms import TERMS
from ..scalar.types import memory_bytes
from .launch_contract import Contract, contract_of
from .targets import Target

SCHEMA = 1


def launch_plan(kernel: Kernel, target: Target, shared: int) -> dict[str, Any]:
    """The plan of one kernel whose block is known, with so many bytes of shared memory."""
    major, minor = target.ptx
    contract = contract_of(kernel)
    cluster = contract["cluster_dim"]
    scale = (1, 1, 1) if contract["blocksareclusters"] else cluster
    return {
        "schema": SCHEMA,
        "entry": kernel.symbol,
        "target": target.name,
        "ptx_target": target.base,
        "ptx_version": f"{major}.{minor}",
        "parameters": _parameters([value.type.element for value in kernel.parameters]),
        "block": [contract["num_warps"] * target.warp, 1, 1],
        "cluster": list(cluster),
        "dynamic_shared_memory": shared,
        "grid": ["x", "y", "z"],
        "grid_scale": list(scale),
        "grid_limits": [
            min(limit // blocks, MAX_EXTENT)
            for limit, blocks in zip(target.max_grid, cluster, strict=True)
        ],
        "asserts": any(op.name == "assert" for op in kernel.walk()),
        "tensor_maps": [],
        "contract": {term.name: _choice(contract, term.name) for term in TERMS},
    }


def _choice(contract: Contract, term: str) -> dict[str, Any]:
    value = contract[term]
    return {"value": list(value) if isinstance(value, tuple) else value, "by": contract.by(term)}


def _parameters(elements: list[Element]) -> list[dict[str, Any]]:
    rows, end = [], 0
    for index, element in enumerate(elements):
        size = memory_bytes(element)
        offset = -(-end // size) * size
        rows.append({"index": index, "type": str(element), "size": size, "offset": offset})
        end = offset + size
    return rows
