"""What a launch on the emulator has counted, as values that programs read and JSON can hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tileir.codegen.emulator.ptx.blocks import BasicBlock, written_opcode
from tileir.codegen.emulator.ptx.locations import source_lines
from tileir.messages.tables import aligned, number
from tileir.messages.wording import counted

from .classes import by_class, class_of, product_operations
from .recorder import GLOBAL, SHARED, Recorder

BARRIERS, COPIES, PRODUCTS = "barriers", "asynchronous copies", "tensor-core products"
LISTED = 8
"""So many rows are listed in each table of `print`, and the rest summed; `to_json` has all."""


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Executed instructions of a class: of warps, and of the threads in them."""

    name: str
    warps: int
    threads: int


@dataclass(frozen=True, slots=True)
class LineCounts:
    """How often warps executed an instruction, by its line in the PTX, and where it comes from."""

    line: int
    text: str
    source: str
    warps: int


@dataclass(frozen=True, slots=True)
class WarpAccesses:
    """The accesses of warps by one instruction to global or shared memory (`space`).

    `transactions` are sectors of 32 bytes in global memory, wavefronts in shared memory; `least` is
    what they would be if lanes accessed neighbours, and no two different words of one bank. `worst`
    is the most of a single access.
    """

    line: int
    text: str
    source: str
    space: str
    requests: int
    transactions: int
    least: int
    worst: int

    @property
    def excess(self) -> int:
        """The transactions beyond the least: uncoalesced accesses, or bank conflicts."""
        return self.transactions - self.least


@dataclass(frozen=True, slots=True)
class EmulatedCounts:
    """Counters of a launch; `print` shows them as tables, what costs most first.

    `product_operations` are multiplications and additions of tensor cores.
    """

    entry: str
    grid: tuple[int, int, int]
    classes: tuple[ClassCounts, ...]
    product_operations: int
    accesses: tuple[WarpAccesses, ...]
    barriers: tuple[LineCounts, ...]
    copies: tuple[LineCounts, ...]
    products: tuple[LineCounts, ...]

    def transactions(self, space: str) -> tuple[int, int]:
        """Return the transactions of all accesses to a space, and the least there could be."""
        rows = [row for row in self.accesses if row.space == space]
        return sum(row.transactions for row in rows), sum(row.least for row in rows)

    @property
    def bank_conflicts(self) -> int:
        """Wavefronts of shared memory beyond the least."""
        taken, least = self.transactions(SHARED)
        return taken - least

    @property
    def excess_sectors(self) -> int:
        """Sectors of global memory beyond the least."""
        taken, least = self.transactions(GLOBAL)
        return taken - least

    def to_json(self) -> dict[str, Any]:
        """Return values that JSON can hold: the fields and the properties, by their names."""
        data = asdict(self)
        for row, access in zip(data["accesses"], self.accesses, strict=True):
            row["excess"] = access.excess
        more = {"bank_conflicts": self.bank_conflicts, "excess_sectors": self.excess_sectors}
        return {**data, **more}

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def counts_of(
    entry: str,
    grid: tuple[int, int, int],
    ptx: str,
    blocks: Sequence[BasicBlock],
    warps_in: Mapping[int, int],
    instructions: tuple[Mapping[str, int], Mapping[str, int]],
    recorder: Recorder,
) -> EmulatedCounts:
    """Return the counts of a launch.

    `warps_in` has how many warps have been in each block, `instructions` how often warps and
    threads have executed each opcode.
    """
    sources = source_lines(ptx)
    of_warps, of_threads = map(by_class, instructions)
    lines = _by_line(blocks, warps_in, sources)
    accesses = [
        WarpAccesses(line, recorder.texts[line], sources.get(line, ""), space, *found)
        for (line, space), found in recorder.found.items()
    ]
    return EmulatedCounts(
        entry,
        grid,
        tuple(ClassCounts(name, n, of_threads[name]) for name, n in of_warps.most_common() if n),
        product_operations(instructions[0]),
        tuple(sorted(accesses, key=lambda row: (-row.excess, -row.transactions, row.line))),
        *(_busiest(lines, name) for name in (BARRIERS, COPIES, PRODUCTS)),
    )


def _by_line(
    blocks: Sequence[BasicBlock], warps_in: Mapping[int, int], sources: Mapping[int, str]
) -> dict[str, list[LineCounts]]:
    """Return the lines of each class."""
    found: dict[str, Counter[tuple[int, str]]] = {}
    for index, block in enumerate(blocks):
        for statement in block.statements if warps_in.get(index) else ():
            opcode = written_opcode(statement.opcode)
            if opcode is not None and statement.line:
                rows = found.setdefault(class_of(opcode), Counter())
                rows[statement.line, statement.text] += warps_in[index]
    return {
        name: [LineCounts(line, text, sources.get(line, ""), n) for (line, text), n in rows.items()]
        for name, rows in found.items()
    }


def _busiest(lines: Mapping[str, list[LineCounts]], name: str) -> tuple[LineCounts, ...]:
    return tuple(sorted(lines.get(name, ()), key=lambda row: (-row.warps, row.line)))


def _lines(counts: EmulatedCounts) -> Iterator[str]:
    grid = "x".join(map(str, counts.grid))
    yield f"{counts.entry}, {grid} blocks: instructions"
    rows = [(row.name, number(row.warps), number(row.threads)) for row in counts.classes]
    yield from aligned([("class", "of warps", "of threads"), *rows])
    if counts.product_operations:
        yield f"{number(counts.product_operations)} operations of tensor-core products"
    for space, unit, more in (
        (GLOBAL, "sectors of 32 bytes", "uncoalesced"),
        (SHARED, "wavefronts", "bank conflicts"),
    ):
        taken, least = counts.transactions(space)
        if taken:
            excess = f"{number(taken - least)} {more}"
            yield f"{space} memory: {number(taken)} {unit}, {number(least)} at least: {excess}"
            yield from _accesses([row for row in counts.accesses if row.space == space], unit)
    for name, found in (("barriers", counts.barriers), ("asynchronous copies", counts.copies)):
        if found:
            yield f"{name}: {number(sum(row.warps for row in found))} of warps"
            cells = [
                (str(r.line), number(r.warps), _where(r.source, r.text)) for r in found[:LISTED]
            ]
            yield from aligned([("line", "of warps", "instruction"), *cells], left=(2,))
            rest = found[LISTED:]
            yield from _more(len(rest), sum(row.warps for row in rest), "of warps")


def _accesses(rows: Sequence[WarpAccesses], unit: str) -> Iterator[str]:
    head = ("line", "accesses", "taken", "least", "excess", "worst", "instruction")
    cells = [
        (
            str(row.line),
            number(row.requests),
            number(row.transactions),
            number(row.least),
            number(row.excess),
            number(row.worst),
            _where(row.source, row.text),
        )
        for row in rows[:LISTED]
    ]
    yield from aligned([head, *cells], left=(6,))
    rest = rows[LISTED:]
    yield from _more(len(rest), sum(row.transactions for row in rest), unit)


def _more(rows: int, amount: int, unit: str) -> Iterator[str]:
    """Yield a line for the rows that a table leaves out, if there are any."""
    if rows:
        yield f"and {counted(rows, 'instruction')} more, {number(amount)} {unit}"


def _where(source: str, text: str) -> str:
    text = " ".join(text.split()).rstrip(";")
    return f"{text}  ({source})" if source else text
