"""Stages that may be left out, to find the one that is at fault.

This is apart from the pipeline, because what looks into the cache has to ask, and needs no stage.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

OPTIONAL: dict[str, tuple[str, ...]] = {
    "nvptx": (
        "eliminate_dead_ops", "share_common_ops", "hoist_invariants", "count_loops", "split_tiles",
        "fold_conversions", "store_tensors", "pipeline_loops", "specialise_warps",
        "overlap_products", "unroll_loops",
    ),
    "host": ("eliminate_dead_ops", "share_common_ops", "hoist_invariants"),
}  # fmt: skip
"""The stages that only make kernels faster, or their text shorter: any of them may be left out."""

_left_out: ContextVar[Mapping[str, Collection[str]]] = ContextVar("left_out", default={})  # noqa: B039


@contextmanager
def without(stages: Mapping[str, Collection[str]]) -> Iterator[None]:
    """Leave out optional stages of some families in this thread's compilations.

    It is for finding the stage at fault. What is compiled so is not cached. ValueError for a stage
    that is not optional.
    """
    for family, names in stages.items():
        for name in names:
            if name not in OPTIONAL[family]:
                raise ValueError(f"{family} cannot do without stage {name!r}")
    before = _left_out.set(stages)
    try:
        yield
    finally:
        _left_out.reset(before)


def is_complete() -> bool:
    """Whether no stages are left out in this thread's compilations."""
    return not any(_left_out.get().values())


def stages_left_out(target_family: str) -> Collection[str]:
    """Return the stages of a family that this thread's compilations leave out."""
    return _left_out.get().get(target_family, ())
