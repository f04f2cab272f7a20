"""Linear layouts: which thread holds which element of a tile, as linear algebra over GF(2).

Every tile has 2**n elements, numbered row-major, so an element's number is a vector of n bits. A
thread is a vector of bits too: those of its lane within the warp, then those of its warp. Where a
tile is spread over the blocks of a cluster, there are the bits of the block's number, too. A layout
is a linear map (with exclusive or as addition) from

    (register bits, lane bits, warp bits, block bits)  ->  element bits

and is therefore determined by the elements that it maps the single bits to: its *bases*.
The element that register r of thread t holds is the exclusive or of the bases of the bits set in r
and in t. Examples, for a tile of 8 elements, two lanes and one warp:

    register (1, 2), lane (4,)      thread 0 holds 0 1 2 3, thread 1 holds 4 5 6 7
    register (2, 4), lane (1,)      thread 0 holds 0 2 4 6, thread 1 holds 1 3 5 7
    register (1, 2, 4), lane (0,)   both threads hold everything

A base of zero means that threads which differ only in that bit hold copies of the same elements. Of
such copies one *owner*, the thread with zeros in those bits, writes to memory. Bases of register
bits are independent: a copy in the same thread is the same register. So a fragment is a mapping
from *offsets* (what the register bits contribute) to values.

What an op does to the numbering of elements is linear as well, as all extents are powers of two:
reshape changes nothing, broadcast drops bits, permute reorders them. So the layout that an op needs
for its operand is the layout of its result composed with that map, and element-wise ops never move
data between threads. The bases also say how to reduce a dimension: register bases inside each
thread, lane bases by shuffles, warp bases through shared memory.

This file depends on neither LLVM nor Tile IR.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod

from .linear_maps import Space, combine, composed, rank, span

LANE_BITS = 5
"""Bits of the number of a lane in its warp, where nothing else is said: those of all GPUs that
there are targets for."""
LEVELS = ("register", "lane", "warp", "block")
"""What the bits of a layout number."""


@dataclass(frozen=True, slots=True)
class LinearLayout:
    """The bases of one layout of a tile with 2**`bits` elements."""

    bits: int
    register: tuple[int, ...]
    lane: tuple[int, ...]
    warp: tuple[int, ...]
    block: tuple[int, ...] = ()
    """The bases of the bits of a block's number in its cluster; none if each block has a tile."""

    @property
    def levels(self) -> dict[str, tuple[int, ...]]:
        """The bases by what their bits number, the nearest first."""
        parts = self.register, self.lane, self.warp, self.block
        return dict(zip(LEVELS, parts, strict=True))

    @property
    def bases(self) -> tuple[int, ...]:
        """All bases, those of registers first."""
        return self.register + self.lane + self.warp + self.block

    @property
    def thread(self) -> tuple[int, ...]:
        """The bases of the bits of a thread's number in its block."""
        return self.lane + self.warp

    def offsets(self) -> list[int]:
        """Return what each register contributes to the element number, in order."""
        return span(self.register)

    def of_thread(self, thread: int) -> int:
        """Return what a thread contributes to the element number."""
        return combine(self.thread, thread)

    def element(self, register: int, thread: int, block: int = 0) -> int:
        """Return the element that a register of a thread of a block holds."""
        within = combine(self.register, register) ^ self.of_thread(thread)
        return within ^ combine(self.block, block)

    @property
    def replicas(self) -> int:
        """Mask of the thread bits with base zero; an owner has zeros there."""
        return sum(1 << bit for bit, base in enumerate(self.thread) if base == 0)

    @property
    def block_replicas(self) -> int:
        """Mask of the block bits with base zero; the block of an owner has zeros there."""
        return sum(1 << bit for bit, base in enumerate(self.block) if base == 0)

    @property
    def is_permutation(self) -> bool:
        """Whether every base is one bit of its own, or zero.

        Then contributions have no common bits and may be added instead, and the coordinate along a
        dimension is a slice of block, thread and register bits.
        """
        bases = [base for base in self.bases if base]
        return len(set(bases)) == len(bases) and all(base.bit_count() == 1 for base in bases)

    @property
    def is_complete(self) -> bool:
        """Whether every element is held by some thread."""
        return rank(self.bases) == self.bits

    def thread_bits(self, elements: int) -> int:
        """Return the mask of the thread bits whose bases have a bit of the mask `elements`."""
        return sum(1 << bit for bit, base in enumerate(self.thread) if base & elements)

    def without(self, elements: int) -> LinearLayout:
        """Return the layout after a reduction over these element bits; all threads have it."""
        keep = ~elements
        return LinearLayout(
            self.bits,
            _independent(base & keep for base in self.register),
            tuple(base & keep for base in self.lane),
            tuple(base & keep for base in self.warp),
            tuple(base & keep for base in self.block),
        )

    def widened(self, bits: int) -> LinearLayout:
        """Return the layout of a tile with 2**`bits` consecutive elements for each of this one."""
        return LinearLayout(
            self.bits + bits,
            (*(1 << bit for bit in range(bits)), *(base << bits for base in self.register)),
            tuple(base << bits for base in self.lane),
            tuple(base << bits for base in self.warp),
            tuple(base << bits for base in self.block),
        )

    def compose(self, images: Sequence[int]) -> LinearLayout:
        """Return the layout of a tile whose element numbers are a linear map of those of this one.

        `images[b]` is the image of bit b; the largest one determines the bits of the new tile.
        """
        return LinearLayout(
            max((image.bit_length() for image in images), default=0),
            _independent(composed(images, self.register)),
            composed(images, self.lane),
            composed(images, self.warp),
            composed(images, self.block),
        )


