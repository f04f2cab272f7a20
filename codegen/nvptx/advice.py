"""What to change in a kernel: one row for each reason that its author can do something about.

A reason without a row is in the nature of the kernel or of the GPU. Words of cuTile are in brackets
where they differ from those of Tile IR.
"""

from __future__ import annotations

_VIEW = "load a tile of a partition view of the tensor (ct.load), if it is a block of the tensor"
_PROMISE = "promise it: `assume div_by` (cuTile does so for arrays whose strides and address allow)"
_PARAMETER = "pass it as a parameter of the kernel, and use that as it is"
_WEAK = "make the access weak, if no other block has to see it"
_SMALLER = "make tiles smaller, or ask for fewer blocks an SM"
_COUNTER = "let it follow from the loop's counter and constants alone"

ADVICE = {
    # why a load is made in its own iteration
    "early_exit": "make it a `for` with a bound, without break",
    "conditional": "load before the if",
    "through_pointers": _VIEW,
    "ordered": _WEAK,
    "after_write": "store through another view, or order the store behind the loop",
    "computed_index": _COUNTER,
    "long_index": _COUNTER,
    # why warpgroups do not execute a product
    "group_memory": "make the tile smaller along k",
    "group_registers": "make the tile of sums smaller, or ask for more warps (num_warps)",
    "group_warps": "ask for 4 or 8 warps (num_warps)",
    "group_share": "make the tile larger along m: each warpgroup has 64 rows at least",
    # why no tensor core multiplies
    "no_atom": "convert the operands to f16, bf16 or tf32 first, if so many digits are enough",
    # why offsets have 64 bits
    "long_offsets": "bound what they follow from: `assume bounded`, or types of 32 bits",
    # why there is no ring for it
    "variables": "replace variables (alloca) by values that the loop carries",
    "inner_ring": "load before the inner loop, or in it",
    "padding": "let the padding value be zero",
    "masked": "let the padding value be zero where the mask is false",
    "narrow_copies": _PROMISE,
    "many_copies": "make the tile smaller",
    "no_room": _SMALLER,
    "ring_room": _SMALLER,
    # why all warps have one role
    "role_warps": "ask for 4 or 8 warps (num_warps)",
    "role_fixed": "leave num_warps and maxnreg to the compiler",
    "role_around": "let the loops around be `for` loops",
    "role_early_end": "end all iterations at their end, without continue",
    "role_early_return": "return at the end of the kernel only",
    "role_memory": _SMALLER,
    "role_registers": "make the tile of sums smaller",
    "role_tile": _COUNTER,
    # why the blocks of a cluster do not work together
    "split_small": "make the tile larger, or leave clusters (num_ctas) away",
    # why it is no copy of boxes of a tensor
    "after_acquire": _WEAK,
    "after_store": "order the load before the store, if they are of other memory",
    "computed_base": _PARAMETER,
    "computed_extent": _PARAMETER,
    "computed_stride": _PARAMETER,
    "unfit_size": "make rows a multiple of 16 bytes long, and promise it: `assume div_by`",
    "short_rows": "make the tile longer along the contiguous dimension: 16 bytes at least",
    "large_box": "make the tile smaller along that dimension",
    "large_coordinates": "bound the extents: `assume bounded`, or types of 32 bits",
    # why products of an iteration stay under way in the next one, or do not
    "several_ends": "end all iterations at their end, without continue",
    "sum_used": "use the sums behind the loop, or those of the iteration before",
    "registers_read": "load the operand by a view, so that it is read from shared memory",
    "calls": "leave prints and assertions, and whatever else calls a function, away",
    "second_barrier": _SMALLER,
    "delayed_slots": _SMALLER,
    "delayed_registers": "make the tiles that the loop carries smaller",
    # why a store is no copy of boxes of a tensor
    "ordered_store": _WEAK,
    "stores_pointers": "store through a partition view of the tensor (ct.store)",
    "no_store_room": _SMALLER,
    # why an access is no wider
    "no_unit_stride": "let a stride be 1, and known: a static stride, or `assume`",
    "base": _PROMISE,
    "stride": _PROMISE,
    "tile": "make the tile longer along the contiguous dimension",
    "start": "make the tile's extent there, or the index, a multiple of more",
    "not_adjacent": "let pointers be a base and an iota along the contiguous dimension",
    "address": _PROMISE,
    "run": "let pointers be a base and an iota along the contiguous dimension",
    "mask": "let the mask be a comparison of an iota with a bound that is a multiple of more",
    # what ptxas says
    "spilled": "make tiles smaller, ask for more warps, or for fewer blocks an SM",
}
"""Id of a reason -> what to change, without a full stop."""
