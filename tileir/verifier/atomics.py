"""Rules about atomics: which of them exist for which elements."""

from __future__ import annotations

from tileir.formats.ops.spec import FLOATS

from ..ir import Op
from ..types import Tile
from .catalogue import rule

WORDS = ("i32", "i64")
SWAPPED = ("i32", "i64", "f32", "f64")
ELEMENTS = {"addf": FLOATS, "xchg": SWAPPED}
"""What an atomic does -> the element types it can do it to; where it is not here, i32 and i64."""

SENTENCES = {
    "addf": "'addf' works only with floats f16, bf16, f32, and f64",
    "xchg": "'xchg' works only with integers or float of 32 or 64 bitwidth",
}


@rule("atomic-type", "atomic_rmw_tko", "atomic_red_view_tko")
def _mode(op: Op) -> str | None:
    """addf works on f16, bf16, f32 and f64, xchg on anything of 32 or 64 bits; all other atomics on
    i32 and i64."""
    mode = op.attributes["mode"]
    type: Tile = op.operands["arg" if op.name == "atomic_rmw_tko" else "value"].type
    if getattr(type.element, "name", "ptr") in ELEMENTS.get(mode, WORDS):
        return None
    return SENTENCES.get(mode, f"'{mode}' works only with integers i32 and i64")
