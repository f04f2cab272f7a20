"""What a launch on the CPU has counted, as values that programs read and JSON can hold.

Bytes are those of the elements that were accessed, each time; `distinct` ones count once however
often they were. Elements that a mask leaves out, or that lie beyond the edge of a tensor, are not
accessed. Operations are those of whole tiles: an addition of tiles of 1,024 elements is 1,024 of
them. Where a figure is not known, it is None.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Counts:
    """What a launch has accessed and computed. `print` shows it as tables."""

    entry: str
    grid: Block
    arrays: tuple[ArrayCounts, ...]
    other: tuple[OtherMemory, ...]
    accesses: tuple[AccessCounts, ...]
    flops: tuple[FlopCounts, ...]
    loops: tuple[LoopCounts, ...]
    bytes_per_block: Spread
    flops_per_block: Spread
    atomics_per_block: Spread

    @property
    def bytes_read(self) -> int:
        """Bytes read from all memory that is not the kernel's own."""
        return sum(a.read.bytes for a in self.arrays) + sum(
            each.bytes_read for each in self.other if each.name != "own"
        )

    @property
    def bytes_written(self) -> int:
        """Bytes written to all memory that is not the kernel's own."""
        return sum(a.written.bytes for a in self.arrays) + sum(
            each.bytes_written for each in self.other if each.name != "own"
        )

    @property
    def distinct_bytes(self) -> int | None:
        """Different bytes read and different bytes written: what has to be moved at least."""
        total = 0
        for array in self.arrays:
            if array.read.distinct is None or array.written.distinct is None:
                return None
            total += array.read.distinct + array.written.distinct
        return None if any(each.name != "own" for each in self.other) else total

    @property
    def total_flops(self) -> int:
        """Floating-point operations of all types."""
        return sum(each.products + each.others for each in self.flops if each.is_float)

    @property
    def intensity(self) -> float | None:
        """Floating-point operations for each byte read or written; None if there are no bytes."""
        moved = self.bytes_read + self.bytes_written
        return self.total_flops / moved if moved else None

    @property
    def intensity_at_best(self) -> float | None:
        """The same for each distinct byte: what it would be if caches kept everything."""
        return self.total_flops / self.distinct_bytes if self.distinct_bytes else None

    def to_json(self) -> dict[str, Any]:
        """Return values that JSON can hold: the fields, and the properties by their names."""
        derived = (
            "bytes_read",
            "bytes_written",
            "distinct_bytes",
            "total_flops",
            "intensity",
            "intensity_at_best",
        )
        return {**asdict(self), **{name: getattr(self, name) for name in derived}}

    def __str__(self) -> str:
        from .counts_text import lines

        return "\n".join(lines(self))
