"""How data movement ops renumber elements: which element of an operand a result element is.

All of them are linear in the bits of the element number, so the layout of an operand follows from
the layout of the result, and no data moves between threads.
"""

from __future__ import annotations

from tileir.codegen.ops import traits_of
from tileir.codegen.scalar.sizes import packed_bits
from tileir.ir import Op
from tileir.types import Tile

from .linear_layout import LinearLayout, dim_bits, dropped_images, gathered_images, log2


def needed(op: Op, layout: LinearLayout) -> LinearLayout:
    """Return the layout that the op needs its operands in for a result in `layout`."""
    grown = regrouped(op)
    if grown > 0:
        return layout.widened(grown)
    images = element_images(op)
    return layout if images is None else layout.compose(images)


def element_images(op: Op) -> list[int] | None:
    """Map each bit of the result's element number to the operand's; None for the identity."""
    if coordinates := traits_of(op).coordinates:
        return gathered_images(
            op.operands["source"].type.shape, op.result.type.shape, coordinates(op)
        )
    rule = _JOINED.get(op.name)
    return rule(op) if rule else None


def regrouped(op: Op) -> int:
    """Return log2 of how many operand elements make one result element of pack or unpack.

    It is negative if one operand element makes several, and 0 for other ops.
    """
    if op.name not in ("pack", "unpack"):
        return 0
    old, new = (packed_bits(tile.element) for tile in (op.operands["source"].type, op.result.type))
    return new.bit_length() - old.bit_length()


def joined_bit(op: Op) -> int:
    """Return the bit of a cat's element number that says which operand the element is from."""
    low, count = dim_bits(op.result.type.shape, op.attributes["dim"])
    return low + count - 1


def _cat(op: Op) -> list[int]:
    return dropped_images(_bits(op.result.type), joined_bit(op), 1)


def _regroup(op: Op) -> list[int] | None:
    shift = -regrouped(op)
    return dropped_images(_bits(op.result.type), 0, shift) if shift > 0 else None


def _bits(tile: Tile) -> int:
    return log2(tile.size)


_JOINED = {"cat": _cat, "pack": _regroup, "unpack": _regroup}
