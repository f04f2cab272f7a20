"""What has to hold of the decisions about a kernel for the CPU, whatever stage has just run."""

from __future__ import annotations

from .planning.tiles import is_tile, tile_bytes
from .state import KernelState


def state_problem(each: KernelState) -> str | None:
    """Return the first problem of a kernel's buffers, None if there is none.

    Every buffer lies inside of the workspace.
    """
    if each.storage is None:
        return None
    for op in each.kernel.walk():
        for value in op.results:
            if is_tile(value) and value in each.storage:
                end = each.storage.offsets[id(value)] + tile_bytes(value)
                if end > each.storage.size:
                    size = each.storage.size
                    return f"a buffer of {value.type} ends at {end}, behind the {size} bytes"
    return None
