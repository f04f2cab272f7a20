"""Rules about atomics: the element types of each mode."""

from __future__ import annotations

from tileir.formats.ops.spec import FLOATS
from tileir.ir import Op
from tileir.types import Tile
from tileir.verifier.catalogue import rule

WORDS = ("i32", "i64")
SWAPPED = ("i32", "i64", "f32", "f64")
ELEMENTS = {"addf": FLOATS, "xchg": SWAPPED}
"""Mode of an atomic -> its element types; modes not listed have i32 and i64."""

SENTENCES = {
    "addf": "'addf' works only with floats f16, bf16, f32, and f64",
    "xchg": "'xchg' works only with integers or float of 32 or 64 bitwidth",
}


@rule("atomic-type", "atomic_cas_tko", "atomic_rmw_tko", "atomic_red_view_tko")
def _mode(op: Op) -> str | None:
    """addf works on f16, bf16, f32 and f64; xchg and compare-and-swap on i32, i64, f32 and f64; all
    other atomics on i32 and i64."""
    if op.name == "atomic_cas_tko":
        fits = getattr(op.operands["val"].type.element, "name", "ptr") in SWAPPED
        return None if fits else "expect only float or integer types with 32 or 64 bit"
    mode = op.attributes["mode"]
    type: Tile = op.operands["arg" if op.name == "atomic_rmw_tko" else "value"].type
    if getattr(type.element, "name", "ptr") in ELEMENTS.get(mode, WORDS):
        return None
    return SENTENCES.get(mode, f"'{mode}' works only with integers i32 and i64")
