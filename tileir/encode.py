"""IR to records: the inverse of `decode`, with the same value numbers and the same tables.

Everything is written the one shortest way; flag words and tags are left to the schema. A record is
a plain dict of the fields of its node. What a version has no room for is a BuildError that names
the op, the slot and the version that has it.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

from construct import Construct

from tileir.formats import codec
from tileir.formats.attributes import (
    ATTRIBUTE,
    ATTRIBUTE_LIST,
    BOOL_LIST,
    CONSTANT_INDEX,
    DICTIONARY,
    INT_LIST,
    STRING_INDEX,
)
from tileir.formats.functions import BODY
from tileir.formats.leaves import Bool, EnumValue, VarInt
from tileir.formats.limits import MAX_ATTRIBUTE_DEPTH, MAX_REGION_DEPTH
from tileir.formats.ops.spec import Attribute, Each, Operand
from tileir.formats.ops.wire import counts_results, is_segmented, variable
from tileir.formats.types import TYPE_INDEX

from . import attributes as attr
from .constants import Constant
from .errors import BuildError
from .interning import Interning, case_number
from .ir import Block, Body, Op, Value
from .relink import Relocation, as_it_is
from .types import Tile, Type

Record = dict[str, object]


def encode_attribute(value: object, tables: Interning, depth: int = 0) -> Record:
    """The record of a tagged attribute (see `tileir.attributes` for what a value may be)."""
    if depth >= MAX_ATTRIBUTE_DEPTH:
        raise BuildError(f"attributes nested more than {MAX_ATTRIBUTE_DEPTH} deep")
    match value:
        case bool():
            return {"variant": "Bool", "truth": int(value)}
        case str():
            return {"variant": "String", "string": tables.string(value)}
        case attr.IntegerAttribute() | attr.FloatAttribute():
            return _number(value, tables)
        case attr.TypeAttribute():
            return {"variant": "Type", "type": tables.types.index(value.type)}
        case attr.DenseElements():
            type = value.constant.type
            constant = encode_constant(value.constant, type, tables)
            return {"variant": "DenseElements", "type": tables.types.index(type)} | constant
        case attr.DivBy():
            return {"variant": "DivBy", "divisor": value.divisor} | {
                "every": value.every,
                "along": value.along,
            }
        case attr.SameElements():
            return {"variant": "SameElements", "groups": list(value.groups)}
        case attr.Bounded():
            return {"variant": "Bounded", "lower": value.lower, "upper": value.upper}
        case attr.EnumAttribute():
            return _enum_attribute(value, tables)
        case attr.Hints():
            entries = _hints(value, tables, depth)
            return {"variant": "OptimizationHints", "entries": entries}
        case dict():
            return {"variant": "Dictionary", "entries": _dictionary(value, tables, depth)}
        case tuple() | list():
            elements = [encode_attribute(item, tables, depth + 1) for item in value]
            return {"variant": "Array", "elements": elements}
    raise BuildError(f"{value!r} is no attribute")


def _number(value: attr.IntegerAttribute | attr.FloatAttribute, tables: Interning) -> Record:
    variant = "Integer" if isinstance(value, attr.IntegerAttribute) else "Float"
    type = value.type
    if getattr(type, "is_integer", None) != (variant == "Integer"):
        raise BuildError(f"{type} is no type of {variant.lower()} attributes")
    if not 0 <= value.bits < 1 << type.bits:
        raise BuildError(f"{value.bits:#x} is no pattern of {type.bits} bits")
    return {"variant": variant, "type": tables.types.index(type), "bits": value.bits}


def _enum_attribute(value: attr.EnumAttribute, tables: Interning) -> Record:
    """An enum that has a tag of its own, which so far one has."""
    for arm in ATTRIBUTE.by_name.values():
        for field in arm.fields.subcons:
            if isinstance(field.subcon, EnumValue) and field.subcon.enum.name == value.enum:
                number = case_number(field.subcon.enum, value.name, tables.version)
                return {"variant": arm.name, field.name: number}
    raise BuildError(f"{value.enum} is no enum that an attribute can hold")


def _dictionary(entries: Mapping[str, object], tables: Interning, depth: int) -> list[Record]:
    if "" in entries:
        raise BuildError("an empty key in a dictionary of attributes")
    return [
        {"key": tables.string(key), "value": encode_attribute(value, tables, depth + 1)}
        for key, value in entries.items()
    ]


def _hints(value: attr.Hints, tables: Interning, depth: int = 0) -> list[Record]:
    for key, hints in value.entries.items():
        if not isinstance(hints, dict):
            raise BuildError(f"hints for {key} must be a dictionary, found {hints!r}")
    return _dictionary(value.entries, tables, depth)


def encode_constant(constant: object, type: Type | None, tables: Interning) -> Record:
    """The `constant` field for numbers that a value of that type stands for."""
    if not isinstance(constant, Constant):
        raise BuildError(f"expected a Constant, found {constant!r}")
    if constant.type != type:
        raise BuildError(f"a constant of {constant.type} where the type is {type}")
    if not isinstance(type, Tile) or not constant.fits:
        raise BuildError(f"{len(constant.data)} bytes do not fit {type}")
    return {"constant": tables.constants.index(constant.data)}


def encode_inline(node: Construct, value: object, tables: Interning, result: Type | None) -> object:
    """The record of an attribute slot whose layout is `node`; the inverse of decode's."""
    if isinstance(node, EnumValue):
        return case_number(node.enum, value if value is not None else "", tables.version)
    if node is ATTRIBUTE:
        return encode_attribute(value, tables)
    if node is ATTRIBUTE_LIST:
        return encode_attribute(_listed(value), tables)["elements"]
    if node is DICTIONARY:
        if not isinstance(value, attr.Hints):
            raise BuildError(f"expected Hints, found {value!r}")
        return _hints(value, tables)
    if node is STRING_INDEX:
        return tables.string(value)
    if node is TYPE_INDEX:
        return tables.types.index(value)
    if node is CONSTANT_INDEX:
        return encode_constant(value, result, tables)["constant"]
    if node is BOOL_LIST:
        return [_truth(item) for item in _listed(value)]
    if node is INT_LIST:
        return [_integer(item) for item in _listed(value)]
    if isinstance(node, Bool):
        return _truth(value)
    if isinstance(node, VarInt):
        return _integer(value)
    raise AssertionError(node)


