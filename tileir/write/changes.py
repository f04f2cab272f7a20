"""A file written again, with its changes: what was touched is compared with the original bytes.

"Changed" means that it would be written differently: the bytes of every body that was decoded are
decoded once more, and both forms are encoded. So no change is missed, and reading alone never
changes a byte.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from tileir.errors import BuildError
from tileir.formats import codec
from tileir.formats.cursor import Slice
from tileir.formats.functions import HINTS, KERNEL, PRIVATE
from tileir.formats.limits import MAX_OVERLAP
from tileir.formats.version import Version
from tileir.ir import Body
from tileir.messages.texts import display
from tileir.read.function import Function, Global
from tileir.read.untouched import same_globals, same_objects, untouched

from .attributes import Record
from .built_function import BuiltFunction
from .newer import check_opaque, check_places, refuse_newer, refuse_opaque
from .sections import Writer
from .unreferenced import Entries, body_references

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
    _check_version(module)
    _check_lists(module)
    if untouched(module):
        return codec.build_file(original.file)
    if original.version.open:
        check_places(module)
    variables = {variable.name: variable for variable in module.globals}
    writer = Writer(original.version, original, check, globals=variables)
    producers = writer.records("Producer")
    before = Entries(
        [function.record for function in original.functions] + _declared(original),
        [record for _, record in original.globals],
        producers,
    )
    after = Entries(
        _functions(writer, module), _globals(writer, module), _producer(writer, module, producers)
    )
    if check:
        _check_uses(writer, module)
    if not original.version.open:  # what is opaque may refer to anything
        writer.empty_lost(before, after)
    return writer.file()


def compacted(module: Module, check: bool) -> bytes:
    """Return the bytes of a file with only what is used, in the shortest encoding."""
    original = module.original
    _check_version(module)
    _check_lists(module)
    refuse_newer(original.version)
    _check_overlap(original)
    writer = Writer(
        original.version,
        check=check,
        globals={variable.name: variable for variable in module.globals},
        tag=original.tag,
        limits=original.limits,
    )
    variables = [writer.variable(variable) for variable in module.globals]
    functions = [_new(writer, _unread(function)) for function in module.functions]
    functions = _compacted_order(module, functions, writer)
    _check_names(module, [item.name for item in (*module.functions, *module.globals)])
    if check:
        _check_uses(writer, module)
    writer.replace("Func", functions)
    if variables:
        writer.replace("Global", variables)
    if module.producer is not None:
        writer.replace("Producer", {"producer": writer.tables.string(module.producer)})
    return writer.file()


def _compacted_order(module: Module, records: list[Record], writer: Writer) -> list[Record]:
    """Return the records of functions with new ones of the declarations, as `_in_order` does."""
    new = {id(old): writer.declaration(read) for read, old in module.original.declared}
    return [new.get(id(record), record) for record in _in_order(module, records)]


def _check_overlap(original: OriginalFile) -> None:
    """Raise BuildError if the strings of a file would take many times its size on their own."""
    sizes = sum(len(entry.data) for entry in original.tables.strings.entries)
    if sizes > MAX_OVERLAP * len(original.data):
        raise BuildError("string: entries share their bytes too often to be written apart")


def _unread(function: Function | BuiltFunction) -> Function | BuiltFunction:
    """Return a function, or another object for one that nobody has touched, which stays so."""
    if isinstance(function, Function) and not function.touched:
        return function.original()
    return function


def _check_version(module: Module) -> None:
    original = module.original
    stated = original.version.stated
    if (module.version, module.tag) != (stated, original.tag):
        raise BuildError(f"the file is of version {stated}, tag {original.tag}")


def _check_lists(module: Module) -> None:
    """Raise BuildError for what is no function, no global or no producer."""
    for name, kinds in (("functions", (Function, BuiltFunction)), ("globals", Global)):
        if name not in vars(module):
            continue
        listed = getattr(module, name)
        if not isinstance(listed, list):
            raise BuildError(f"{name} must be a list, found {listed!r}")
        for index, item in enumerate(listed):
            if not isinstance(item, kinds):
                raise BuildError(f"{name}[{index}]: found {item!r}")
            if not isinstance(item.name, str):
                raise BuildError(f"{name[:-1]} {item.name!r}: it has no name")
    if not isinstance(module.producer, str | None):
        raise BuildError(f"producer: expected a text, found {module.producer!r}")


def _globals(writer: Writer, module: Module) -> list[Record]:
    """Write the globals again if they changed; returns their records."""
    own = {id(variable): record for variable, record in module.original.globals}
    records = [own.get(id(v)) or writer.variable(v) for v in module.globals]
    if not same_globals(module):
        _check_names(module, [variable.name for variable in module.globals])
        writer.replace("Global", records)
    return records


def _functions(writer: Writer, module: Module) -> list[Record]:
    """Write the functions again if one changed; returns their records."""
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
    same = same_objects(module.functions, originals)
    if changed or not same:
        names = changed if same else [function.name for function in module.functions]
        _check_names(module, names)
        writer.replace("Func", _in_order(module, records))
    return records + _declared(module.original)


def _declared(original: OriginalFile) -> list[Record]:
    """Return the records of functions without bodies."""
    return [record for _, record in original.declared]


def _in_order(module: Module, records: list[Record]) -> list[Record]:
    """Return the records of a module's functions with those of its declarations among them.

    A declaration stays in front of the first function of the file that it was in front of.
    """
    waiting = deque(module.original.declared)
    ordered: list[Record] = []
    for function, record in zip(module.functions, records, strict=True):
        if isinstance(function, Function) and function.source is module.original:
            while waiting and waiting[0][0].index < function.index:
                ordered.append(waiting.popleft()[1])
        ordered.append(record)
    return ordered + [record for _, record in waiting]


def _producer(writer: Writer, module: Module, original: list[Record]) -> list[Record]:
    """Write the producer again if it changed; returns its record, in a list, if there is one."""
    if module.producer == module.original.producer:
        return original
    if module.producer is None:
        writer.drop("Producer")
        return []
    record = {"producer": writer.tables.string(module.producer)}
    writer.replace("Producer", record)
    return [record]


def _check_names(module: Module, names: list[str]) -> None:
    declared = (item for item, _ in module.original.declared)
    named = Counter(item.name for item in (*module.functions, *module.globals, *declared))
    for name in names:
        if named[name] > 1:
            raise BuildError(f"{display(name)}: the module has another one of that name")


def _new(writer: Writer, function: Function | BuiltFunction) -> Record:
    """Return the record of a function of another file, or of one that was built."""
    if not isinstance(function, Function):
        return writer.built(function)
    refuse_opaque(function)
    record = writer.function(function)
    if function.decoded:
        _checked(writer, function, function.body)
    if function.touched:
        writer.checked_entry(function, function.original())
    return record


def _checked(writer: Writer, function: Function, body: Body) -> None:
    """Raise BuildError for a body of a function that breaks a rule which it kept in its file."""
    before = {variable.name: variable for variable, _ in function.source.globals}
    writer.checked(function.name, body, function.original().body, before)


def _check_uses(writer: Writer, module: Module) -> None:
    """Raise BuildError if an untouched body uses a global that its file had and `module` has not.

    The bodies that changed have been checked.
    """
    now = writer.globals or {}
    lost_of: dict[int, set[str]] = {}  # by the identity of a file, of which there are few
    for function in module.functions:
        if not isinstance(function, Function):
            continue
        source = function.source
        lost = lost_of.get(id(source))
        if lost is None:
            had = {variable.name: variable.type for variable, _ in source.globals}
            lost = {name for name, type in had.items() if name not in now or now[name].type != type}
            lost_of[id(source)] = lost
        if lost and (function.decoded or lost & _strings(function)):
            _checked(
                writer, function, function.body if function.decoded else function.original().body
            )


def _strings(function: Function) -> set[str]:
    """Return the strings that the body of a function refers to."""
    source = function.source
    found = body_references(source, function.code, source.tables.types.tags).found["string"]
    return {source.tables.strings.at(index) for index in found}


def _own(writer: Writer, function: Function) -> Record:
    """Return the record of a function of the file: the original one if nothing changed."""
    record = function.record
    if not function.touched:
        return record
    original = function.original()
    if original.opaque is not None:
        check_opaque(writer, function, original)
        return record
    was, now = writer.entry(original), writer.entry(function)
    changes = {name: now[name] for name in now if now[name] != was[name]}
    if "flags" in changes or "hints" in changes:
        unknown = record["flags"] & ~(PRIVATE | KERNEL | HINTS)  # an oddity, which is kept
        changes |= {"flags": now["flags"] | unknown, "hints": now["hints"]}
    before, after = writer.encoder(), writer.encoder()
    own = [writer.location(original), writer.location(function)]
    moved = own[0] != own[1] or (record["location"] and function.name != original.name)
    if function.decoded or moved or "signature" in changes:
        old = writer.body(before, original.name, original.type, original.body)
        new = writer.body(after, function.name, function.type, function.body)
        built = after.build(new)
        if built != before.build(old):  # bytes, because records can be nested very deep
            _checked(writer, function, function.body)
            changes["body"] = Slice(0, built)
        if [own[0], *before.locations] != [own[1], *after.locations]:
            changes["location"] = writer.debug_list(own[1], after.locations)
    if changes:
        writer.checked_entry(function, original)
    return {**record, **changes} if changes else record
