"""What differs between two files beside the modules in them: header, sections, tables.

This is compared for those who ask; the same module has many files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from tileir.bytecode import Bytecode
from tileir.formats.limits import MAX_OVERLAP

from .rows import Change, Row


def rows_of(before: Bytecode, after: Bytecode) -> Iterator[Row]:
    """Yield a row for the files, if they differ in what this module knows."""
    changes = [*_changes(before, after)]
    if changes:
        yield Row("changed", "file", None, None, changes)


def _changes(before: Bytecode, after: Bytecode) -> Iterator[Change]:
    for name, one, two in (
        ("version", str(before.version), str(after.version)),
        ("tag", before.tag, after.tag),
        ("producer", before.producer, after.producer),
        ("bytes", len(before.data), len(after.data)),
    ):
        if one != two:
            yield Change("header", name, one, two)
    first, second = _sections(before), _sections(after)
    if list(first) != list(second):
        yield Change("sections", "order", ", ".join(first), ", ".join(second))
    for name in dict.fromkeys([*first, *second]):
        if first.get(name) != second.get(name):
            yield Change("section", f"bytes of {name}", first.get(name), second.get(name))
    for name, some, others in (
        ("strings", [*before.strings], [*after.strings]),
        ("types", _types(before), _types(after)),
        ("constants", _constants(before), _constants(after)),
    ):
        yield from _table(name, some, others)


def _sections(bytecode: Bytecode) -> dict[str, int]:
    """Return the sizes of the sections that count, in the order of the file."""
    return {section.name: section.size for section in bytecode.sections if section.active}


def _types(bytecode: Bytecode) -> list[str]:
    return [str(bytecode.types.peek(index)) for index in range(len(bytecode.types))]


def _constants(bytecode: Bytecode) -> list[bytes]:
    """Return the contents of the constant table; of entries that overlap, only the sizes."""
    views = [getattr(each, "data", b"") for each in bytecode.constants]
    if sum(map(len, views)) > MAX_OVERLAP * len(bytecode.data):
        return [b"%d" % len(view) for view in views]
    return [bytes(view) for view in views]


def _table(name: str, before: Sequence[Hashable], after: Sequence[Hashable]) -> Iterator[Change]:
    """Yield how two tables differ: in their number of entries, the entries, or only the order."""
    if before == after:
        return
    one, two = Counter(before), Counter(after)
    if one == two:
        yield Change("table", name, "in one order", "in another order")
    else:
        gone, new = (one - two).total(), (two - one).total()
        yield Change(
            "table", name, f"{len(before)} entries", f"{len(after)}: {gone} gone, {new} new"
        )