def log2(size: int) -> int:
    """Return the logarithm of a power of two; the floor of it for other positive numbers."""
    return size.bit_length() - 1


def renames(source: LinearLayout, target: LinearLayout) -> bool:
    """Whether every thread holds, in `source`, all elements that it has in `target`."""
    same = (source.thread, source.block) == (target.thread, target.block)
    return same and set(source.offsets()).issuperset(target.offsets())


@cache
def blocked(size: int, vector: int, threads: int, lane_bits: int = LANE_BITS) -> LinearLayout:
    """Return the layout for coalesced access: consecutive vectors along lanes, then warps.

    Each thread has `vector` consecutive elements, the next thread the next ones; the rest of the
    tile repeats that. All three are powers of two, and the threads are whole warps. Threads beyond
    the tile hold copies.
    """
    bits, free = log2(size), [1 << bit for bit in range(log2(size))]
    first, free = free[: log2(vector)], free[log2(vector) :]
    lane, free = free[:lane_bits], free[lane_bits:]
    warp_bits = log2(threads) - lane_bits
    warp, rest = free[:warp_bits], free[warp_bits:]
    return LinearLayout(bits, (*first, *rest), _padded(lane, lane_bits), _padded(warp, warp_bits))


def along(
    shape: Sequence[int],
    order: Sequence[int],
    vector: int,
    threads: int,
    lane_bits: int = LANE_BITS,
) -> LinearLayout:
    """Return a blocked layout over the dimensions in `order`, the last one fastest."""
    turned = blocked(prod(shape), vector, threads, lane_bits)
    if list(order) == sorted(order):
        return turned
    places = [order.index(dim) for dim in range(len(shape))]
    return turned.compose(gathered_images(shape, [shape[dim] for dim in order], places))


def for_scan(
    shape: Sequence[int], dim: int, threads: int, lane_bits: int = LANE_BITS
) -> LinearLayout:
    """Return a layout in which the lowest bits along `dim` are registers, then lanes, then warps.

    There are as many registers as needed for lanes and warps to hold the rest. Dimensions after
    `dim` get lanes first; what is left goes to the others: lanes, then warps, then registers.
    """
    low, count = dim_bits(shape, dim)
    bits, warp_bits = log2(prod(shape)), log2(threads) - lane_bits
    own = [1 << bit for bit in range(low, low + count)]
    others = [1 << bit for bit in range(bits) if not low <= bit < low + count]
    inner = others[:low]
    lanes = [] if not inner else inner[:lane_bits]
    others = [base for base in others if base not in lanes]
    kept = max(count - (lane_bits - len(lanes)) - warp_bits, 0)
    register, own = own[:kept], own[kept:]
    free = lane_bits - len(lanes)
    lanes, own = [*lanes, *own[:free]], own[free:]
    free = lane_bits - len(lanes)
    if free and not own:
        lanes, others = [*lanes, *others[:free]], others[free:]
    free = warp_bits - len(own)
    warps, others = [*own, *others[:free]], others[free:]
    return LinearLayout(
        bits, (*register, *others), _padded(lanes, lane_bits), _padded(warps, warp_bits)
    )


def uniform(threads: int, lane_bits: int = LANE_BITS) -> LinearLayout:
    """Return the layout of a single element, which every thread holds."""
    return blocked(1, 1, threads, lane_bits)


def held_by_each(size: int, threads: int, lane_bits: int = LANE_BITS) -> LinearLayout:
    """Return the layout of a tile that every thread holds as a whole, in registers."""
    bits = log2(size)
    register = tuple(1 << bit for bit in range(bits))
    return LinearLayout(
        bits, register, _padded((), lane_bits), _padded((), log2(threads) - lane_bits)
    )


# How ops renumber elements: linear maps, given as the image of each bit of the element number.


def dim_bits(shape: Sequence[int], dim: int) -> tuple[int, int]:
    """Return the lowest bit and the number of bits of a dimension in an element number."""
    return log2(prod(shape[dim + 1 :])), log2(shape[dim])


def dropped_images(bits: int, low: int, count: int) -> list[int]:
    """Map element numbers of `bits` bits to numbers without bits `low` to `low + count`."""
    below, above = range(low), range(low, bits - count)
    return [*(1 << bit for bit in below), *[0] * count, *(1 << bit for bit in above)]


def coordinate_images(shape: Sequence[int], dim: int) -> list[int]:
    """Map element numbers to the index along a dimension."""
    low, count = dim_bits(shape, dim)
    bits = log2(prod(shape))
    inside = range(low, low + count)
    return [1 << bit - low if bit in inside else 0 for bit in range(bits)]


def gathered_images(
    source: Sequence[int], result: Sequence[int], coordinates: Sequence[int | None]
) -> list[int]:
    """Map elements of `result` to elements of `source` with the same coordinates.

    For each dimension of `source`, `coordinates` has the one of `result`, or None for index 0.
    """
    images = [0] * log2(prod(result))
    for dim, other in enumerate(coordinates):
        if other is not None:
            low, count = dim_bits(source, dim)
            start, _ = dim_bits(result, other)
            images[start : start + count] = (1 << bit for bit in range(low, low + count))
    return images


def _independent(register: Iterable[int]) -> tuple[int, ...]:
    """Return the bases of registers without copies of one another."""
    space = Space()
    return tuple(base for base in register if space.add(base))


def _padded(bases: Sequence[int], count: int) -> tuple[int, ...]:
    return (*bases, *[0] * (count - len(bases)))
