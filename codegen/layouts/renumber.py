"""How ops that move elements about renumber them: which element of an operand a result is made of.

All of them are linear in the bits of the element number, so the layout of an operand follows from
the layout of the result, and no data moves between threads.
"""

from __future__ import annotations

from tileir.codegen.ops import traits_of
from tileir.ir import Op
from tileir.types import Element, Tile

from .linear_layout import LinearLayout, dim_bits, dropped_images, gathered_images


def needed(op: Op, layout: LinearLayout) -> LinearLayout:
    """The layout in which the op needs its operands for a result in `layout`."""
    grown = regrouped(op)
    if grown > 0:
        return layout.widened(grown)
    images = element_images(op)
    return layout if images is None else layout.compose(images)


def element_images(op: Op) -> list[int] | None:
    """The image of each bit of the result's number in the operand's; None if they are the same."""
    if coordinates := traits_of(op).coordinates:
        return gathered_images(
            op.operands["source"].type.shape, op.result.type.shape, coordinates(op)
        )
    rule = _JOINED.get(op.name)
    return rule(op) if rule else None


def regrouped(op: Op) -> int:
    """Of pack and unpack: log2 of the elements that make one of the result; negative if it is less.

    Elements are counted in bits of packed bytes.
    """
    if op.name not in ("pack", "unpack"):
        return 0
    old, new = (bits_of(tile.element) for tile in (op.operands["source"].type, op.result.type))
    return new.bit_length() - old.bit_length()


def bits_of(element: Element) -> int:
    """Bits of one element in packed bytes."""
    return 32 if element.name == "tf32" else element.bits


def joined_bit(op: Op) -> int:
    """The bit of a cat's element number that says which operand the element is from."""
    low, count = dim_bits(op.result.type.shape, op.attributes["dim"])
    return low + count - 1


def _cat(op: Op) -> list[int]:
    return dropped_images(_bits(op.result.type), joined_bit(op), 1)


def _regroup(op: Op) -> list[int] | None:
    shift = -regrouped(op)
    return dropped_images(_bits(op.result.type), 0, shift) if shift > 0 else None


def _bits(tile: Tile) -> int:
    return tile.size.bit_length() - 1


_JOINED = {"cat": _cat, "pack": _regroup, "unpack": _regroup}
