"""Elements of factors as the numbers that atoms multiply (see `mma_atoms`), as bits."""

from __future__ import annotations

from llvmlite import ir

from tileir.types import Element

from ..scalar.widening import widen
from .access import bits_of

_HALF, _SHORT, _WORD = ir.HalfType(), ir.IntType(16), ir.IntType(32)

_NATIVE = {
    "bf16": "bf16", "f16": "f16", "f32": "f32", "f64": "f64", "f8E4M3FN": "e4m3",
    "f8E5M2": "e5m2", "tf32": "tf32",
}  # fmt: skip
"""What PTX calls an element type."""


def is_as_stored(element: Element, reading: str) -> bool:
    """Whether a reading leaves the bits of an element as they are in memory."""
    return element.name == "i8" or _NATIVE.get(element.name) == reading


def as_read(builder: ir.IRBuilder, value: ir.Value, element: Element, reading: str) -> ir.Value:
    """The bits of a value, read as another type; every reading in use is exact."""
    if is_as_stored(element, reading):
        return bits_of(builder, value, element)
    wide = widen(builder, value, element)
    if reading == "f32":
        return builder.bitcast(wide, _WORD)
    return builder.bitcast(builder.fptrunc(wide, _HALF), _SHORT)
