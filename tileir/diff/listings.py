"""What compilers write, compared: PTX, machine code, LLVM IR, the text of a stage.

Lines are equal if they are so apart from the numbers of registers and labels, addresses and source
positions; and if their registers hold the same values: those that equal lines before have defined.
Registers are followed from line to line as the text stands, in one pass.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .sequences import align


@dataclass(frozen=True, slots=True)
class Language:
    """How the lines of a language are read.

    register  a register or SSA name
    label     a reference to a label; where it is defined, ``:`` follows
    dropped   lines that say nothing about what is computed
    noise     what is left out of lines
    stores    opcodes whose first operand is no result, as patterns
    assigns   whether ``=`` stands behind results
    """

    name: str
    register: re.Pattern[str]
    label: re.Pattern[str]
    dropped: re.Pattern[str]
    noise: re.Pattern[str]
    stores: re.Pattern[str]
    assigns: bool = False


_NONE = re.compile(r"(?!)")

PTX = Language(
    "PTX",
    re.compile(r"%(?:rd|rs|rq|fd|r|f|p|h|hh|b)\d+\b"),
    re.compile(r"\$\w+"),
    re.compile(r"\s*(?://.*|\.loc\b.*|\.file\b.*|\.reg\b.*|\.section\b.*|)$"),
    re.compile(r"//.*$"),
    re.compile(r"st\b|red\b|bra\b|bar|cp\.|mbarrier\.(?!test|try)|stmatrix|wgmma\.fence|prefetch"),
)
SASS = Language(
    "SASS",
    re.compile(r"\b(?:UR|R|UP|P|B)\d+\b"),
    re.compile(r"\.L_\w+"),
    re.compile(r"\s*(?://.*|\.(?!L_|text)[\w.]+.*|\.text\.[^:]*|)$"),
    re.compile(r"/\*[^*]*\*/|//.*$|\.reuse\b"),
    re.compile(r"ST|RED|BRA|BAR|DEPBAR|WARPSYNC|UTMA|SYNCS"),
)
LLVM = Language(
    "LLVM IR",
    re.compile(r"%(?:[\w.$-]+|\"[^\"]*\")"),
    re.compile(r"(?<=label )%[\w.]+"),
    re.compile(r"\s*(?:;.*|!.*|source_filename.*|)$"),
    re.compile(r";.*$|, ![\w.]+ !\d+|#\d+"),
    _NONE,
    assigns=True,
)
STAGE = Language(
    "stage",
    re.compile(r"%[\w$.-]+(?:#\d+)?|#[ls]\d+\b"),
    _NONE,
    re.compile(r"\s*$"),
    re.compile(r"\b(?:line|lines) \d+\b"),
    _NONE,
    assigns=True,
)

_HEAD = re.compile(
    r"\s*(?:\.visible\s+|\.weak\s+)*(?:\.entry|\.func|entry|define)\b"
    r".*?(?<![@\w$.])([@\w$.]+)\("
)
_TEXT = re.compile(r"\.text\.(\S+):")
_LABEL = re.compile(r"\s*([\w$.]+):")
_OPCODE = re.compile(r"\s*(?:@!?%?\w+\s+)?\{?\s*([A-Za-z_][\w.$:]*)")
_VALUE = re.compile(r"^\s*[^=]*? = (?:tail |volatile )?([\w.$]+)")
_PREDICATE = re.compile(r"\s*U?P(?:\d+|T)[\s;]*")
_TESTS = re.compile(r"SETP|PLOP3|FCHK")
"""A predicate of SASS, and the instructions that have no other results."""


@dataclass(frozen=True, slots=True)
class Item:
    """A line: its number from 0, its text, what it is compared by, opcode, and where it is.

    Registers come in the order of the text; the first `results` of them are defined here. A head is
    the line that begins a function: its registers are the parameters.
    """

    number: int
    text: str
    key: str
    opcode: str
    path: str
    registers: tuple[str, ...]
    results: int
    head: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of both listings, or of one (the other is None)."""

    before: Item | None
    after: Item | None
    other_values: tuple[tuple[str, str], ...] = ()
    """Registers in the same places that hold other values."""


@dataclass(frozen=True, slots=True)
class ListingDifference:
    """The result of a comparison of two listings. It is true if they differ.

    language  "PTX", "SASS", "LLVM IR" or "stage"
    entries   all lines, merged
    opcodes   how often each opcode occurs in both
    """

    language: str
    entries: Sequence[Entry]
    opcodes: tuple[Counter[str], Counter[str]] = field(repr=False)

    def __bool__(self) -> bool:
        return any(e.before is None or e.after is None or e.other_values for e in self.entries)


def compare_listings(before: str, after: str, language: Language) -> ListingDifference:
    """Compare two texts of a language, and return what differs."""
    one, two = [*_items(before, language)], [*_items(after, language)]
    pairs = align([item.key for item in one], [item.key for item in two])
    partner = dict(pairs)
    heads = {item.path: item for item in two if item.head}
    entries: list[Entry] = []
    known = _Registers()
    last = 0
    for i, item in enumerate(one):
        j = partner.get(i)
        if j is None:
            if item.head and item.path in heads:
                known.renamed(item, heads[item.path])
            else:
                known.gone(item)
            entries.append(Entry(item, None))
            continue
        for new in two[last:j]:
            if not new.head:  # of which the parameters are known by then, or nothing is
                known.new(new)
            entries.append(Entry(None, new))
        last = j + 1
        entries.append(Entry(item, two[j], known.disagreement(item, two[j])))
    entries += [Entry(None, new) for new in two[last:]]
    counts = Counter(i.opcode for i in one if i.opcode), Counter(i.opcode for i in two if i.opcode)
    return ListingDifference(language.name, _grouped(entries), counts)


