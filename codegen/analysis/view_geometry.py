"""How the tiles of a view lie in its tensor, as far as its type says."""

from __future__ import annotations

from tileir.types import GatherScatterView, PartitionView, StridedView, View


def dimensions(view: View) -> tuple[int, ...]:
    """Return, for each tile dimension, the dimension of the tensor that it lies along."""
    if isinstance(view, GatherScatterView):
        return tuple(range(len(view.tile)))
    return view.dim_map


def steps(view: View) -> tuple[int, ...]:
    """Return the distance of neighbouring tiles along each tile dimension, in elements.

    It is one in a gather/scatter view, whose indices and index space count elements.
    """
    if isinstance(view, PartitionView):
        return view.tile
    if isinstance(view, StridedView):
        return view.traversal_strides
    return (1,) * len(view.tile)
