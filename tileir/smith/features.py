"""Features: groups of ops by which programs are drawn."""

from __future__ import annotations

from collections.abc import Iterable

from tileir.errors import BuildError
from tileir.messages.wording import did_you_mean

CONTROL = {"break", "continue", "for", "if", "loop", "return", "yield"}
"""Ops that programs make around others; their recipes are for kernels of one op."""

FEATURES: dict[str, set[str]] = {
    "atomics": {"atomic_cas_tko", "atomic_red_view_tko", "atomic_rmw_tko"},
    "control": CONTROL,
    "floats": {
        "absf", "addf", "ceil", "cmpf", "divf", "floor", "fma", "ftof", "ftoi", "itof", "maxf",
        "minf", "mulf", "negf", "remf", "sqrt", "subf",
    },
    "functions": {
        "atan2", "cos", "cosh", "exp", "exp2", "fpowf", "fpowi", "log", "log2", "rsqrt", "sin",
        "sinh", "tan", "tanh",
    },
    "globals": {"get_global"},
    "integers": {
        "absi", "addi", "andi", "cmpi", "divi", "exti", "maxi", "mini", "mulhii", "muli", "negi",
        "ori", "remi", "shli", "shri", "subi", "trunci", "xori",
    },
    "memory": {"alloca", "load_ptr_tko", "store_ptr_tko"},
    "products": {"mmaf", "mmaf_scaled", "mmai"},
    "pointers": {"int_to_ptr", "offset", "ptr_to_int", "ptr_to_ptr"},
    "reductions": {"reduce", "scan"},
    "shapes": {
        "bitcast", "broadcast", "cat", "constant", "extract", "insert", "iota", "pack", "permute",
        "reshape", "select", "unpack",
    },
    "talk": {"assert", "assume", "print_tko"},
    "tokens": {
        "gdc_launch_dependents_tko", "gdc_wait_tko", "join_tokens", "make_token",
        "memory_fence_alias_tko",
    },
    "blocks": {"get_num_tile_blocks", "get_tile_block_id"},
    "views": {
        "get_index_space_shape", "get_tensor_shape", "load_view_tko", "make_gather_scatter_view",
        "make_partition_view", "make_strided_view", "make_tensor_view", "store_view_tko",
    },
}  # fmt: skip
"""Feature -> its ops. Each op with a recipe has one."""

NARROW = "narrow"
"""The feature of programs whose element types have at most 8 bits."""


def ops_of(features: Iterable[str]) -> set[str]:
    """Return the ops of some features, all of them if there are none. BuildError for others."""
    chosen = [name for name in features if name != NARROW]
    for name in chosen:
        if name not in FEATURES:
            known = ", ".join(sorted([*FEATURES, NARROW]))
            near = did_you_mean(name, [*FEATURES, NARROW])
            raise BuildError(f"there is no feature {name!r}{near}; there are: {known}")
    return set().union(*(FEATURES[name] for name in chosen or FEATURES))
