"""Special registers, one row each: what a thread knows about its launch."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from .lanes import WARP, Batch


def _coordinate(number: Any, size: tuple[int, int, int], axis: int) -> Any:
    before = int(np.prod(size[:axis], dtype=np.int64))
    return number // before % size[axis]


def _lane(batch: Batch) -> np.ndarray:
    return batch.thread_of.astype(np.int64) % WARP


def _block(batch: Batch) -> np.ndarray:
    return batch.first + batch.block_of


def _coordinate_of_block(batch: Batch, axis: int) -> Any:
    return batch.clocks.grid.coordinate(_block(batch), axis)


def _rank(batch: Batch) -> Any:
    return _block(batch) % prod(batch.cluster)


_AXES: dict[str, Callable[[Any, int], Any]] = {
    "%tid": lambda batch, axis: _coordinate(batch.thread_of, batch.shape, axis),
    "%ntid": lambda batch, axis: batch.shape[axis],
    "%ctaid": _coordinate_of_block,
    "%nctaid": lambda batch, axis: batch.grid[axis],
    "%clusterid": lambda batch, axis: _coordinate_of_block(batch, axis) // batch.cluster[axis],
    "%nclusterid": lambda batch, axis: batch.grid[axis] // batch.cluster[axis],
    "%cluster_ctaid": lambda batch, axis: _coordinate_of_block(batch, axis) % batch.cluster[axis],
    "%cluster_nctaid": lambda batch, axis: batch.cluster[axis],
}
_ROWS: dict[str, Callable[[Any], Any]] = {
    **{
        f"{name}.{letter}": lambda batch, function=function, axis=axis: function(batch, axis)
        for name, function in _AXES.items()
        for axis, letter in enumerate("xyz")
    },
    "%laneid": _lane,
    "%warpid": lambda batch: batch.thread_of // WARP,
    "%nwarpid": lambda batch: batch.pitch // WARP,
    "%lanemask_eq": lambda batch: 1 << _lane(batch),
    "%lanemask_lt": lambda batch: (1 << _lane(batch)) - 1,
    "%lanemask_le": lambda batch: (2 << _lane(batch)) - 1,
    "%lanemask_gt": lambda batch: -(2 << _lane(batch)),
    "%lanemask_ge": lambda batch: -(1 << _lane(batch)),
    "%smid": lambda batch: 0,
    "%nsmid": lambda batch: 1,
    "%clock": lambda batch: 0,
    "%clock64": lambda batch: 0,
    "%globaltimer": lambda batch: 0,
    "%dynamic_smem_size": lambda batch: batch.shared_bytes - batch.scope.static_shared,
    "%cluster_ctarank": _rank,
    "%cluster_nctarank": lambda batch: prod(batch.cluster),
}
_WIDE = ("%clock64", "%globaltimer")


def type_of(name: str) -> str | None:
    """Return the type of a special register; None if there is none of this name."""
    if name not in _ROWS:
        return None
    return "b64" if name in _WIDE else "b32"


def special_register(batch: Batch, name: str) -> Any:
    """Return the value for all lanes of a batch; a scalar where all agree."""
    kind = np.uint64 if name in _WIDE else np.uint32
    return np.asarray(_ROWS[name](batch)).astype(kind)[()]
