"""What has to hold of the decisions about a kernel for the CPU, whatever stage has just run."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.kernel import KernelIR
from tileir.ir import Value

from .planning.tiles import is_tile, tile_bytes
from .state import KernelState


def state_problem(each: KernelState) -> str | None:
    """Return the first problem of a kernel's buffers, None if there is none.

    The buffer of every tile, of results and of block arguments, lies inside of the workspace.
    """
    if each.storage is None:
        return None
    size = each.storage.size
    for value in _values(each.kernel):
        if is_tile(value) and value in each.storage:
            start = each.storage.offsets[id(value)]
            end = start + tile_bytes(value)
            if start < 0 or end > size:
                return f"a buffer of {value.type} has bytes {start} to {end - 1} of {size}"
    return None


def _values(kernel: KernelIR) -> Iterator[Value]:
    """Return the parameters of a kernel, the results of its ops, and the other block arguments."""
    yield from kernel.parameters
    for op in kernel.walk():
        yield from op.results
        for region in op.regions:
            for block in region.blocks:  # an absent else has none
                yield from block.arguments
