"""`strip`: a module without what its kernels do not need to run.

What is left computes the same, under the same symbols of its entries and its public globals.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from tileir.bytecode import Bytecode
from tileir.errors import UnsupportedError
from tileir.ir.locations import File, Location, SourceLocation, Subprogram
from tileir.ir.renamed_scopes import ChangedRecords
from tileir.messages.wording import choice

from .edited import compacted, editable

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Part(NamedTuple):
    """What can be stripped: its name, what it is, and the function that removes it of a module.

    That function returns the number of things that it removed.
    """

    name: str
    what: str
    remove: Callable[[Bytecode], int]


def remove_locations(module: Bytecode) -> int:
    """Remove the source locations of functions, ops and declarations."""
    removed = 0
    for function in module.functions:
        if not function.record["location"] and not function.touched:
            continue
        removed += function.location is not None
        function.location = None
        for op in function.walk():
            removed += op.location is not None
            op.location = None
    return removed + _relocate_declarations(module, lambda _: None)


def remove_names(module: Bytecode) -> int:
    """Give short names to private globals, and none to files and functions in source locations.

    A Subprogram of an entry has its symbol, as NVIDIA's readers demand.
    """
    return _shorten_globals(module) + _shorten_locations(module)


def remove_producer(module: Bytecode) -> int:
    """Remove the name of the program that wrote the file."""
    removed = module.producer is not None
    module.producer = None
    return int(removed)


PARTS = {
    part.name: part
    for part in (
        Part("debug", "source locations", remove_locations),
        Part(
            "names",
            "names of private globals, and of files and functions in source locations",
            remove_names,
        ),
        Part("producer", "the name of the program that wrote the file", remove_producer),
    )
}
DEFAULT = ("debug", "producer")
"""What is stripped if nobody says what: what only people look at."""


def strip(bytecode: Bytecode | ReadableBuffer, parts: Iterable[str] = DEFAULT) -> Bytecode:
    """Return a module without these parts: some of "debug", "names" and "producer".

    What was removed is gone from the bytes. Names of entries and of public globals stay, because
    the host finds them by these. UnsupportedError for an unknown part; BuildError for a file of a
    newer version, of which something may be unknown.
    """
    made = editable(bytecode)
    strip_in_place(made, parts)
    return compacted(made)


def strip_in_place(module: Bytecode, parts: Iterable[str]) -> dict[str, int]:
    """Strip a module itself; return the number of things removed by part."""
    chosen = [parts] if isinstance(parts, str) else list(parts)
    for name in chosen:
        if name not in PARTS:
            raise UnsupportedError(f"there is no part {name!r} to strip, only {choice(PARTS)}")
    return {name: part.remove(module) for name, part in PARTS.items() if name in chosen}


def _shorten_globals(module: Bytecode) -> int:
    """Call private globals g0, g1, ..., in order, but for names that others have."""
    taken = {each.name for each in (*module.functions, *module.declarations)}
    taken |= {each.name for each in module.globals if not each.private}
    short, number = {}, 0
    for variable in module.globals:
        if variable.private:
            while f"g{number}" in taken:
                number += 1
            short[variable.name] = f"g{number}"
            number += 1
    changed = sum(old != new for old, new in short.items())
    if changed:
        for function in module.functions:
            for op in function.walk():
                if op.name == "get_global":
                    name = op.attributes["name"]
                    op.attributes["name"] = short.get(name, name)
        module.globals[:] = [
            dataclasses.replace(each, name=short[each.name]) if each.private else each
            for each in module.globals
        ]
    return changed


def _shorten_locations(module: Bytecode) -> int:
    """Take the names out of debug records; lines and columns stay. Returns how many changed."""
    entries = {function.name for function in module.functions}

    def nameless(record: Location) -> dict[str, object]:
        match record:
            case File():
                return {"name": "", "directory": ""}
            case SourceLocation():
                return {"filename": ""}
            case Subprogram(linkage_name=symbol):
                symbol = symbol if symbol in entries else ""
                return {"name": symbol, "linkage_name": symbol}
        return {}

    records = ChangedRecords(nameless)
    for function in module.functions:
        if not function.record["location"] and not function.touched:
            continue
        function.location = records.changed(function.location)
        for op in function.walk():
            op.location = records.changed(op.location)
    _relocate_declarations(module, records.changed)
    return records.count


def _relocate_declarations(module: Bytecode, relocate: Callable) -> int:
    """Give declarations other locations; return how many had one."""
    declared = module.original.declared
    module.original.declared = [  # of a copy, that nobody else has: see `editable`
        (dataclasses.replace(each, location=relocate(each.location)), record)
        for each, record in declared
    ]
    return sum(each.location is not None for each, _ in declared)
