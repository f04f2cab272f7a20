"""Records to IR: value numbers become values, indices become what they name.

Numbering: parameters come first, then results in the order of the file. Entering a block numbers
its arguments next; leaving it gives their numbers free again, so regions beside each other reuse
numbers and outer values stay visible inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from construct import Construct, Container

from tileir.formats.attributes import (
    ATTRIBUTE,
    ATTRIBUTE_LIST,
    BOOL_LIST,
    CONSTANT_INDEX,
    DICTIONARY,
    INT_LIST,
    STRING_INDEX,
)
from tileir.formats.cursor import Slice
from tileir.formats.leaves import Bool, EnumValue, VarInt
from tileir.formats.nodes import Malformed
from tileir.formats.ops import BY_OPCODE
from tileir.formats.ops.spec import Attribute, Each
from tileir.formats.ops.spec import Op as Spec
from tileir.formats.ops.wire import is_segmented, variable
from tileir.formats.types import TYPE_INDEX

from . import attributes as attr
from .constants import Constant
from .ir import Block, Body, Op, Region, Value
from .locations import Location
from .references import BadReference, Strings
from .types import FunctionType, Tile, Type
from .typetable import TypeTable


@dataclass(slots=True)
class Tables:
    """Everything that a body or an attribute may refer to by index."""

    strings: Strings
    types: TypeTable
    constants: Sequence[Slice]

    def constant_data(self, index: int, path: str = "") -> memoryview | bytes:
        """The bytes of the constant of that index."""
        if index >= len(self.constants):
            raise BadReference("constant", index, len(self.constants), path=path)
        entry = self.constants[index]
        if isinstance(entry, Malformed):
            raise entry["error"]
        return entry.data

    def constant(self, index: int, type: Type, path: str) -> Constant:
        """The constant of that index, with the type its user gives it."""
        data = self.constant_data(index, path)
        if not isinstance(type, Tile):
            raise BadReference(
                "constant", index, len(self.constants), path=path, problem=f"{type} is not a tile"
            )
        constant = Constant(type, data)
        if not constant.fits:
            raise BadReference(
                "constant",
                index,
                len(self.constants),
                path=path,
                problem=f"{len(data)} bytes do not fit {type}",
            )
        return constant


def decode_attribute(record: Container, tables: Tables, path: str) -> object:
    """A tagged attribute as a Python value (see `tileir.attributes`)."""
    match record["variant"]:
        case "Integer":
            return attr.IntegerAttribute(_type(record, tables, path), int(record["bits"]))
        case "Float":
            return attr.FloatAttribute(_type(record, tables, path), int(record["bits"]))
        case "Bool":
            return bool(record["truth"])
        case "Type":
            return attr.TypeAttribute(_type(record, tables, path))
        case "String":
            return tables.strings.at(record["string"], f"{path}.string")
        case "Array":
            return _list(record["elements"], tables, f"{path}.elements")
        case "DenseElements":
            type = _type(record, tables, path)
            return attr.DenseElements(tables.constant(record["constant"], type, f"{path}.constant"))
        case "DivBy":
            return attr.DivBy(int(record["divisor"]), record["every"], record["along"])
        case "SameElements":
            return attr.SameElements(tuple(record["groups"]))
        case "Bounded":
            return attr.Bounded(record["lower"], record["upper"])
        case "Dictionary":
            return _dictionary(record["entries"], tables, f"{path}.entries")
        case "OptimizationHints":
            return _hints(record["entries"], tables, f"{path}.entries")
        case "MultimemReductionKind":
            enum = ATTRIBUTE.by_name["MultimemReductionKind"].fields.subcons[0].subcon.enum
            return attr.EnumAttribute(enum.name, enum.by_value[record["reduction"]].name)
    raise AssertionError(record["variant"])


def _type(record: Container, tables: Tables, path: str) -> Type:
    return tables.types.at(record["type"], f"{path}.type")


def _list(records: Sequence[Container], tables: Tables, path: str) -> tuple:
    return tuple(
        decode_attribute(record, tables, f"{path}[{index}]") for index, record in enumerate(records)
    )


def _dictionary(entries: Sequence[Container], tables: Tables, path: str) -> dict[str, object]:
    result: dict[str, object] = {}
    for index, entry in enumerate(entries):
        where = f"{path}[{index}]"
        key = tables.strings.at(entry["key"], f"{where}.key")
        if not key or key in result:
            problem = f"the key {key!r} twice" if key else "an empty key"
            raise BadReference(
                "string",
                entry["key"],
                len(tables.strings),
                path=f"{where}.key",
                problem=problem,
            )
        result[key] = decode_attribute(entry["value"], tables, f"{where}.value")
    return result


def _hints(entries: Sequence[Container], tables: Tables, path: str) -> attr.Hints:
    """Hints by architecture, each a dictionary of its own."""
    hints = _dictionary(entries, tables, path)
    for index, value in enumerate(hints.values()):
        if not isinstance(value, dict):
            where, tag = f"{path}[{index}].value.tag", entries[index]["value"]["tag"]
            raise BadReference("attribute", tag, 0, path=where, problem="not a dictionary of hints")
    return attr.Hints(hints)


def _inline(node: Construct, value, tables: Tables, result: Type | None, path: str) -> object:
    """The value of an attribute slot whose layout is `node`."""
    if isinstance(node, EnumValue):
        return node.enum.by_value[value].name
    if node is ATTRIBUTE:
        return decode_attribute(value, tables, path)
    if node is ATTRIBUTE_LIST:
        return _list(value, tables, path)
    if node is DICTIONARY:
        return _hints(value, tables, path)
    if node is STRING_INDEX:
        return tables.strings.at(value, path)
    if node is TYPE_INDEX:
        return tables.types.at(value, path)
    if node is CONSTANT_INDEX:
        return tables.constant(value, result, path)
    if node is BOOL_LIST:
        return tuple(map(bool, value))
    if node is INT_LIST:
        return tuple(value)
    if isinstance(node, Bool):
        return bool(value)
    if isinstance(node, VarInt):
        return int(value)
    raise AssertionError(node)


class BodyDecoder:
    """Decodes one function body. `locate` gives the location of op number n in pre-order."""

    def __init__(self, tables: Tables, path: str, locate: Callable[[int], Location | None]) -> None:
        self.tables = tables
        self.path = path
        self.locate = locate
        self.values: list[Value] = []
        self.position = 0

    def decode(self, records: Sequence[Container], type: FunctionType) -> Body:
        """The body whose ops are `records`; parameters get the first numbers."""
        block = Block()
        for parameter in type.parameters:
            block.arguments.append(self._define(parameter, block, len(block.arguments)))
        block.ops = self._ops(records, self.path, 0)
        return Body(type, block)

    def _define(self, type: Type, owner: Op | Block, index: int) -> Value:
        value = Value(type, owner, index, len(self.values))
        self.values.append(value)
        return value

    def _ops(self, records: Sequence[Container], path: str, depth: int) -> list[Op]:
        return [self._op(record, f"{path}[{index}]", depth) for index, record in enumerate(records)]

    def _op(self, record: Container, path: str, depth: int) -> Op:
        spec = BY_OPCODE[record["tag"]]
        types = [
            self.tables.types.at(number, f"{path}.result_types[{index}]")
            for index, number in enumerate(record["result_types"])
        ]
        op = Op(
            spec,
            self._operands(spec, record, path),
            self._attributes(spec, record, types, path),
            offset=record["op_offset"],
            position=self.position,
            depth=depth,
        )
        self.position += 1
        op.location = self.locate(op.position)
        for region in record.get("regions") or ():
            op.regions.append(Region())
            where = f"{path}.regions[{len(op.regions) - 1}]"
            for block in region:
                inner = self._block(block, f"{where}[{len(op.regions[-1].blocks)}]", depth + 1)
                op.regions[-1].blocks.append(inner)
        op.results = [self._define(type, op, index) for index, type in enumerate(types)]
        return op

    def _block(self, record: Container, path: str, depth: int) -> Block:
        outer = len(self.values)
        block = Block()
        for index, number in enumerate(record["arguments"]):
            type = self.tables.types.at(number, f"{path}.arguments[{index}]")
            block.arguments.append(self._define(type, block, index))
        block.ops = self._ops(record["ops"], f"{path}.ops", depth)
        del self.values[outer:]
        return block

    def _value(self, number: int, path: str) -> Value:
        if number >= len(self.values):
            raise BadReference("value", number, len(self.values), path=path)
        return self.values[number]

    def _values(self, numbers: Sequence[int], path: str) -> tuple[Value, ...]:
        return tuple(
            self._value(number, f"{path}[{index}]") for index, number in enumerate(numbers)
        )

    def _operands(self, spec: Spec, record: Container, path: str) -> dict:
        if variable(spec) and not is_segmented(spec):
            return self._divide(spec, record["all_operands"], path)
        operands: dict[str, Value | tuple[Value, ...] | None] = {}
        for slot in spec.operands:
            number, where = record[slot.name], f"{path}.{slot.name}"
            if number is None:
                operands[slot.name] = () if slot.arity == "many" else None
            elif slot.arity == "many":
                operands[slot.name] = self._values(number, where)
            else:
                operands[slot.name] = self._value(number, where)
        return operands

    def _divide(self, spec: Spec, numbers: Sequence[int], path: str) -> dict:
        """Give the slots their part of one list: all but one take exactly one value."""
        values = list(self._values(numbers, f"{path}.all_operands"))
        fixed = len(spec.operands) - 1
        (slack,) = variable(spec)
        spare = len(values) - fixed
        if spare < 0 or (slack.arity == "optional" and spare > 1):
            most = f" to {fixed + 1}" if slack.arity == "optional" else " or more"
            raise BadReference(
                "operand count",
                len(values),
                0,
                path=f"{path}.all_operands.count",
                problem=f"{spec.mnemonic} takes {fixed}{most}",
            )
        operands: dict[str, Value | tuple[Value, ...] | None] = {}
        for slot in spec.operands:
            if slot.arity == "one":
                operands[slot.name] = values.pop(0)
            elif slot.arity == "many":
                operands[slot.name] = tuple(values[:spare])
                del values[:spare]
            else:
                operands[slot.name] = values.pop(0) if spare else None
        return operands

    def _attributes(self, spec: Spec, record: Container, types: list[Type], path: str) -> dict:
        result = types[0] if types else None
        return {
            slot.name: self._attribute(slot, record, result, f"{path}.{slot.name}")
            for slot in spec.attributes
        }

    def _attribute(
        self, slot: Attribute, record: Container, result: Type | None, path: str
    ) -> object:
        value = record[slot.name]
        if isinstance(value, Each):
            return (value.value,) * len(record[value.slot])
        if slot.node is None:
            return bool(value)
        if value is None:
            return None
        return _inline(slot.node, value, self.tables, result, path)
