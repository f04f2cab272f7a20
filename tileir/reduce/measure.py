"""How large a module is for a reader: of two, the one with the smaller measure is better."""

from __future__ import annotations

from typing import Any, NamedTuple

from tileir.bytecode import Bytecode
from tileir.formats.leaves import EnumValue
from tileir.formats.ops.spec import Each
from tileir.ir import Op
from tileir.ir.constants import Constant
from tileir.types import Pointer, Tile, Type

from .stand_ins import is_stand_in

PLAIN = {"i1": 0, "i32": 0, "f32": 0}
"""Element types that nothing is gained by changing."""


class Measure(NamedTuple):
    """What counts, in this order; a candidate has to have less of the first that differs.

    ops         ops that no stand-in takes the place of, terminators included
    stand_ins   the others
    items       functions and globals
    values      operands, parameters, arguments of blocks
    elements    of the types of all values: what is above one element, and of unusual types
    attributes  what is not as plain as it could be; of constants, bits that are set
    size        bytes of the file
    """

    ops: int
    stand_ins: int
    items: int
    values: int
    elements: int
    attributes: int
    size: int

    @property
    def all_ops(self) -> int:
        """How many ops the module has, terminators included."""
        return self.ops + self.stand_ins


def measured(bytecode: Bytecode, size: int) -> Measure:
    """Return the measure of a module whose file has that many bytes."""
    ops = stand_ins = values = elements = attributes = 0
    costs: dict[Type, int] = {}
    for function in bytecode.functions:
        values += len(function.parameters)
        attributes += (function.location is not None) + len(function.hints.entries)
        attributes += sum(map(bool, function.argument_attributes))
        for value in function.body.defined():
            if value.type not in costs:
                costs[value.type] = _cost(value.type)
            elements += costs[value.type]
        for op in function.walk():
            small = is_stand_in(op)
            stand_ins += small
            ops += not small
            values += sum(1 for _ in op.operand_list())
            for region in op.regions:
                values += len(region.blocks) + sum(len(block.arguments) for block in region.blocks)
            attributes += _said(op)
    items = len(bytecode.functions) + len(bytecode.globals)
    return Measure(ops, stand_ins, items, values, elements, attributes, size)


def _cost(type: Type) -> int:
    """Return how far a type is from a scalar of i32."""
    if isinstance(type, Tile):
        element = type.element
        name = element.pointee.name if isinstance(element, Pointer) else element.name
        return type.size - 1 + type.rank + PLAIN.get(name, 1)
    view: Any = getattr(type, "view", type)
    extents = (
        *getattr(type, "tile", ()),
        *getattr(view, "shape", ()),
        *getattr(view, "strides", ()),
    )
    return sum(extent or 0 for extent in extents)


def _said(op: Op) -> int:
    """Return how much the attributes of an op say, and its location."""
    said = int(op.location is not None)
    for slot in op.spec.attributes:
        value = op.attributes.get(slot.name)
        if isinstance(value, Constant):
            stored = bytes(value.data[:8])
            said += int.from_bytes(stored, "little").bit_length() + 64 * (len(value.data) > 8)
        elif isinstance(slot.node, EnumValue) and not slot.optional:
            said += value != (slot.default if slot.default in slot.cases else slot.cases[0])
        elif isinstance(slot.default, Each):
            said += any(value or ())
        elif isinstance(value, int):
            said += value.bit_length()
        elif value is not None:
            said += len(value) if isinstance(value, str) else 1
    return said