def _grouped(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries with lines that are gone before those that are new in their place."""
    grouped: list[Entry] = []
    gone: list[Entry] = []
    new: list[Entry] = []
    for entry in entries:
        if entry.before is not None and entry.after is not None:
            grouped += [*gone, *new, entry]
            gone, new = [], []
        else:
            (gone if entry.after is None else new).append(entry)
    return [*grouped, *gone, *new]


class _Registers:
    """Which register of one listing holds what which one of the other holds, line by line."""

    def __init__(self) -> None:
        self._other: dict[str, str | None] = {}
        self._back: dict[str, str | None] = {}

    def gone(self, item: Item) -> None:
        """Note that the results of a line of the first listing are in none of the second."""
        self._other.update(dict.fromkeys(item.registers[: item.results]))

    def new(self, item: Item) -> None:
        """Note that the results of a line of the second listing are in none of the first."""
        self._back.update(dict.fromkeys(item.registers[: item.results]))

    def renamed(self, before: Item, after: Item) -> None:
        """Note that two lines that differ define the same, in this order, as far as both do."""
        self.gone(before)
        self.new(after)
        both = zip(before.registers, after.registers, strict=False)
        for one, two in both:
            self._other[one], self._back[two] = two, one

    def disagreement(self, before: Item, after: Item) -> tuple[tuple[str, str], ...]:
        """Return which registers that two lines with one key read hold other values.

        From here on, their results are the same.
        """
        pairs = [*zip(before.registers, after.registers, strict=True)]
        other: dict[tuple[str, str], None] = {}
        for one, two in pairs[before.results :]:
            if self._other.setdefault(one, two) != two or self._back.setdefault(two, one) != one:
                other[one, two] = None
        for one, two in pairs[: before.results]:
            self._other[one], self._back[two] = two, one
        return tuple(other)


def _items(text: str, language: Language) -> Iterator[Item]:
    entry, block = "", ""
    for number, line in enumerate(text.splitlines()):
        if language.dropped.match(line):
            continue
        said = " ".join(language.noise.sub("", line).split())
        if not said:
            continue
        head = _TEXT.match(said) or _HEAD.match(said)
        if head:
            entry, block = head[1], ""
        label = None if head else _LABEL.match(said)
        if label:
            block = label[1]
        kind = "%" if language.assigns else _kind
        key = language.register.sub(kind, language.label.sub("label", said))
        opcode = "" if head or label else _opcode(said, language)
        if label:
            key = "label:"
        path = " ".join(part for part in (entry, block) if part)
        registers, results = _registers(said, opcode, language)
        if head:
            results = len(registers)
        yield Item(number, line.rstrip(), key, opcode, path, registers, results, head is not None)


def _kind(register: re.Match[str]) -> str:
    """Return a register without its number."""
    return register[0].rstrip("0123456789")


def _opcode(said: str, language: Language) -> str:
    if language.assigns:
        value = _VALUE.match(said)
        if value:
            return value[1]
    if said.startswith((".", "//", "}", "{", ")", "(")):
        return ""
    found = _OPCODE.match(said)
    return found[1] if found else ""


def _registers(said: str, opcode: str, language: Language) -> tuple[tuple[str, ...], int]:
    """Return the registers of a line, results first, and how many are results."""
    found = [(match.start(), match[0]) for match in language.register.finditer(said)]
    start, end = _results(said, opcode, language)
    results = [name for place, name in found if start <= place < end]
    others = [name for place, name in found if not start <= place < end]
    return (*results, *others), len(results)


def _results(said: str, opcode: str, language: Language) -> tuple[int, int]:
    """Return where the results of a line stand."""
    if language.assigns:
        return 0, said.find(" = ")
    if not opcode or language.stores.match(opcode):
        return 0, 0
    start = said.find(opcode) + len(opcode)
    ends = _ends_of_operands(said, start)
    if language is SASS:
        count = _results_of_sass(opcode, said[start:].split(","))
        return start, ends[min(count, len(ends)) - 1]
    return start, ends[0]


def _results_of_sass(opcode: str, operands: Sequence[str]) -> int:
    """Return how many operands of a machine instruction are results.

    Predicates come along with a register, before or behind it; tests have no other results.
    """
    count = 1
    while count < min(3, len(operands)) and _PREDICATE.fullmatch(operands[count]):
        count += 1
    if _TESTS.search(opcode):
        return min(count, 2)
    return min(count + 1, len(operands)) if _PREDICATE.fullmatch(operands[0]) else count


def _ends_of_operands(said: str, start: int) -> list[int]:
    """Return where each operand ends: at a comma outside of braces, or at the end."""
    ends: list[int] = []
    depth = 0
    for index in range(start, len(said)):
        char = said[index]
        depth += (char in "{[") - (char in "}]")
        if char == "," and depth == 0:
            ends.append(index)
    return [*ends, len(said)]
