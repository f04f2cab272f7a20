"""Traits of the ops of the chapter Views."""

from __future__ import annotations

from . import divisibility, totality
from .extents import index_space_shape, tensor_shape
from .spec import NEVER_AGAIN, Family, Traits

ROWS = (
    Traits(
        "get_index_space_shape",
        Family.QUERY,
        divisibility=index_space_shape,
        total=totality.never,
    ),
    Traits("get_tensor_shape", Family.QUERY, divisibility=tensor_shape, total=totality.never),
    Traits("load_view_tko", Family.VIEW_LOAD, NEVER_AGAIN),
    Traits("make_gather_scatter_view", Family.VIEW),
    Traits("make_partition_view", Family.VIEW),
    Traits("make_strided_view", Family.VIEW),
    Traits("make_tensor_view", Family.VIEW, divisibility=divisibility.same, total=totality.never),
    Traits("multimem_load_reduce_view_tko", Family.MULTIMEM_LOAD, NEVER_AGAIN),
    Traits("multimem_reduce_view_tko", Family.MULTIMEM_STORE),
    Traits("multimem_store_view_tko", Family.MULTIMEM_STORE),
    Traits("store_view_tko", Family.VIEW_STORE),
)
