"""Counts of a launch as a table for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tileir.messages.texts import display

from .counts import Counts, LoopCounts, Spread

UNKNOWN = "?"
_ARRAYS = ("argument", "read", "distinct", "written", "distinct", "atomics", "addresses")


def lines(counts: Counts) -> Iterator[str]:
    """Yield the lines of the table: arrays, operations, loops, and how blocks differ."""
    grid = "x".join(map(str, counts.grid))
    yield f"{display(counts.entry)}, {grid} blocks: bytes"
    yield from aligned([_ARRAYS, *_arrays(counts)])
    for each in counts.flops:
        word = "FLOPs" if each.is_float else "operations"
        inside = f", {number(each.products)} of them of matrix products" if each.products else ""
        yield f"{number(each.products + each.others)} {word} of {each.type}{inside}"
    if counts.intensity is not None and counts.total_flops:
        best = counts.intensity_at_best
        less = "" if best is None else f", {best:.3g} a distinct byte"
        yield f"{counts.intensity:.3g} FLOPs a byte{less}"
    if counts.loops:
        yield from aligned(
            [("loop", "entered", "trips", "at"), *map(_loop, counts.loops)], left=(0, 3)
        )
    spreads = _spreads(counts)
    if spreads:
        head = ("per block", "least", "median", "most", "least in", "most in")
        yield from aligned([head, *spreads], left=(0, 4, 5))


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
    return f"{loop.op} at {display(loop.location)}" if loop.location else loop.op


def _spread(name: str, spread: Spread) -> Sequence[str]:
    numbers = number(spread.least), number(spread.median), number(spread.most)
    if spread.least == spread.most:
        return name, *numbers, "all", "all"
    return name, *numbers, str(spread.block_of_least), str(spread.block_of_most)


def number(value: float | None) -> str:
    """Spell a number, with commas between thousands."""
    return UNKNOWN if value is None else f"{value:,}"


def aligned(rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> Iterator[str]:
    """Yield rows with columns under each other; those numbered in `left` start at the left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
