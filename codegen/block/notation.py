"""Layouts and offsets in shared memory as text, as definitions of the block IR spell them.

A layout has the base of each bit of the register's, the lane's and the warp's number, and of the
block's in a cluster: ``64x64: register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp -``.
`(8,0)` is eight rows down, in a tile of one dimension `8` is eight elements on; a bit with the base
`-` has no effect, so that threads which differ in it hold copies. Offsets have one number for each
bit of an element's row-major number, the lowest bit first: ``4x4: 1 2 8 4``.
"""

from __future__ import annotations

from collections.abc import Sequence

from tileir.codegen.layouts.linear_layout import LinearLayout

NOTHING = "-"
"""The base of a bit that has no effect."""


def spelled_layout(layout: LinearLayout, shape: Sequence[int]) -> str:
    """Return the definition of a layout of tiles of a shape."""
    sides = [
        f"{level} {' '.join(_base(base, shape) for base in bases)}"
        for level, bases in layout.levels.items()
        if bases
    ]
    return f"layout<{_extents(shape)}: {', '.join(sides)}>"


def spelled_offsets(offsets: Sequence[int], shape: Sequence[int]) -> str:
    """Return the definition of the offsets of a tile of a shape in shared memory."""
    return f"offsets<{_extents(shape)}: {' '.join(map(str, offsets))}>"


def _extents(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape))


def _base(base: int, shape: Sequence[int]) -> str:
    if base == 0:
        return NOTHING
    at = coordinates(base, shape)
    return str(at[0]) if len(at) == 1 else f"({','.join(map(str, at))})"


def coordinates(number: int, shape: Sequence[int]) -> list[int]:
    """Return the coordinates of an element of a tile by its row-major number."""
    at = []
    for extent in reversed(shape):
        number, position = divmod(number, extent)
        at.append(position)
    return at[::-1]


def number_of(at: Sequence[int], shape: Sequence[int]) -> int:
    """Return the row-major number of the element at some coordinates."""
    number = 0
    for position, extent in zip(at, shape, strict=True):
        number = number * extent + position
    return number
