"""Random layouts, and what they say element by element, without the code under test."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from tileir.codegen.layouts.linear_layout import LinearLayout

Place = tuple[int, int, int]
"""A register, a thread and a block."""


def image(bases: tuple[int, ...] | list[int], number: int) -> int:
    """What a linear map makes of a number, digit by digit."""
    result = 0
    for digit, base in zip(reversed(f"{number:b}"), bases, strict=False):
        result = result ^ base if digit == "1" else result
    return result


def held(layout: LinearLayout) -> dict[Place, int]:
    """The element in each register of each thread of each block."""
    sides = layout.register, (*layout.lane, *layout.warp), layout.block
    registers, threads, blocks = (range(2 ** len(side)) for side in sides)
    return {
        place: image(sides[0], place[0]) ^ image(sides[1], place[1]) ^ image(sides[2], place[2])
        for place in product(registers, threads, blocks)
    }


@st.composite
def layouts(
    draw: st.DrawFn, bits: int | None = None, lanes: int | None = None, sides: int = 2
) -> LinearLayout:
    """Any layouts: swizzled, with copies, with missing elements; at most `sides` bits a level."""
    bits = draw(st.integers(0, 5)) if bits is None else bits

    def bases(least: int, most: int, lowest: int = 0) -> tuple[int, ...]:
        if lowest >= 1 << bits:
            return ()
        number = st.integers(lowest, (1 << bits) - 1)
        return tuple(draw(st.lists(number, min_size=least, max_size=most)))

    lane = bases(lanes or 0, sides if lanes is None else lanes)
    return LinearLayout(bits, bases(0, 3, 1), lane, bases(0, sides), bases(0, sides))


@st.composite
def invertible(draw: st.DrawFn, bits: int) -> list[int]:
    """The bases of any invertible map of numbers of so many bits."""
    bases = draw(st.permutations([1 << bit for bit in range(bits)]))
    for _ in range(2 * bits if bits > 1 else 0):
        first, second = draw(st.permutations(range(bits)))[:2]
        bases[first] ^= bases[second] if draw(st.booleans()) else 0
    return list(bases)


@st.composite
def complete_layouts(
    draw: st.DrawFn, bits: int | None = None, counts: tuple[int, int, int] | None = None
) -> LinearLayout:
    """Layouts in which every element is held, with copies; `counts` are of lanes, warps, blocks."""
    bits = draw(st.integers(0, 5)) if bits is None else bits
    counts = counts or draw(st.tuples(*[st.integers(0, 2)] * 3))
    needed = draw(invertible(bits))
    outside = draw(st.integers(0, min(bits, sum(counts))))
    free = sum(counts) - outside
    copies = draw(st.lists(st.integers(0, (1 << bits) - 1), min_size=free, max_size=free))
    rest = draw(st.permutations([*needed[:outside], *copies]))
    lane, warp = rest[: counts[0]], rest[counts[0] : counts[0] + counts[1]]
    block = rest[counts[0] + counts[1] :]
    return LinearLayout(bits, tuple(needed[outside:]), tuple(lane), tuple(warp), tuple(block))
