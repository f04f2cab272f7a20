"""What the blocks of a launch have counted: totals, a row for each block, bytes that were touched.

Machine code gets the addresses of all that in a table of 64-bit words: totals, rows, then a map for
each pair in "maps". A map has a byte for each byte of an array, 1 where that was accessed: threads
may set it at the same time. Memory of a map that nothing touches is none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from tileir.codegen.arguments.extents import Extent
from tileir.ir.type_kinds import SCALARS
from tileir.launch.count_rows import (
    AccessCounts,
    ArrayCounts,
    FlopCounts,
    LoopCounts,
    OtherMemory,
    Spread,
    Traffic,
)
from tileir.launch.counts import Counts
from tileir.launch.stored_values import conforms
from tileir.types import Element, Scalar

TOTALS, BLOCKS, FIRST_MAP = range(3)
"""Entries of the table."""

BITS, FLOPS, ATOMICS, FIRST_LOOP = range(4)
"""Columns of a block's row: bits read and written, floating-point operations, elements of atomics,
and then the trips of each loop."""

OWN, ELSEWHERE = -1, -2
"""In place of a parameter: memory of the kernel itself, and memory of unknown origin."""

MAX_MAPPED = 1 << 34
"""The most bytes of all maps of a launch: which bytes of other arrays are touched is not known."""

MAX_ROWS = 1 << 32
"""The most bytes of the rows of all blocks."""

KINDS = ("read", "written", "atomic")


def _is_place(value: object) -> bool:
    return type(value) is int and value >= ELSEWHERE


def _is_kind(value: object) -> bool:
    return value in KINDS


_PLACE = {"op": str, "location": str}
FORM = {
    "size": int,
    "accesses": [{"counter": int, "parameter": _is_place, "kind": _is_kind, "bits": int, **_PLACE}],
    "loops": [{"entries": int, "trips": int, **_PLACE}],
    "flops": [{"type": lambda name: name in SCALARS, "product": bool, "terms": [[int]]}],
    "maps": [lambda pair: _is_map(pair)],
}
"""The counters of a kernel: how many, and what they are. A counter of an access has its elements,
each of so many bits; the operations of a type are sums of counters with weights."""


def _is_map(pair: object) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and type(pair[0]) is int and _is_kind(pair[1])


def are_counters(value: object) -> bool:
    """Whether a value has the form of a kernel's counters."""
    return conforms(value, FORM)


def counters_fit(counters: Mapping[str, Any], pointers: Collection[int]) -> bool:
    """Whether counters refer to those that there are, and to parameters that are pointers."""
    numbers = [row["counter"] for row in counters["accesses"]]
    numbers += [row[name] for row in counters["loops"] for name in ("entries", "trips")]
    terms = [term for row in counters["flops"] for term in row["terms"]]
    places = {row["parameter"] for row in counters["accesses"] if row["parameter"] >= 0}
    places |= {pair[0] for pair in counters["maps"]}
    paired = all(len(term) == 2 for term in terms)
    numbers += [term[0] for term in terms]
    return paired and places <= {*pointers} and all(n < counters["size"] for n in numbers)


