"""The counters of a kernel: numbers that a block adds up while it runs, and what they mean.

A counter is a variable of the function that runs a block. When the block ends, each is added to the
launch's totals, and some sums of them are stored for the block alone. What they mean is data that
a cache can keep; `running/tally.py` reads it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from llvmlite import ir

from tileir.codegen.analysis.flops import Arithmetic
from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.position import INDEX, ZERO
from tileir.codegen.host.running.context import LaunchContext
from tileir.codegen.host.running.tally import (
    ATOMICS,
    BITS,
    BLOCKS,
    FIRST_MAP,
    FLOPS,
    OWN,
    TOTALS,
)
from tileir.codegen.scalar.types import BYTE, OPAQUE
from tileir.ir import Op
from tileir.types import Scalar

_ONE = ir.Constant(INDEX, 1)


class Counters:
    """The counters of one kernel, while it is lowered.

    The launch's table of addresses is read in the entry block, once a block.
    """

    def __init__(self, lowering: Lowering) -> None:
        self._lowering = lowering
        self._slots: list[ir.Value] = []
        self._accesses: list[dict[str, Any]] = []
        self._loops: list[dict[str, Any]] = []
        self._maps: dict[tuple[int, str], ir.Value] = {}
        self._flops: dict[Arithmetic, Counter[int]] = defaultdict(Counter)
        self._table: ir.Value | None = None

    def new(self) -> int:
        """Make a counter, which is zero when a block begins; return its number."""
        self._slots.append(self._lowering.slot(INDEX, ZERO))
        return len(self._slots) - 1

    def add(self, counter: int, number: ir.Value = _ONE) -> None:
        """Emit an addition to a counter."""
        builder, slot = self._lowering.builder, self._slots[counter]
        builder.store(builder.add(builder.load(slot, typ=INDEX), number), slot)

    def for_access(self, op: Op, parameter: int, kind: str, bits: int) -> int:
        """Make a counter of elements of so many bits that an op accesses.

        `parameter` is a number, or what `tally` has for other memory; `kind` is "read", "written"
        or "atomic".
        """
        counter = self.new()
        row = {"counter": counter, "parameter": parameter, "kind": kind, "bits": bits}
        self._accesses.append({**row, **_place(op)})
        return counter

    def for_loop(self, op: Op, entries: int, trips: int) -> None:
        """Let two counters be those of how often a loop is entered, and of its trips."""
        self._loops.append({"entries": entries, "trips": trips, **_place(op)})

    def weigh(self, counter: int, flops: Counter[Arithmetic]) -> None:
        """Let each count of a counter stand for so many operations, besides those it has."""
        for kind, number in flops.items():
            self._flops[kind][counter] += number

    def map_of(self, parameter: int, kind: str) -> ir.Value:
        """Return the address of the map of the bytes of a parameter that are accessed so.

        It is loaded in the entry block; 0 where nothing is known of the memory.
        """
        key = parameter, kind
        if key not in self._maps:
            self._maps[key] = self._from_table(FIRST_MAP + len(self._maps))
        return self._maps[key]

    def to_json(self) -> dict[str, Any]:
        """Return what the counters mean, as `tally.FORM` describes it."""
        return {
            "size": len(self._slots),
            "accesses": self._accesses,
            "loops": self._loops,
            "flops": [
                {
                    "type": kind.type,
                    "product": kind.product,
                    "terms": sorted(map(list, terms.items())),
                }
                for kind, terms in sorted(self._flops.items())
            ],
            "maps": [list(key) for key in self._maps],
        }

    def leave(self, builder: ir.IRBuilder) -> None:
        """Emit what a block does with its counters when it ends."""
        totals, rows = self._from_table(TOTALS), self._from_table(BLOCKS)
        values = [builder.load(slot, typ=INDEX) for slot in self._slots]
        totals = builder.inttoptr(totals, OPAQUE)
        for number, value in enumerate(values):
            place = builder.gep(totals, [ir.Constant(INDEX, number)], source_etype=INDEX)
            builder.atomic_rmw("add", place, value, "monotonic")
        columns = self._columns()
        x, y, z, size_x, size_y, _ = (
            builder.zext(n, INDEX) for n in self._lowering.function.args[1:7]
        )
        block = builder.add(x, builder.mul(size_x, builder.add(y, builder.mul(size_y, z))))
        first = builder.mul(block, ir.Constant(INDEX, len(columns)))
        rows = builder.inttoptr(rows, OPAQUE)
        for number, terms in enumerate(columns):
            total: ir.Value = ZERO
            for counter, weight in terms:
                total = builder.add(total, builder.mul(values[counter], ir.Constant(INDEX, weight)))
            index = builder.add(first, ir.Constant(INDEX, number))
            builder.store(total, builder.gep(rows, [index], source_etype=INDEX))

    def _columns(self) -> list[list[tuple[int, int]]]:
        """Return the sums that are stored for each block, as counters with weights.

        The kernel's own memory is not part of them.
        """
        accesses: list[list[tuple[int, int]]] = [[], []]
        for row in self._accesses:
            if row["parameter"] == OWN:
                continue
            twice = row["kind"] == "atomic"
            accesses[0].append((row["counter"], row["bits"] * (1 + twice)))
            if twice:
                accesses[1].append((row["counter"], 1))
        flops = [
            term
            for kind, terms in self._flops.items()
            if Scalar(kind.type).is_float
            for term in terms.items()
        ]
        columns = {BITS: accesses[0], FLOPS: flops, ATOMICS: accesses[1]}
        return [columns[n] for n in sorted(columns)] + [[(row["trips"], 1)] for row in self._loops]

    def _from_table(self, number: int) -> ir.Value:
        entry = self._lowering.entry
        if self._table is None:
            field = ir.Constant(INDEX, LaunchContext.counts.offset)
            place = entry.gep(self._lowering.function.args[-1], [field], source_etype=BYTE)
            self._table = entry.load(place, typ=OPAQUE, align=8)
        place = entry.gep(self._table, [ir.Constant(INDEX, number)], source_etype=INDEX)
        return entry.load(place, typ=INDEX, align=8)


def _place(op: Op) -> dict[str, str]:
    return {"op": op.name, "location": op.location_text}
