"""Types, constraints and lists in the words of NVIDIA's diagnostics, which users search for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from tileir.errors import LONGEST_MESSAGE
from tileir.formats.errors import shorten
from tileir.formats.ops.spec import ELEMENTS, NUMBERS, Constraint, TileOf
from tileir.ir.dialect import KINDS as TYPE_KINDS
from tileir.types import Pointer, Tile, Type

RANKS = {None: "", 0: "0D ", 1: ""}
"""Rank of a constraint -> the beginning of the phrase; rank 1 has a message of its own."""

KINDS = {
    "token": "cuda tile token type",
    "tensor_view": "tensor view type",
    "partition_view": "partition view type",
    "strided_view": "strided view type",
    "gather_scatter_view": "gather/scatter view type",
}
"""Kind of a type in the op table -> NVIDIA's phrase for it."""

TYPE_RECORDS = frozenset(TYPE_KINDS.values())
SPECIAL = {
    ("mmaf", "lhs"): "mmaf operand tile type",
    ("mmaf", "rhs"): "mmaf operand tile type",
    ("mmaf", "acc"): "mmaf acc/result tile type",
    ("mmaf", "result"): "mmaf acc/result tile type",
    ("mmai", "lhs"): "mmai operand tile type",
    ("mmai", "rhs"): "mmai operand tile type",
    ("mmai", "acc"): "mmai acc tile type",
    ("mmai", "result"): "mmai result tile type",
    ("mmaf_scaled", "lhs"): "mmaf_scaled operand tile type",
    ("mmaf_scaled", "rhs"): "mmaf_scaled operand tile type",
    ("mmaf_scaled", "acc"): "mmaf_scaled result tile type",
    ("mmaf_scaled", "result"): "mmaf_scaled result tile type",
    ("mmaf_scaled", "lhs_scale"): "mmaf_scaled scale tile type",
    ("mmaf_scaled", "rhs_scale"): "mmaf_scaled scale tile type",
}
"""Op and slot -> NVIDIA's own name for the tiles of that slot."""


def named(name: str) -> str:
    """Return a name for a message, in which a name of any length may stand very often."""
    return shorten(str(name), LONGEST_MESSAGE // 2)


@lru_cache(64)
def quoted(type: Type) -> str:
    """Return a type as NVIDIA's diagnostics quote it: with the dialect's prefix, except scalars."""
    tile_ir = isinstance(type, Pointer) or type.__class__ in TYPE_KINDS
    return f"'!cuda_tile.{type}'" if tile_ir else f"'{type}'"


def listed(types: Iterable[Type]) -> str:
    """Return a list of quoted types, of as many as a message can show."""
    shown, left = [], LONGEST_MESSAGE
    for type in types:
        shown.append(quoted(type))
        left -= len(shown[-1])
        if left < 0:
            shown.append("...")
            break
    return ", ".join(shown)


LOOSE = {
    "atomic_cas_tko": ("cmp", "val"),
    "multimem_load_reduce_view_tko": ("reduced_values", "view"),
    "multimem_reduce_view_tko": ("tile", "view"),
    "multimem_store_view_tko": ("tile", "view"),
    "select": ("val_if_true", "val_if_false", "result"),
}
"""Op -> slots that NVIDIA declares for any tile or view; a rule of its own then refuses some."""


def wanted(constraint: Constraint, mnemonic: str, slot: str, type: Type) -> str:
    """Return in words what a slot admits, for a message about a value of that type in it."""
    if slot in LOOSE.get(mnemonic, ()) and (slot == "view" or not isinstance(type, Tile)):
        return "TileView instance" if slot == "view" else "Tile type"
    if not isinstance(constraint, TileOf):
        if not set(constraint.kinds) <= TYPE_RECORDS:
            return str(constraint)
        one = len(constraint.kinds) == 1
        return KINDS[constraint.kinds[0]] if one else "TileView instance"
    elements = set(constraint.elements)
    if elements == set(ELEMENTS) and constraint.rank is None:
        return "Tile type"
    if (mnemonic, slot) == ("itof", "to"):
        elements.add("f8E8M0FNU")
    names = [name for name in (*NUMBERS, "i4") if name in elements]
    names += ["Pointer type"] if "ptr" in elements else []
    kind = SPECIAL.get((mnemonic, slot), "tile")
    return f"{RANKS[constraint.rank]}{kind} of {' or '.join(names)} values"


def sizes(shape: Iterable[int]) -> str:
    """Return extents as a list."""
    return ", ".join(map(str, shape))
