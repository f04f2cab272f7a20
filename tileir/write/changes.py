"""A file written again: what was touched is compared with what its bytes say.

"Changed" means that it would be written differently: the bytes of every body that somebody has
looked at are decoded once more, and both forms are turned into records. So nothing is missed, and
looking alone never changes a byte.
"""

from __future__ import annotations

import operator
from collections import Counter
from typing import TYPE_CHECKING

from tileir.errors import BuildError
from tileir.formats import codec
from tileir.formats.cursor import Slice
from tileir.formats.functions import HINTS, KERNEL, PRIVATE
from tileir.messages.texts import display
from tileir.read.function import Function, Global

from .attributes import Record
from .renamed_functions import as_it_is, relocation
from .sections import Writer

if TYPE_CHECKING:
    from tileir.builder.kernel import Kernel
    from tileir.bytecode import Bytecode


def rewritten(bytecode: Bytecode, check: bool) -> bytes:
    """The bytes of a file with everything that changed since it was read."""
    found = bytecode.found
    if (bytecode.version, bytecode.tag) != (found.version, found.tag):
        raise BuildError(f"the file is of version {found.version}, tag {found.tag}")
    _check_lists(bytecode)
    if _untouched(bytecode):
        return codec.build_file(found.file)
    writer = Writer(found.version, found, check)
    _check_names(bytecode, [*_globals(writer, bytecode), *_functions(writer, bytecode)])
    if bytecode.producer != found.producer:
        if bytecode.producer is None:
            writer.drop("Producer")
        else:
            writer.replace("Producer", {"producer": writer.tables.string(bytecode.producer)})
    return writer.file()


def _check_lists(bytecode: Bytecode) -> None:
    """Refuse what is no function in `functions` and no global in `globals`."""
    for name, kind in (("functions", Function), ("globals", Global)):
        if name not in vars(bytecode):
            continue
        listed = getattr(bytecode, name)
        if not isinstance(listed, list):
            raise BuildError(f"{name} must be a list, found {listed!r}")
        for index, item in enumerate(listed):
            if not isinstance(item, kind) and not (kind is Function and _is_built(item)):
                raise BuildError(f"{name}[{index}]: found {item!r}")


def _is_built(item: object) -> bool:
    """Whether a function is one that was made op by op; most files have none."""
    from tileir.builder.kernel import Kernel

    return isinstance(item, Kernel)


def _untouched(bytecode: Bytecode) -> bool:
    """Whether nobody can have changed anything."""
    found = bytecode.found
    same_tables = _same_globals(bytecode) and bytecode.producer == found.producer
    if not same_tables or "functions" not in vars(bytecode):  # nobody has even asked for them
        return same_tables
    return _same_objects(bytecode.functions, found.functions) and not any(
        function.touched for function in bytecode.functions
    )


def _same_globals(bytecode: Bytecode) -> bool:
    return _same_objects(bytecode.globals, [variable for variable, _ in bytecode.found.globals])


def _same_objects(present: list, found: list) -> bool:
    return len(present) == len(found) and all(map(operator.is_, present, found))


def _globals(writer: Writer, bytecode: Bytecode) -> list[str]:
    """Write the globals again if there are others; returns the names to be told apart."""
    if _same_globals(bytecode):
        return []
    found = {id(variable): record for variable, record in bytecode.found.globals}
    records = [found.get(id(v)) or writer.variable(v) for v in bytecode.globals]
    writer.replace("Global", records)
    return [variable.name for variable in bytecode.globals]


def _functions(writer: Writer, bytecode: Bytecode) -> list[str]:
    """Write the functions again if one changed; returns the names to be told apart."""
    found = bytecode.found.functions
    own = {id(function): function.record for function in found}
    records, changed = [], []
    for function in bytecode.functions:
        record = (_own if id(function) in own else _new)(writer, function)
        records.append(record)
        if record is not own.get(id(function)):
            changed.append(function.name)
    same = _same_objects(bytecode.functions, found)
    if changed or not same:
        writer.replace("Func", records)
    return changed if same else [function.name for function in bytecode.functions]


def _check_names(bytecode: Bytecode, names: list[str]) -> None:
    named = Counter(item.name for item in (*bytecode.functions, *bytecode.globals))
    for name in names:
        if named[name] > 1:
            raise BuildError(f"{display(name)}: the module has another one of that name")


def _new(writer: Writer, function: Function | Kernel) -> Record:
    """The record of a function of another file, or of one built from nothing."""
    if not isinstance(function, Function):
        return writer.built(function)
    record = writer.function(function, relocation(function))
    if function.decoded:
        writer.checked(function.name, function.body, function.original().body)
    return record


def _own(writer: Writer, function: Function) -> Record:
    """The record of a function of the file: the one it came from, if it says the same."""
    found = function.record
    if not function.touched:
        return found
    original = function.original()
    was, now = writer.entry(original), writer.entry(function)
    changes = {name: now[name] for name in now if now[name] != was[name]}
    if "flags" in changes or "hints" in changes:
        unknown = found["flags"] & ~(PRIVATE | KERNEL | HINTS)  # odd, and not ours to drop
        changes |= {"flags": now["flags"] | unknown, "hints": now["hints"]}
    relocate = relocation(function)
    before, after = writer.encoder(), writer.encoder(relocate)
    own = [writer.location(original), writer.location(function, relocate)]
    moved = own[0] != own[1] or (found["location"] and relocate is not as_it_is)
    if function.decoded or moved or "signature" in changes:
        old = writer.body(before, original.name, original.type, original.body)
        new = writer.body(after, function.name, function.type, function.body)
        built = after.build(new)
        if built != before.build(old):  # bytes, because records can be nested very deep
            writer.checked(function.name, function.body, original.body)
            changes["body"] = Slice(0, built)
        if [own[0], *before.locations] != [own[1], *after.locations]:
            changes["location"] = writer.debug_list(own[1], after.locations)
    return {**found, **changes} if changes else found