def _listed(value: object) -> Sequence:
    if not isinstance(value, tuple | list):
        raise BuildError(f"expected a tuple, found {value!r}")
    return value


def _truth(value: object) -> int:
    if not isinstance(value, bool):
        raise BuildError(f"expected True or False, found {value!r}")
    return int(value)


def _integer(value: object) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise BuildError(f"expected an integer, found {value!r}") from None


class BodyEncoder:
    """Encodes one function body. `locations` has the location of every op, in pre-order, then.

    `relocate` gives the location to write in the place of one that an op has.
    """

    def __init__(self, tables: Interning, relocate: Relocation = as_it_is) -> None:
        self.tables = tables
        self.relocate = relocate
        self.locations: list[int] = []
        self.numbers: dict[Value, int] = {}

    def encode(self, body: Body) -> list[Record]:
        """The records of the ops; parameters get the first numbers."""
        self._define(body.block.arguments)
        with codec.deep_recursion():
            return self._ops(body.block.ops, 0)

    def build(self, records: list[Record]) -> bytes:
        """The bytes of a body's records."""
        return codec.build(BODY, records, self.tables.version, self.tables.types.tags)

    def _define(self, values: Sequence[Value]) -> None:
        for value in values:
            if not isinstance(value, Value):
                raise BuildError(f"expected a value, found {value!r}")
            if value in self.numbers:
                raise BuildError(f"{value} is defined twice")
            self.numbers[value] = len(self.numbers)

    def _ops(self, ops: Sequence[Op], depth: int) -> list[Record]:
        return [self.op(op, depth) for op in ops]

    def op(self, op: Op, depth: int = 0) -> Record:
        """The record of one op, its regions included."""
        spec, version = op.spec, self.tables.version
        if spec.since > version or not spec.in_body:
            why = f"needs {spec.since}, writing {version}" if spec.in_body else "is no op of a body"
            raise BuildError(f"{op.name} {why}")
        record: Record = {"tag": spec.opcode, "variant": spec.mnemonic}
        record["result_types"] = self._result_types(op)
        self._check_names(op)
        result = op.results[0].type if op.results else None
        for slot in spec.attributes:
            with _Within(op, slot.name):
                record[slot.name] = self._attribute(slot, op, result)
        self._operands(op, record)
        with _Within(op, "location"):
            self.locations.append(self.tables.locations.number(self.relocate(op.location)))
        if spec.regions:
            record["regions"] = self._regions(op, depth)
        elif op.regions:
            raise BuildError(f"{op.name} has regions, it takes none")
        self._define(op.results)
        return record

    def _check_names(self, op: Op) -> None:
        for kind, given, slots in (
            ("operand", op.operands, op.spec.operands),
            ("attribute", op.attributes, op.spec.attributes),
        ):
            names = {slot.name for slot in slots}
            for name in given:
                if name not in names:
                    raise BuildError(f"{op.name} has no {kind} {name}")

    def _result_types(self, op: Op) -> list[int]:
        spec = op.spec
        if not counts_results(spec) and len(op.results) != len(spec.results):
            raise BuildError(f"{op.name} has {len(spec.results)} results, found {len(op.results)}")
        for slot, _ in zip(spec.results, op.results, strict=False):
            if slot.since > self.tables.version:
                raise BuildError(f"{op.name}: {slot.name} {self._too_new(slot)}")
        with _Within(op, "result"):
            return [self.tables.types.index(value.type) for value in op.results]

    def _too_new(self, slot: object) -> str:
        return f"needs {slot.since}, writing {self.tables.version}"

    def _attribute(self, slot: Attribute, op: Op, result: Type | None) -> object:
        value = op.attributes.get(slot.name)
        if slot.since > self.tables.version:
            if value is not None and value != default_of(slot, op.operands):
                raise BuildError(self._too_new(slot))
            return None
        if slot.node is None:
            return bool(_truth(value))
        if value is None and slot.optional:
            return None
        return encode_inline(slot.node, value, self.tables, result)

    def _operands(self, op: Op, record: Record) -> None:
        given: Record = {}
        for slot in op.spec.operands:
            with _Within(op, slot.name):
                given[slot.name] = self._operand(slot, op.operands.get(slot.name))
        if variable(op.spec) and not is_segmented(op.spec):
            flat: list[int] = []
            for value in given.values():
                flat += value if isinstance(value, list) else [] if value is None else [value]
            record["all_operands"] = flat
        else:
            record |= given

    def _operand(self, slot: Operand, value: object) -> object:
        if slot.since > self.tables.version:
            if value not in (None, ()):
                raise BuildError(self._too_new(slot))
            return None
        if slot.arity == "many":
            return [self._value(item) for item in _listed(value)]
        if value is None and slot.arity == "optional":
            return None
        return self._value(value)

    def _value(self, value: object) -> int:
        if not isinstance(value, Value):
            raise BuildError(f"expected a value, found {value!r}")
        number = self.numbers.get(value)
        if number is None:
            raise BuildError(f"{value} is not defined before the op, or not visible to it")
        return number

    def _regions(self, op: Op, depth: int) -> list[list[Record]]:
        if len(op.regions) != len(op.spec.regions):
            raise BuildError(f"{op.name} has {len(op.spec.regions)} regions, not {len(op.regions)}")
        if depth >= MAX_REGION_DEPTH:
            raise BuildError(f"{op.name}: more than {MAX_REGION_DEPTH} regions inside each other")
        return [[self._block(block, depth + 1) for block in region.blocks] for region in op.regions]

    def _block(self, block: Block, depth: int) -> Record:
        outer = len(self.numbers)
        arguments = [self.tables.types.index(value.type) for value in block.arguments]
        self._define(block.arguments)
        record = {"arguments": arguments, "ops": self._ops(block.ops, depth)}
        for _ in range(len(self.numbers) - outer):
            self.numbers.popitem()
        return record


def default_of(slot: Attribute, operands: Mapping[str, object]) -> object:
    """What an op means that does not have the attribute."""
    if isinstance(slot.default, Each):
        return (slot.default.value,) * len(operands[slot.default.slot])
    return slot.default


class _Within:
    """Puts the op and the slot in front of what is wrong with its value."""

    def __init__(self, op: Op, slot: str) -> None:
        self.op = op
        self.slot = slot

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind, error, trace) -> None:
        if isinstance(error, BuildError):
            raise BuildError(f"{self.op.name}: {self.slot}: {error}") from None
