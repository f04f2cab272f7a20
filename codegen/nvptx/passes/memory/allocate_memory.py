"""Allocate shared memory: an offset for every area, exactly as much as lives at once.

Two areas *interfere* if both are live somewhere, or if some threads may still access the one when
others access the other: no barrier stands between on some path. Others may share bytes.

An area is live from its first access to its last one, in the block of its op. A variable of the
block (`alloca`) is live in the whole kernel, as pointers to it may be anywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tileir.codegen.block.areas import AREAS, LIVE_THROUGHOUT, ROW_ALIGNMENT, alignment, area_bytes
from tileir.codegen.block.types import Shared
from tileir.codegen.kernel import KernelIR
from tileir.errors import Diagnostic, UnsupportedError
from tileir.gpus import Target
from tileir.ir import Body, Op, Value
from tileir.read.text_positions import located

from .barrier_pairs import Areas, BarrierPairs
from .barrier_walk import Accesses


@dataclass(frozen=True, slots=True)
class Area:
    """Memory that one op allocates. `op` is None for memory that a pass asks about."""

    op: Op | None
    bytes: int
    alignment: int
    first: int
    last: int
    """When it is live: numbers of ops in pre-order."""
    kept: bool
    """Whether it is more than scratch memory: a variable, a ring, operands of a product."""

    def lives_with(self, other: Area) -> bool:
        """Whether both are live somewhere."""
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True, slots=True)
class Allocation:
    """Where areas lie, and the end of the last one."""

    offsets: Mapping[int, int]
    """Number of the area -> byte."""
    end: int


def allocate_memory(kernel: KernelIR, target: Target) -> int:
    """Set the offset of every area; return the bytes of shared memory that the kernel needs.

    UnsupportedError if a block of the target has not so many.
    """
    areas, unordered = areas_of(kernel.body), set[Areas]()
    if len(areas) > 1:
        unordered = BarrierPairs(kernel.body, Accesses(kernel.body, None)).unordered
    found = allocate(areas, unordered)
    for number, area in enumerate(areas):
        if area.op is not None:
            area.op.attributes["offset"] = found.offsets[number]
    _check(kernel, target, found.end)
    return found.end


def memory_needed(
    body: Body, extra: Mapping[Op, tuple[int, int]] | None = None, without: Collection[Op] = ()
) -> int:
    """Return the bytes that a body needs if barriers are placed wherever they save memory.

    `extra` are the bytes and the alignment of rings that some loops would have; the areas `without`
    do not count.
    """
    areas = [area for area in areas_of(body) if area.op not in without]
    spans = _Spans(body)
    for loop, (size, unit) in (extra or {}).items():
        areas.append(Area(None, size, unit, *spans.of(loop), kept=True))
    return allocate(areas, ()).end


def areas_of(body: Body) -> list[Area]:
    """Return the areas of a body, in order."""
    spans, areas = _Spans(body), []
    for op in body.walk():
        if op.name not in AREAS:
            continue
        if op.name in LIVE_THROUGHOUT:
            area = Area(op, area_bytes(op), alignment(op), 0, spans.count, kept=True)
        else:
            accesses = [spans.of(_within(each, op)) for each in _users(op.results)]
            first = min((first for first, _ in accesses), default=spans.of(op)[0])
            last = max((last for _, last in accesses), default=first)
            unit = alignment(op)
            area = Area(op, area_bytes(op), unit, first, last, unit >= ROW_ALIGNMENT)
        areas.append(area)
    return areas


def allocate(areas: Sequence[Area], unordered: Collection[Areas]) -> Allocation:
    """Return the smallest allocation found in which no two areas that interfere overlap.

    They are pairs of areas in `unordered`: some threads may access the first one when others access
    the second.
    """
    interfering = _living_together(areas)
    numbers = {area.op: number for number, area in enumerate(areas)}
    for one, other in unordered:
        interfering[numbers[one]].add(numbers[other])
        interfering[numbers[other]].add(numbers[one])
    found = [_first_fit(areas, order, interfering) for order in _orders(areas)]
    found += [each for each in packed(areas) if not overlapping(areas, each, unordered)]
    return min(found, key=lambda each: each.end)


def packed(areas: Sequence[Area]) -> list[Allocation]:
    """Return allocations in which only areas that live at the same time do not overlap."""
    together = _living_together(areas)
    return [_first_fit(areas, order, together) for order in _orders(areas)]


def _living_together(areas: Sequence[Area]) -> list[set[int]]:
    """Return for each area the numbers of those that live when it does."""
    found: list[set[int]] = [set() for _ in areas]
    live: list[int] = []
    for number in sorted(range(len(areas)), key=lambda each: areas[each].first):
        live = [other for other in live if areas[other].last >= areas[number].first]
        for other in live:
            found[number].add(other)
            found[other].add(number)
        live.append(number)
    return found


def overlapping(
    areas: Sequence[Area], found: Allocation, pairs: Iterable[tuple[Op, Op]]
) -> list[tuple[Op, Op]]:
    """Return those of the pairs of areas that overlap."""
    ranges = {
        area.op: (found.offsets[number], found.offsets[number] + area.bytes)
        for number, area in enumerate(areas)
    }
    return [
        (one, other)
        for one, other in pairs
        if ranges[one][0] < ranges[other][1] and ranges[other][0] < ranges[one][1]
    ]


def _orders(areas: Sequence[Area]) -> Iterator[list[int]]:
    """Yield orders in which areas are given their bytes: what lives longest lies lowest."""
    numbers = range(len(areas))
    kept = sorted(numbers, key=lambda each: not areas[each].kept)
    yield kept
    yield sorted(kept, key=lambda each: -areas[each].bytes)
    yield sorted(kept, key=lambda each: areas[each].first - areas[each].last)


def _first_fit(
    areas: Sequence[Area], order: Iterable[int], interfering: Sequence[set[int]]
) -> Allocation:
    """Give each area the lowest bytes that no area it interferes with has."""
    offsets: dict[int, int] = {}
    end = 0
    for number in order:
        area, offset = areas[number], 0
        taken = sorted(
            (offsets[other], offsets[other] + areas[other].bytes)
            for other in interfering[number]
            if other in offsets
        )
        for low, high in taken:
            if offset < high and low < offset + area.bytes:
                offset = -(-high // area.alignment) * area.alignment
        offsets[number] = offset
        end = max(end, offset + area.bytes)
    return Allocation(offsets, end)


class _Spans:
    """The ops of a body, numbered in pre-order."""

    def __init__(self, body: Body) -> None:
        self._first: dict[Op, int] = {}
        self._last: dict[Op, int] = {}
        for op in body.walk():
            number = len(self._first)
            self._first[op] = number
            around: Op | None = op
            while around is not None:
                self._last[around] = number
                around = around.parent.parent_op
        self.count = len(self._first)

    def of(self, op: Op) -> tuple[int, int]:
        """Return the first and the last number of an op, and what is in it."""
        return self._first[op], self._last[op]


def _users(tiles: Iterable[Value]) -> Iterator[Op]:
    """Yield the ops that use tiles in shared memory, or slots and views of them."""
    for tile in tiles:
        for use in tile.uses:
            if use.op.name == "barrier":
                continue
            yield use.op
            yield from _users(each for each in use.op.results if isinstance(each.type, Shared))


def _within(op: Op, area: Op) -> Op:
    """Return the op in the block of an area that an op is, or is in."""
    while op.parent is not area.parent:
        op = op.parent.parent_op
    return op


def _check(kernel: KernelIR, target: Target, size: int) -> None:
    """Raise UnsupportedError if a block of the target has not so many bytes."""
    if size <= target.shared_bytes:
        return
    why = f"takes {size} bytes of shared memory; a block of {target.name} has {target.shared_bytes}"
    problem = Diagnostic("error", "unsupported", why, function=kernel.symbol)
    diagnostics = located([problem], kernel.bytecode)
    raise UnsupportedError("tiles that threads exchange are too large:", diagnostics)
