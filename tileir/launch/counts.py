"""What a launch on the CPU has counted, as values that programs read, as JSON, and as text.

Rows are in `count_rows`, which says what is counted and how.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tileir.messages.tables import UNKNOWN, aligned, number
from tileir.messages.texts import display

from .count_rows import (
    AccessCounts,
    ArrayCounts,
    Block,
    FlopCounts,
    LoopCounts,
    OtherMemory,
    Spread,
)

_ARRAYS = ("argument", "read", "distinct", "written", "distinct", "atomics", "addresses")


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
        return "\n".join(_lines(self))


def _lines(counts: Counts) -> Iterator[str]:
    """Yield the lines of the table: arrays, operations, loops, and how blocks differ."""
    grid = "x".join(map(str, counts.grid))
    yield f"{display(counts.entry)}, {grid} blocks: bytes"
    yield from aligned([_ARRAYS, *_arrays(counts)])
    for each in counts.flops:
        word = "FLOPs" if each.is_float else "operations"
        many = number(each.products) if each.others else "all"
        inside = f", {many} of them of matrix products" if each.products else ""
        yield f"{number(each.products + each.others)} {word} of {each.type}{inside}"
    if counts.intensity is not None and counts.total_flops:
        best = counts.intensity_at_best
        less = "" if best is None else f", {_ratio(best)} a distinct byte"
        yield f"{_ratio(counts.intensity)} FLOPs a byte{less}"
    if counts.loops:
        yield from aligned(
            [("loop", "entered", "trips", "at"), *map(_loop, counts.loops)], left=(0, 3)
        )
    spreads = _spreads(counts)
    if spreads:
        head = ("per block", "least", "median", "most", "least in", "most in")
        yield from aligned([head, *spreads], left=(0, 4, 5))


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value > 99 else f"{value:.3g}"


def _arrays(counts: Counts) -> Iterator[Sequence[str]]:
    for array in counts.arrays:
        yield (
            f"{array.parameter} {array.type}",
            number(array.read.bytes),
            number(array.read.distinct),
            number(array.written.bytes),
            number(array.written.distinct),
            number(array.atomics),
            number(array.atomic_addresses),
        )
    for other in counts.other:
        moved = number(other.bytes_read), "", number(other.bytes_written), ""
        name = "the kernel's own" if other.name == "own" else "other memory"
        yield name, *moved, number(other.atomics), ""


def _loop(loop: LoopCounts) -> Sequence[str]:
    return loop.op, number(loop.entered), number(loop.trips), display(loop.location) or UNKNOWN


def _spreads(counts: Counts) -> list[Sequence[str]]:
    named = [
        ("bytes", counts.bytes_per_block),
        ("FLOPs", counts.flops_per_block),
        ("atomics", counts.atomics_per_block),
    ]
    named += [(f"trips of {_where(loop)}", loop.per_block) for loop in counts.loops]
    return [_spread(name, spread) for name, spread in named if spread.most]


def _where(loop: LoopCounts) -> str:
    place = loop.location.replace("\\", "/").rpartition("/")[2]
    return f"{loop.op} at {display(place)}" if place else loop.op


def _spread(name: str, spread: Spread) -> Sequence[str]:
    numbers = number(spread.least), number(spread.median), number(spread.most)
    if spread.least == spread.most:
        return name, *numbers, "all", "all"
    return name, *numbers, str(spread.block_of_least), str(spread.block_of_most)