class Tally:
    """The memory that the blocks of one launch count in."""

    def __init__(
        self, counters: Mapping[str, Any], blocks: int, extents: Mapping[int, Extent | None]
    ) -> None:
        """`extents` are those of the memory of pointer parameters.

        MemoryError if the rows of so many blocks need too much.
        """
        columns = FIRST_LOOP + len(counters["loops"])
        if 8 * blocks * columns > MAX_ROWS:
            raise MemoryError
        self.counters = counters
        self.extents = extents
        self.totals = np.zeros(max(counters["size"], 1), np.int64)
        self.rows = np.zeros((blocks, columns), np.int64)
        self.maps: dict[tuple[int, str], np.ndarray | None] = {}
        left = MAX_MAPPED
        for number, kind in counters["maps"]:
            extent = extents[number]
            size = extent[1] - extent[0] if extent else MAX_MAPPED + 1
            fits = size <= left
            left -= size if fits else 0
            self.maps[number, kind] = np.zeros(max(size, 1), np.uint8) if fits else None
        kept = [0 if each is None else each.ctypes.data for each in self.maps.values()]
        addresses = [self.totals.ctypes.data, self.rows.ctypes.data, *kept]
        self._table = np.array(addresses, np.uint64)

    @property
    def address(self) -> int:
        """The address of the table."""
        return self._table.ctypes.data

    def counts(
        self, symbol: str, elements: Sequence[Element], grid: tuple[int, int, int]
    ) -> Counts:
        """Return what was counted, once all blocks have ended."""
        rows = self.counters["accesses"]
        accesses = [
            AccessCounts(
                row["op"],
                row["location"],
                row["parameter"] if row["parameter"] >= 0 else None,
                row["kind"],
                int(self.totals[row["counter"]]),
                self._bytes([row]),
            )
            for row in rows
        ]
        numbers = sorted({row["parameter"] for row in rows if row["parameter"] >= 0})
        loops = [
            LoopCounts(
                row["op"],
                row["location"],
                int(self.totals[row["entries"]]),
                int(self.totals[row["trips"]]),
                _spread(self.rows[:, FIRST_LOOP + number], grid),
            )
            for number, row in enumerate(self.counters["loops"])
        ]
        return Counts(
            entry=symbol,
            grid=grid,
            arrays=tuple(self._array(number, elements[number]) for number in numbers),
            other=tuple(
                self._other(place, name)
                for place, name in ((OWN, "own"), (ELSEWHERE, "elsewhere"))
                if any(row["parameter"] == place for row in rows)
            ),
            accesses=tuple(accesses),
            flops=self._flops(),
            loops=tuple(loops),
            bytes_per_block=_spread((self.rows[:, BITS] + 7) // 8, grid),
            flops_per_block=_spread(self.rows[:, FLOPS], grid),
            atomics_per_block=_spread(self.rows[:, ATOMICS], grid),
        )

    def _bytes(self, rows: Sequence[Mapping[str, Any]]) -> int:
        bits = sum(int(self.totals[row["counter"]]) * row["bits"] for row in rows)
        return -(-bits // 8)

    def _rows(self, place: int, *kinds: str) -> list[Mapping[str, Any]]:
        rows = self.counters["accesses"]
        return [row for row in rows if row["parameter"] == place and row["kind"] in kinds]

    def _array(self, number: int, element: Element) -> ArrayCounts:
        extent = self.extents[number]
        atomics = self._rows(number, "atomic")
        words = None
        if atomics:
            touched = self._touched(number, "atomic")
            words = None if touched is None else touched * 8 // atomics[0]["bits"]
        return ArrayCounts(
            number,
            str(element),
            extent[1] - extent[0] if extent else None,
            Traffic(
                self._bytes(self._rows(number, "read", "atomic")),
                self._touched(number, "read", "atomic"),
            ),
            Traffic(
                self._bytes(self._rows(number, "written", "atomic")),
                self._touched(number, "written", "atomic"),
            ),
            self._touched(number, *KINDS),
            self._elements(atomics),
            words if atomics else 0,
        )

    def _other(self, place: int, name: str) -> OtherMemory:
        return OtherMemory(
            name,
            self._bytes(self._rows(place, "read", "atomic")),
            self._bytes(self._rows(place, "written", "atomic")),
            self._elements(self._rows(place, "atomic")),
        )

    def _elements(self, rows: Sequence[Mapping[str, Any]]) -> int:
        return sum(int(self.totals[row["counter"]]) for row in rows)

    def _touched(self, number: int, *kinds: str) -> int | None:
        """Count the bytes of an array that were accessed in one of these ways; None if unknown."""
        found = [each for key, each in self.maps.items() if key[0] == number and key[1] in kinds]
        known = [each for each in found if each is not None]
        if len(known) < len(found) or self.extents[number] is None:
            return None
        if len(known) < 2:
            return sum(int(np.count_nonzero(each)) for each in known)
        together = known[0].copy()
        for each in known[1:]:
            together |= each
        return int(np.count_nonzero(together))

    def _flops(self) -> tuple[FlopCounts, ...]:
        found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for row in self.counters["flops"]:
            total = sum(int(self.totals[counter]) * weight for counter, weight in row["terms"])
            found[row["type"]][row["product"]] += total
        return tuple(
            FlopCounts(name, products, others, Scalar(name).is_float)
            for name, (others, products) in sorted(found.items())
            if products or others
        )


def _spread(numbers: np.ndarray, grid: tuple[int, int, int]) -> Spread:
    if not len(numbers):
        return Spread(0, 0, 0, None, None)
    least, most = int(numbers.argmin()), int(numbers.argmax())
    middle = float(np.median(numbers))

    def block(number: int) -> tuple[int, int, int]:
        x, y, _ = grid
        return number % x, number // x % y, number // (x * y)

    return Spread(
        int(numbers[least]),
        int(middle) if middle.is_integer() else middle,
        int(numbers[most]),
        block(least),
        block(most),
    )
