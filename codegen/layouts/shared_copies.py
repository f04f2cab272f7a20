"""The layout in which threads copy a tile from one place in shared memory to another.

In the two places, elements lie in different orders: what is side by side in one may be far apart in
the other. A thread has a block of four elements that are side by side where it reads, times four
that are where it writes, so that all accesses are of four elements. Lanes must access different
banks, reading and writing: each bit of their number should lead to another bank in both places.
Where no bit of the element's number does, the exclusive or of two may (see `swizzle`).

This file depends on neither LLVM nor Tile IR.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from .linear_layout import LANE_BITS, LinearLayout, combine, log2
from .linear_maps import Space
from .swizzled_rows import LINE_BYTES

TOGETHER = 2
"""Log2 of the elements of one access."""


def through_registers(
    source: Sequence[int], destination: Sequence[int], size: int, threads: int
) -> LinearLayout:
    """Return the layout in which elements of `size` bytes are copied.

    The offsets are those of the type `Shared`, of the same tile in both places. In either, four
    elements at least are side by side.
    """
    bits = len(source)
    block = _block(source, destination)
    units = [1 << bit for bit in range(bits) if 1 << bit not in block]
    together = log2(LINE_BYTES // size) - TOGETHER
    lanes, taken = _banks((source, destination), units, together, Space(block)), Space(block)
    for base in lanes:
        taken.add(base)
    free = [unit for unit in units if taken.add(unit)]
    lanes += free[: LANE_BITS - len(lanes)]
    free = [unit for unit in free if unit not in lanes]
    warps = log2(threads) - LANE_BITS
    return LinearLayout(
        bits,
        (*block, *free[warps:]),
        (*lanes, *[0] * (LANE_BITS - len(lanes))),
        (*free[:warps], *[0] * (warps - len(free))),
    )


def _block(source: Sequence[int], destination: Sequence[int]) -> list[int]:
    """Return the elements at which the accesses of a thread's block begin to differ."""
    steps = [1 << step for step in range(TOGETHER)]
    found = [1 << offsets.index(step) for offsets in (source, destination) for step in steps]
    return list(dict.fromkeys(found))


def _banks(
    places: Sequence[Sequence[int]], units: Sequence[int], count: int, taken: Space
) -> list[int]:
    """Return bases for the bits of lanes that access banks at the same time, `count` at most."""
    chosen: list[int] = []
    banks = [Space() for _ in places]
    mask = (1 << count) - 1 << TOGETHER
    candidates = [*units, *(a ^ b for a, b in combinations(units, 2))]
    while len(chosen) < count:
        best, gain = 0, 0
        for base in candidates:
            if taken.coordinates(base) is not None:
                continue
            found = sum(
                space.coordinates(combine(offsets, base) & mask) is None
                for offsets, space in zip(places, banks, strict=True)
            )
            if found > gain:
                best, gain = base, found
        if not best:
            break
        taken.add(best)
        chosen.append(best)
        for offsets, space in zip(places, banks, strict=True):
            space.add(combine(offsets, best) & mask)
    return chosen
