"""What each op costs in PTX: the issue slots of the instructions that are made of it.

Copies locate each op at its own number, and PTX's `.loc` directives hand that down to instructions.
How often loops run is not known: an instruction in a loop counts `LOOP` times, one in a loop of
that `LOOP` times as often. Most instructions take one slot of a warp's scheduler. `SLOTS` has those
that take more: instructions that ptxas replaces by a sequence count as many as are on its usual
path, with the fence that it makes of an order, and with what scales subnormal numbers, up and down
again, where they are not taken for zero (`ftz`); those of units with a lower rate count as many as
plain ones take in that time, by the table of throughputs in NVIDIA's "CUDA C++ Programming Guide"
for compute capability 9.0.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from tileir.codegen.emulator.ptx.locations import source_lines
from tileir.codegen.emulator.ptx.syntax import PtxEntry, Statement, read

from .numbered import FILE

LOOP = 16
"""What an iteration counts for, as nobody knows how many there are."""

SLOTS: Mapping[str, int] = {
    r"(div|rem)\.[su]64": 70,
    r"(div|rem)\.[su](16|32)": 20,
    r"(div|sqrt|rcp)\.r[nzmp]\.f64": 40,
    r"(div|sqrt|rcp)\.r[nzmp]\.(ftz\.)?f32": 10,
    r"div\.full\.ftz\.": 8,
    r"div\.full\.": 11,
    r"div\.approx\.ftz\.": 5,
    r"div\.approx\.": 8,
    r"sin\.|cos\.": 5,
    r"rcp\.approx\.f32": 10,
    r"(ex2|lg2|rsqrt|sqrt)\.approx\.f32": 7,
    r"(ex2|lg2|tanh|rcp|rsqrt|sqrt)\.": 4,
    r"(shfl|redux)\.": 4,
    r"(bar|barrier|fence|membar)\.": 16,
    r"(atom|red)\.(acquire|release|acq_rel)\.": 32,
    r"(ld|st)\.(acquire|release)\.": 16,
    r"(atom|red)\.": 16,
    r"\w+\.([\w:]+\.)*f64": 2,
}
"""Start of an opcode -> its slots; the first that fits counts."""

PLAIN = 1
"""The slots of all others."""
_SLOTS = [(re.compile(start), slots) for start, slots in SLOTS.items()]
_PRODUCT = re.compile(r"(wgmma|mma)\..*?\.m(\d+)n(\d+)k\d+\b")
_OF_WARP, _OF_GROUP = 32, 128
"""Results of an instruction that a warp's tensor core makes in a slot, and those of four warps.

Narrower types have more products for each, and as many in the same time.
"""
_BRANCHES = ("bra", "bra.uni")
_ENDS = ("ret", "exit")
_DOUBLE = re.compile(r"\.f64\b")


@cache
def slots_of(opcode: str) -> int:
    """Return the issue slots that an instruction takes, about."""
    return next((slots for start, slots in _SLOTS if start.match(opcode)), PLAIN)


@cache
def slots_of_product(opcode: str) -> int:
    """Return the slots for which an instruction keeps tensor cores busy; 0 for most."""
    shape = _PRODUCT.match(opcode)
    if shape is None:
        return 0
    each = _OF_GROUP if shape[1] == "wgmma" else _OF_WARP
    return max(int(shape[2]) * int(shape[3]) // each, 1)


class Instructions:
    """What the ops of a module cost, by symbol and number, and its kernels, by symbol.

    What belongs to no op has the number None.
    """

    def __init__(self, ptx: str) -> None:
        self.slots: Counter[tuple[str, int | None]] = Counter()
        """The slots of an op, without those of tensor cores."""
        self.products: Counter[str] = Counter()
        """The slots of a kernel's tensor cores."""
        self.totals: Counter[str] = Counter()
        """The slots of a kernel."""
        self.doubles: Counter[tuple[str, int | None]] = Counter()
        """The instructions of f64 of an op."""
        places = {line: number_at(place) for line, place in source_lines(ptx).items()}
        for entry in read(ptx).entries.values():
            for each, depth in _executed(entry):
                times = LOOP**depth
                where = entry.name, places.get(each.line)
                products = slots_of_product(each.opcode)
                self.products[entry.name] += products * times
                if not products:
                    self.slots[where] += slots_of(each.opcode) * times
                self.totals[entry.name] += (products or slots_of(each.opcode)) * times
                if _DOUBLE.search(each.opcode):
                    self.doubles[where] += times


def number_at(place: str) -> int | None:
    """Return the number of the op at a place of PTX, "file:line", if there is one."""
    name, _, line = place.rpartition(":")
    return int(line) - 1 if name.endswith(FILE) and int(line) else None


def _executed(entry: PtxEntry) -> Iterator[tuple[Statement, int]]:
    """Yield the instructions of a kernel, and how many loops are around each."""
    blocks = _blocks(entry)
    starts = {block[0].text[:-1]: n for n, block in enumerate(blocks) if not block[0].opcode}
    before: list[list[int]] = [[] for _ in blocks]
    for n, block in enumerate(blocks):
        last = block[-1]
        if last.opcode in _BRANCHES:
            before[starts[last.operands[0]]].append(n)
        ends = last.opcode in (*_BRANCHES, *_ENDS) and not last.guard
        if not ends and n + 1 < len(blocks):
            before[n + 1].append(n)
    depths = Counter(n for loop in _loops(before) for n in loop)
    for n, block in enumerate(blocks):
        for each in block:
            if each.opcode:
                yield each, depths[n]


def _blocks(entry: PtxEntry) -> list[list[Statement]]:
    """Return the basic blocks of a kernel, each with its label, if it has one, in front."""
    blocks: list[list[Statement]] = [[]]
    for each in entry.statements:
        if not each.opcode and blocks[-1]:
            blocks.append([])
        blocks[-1].append(each)
        if each.opcode in (*_BRANCHES, *_ENDS):
            blocks.append([])
    return [block for block in blocks if block]


def _loops(before: Sequence[Sequence[int]]) -> Iterator[set[int]]:
    """Yield the blocks of each natural loop, of which `before` has the predecessors.

    What jumps back without being a loop, as code does that is seldom needed and stands at the end,
    is reached from the start, not only through where it jumps to.
    """
    for head, sources in enumerate(before):
        inside = {head}
        waiting = [each for each in sources if each >= head]
        while waiting:
            each = waiting.pop()
            if each not in inside:
                inside.add(each)
                waiting += before[each]
        if (len(inside) > 1 or head in sources) and (0 not in inside or head == 0):
            yield inside
