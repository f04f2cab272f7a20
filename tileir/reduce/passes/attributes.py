"""Passes on attributes, constants and operands of ops: what is plain takes their place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tileir.bytecode import Bytecode
from tileir.formats.leaves import EnumValue
from tileir.formats.ops.spec import Attribute, Each
from tileir.ir import Op
from tileir.ir.constants import Constant, element_size
from tileir.reduce.edit import Edit
from tileir.reduce.stand_ins import is_zero, zero

from .candidate import Unit, in_edit, ops_of


def attributes(bytecode: Bytecode) -> list[Unit]:
    """Return units that make an attribute the plainest one that its slot has."""
    return [
        in_edit(_set, function, op, slot.name, plain)
        for function, op in ops_of(bytecode)
        for slot in op.spec.attributes
        for plain in _plainest(slot, op)
        if not _alike(op.attributes.get(slot.name), plain)
    ]


def constants(bytecode: Bytecode) -> list[Unit]:
    """Return units that make a constant or number one that is nearer to zero."""
    return [
        in_edit(_set, function, op, slot.name, value)
        for function, op in ops_of(bytecode)
        for slot in op.spec.attributes
        for value in _nearer(op.attributes.get(slot.name))
    ]


def operands(bytecode: Bytecode) -> list[Unit]:
    """Return units that take out an operand that may be absent, or use a stand-in for one."""
    units = []
    for function, op in ops_of(bytecode):
        for slot in op.spec.operands:
            if slot.arity == "optional" and op.operands.get(slot.name) is not None:
                units.append(in_edit(_set_operand, function, op, slot.name, None))
    return units


def _set(edit: Edit, op: Op, slot: str, value: Any) -> None:
    op.attributes[slot] = value


def _set_operand(edit: Edit, op: Op, slot: str, value: Any) -> None:
    op.operands[slot] = value


def _alike(one: Any, other: Any) -> bool:
    return one.__class__ is other.__class__ and one == other


def _plainest(slot: Attribute, op: Op) -> Iterator[Any]:
    """Yield the value of a slot that says least, if there is one."""
    value = op.attributes.get(slot.name)
    if slot.node is None or isinstance(value, bool):
        yield False
    elif slot.optional:
        yield None
    elif isinstance(slot.node, EnumValue):
        yield slot.default if slot.default in slot.cases else slot.cases[0]
    elif isinstance(slot.default, Each):
        yield tuple([slot.default.value] * len(value or ()))
    elif isinstance(value, Constant):
        yield zero(value.type)
    elif isinstance(value, int):
        yield 0
    elif isinstance(value, str):
        yield ""


def _nearer(value: Any) -> Iterator[Any]:
    """Yield numbers that are simpler than a constant or integer, the simplest one last."""
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield from (number for number in (value // 2, 1) if 0 < number < value)
    elif isinstance(value, Constant) and not is_zero(value):
        size, type = element_size(value.type.element), value.type
        if not value.is_splat:
            yield Constant(type, bytes(value.data[:size]))
        if type.element.is_integer:
            bits = value.bits()
            found = dict.fromkeys((bits // 2, 2, 1))
            for number in (each for each in found if 0 < each < bits or not value.is_splat):
                yield Constant(type, number.to_bytes(size, "little"))
