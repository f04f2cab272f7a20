"""A file written again, with its changes: what was touched is compared with the original bytes.

"Changed" means that it would be written differently: the bytes of every body that was decoded are
decoded once more, and both forms are encoded. So no change is missed, and reading alone never
changes a byte.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from tileir.errors import BuildError
from tileir.formats import codec
from tileir.formats.cursor import Slice
from tileir.formats.functions import HINTS, KERNEL, PRIVATE
from tileir.formats.version import Version
from tileir.messages.texts import display
from tileir.read.function import Function, Global

from .attributes import Record
from .built_function import BuiltFunction
from .renamed_functions import as_it_is, relocation
from .sections import Writer

if TYPE_CHECKING:
    from tileir.read.original import OriginalFile


class Module(Protocol):
    """The module that is written: a `Bytecode`."""

    version: Version
    tag: int
    original: OriginalFile
    globals: list[Global]
    producer: str | None

    @property
    def functions(self) -> Sequence[Function | BuiltFunction]:
        """The entries; those that were not read from a file are `BuiltFunction`s."""
        ...


def rewritten(module: Module, check: bool) -> bytes:
    """Return the bytes of a file with everything that changed since it was read."""
    original = module.original
    if (module.version, module.tag) != (original.version, original.tag):
        raise BuildError(f"the file is of version {original.version}, tag {original.tag}")
    _check_lists(module)
    if _untouched(module):
        return codec.build_file(original.file)
    writer = Writer(original.version, original, check)
    _check_names(module, [*_globals(writer, module), *_functions(writer, module)])
    if module.producer != original.producer:
        if module.producer is None:
            writer.drop("Producer")
        else:
            writer.replace("Producer", {"producer": writer.tables.string(module.producer)})
    return writer.file()


def _check_lists(module: Module) -> None:
    """Raise BuildError if `functions` or `globals` has an item of another class."""
    for name, kinds in (("functions", (Function, BuiltFunction)), ("globals", Global)):
        if name not in vars(module):
            continue
        listed = getattr(module, name)
        if not isinstance(listed, list):
            raise BuildError(f"{name} must be a list, found {listed!r}")
        for index, item in enumerate(listed):
            if not isinstance(item, kinds):
                raise BuildError(f"{name}[{index}]: found {item!r}")


def _untouched(module: Module) -> bool:
    """Whether nothing can have been changed."""
    original = module.original
    same_tables = _same_globals(module) and module.producer == original.producer
    if not same_tables or "functions" not in vars(module):  # if not even read, they are the same
        return same_tables
    return _same_objects(module.functions, original.functions) and not any(
        isinstance(function, BuiltFunction) or function.touched for function in module.functions
    )


def _same_globals(module: Module) -> bool:
    return _same_objects(module.globals, [variable for variable, _ in module.original.globals])


def _same_objects(present: Sequence, original: Sequence) -> bool:
    return len(present) == len(original) and all(map(operator.is_, present, original))


def _globals(writer: Writer, module: Module) -> list[str]:
    """Write the globals again if they changed; returns the names that must be unique."""
    if _same_globals(module):
        return []
    own = {id(variable): record for variable, record in module.original.globals}
    records = [own.get(id(v)) or writer.variable(v) for v in module.globals]
    writer.replace("Global", records)
    return [variable.name for variable in module.globals]


def _functions(writer: Writer, module: Module) -> list[str]:
    """Write the functions again if one changed; returns the names that must be unique."""
    originals = module.original.functions
    own = {id(function): function.record for function in originals}
    records, changed = [], []
    for function in module.functions:
        if isinstance(function, Function) and id(function) in own:
            record = _own(writer, function)
        else:
            record = _new(writer, function)
        records.append(record)
        if record is not own.get(id(function)):
            changed.append(function.name)
    same = _same_objects(module.functions, originals)
    if changed or not same:
        writer.replace("Func", records)
    return changed if same else [function.name for function in module.functions]


def _check_names(module: Module, names: list[str]) -> None:
    named = Counter(item.name for item in (*module.functions, *module.globals))
    for name in names:
        if named[name] > 1:
            raise BuildError(f"{display(name)}: the module has another one of that name")


def _new(writer: Writer, function: Function | BuiltFunction) -> Record:
    """Return the record of a function of another file, or of one that was built."""
    if not isinstance(function, Function):
        return writer.built(function)
    record = writer.function(function, relocation(function))
    if function.decoded:
        writer.checked(function.name, function.body, function.original().body)
    return record


def _own(writer: Writer, function: Function) -> Record:
    """Return the record of a function of the file: the original one if nothing changed."""
    record = function.record
    if not function.touched:
        return record
    original = function.original()
    was, now = writer.entry(original), writer.entry(function)
    changes = {name: now[name] for name in now if now[name] != was[name]}
    if "flags" in changes or "hints" in changes:
        unknown = record["flags"] & ~(PRIVATE | KERNEL | HINTS)  # an oddity, which is kept
        changes |= {"flags": now["flags"] | unknown, "hints": now["hints"]}
    relocate = relocation(function)
    before, after = writer.encoder(), writer.encoder(relocate)
    own = [writer.location(original), writer.location(function, relocate)]
    moved = own[0] != own[1] or (record["location"] and relocate is not as_it_is)
    if function.decoded or moved or "signature" in changes:
        old = writer.body(before, original.name, original.type, original.body)
        new = writer.body(after, function.name, function.type, function.body)
        built = after.build(new)
        if built != before.build(old):  # bytes, because records can be nested very deep
            writer.checked(function.name, function.body, original.body)
            changes["body"] = Slice(0, built)
        if [own[0], *before.locations] != [own[1], *after.locations]:
            changes["location"] = writer.debug_list(own[1], after.locations)
    return {**record, **changes} if changes else record
