"""Decoded modules as plain data, and what of a module a version lacks, both from the IR alone.

What is re-targeted on records is held against this: nothing here looks at a field of the wire. The
few versions that no row of the op table has are spelled out, from the measured format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tileir import Bytecode, Function
from tileir.attributes import EnumAttribute, Hints
from tileir.formats.enums import ENUMS
from tileir.formats.ops.spec import Each
from tileir.formats.types import TYPE
from tileir.formats.version import SUPPORTED, V13_3, V13_4, V13_5, Version
from tileir.ir import Block, Op, Value
from tileir.ir.locations import (
    CallSite,
    CompileUnit,
    File,
    LexicalBlock,
    SourceLocation,
    Subprogram,
)
from tileir.types import GatherScatterView, Pointer, Scalar, StridedView, TensorView

ENUM = {enum.name: enum for enum in ENUMS}
Use = tuple[str, str, Version, str]
"""Owner, slot, first version, function: what a Feature says besides how often."""


def targets(version: Version) -> list[Version]:
    """Where a file is taken: to all older versions, to its own, the next and the newest."""
    index = SUPPORTED.index(version)
    return sorted({*SUPPORTED[: index + 2], SUPPORTED[-1]})


# Meaning ------------------------------------------------------------------------------------


def meaning(bytecode: Bytecode, version: Version) -> dict[str, object]:
    """Everything a module says, without value numbers; of results only those `version` has."""
    return {
        "strings": list(bytecode.strings),
        "types": [str(bytecode.types.peek(i)) for i in range(len(bytecode.types))],
        "constants": [bytes(getattr(c, "data", b"")) for c in bytecode.constants],
        "globals": [
            (g.name, g.type, bytes(g.value.data), g.alignment, g.private, g.constant)
            for g in bytecode.globals
        ],
        "producer": bytecode.producer,
        "functions": [_function(function, version) for function in bytecode.functions],
    }


def _function(function: Function, version: Version) -> tuple:
    names: dict[int, tuple] = {}
    _define(names, function.body.block.arguments, ("parameter",))
    ops = [_op(op, place, names, version) for place, op in enumerate(function.walk())]
    head = (function.name, function.type, function.private, function.hints)
    return (*head, function.argument_attributes, _location(function.location), ops)


def _define(names: dict[int, tuple], values: list[Value], owner: tuple) -> None:
    for index, value in enumerate(values):
        names[id(value)] = (*owner, index)


def _op(op: Op, place: int, names: dict[int, tuple], version: Version) -> tuple:
    """An op, a value being what defines it: the place of an op in pre-order, or a block."""
    operands = {
        slot: [names[id(v)] for v in value]
        if isinstance(value, tuple)
        else value and names[id(value)]
        for slot, value in op.operands.items()
    }
    results = op.results
    if any(slot.since > op.spec.since for slot in op.spec.results):
        results = results[: sum(slot.since <= version for slot in op.spec.results)]
    _define(names, results, (place,))
    for number, region in enumerate(op.regions):
        for block in region.blocks:
            _define(names, block.arguments, (place, number))
    return (
        op.name,
        op.position,
        op.depth,
        operands,
        {name: _attribute(value) for name, value in op.attributes.items()},
        [value.type for value in results],
        [[_block(block) for block in region.blocks] for region in op.regions],
        _location(op.location),
    )


def _attribute(value: object) -> object:
    return (value.type, bytes(value.data)) if hasattr(value, "data") else value


def _block(block: Block) -> tuple:
    return [argument.type for argument in block.arguments], len(block.ops)


def _location(location: object) -> object:
    """A location as plain data."""
    if isinstance(location, CallSite):
        return ("call", _location(location.callee), _location(location.caller))
    if isinstance(location, SourceLocation):
        where = (location.filename, location.line, location.column)
        return (*where, _location(location.scope))
    if isinstance(location, LexicalBlock):
        return ("block", location.line, location.column, _location(location.scope))
    if isinstance(location, Subprogram):
        names = (location.name, location.linkage_name, location.line, location.scope_line)
        unit = (_location(location.file), _location(location.compile_unit))
        return (*names, *unit, location.declaration)
    if isinstance(location, CompileUnit):
        return _location(location.file)
    assert location is None or isinstance(location, File)
    return location and (location.directory, location.name)


# What a version lacks -----------------------------------------------------------------------


def needed(bytecode: Bytecode, target: Version) -> Counter[Use]:
    """All that a module uses and `target` lacks, with how often."""
    uses = [
        *_sections(bytecode),
        *_types(bytecode),
        *(use for function in bytecode.functions for use in _in_function(function, target)),
    ]
    return Counter(use for use in uses if use[2] > target)


def _sections(bytecode: Bytecode) -> Iterator[Use]:
    if bytecode.producer is not None:
        yield "Producer section", "", V13_3, ""
    for variable in bytecode.globals:
        if variable.private:
            yield "global", "visibility", V13_3, ""
        if variable.constant:
            yield "global", "constant", V13_3, ""
    if bytecode.debug is not None:
        for number in range(1, len(bytecode.debug) + 1):
            record = bytecode.debug.record_at(number)
            if isinstance(record, Subprogram) and record.declaration:
                yield "DISubprogram", "flags", V13_5, ""


def _types(bytecode: Bytecode) -> Iterator[Use]:
    for type in bytecode.types:
        if isinstance(type, Scalar):
            yield type.name, "", TYPE.by_name[type.name].since, ""
        if isinstance(type, GatherScatterView):
            yield "gather_scatter_view", "", V13_3, ""
        if isinstance(type, StridedView):
            yield "strided_view", "", V13_3, ""
        if isinstance(type, Pointer | TensorView) and type.attribute:
            name = "ptr" if isinstance(type, Pointer) else "tensor_view"
            yield name, "ptr_attr", V13_4, ""
            yield name, f"ptr_attr {type.attribute}", _case("PtrAttr", type.attribute), ""


def _case(enum: str, name: str) -> Version:
    return ENUM[enum].by_name[name].since


def _in_function(function: Function, target: Version) -> Iterator[Use]:
    where = function.name
    if function.argument_attributes:
        yield "entry", "argument_attributes", V13_5, where
    for enum in _enums((function.hints, function.argument_attributes)):
        yield "entry", enum.enum, V13_5, where
    gone: set[int] = set()
    for op in function.walk():
        yield op.name, "", op.spec.since, where
        for slot in op.spec.operands:
            if op.operands[slot.name]:
                yield op.name, slot.name, slot.since, where
        for slot in op.spec.attributes:
            value, default = op.attributes[slot.name], slot.default
            if isinstance(default, Each):
                default = (default.value,) * len(value)
            if value != default:
                yield op.name, slot.name, slot.since, where
            if isinstance(value, str) and hasattr(slot.node, "enum"):
                case = slot.node.enum.by_name[value]
                yield op.name, f"{slot.name} {value}", case.since, where
            for enum in _enums(value):
                yield op.name, enum.enum, V13_5, where
        for value in op.operand_list():
            if id(value) in gone:
                slot = value.owner.spec.results[value.index]
                yield value.owner.name, slot.name, slot.since, where
        if any(slot.since > op.spec.since for slot in op.spec.results):
            for slot, value in zip(op.spec.results, op.results, strict=False):
                if slot.since > target:
                    gone.add(id(value))


def _enums(value: object) -> Iterator[EnumAttribute]:
    """The tagged enum cases inside an attribute; the only such kind came with 13.5."""
    if isinstance(value, EnumAttribute):
        yield value
    elif isinstance(value, Hints):
        yield from _enums(value.entries)
    elif isinstance(value, dict):
        yield from _enums(tuple(value.values()))
    elif isinstance(value, tuple):
        for part in value:
            yield from _enums(part)
