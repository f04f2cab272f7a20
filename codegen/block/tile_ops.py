"""Rows of Tile IR with what the block IR adds: how each thread accesses memory.

Tile IR's row of such an op has the slots here besides its own. They are decided when the block IR
is made, from what is known of alignments, strides and masks.
"""

from __future__ import annotations

from tileir.formats.ops.spec import READS, Attribute, Constraint, Operand, optional, scalar, unit

from .attributes import INTEGER, TEXT
from .block_row import Memory
from .rows import ALONG, CLUSTERS, NARROW, OFFSET, RUN, VECTOR, WHOLE
from .slots import HANDED_ON

OWNER = unit("owner", "Of threads with copies of an element, one accesses it.")
GENERIC = unit("generic", "Addresses are generic: the block has variables in shared memory.")
STRONG = unit("strong", "Accesses are relaxed instead of weak: others may update the same byte.")
PREDICATE = optional("predicate", scalar("i1"), "Whether to access memory at all, in all threads.")
_VIEW = (VECTOR, ALONG, WHOLE, NARROW, OWNER, GENERIC)
_POINTER = (
    VECTOR,
    ALONG,
    Attribute("masked", INTEGER, "Neighbours that are known to have the same mask."),
    RUN,
    OWNER,
    GENERIC,
)
_RED = (
    unit("red", "Nobody wants the old elements: `red` instead of `atom`."),
    unit("by_cas", "No instruction does it: compare-and-swap, in a loop until it succeeds."),
)
ADDED: dict[str, tuple[Attribute | Operand, ...]] = {
    "alloca": (OFFSET,),
    "assert": (CLUSTERS,),
    "atomic_cas_tko": _POINTER,
    "atomic_red_view_tko": (*_VIEW, *_RED),
    "atomic_rmw_tko": (*_POINTER, *_RED),
    "for": (Attribute("unroll", INTEGER, "The unroll factor.", optional=True),),
    "get_global": (Attribute("symbol", TEXT, "The variable's name in LLVM IR."),),
    "get_num_tile_blocks": (CLUSTERS,),
    "get_tile_block_id": (CLUSTERS,),
    "load_ptr_tko": _POINTER,
    "load_view_tko": (*_VIEW, STRONG, PREDICATE),
    "multimem_load_reduce_view_tko": _VIEW,
    "multimem_reduce_view_tko": _VIEW,
    "multimem_store_view_tko": _VIEW,
    "offset": (unit("narrow", "Offsets fit in 32 bits, signed."),),
    "store_ptr_tko": _POINTER,
    "store_view_tko": (*_VIEW, STRONG),
}
"""Mnemonic -> the slots that are added."""

WIDENED: dict[tuple[str, str], Constraint] = {
    ("for", "initValues"): HANDED_ON,
    ("for", "resultValues"): HANDED_ON,
    ("if", "results"): HANDED_ON,
    ("print_tko", "args"): Memory(("tile", "shared"), READS),
}
"""Mnemonic and slot -> the kinds of types that it has in the block IR: roles carry turns, and tiles
of several elements are printed from shared memory."""
REPLACED = ("extract", "insert", "mmaf", "mmaf_scaled", "mmai", "reduce", "scan")
"""Mnemonics of Tile IR that the block IR does not have."""
