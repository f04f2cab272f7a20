"""The algebra of layouts: inverse, conversion, product and division.

A *position* is a place where an element can be, as one number: the bits of the register's number
lowest, those of the thread's (lane, then warp) above them, and those of the block's on top. So a
layout is a linear map from positions to elements, with the bases `layout.bases`, and the algebra
is that of such maps (see `linear_maps`).

* The **inverse** of a layout leads from an element to a position that has it. Of several it is the
  owner's: bits that make no difference are zero.
* The **conversion** between two layouts is the inverse of the source after the target: it leads
  from a position to one from which its element can be fetched. Of several it takes the nearest:
  one in the same thread, else in the same warp, else in the same block.
* The **product** of two layouts is that of a tile of tiles: each element of the outer tile is an
  inner tile. The inner layout has the lower bits of registers, lanes, warps and blocks. This is the
  product of linear layouts in Triton. CuTe's logical product combines a layout with copies of it in
  what it leaves free, its complement; an inner layout that holds all elements of its tile leaves
  the multiples of the tile's size, so that both are the same.
* **Division** from the left is the opposite: `divide(product(a, b), a)` is b. As a matrix, a layout
  with the factor a has a in one corner, the quotient in the opposite one, and zeros elsewhere.

In tiles of several dimensions the products are by dimension: coordinate x of the inner tile, of
extent n, and y of the outer one become n * y + x.

This file depends on neither LLVM nor Tile IR.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from .linear_layout import LEVELS, LinearLayout, gathered_images
from .linear_maps import Space, composed, right_inverse


class Position(NamedTuple):
    """A position, taken apart."""

    register: int
    thread: int
    block: int


def split(layout: LinearLayout, position: int) -> Position:
    """Return the numbers of the register, thread and block of a position in a layout."""
    registers, threads = len(layout.register), len(layout.thread)
    above = position >> registers
    return Position(position & (1 << registers) - 1, above & (1 << threads) - 1, above >> threads)


def inverse(layout: LinearLayout) -> tuple[int, ...]:
    """Return the map from elements to the positions of their owners.

    ValueError if some elements are nowhere.
    """
    return right_inverse(layout.bases, layout.bits)


def conversion(source: LinearLayout, target: LinearLayout) -> tuple[int, ...]:
    """Return the map from positions in `target` to those in `source` with the same elements.

    Both are for the same numbers of lanes, warps and blocks. ValueError if they are not, or if an
    element of `target` is nowhere in `source`.
    """
    return tuple(position for _, position in _fetches(source, target))


def crosses(source: LinearLayout, target: LinearLayout) -> str:
    """Return how far data has to go to convert a tile: the widest of `LEVELS` that it crosses.

    It is "register" if each thread has all it needs, "lane" if all is in the same warp, "warp" if
    it is in the same block, else "block". Errors are those of `conversion`.
    """
    return LEVELS[max((level for level, _ in _fetches(source, target)), default=0)]


def product(
    inner: LinearLayout,
    outer: LinearLayout,
    inner_shape: Sequence[int] = (),
    outer_shape: Sequence[int] = (),
) -> LinearLayout:
    """Return the layout of a tile of tiles; without shapes, of one dimension."""
    low, high = _parts(inner_shape or (1 << inner.bits,), outer_shape or (1 << outer.bits,))
    return LinearLayout(
        inner.bits + outer.bits,
        *(
            composed(low, within) + composed(high, between)
            for within, between in zip(inner.levels.values(), outer.levels.values(), strict=True)
        ),
    )


def divide(
    layout: LinearLayout,
    inner: LinearLayout,
    shape: Sequence[int] = (),
    inner_shape: Sequence[int] = (),
) -> LinearLayout | None:
    """Return the layout of which `layout` is the product with `inner`; None if there is none."""
    shape, inner_shape = shape or (1 << layout.bits,), inner_shape or (1 << inner.bits,)
    if any(extent < own for extent, own in zip(shape, inner_shape, strict=True)):
        return None
    low, high = _parts(
        inner_shape, [extent // own for extent, own in zip(shape, inner_shape, strict=True)]
    )
    between = Space(high)
    quotient = []
    for whole, within in zip(layout.levels.values(), inner.levels.values(), strict=True):
        count = len(within)
        rest = [between.coordinates(base) for base in whole[count:]]
        if whole[:count] != composed(low, within) or None in rest:
            return None
        quotient.append(tuple(base for base in rest if base is not None))
    return LinearLayout(layout.bits - inner.bits, *quotient)


def _fetches(source: LinearLayout, target: LinearLayout) -> Iterator[tuple[int, int]]:
    """Yield, for each bit of a position in `target`, where in `source` what it adds comes from.

    The first number is the level that has to be crossed. Within a level, all bits up to it may be
    chosen; the bits above it stay those of the position itself.
    """
    counts, wanted = (list(map(len, each.levels.values())) for each in (source, target))
    if counts[1:] != wanted[1:]:
        raise ValueError("layouts for different numbers of lanes, warps or blocks")
    starts = [0, *accumulate(counts)]
    reached = [Space(source.bases[:end]) for end in starts[1:]]
    for own, bases in enumerate(target.levels.values()):
        for index, base in enumerate(bases):
            yield _fetch(source, reached, base, own, starts[own] + index)


def _fetch(
    source: LinearLayout, reached: Sequence[Space], base: int, own: int, bit: int
) -> tuple[int, int]:
    """Return the first level that reaches a base, and the position; `bit` is of the level `own`."""
    for level, space in enumerate(reached):
        stays = own > level
        position = space.coordinates(base ^ source.bases[bit] if stays else base)
        if position is not None:
            return level, position | 1 << bit if stays else position
    raise ValueError("some elements are nowhere in the source")


def _parts(inner_shape: Sequence[int], outer_shape: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the maps of elements of the inner and the outer tile to those of the tile of tiles."""
    whole = [extent for pair in zip(outer_shape, inner_shape, strict=True) for extent in pair]
    dims = range(len(inner_shape))
    low = gathered_images(whole, inner_shape, [each for dim in dims for each in (None, dim)])
    high = gathered_images(whole, outer_shape, [each for dim in dims for each in (dim, None)])
    return low, high
