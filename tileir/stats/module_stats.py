"""`stats_of`: what is in a module, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tileir.bytecode import Bytecode, Function
from tileir.errors import Feature
from tileir.formats.version import Version
from tileir.ir import Block, Op
from tileir.types import ValueType

from .formula import Formula, Symbols, total
from .symbols import Symbols as ValueSymbols
from .symbols import factor
from .versions import versions_of
from .work import FOLDS, bytes_of, flops_of

_MOST_FACTORS = 8
"""Symbols of a term at most: what is nested deeper has one, for how often it runs in all."""
_LONGEST = 32
"""Characters of a number of trips that stands in a formula; longer ones get a symbol."""


@dataclass(frozen=True, slots=True)
class FunctionStats:
    """A kernel in numbers. Work is that of one tile block.

    ops         mnemonic -> ops
    types       type -> values of it, arguments of blocks included
    attributes  attribute, and its value where that is a word -> ops that have it; flags if set
    flops       kind -> floating-point operations (and integer ones in products): the element type,
                or as in "f16 products" the type of the factors of matrix products
    bytes       loaded, stored or atomic -> bytes of memory, masked elements included
    where       symbol of `flops` and `bytes` that stands for a loop or a branch -> the op's place
    opaque      why the rest of the body cannot be read (a file of a newer version), else ""
    """

    name: str
    ops: Mapping[str, int]
    types: Mapping[str, int]
    attributes: Mapping[str, int]
    flops: Mapping[str, Formula]
    bytes: Mapping[str, Formula]
    where: Mapping[str, str]
    opaque: str


@dataclass(frozen=True, slots=True)
class Stats:
    """A module in numbers.

    version    the version of the file
    lowest     the lowest version that can hold it; None if the file is newer than all known ones
    features   what it uses and the first version lacks, each with the version that has it
    size       bytes of the file
    sections   section -> bytes in the file, its header included; those ignored are left out
    globals    global variables
    functions  the kernels, in the order of the file
    """

    version: Version
    lowest: Version | None
    features: tuple[Feature, ...]
    size: int
    sections: Mapping[str, int]
    globals: int
    functions: tuple[FunctionStats, ...]


def stats_of(bytecode: Bytecode) -> Stats:
    """Return what is in a module, in numbers; BytecodeError if it cannot be read to the end.

    Sizes are those of the file that was read, or built of a text.
    """
    functions = tuple(map(_function, bytecode.functions))
    versions = versions_of(bytecode)
    sections: Counter[str] = Counter()
    for section in bytecode.sections:
        if section.active:
            sections[section.name] += section.payload.offset - section.offset + section.size
    return Stats(
        bytecode.version,
        versions.lowest,
        versions.features,
        len(bytecode.data),
        sections,
        len(bytecode.globals),
        functions,
    )


def _function(function: Function) -> FunctionStats:
    ops: Counter[str] = Counter()
    types: Counter[ValueType] = Counter()
    attributes: Counter[tuple[str, str]] = Counter()
    work = _Work(function.body.block)
    types.update(value.type for value in function.body.block.arguments)
    for op in function.walk():
        ops[op.name] += 1
        types.update(value.type for value in op.results)
        for name, value in op.attributes.items():
            if value is not None and value is not False:  # absent, and a flag that is not set
                attributes[name, value if isinstance(value, str) else ""] += 1
        for region in op.regions:
            for block in region.blocks:
                types.update(value.type for value in block.arguments)
        work.add(op)
    named = {f"{name}={word}" if word else name: n for (name, word), n in attributes.items()}
    return FunctionStats(
        function.name,
        _by_number(ops),
        _by_number(_merged(types)),
        _by_number(named),
        work.formulas(work.flops),
        work.formulas(work.bytes),
        work.where(),
        function.opaque.message if function.opaque else "",
    )


def _merged(types: Mapping[ValueType, int]) -> Counter[str]:
    found: Counter[str] = Counter()
    for kind, number in types.items():
        found[str(kind)] += number
    return found


def _by_number(counts: Mapping[str, int]) -> dict[str, int]:
    """Return counts, the largest first, equal ones by name."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


class _Work:
    """The work of a body: terms of FLOPs and of bytes, by kind.

    `_times` has how often the ops of a block run: a number, and symbols.
    """

    def __init__(self, entry: Block) -> None:
        self.flops: dict[str, list[tuple[Symbols, int]]] = {}
        self.bytes: dict[str, list[tuple[Symbols, int]]] = {}
        self._symbols = ValueSymbols(entry)
        self._times: dict[Block, tuple[Symbols, int]] = {entry: ((), 1)}
        self._where: dict[str, str] = {}
        self._numbered: Counter[str] = Counter()

    def add(self, op: Op) -> None:
        """Add the work of an op, after that of the op around it."""
        symbols, times = self._times[op.parent]
        if times:
            for kind, number in flops_of(op):
                self.flops.setdefault(kind, []).append((symbols, number * times))
            for kind, number in bytes_of(op):
                self.bytes.setdefault(kind, []).append((symbols, number * times))
        for index, region in enumerate(op.regions):
            inside = self._inside(op, index, symbols, times)
            for block in region.blocks:
                self._times[block] = inside

    def _inside(self, op: Op, index: int, symbols: Symbols, times: int) -> tuple[Symbols, int]:
        """Return how often a region of an op runs in all, where the op runs so often."""
        symbol, number = self._runs(op, index)
        if not symbol or not times:
            return symbols, times * number
        if len(symbols) < _MOST_FACTORS:
            return tuple(sorted((*symbols, symbol))), times * number
        part = f"its {_branch(index)}" if op.name == "if" else "its body"
        return (self._symbol("runs", op, f"how often {part} runs in all"),), 1

    def _runs(self, op: Op, index: int) -> tuple[str, int]:
        """Return how often a region of an op runs: a symbol, or "" and a number."""
        if op.name in FOLDS:
            return "", 0
        if op.name == "for":
            trips = self._symbols.trips(op)
            if isinstance(trips, int):
                return "", trips
            if trips is not None and len(trips) <= _LONGEST:
                return factor(trips), 1
            return self._symbol("trips", op, trips), 1
        if op.name == "if":
            return self._symbol(_branch(index), op), 1
        return self._symbol("trips", op), 1

    def _symbol(self, name: str, op: Op, known: str | None = None) -> str:
        """Return a new symbol for what an op does, which is too long a text, or not known."""
        self._numbered[name] += 1
        symbol = f"{name}{self._numbered[name]}"
        place = op.location_text or (f"0x{op.offset:x}" if op.offset is not None else "")
        said = f"{op.name} at {place}" if place else op.name
        self._where[symbol] = f"{known}, {said}" if known else said
        return symbol

    def formulas(self, terms: Mapping[str, list[tuple[Symbols, int]]]) -> dict[str, Formula]:
        """Return the sum of each kind, by name."""
        return {kind: total(terms[kind]) for kind in sorted(terms)}

    def where(self) -> dict[str, str]:
        """Return the places of those symbols that the work depends on."""
        used = {
            symbol
            for terms in (*self.flops.values(), *self.bytes.values())
            for symbols, _ in terms
            for symbol in symbols
        }
        return {symbol: place for symbol, place in self._where.items() if symbol in used}


def _branch(index: int) -> str:
    return ("then", "else")[min(index, 1)]
