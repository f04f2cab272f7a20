"""The rows of what a launch on the CPU has counted: arrays, ops, types, loops, blocks.

Bytes are those of the elements that were accessed, each time; `distinct` ones count once however
often they were. Elements that a mask leaves out, or that lie beyond the edge of a tensor, are not
accessed. Operations are those of whole tiles: an addition of tiles of 1,024 elements is 1,024 of
them. What an `if` in the region of a reduction computes counts as often as the CPU entered it,
which may depend on the order of the elements. Where a figure is not known, it is None.
"""

from __future__ import annotations

from dataclasses import dataclass

Block = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes that were read, or written: all of them, and how many different ones."""

    bytes: int
    distinct: int | None


@dataclass(frozen=True, slots=True)
class ArrayCounts:
    """Accesses to the memory of a pointer parameter, whose array has `size` bytes.

    An atomic update reads and writes; `atomics` are the elements updated, `atomic_addresses` how
    many different ones. `touched` are different bytes that were read or written.
    """

    parameter: int
    type: str
    size: int | None
    read: Traffic
    written: Traffic
    touched: int | None
    atomics: int
    atomic_addresses: int | None


@dataclass(frozen=True, slots=True)
class OtherMemory:
    """Accesses to other memory: the kernel's "own" (variables), or what lies "elsewhere"."""

    name: str
    bytes_read: int
    bytes_written: int
    atomics: int


@dataclass(frozen=True, slots=True)
class AccessCounts:
    """What one op has accessed through one parameter, None for other memory.

    `kind` is "read", "written" or "atomic".
    """

    op: str
    location: str
    parameter: int | None
    kind: str
    elements: int
    bytes: int


@dataclass(frozen=True, slots=True)
class FlopCounts:
    """Operations on a type: those of matrix products, by the type of the factors, and all others.

    Of integer types only matrix products are counted, and are no floating-point operations.
    """

    type: str
    products: int
    others: int
    is_float: bool


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure over all blocks: the least, the median, the most, and the first block of either."""

    least: int
    median: float
    most: int
    block_of_least: Block | None
    block_of_most: Block | None


@dataclass(frozen=True, slots=True)
class LoopCounts:
    """A loop: how often it was entered, its iterations, and those of each block."""

    op: str
    location: str
    entered: int
    trips: int
    per_block: Spread
