"""Special registers: what a thread knows of its place in the grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .lanes import WARP

if TYPE_CHECKING:
    from .machine import Batch

_LANEMASK = {
    "eq": lambda lane: 1 << lane,
    "lt": lambda lane: (1 << lane) - 1,
    "le": lambda lane: (2 << lane) - 1,
    "gt": lambda lane: -(2 << lane),
    "ge": lambda lane: -(1 << lane),
}
_ROWS = {
    "laneid": lambda batch: batch.thread_of % WARP,
    "warpid": lambda batch: batch.thread_of // WARP,
    "nwarpid": lambda batch: batch.pitch // WARP,
    "smid": lambda batch: 0,
    "nsmid": lambda batch: 1,
    "clock": lambda batch: 0,
    "clock64": lambda batch: 0,
    "globaltimer": lambda batch: 0,
    "dynamic_smem_size": lambda batch: batch.shared_bytes - batch.kernel.scope.static_shared,
    "cluster_ctarank": lambda batch: 0,
    "cluster_nctarank": lambda batch: 1,
}
_WIDE = ("clock64", "globaltimer")


def special_register(batch: Batch, name: str) -> Any:
    """The value over all lanes of a batch; a scalar where all agree."""
    name = name.removeprefix("%")
    family, _, axis = name.partition(".")
    if axis:
        value = _coordinate(batch, family, "xyz".index(axis))
    elif family.startswith("lanemask_"):
        value = _LANEMASK[family.removeprefix("lanemask_")](batch.thread_of.astype(np.int64) % WARP)
    else:
        value = _ROWS[family](batch)
    kind = np.uint64 if name in _WIDE else np.uint32
    return np.asarray(value).astype(kind)[()]


def _coordinate(batch: Batch, family: str, axis: int) -> Any:
    thread, block = batch.thread_of, batch.first + batch.block_of
    sizes = {"tid": batch.shape, "ctaid": batch.grid}
    if family in ("ntid", "nctaid"):
        return sizes[family[1:]][axis]
    if family in sizes:
        size = sizes[family]
        number = thread if family == "tid" else block
        return number // int(np.prod(size[:axis], dtype=np.int64)) % size[axis]
    # Each block is a cluster of its own.
    return (
        _coordinate(batch, {"clusterid": "ctaid", "nclusterid": "nctaid"}[family], axis)
        if (family in ("clusterid", "nclusterid"))
        else int(family.startswith("cluster_n"))
    )
