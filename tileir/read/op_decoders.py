"""Functions that turn the row of an op into an `Op`: one per op and version, generated.

They complete the specialised decoder: the meaning of each field, and how it is looked up, is
decided when their source is written. Their variable `slot` names the field that is being looked up,
so that the error of a reference that leads nowhere can name it.
"""

from __future__ import annotations

from functools import cache

from construct import Construct

from tileir.formats.attributes import (
    ATTRIBUTE,
    ATTRIBUTE_LIST,
    BOOL_LIST,
    CONSTANT_INDEX,
    DICTIONARY,
    INT_LIST,
    STRING_INDEX,
)
from tileir.formats.leaves import Bool, EnumValue, VarInt
from tileir.formats.ops import OPS
from tileir.formats.ops.spec import Attribute, Each
from tileir.formats.ops.spec import Op as Spec
from tileir.formats.ops.wire import OP, Repeat, is_segmented, variable
from tileir.formats.specialised.layout import Field, layout
from tileir.formats.specialised.source import Functions, Lines, display, identifier
from tileir.formats.types import TYPE_INDEX
from tileir.formats.version import Version
from tileir.ir import Op, Value

from .bad_reference import BadReference
from .tables import decode_hints, decode_list


@cache
def decoders_of(version: Version) -> dict:
    """Return, for each opcode, the function (BodyDecoder, row) -> Op."""
    functions = Functions(
        f"tileir {version} op decoder",
        {
            "BadReference": BadReference,
            "Op": Op,
            "Value": Value,
            "decode_hints": decode_hints,
            "decode_list": decode_list,
        },
    )
    table: dict = {}
    for spec in OPS:
        if spec.in_body and spec.since <= version:
            _OpDecoder(spec, version, functions, table)
    return table


class _OpDecoder:
    """Writes the source of one function, when it is first called."""

    def __init__(self, spec: Spec, version: Version, functions: Functions, table: dict) -> None:
        self.spec = spec
        self.functions = functions
        self.fields = layout(OP.arms[spec.opcode].fields, version)
        self.names: dict[str, str] = {}
        self.type = ""

        def into(function) -> None:
            table[spec.opcode] = function

        name = functions.function(spec.mnemonic, spec.opcode, self._write, into)
        table[spec.opcode] = functions.names[name]

    def _write(self, line: Lines, name: str) -> None:
        self.names = {field.name: line.fresh(field.name) for field in self.fields}
        with line.block(f"def {name}(d, row):"):
            line(f"_, offset, {', '.join(self.names.values())}, = row")
            line("values, linked, tables, slot = d.values, d.linked, d.tables, None")
            with line.block("try:"):
                types = self._types(line)
                operands = self._operands(line)
                attributes = self._attributes(line)
            with line.block("except BadReference as bad:"):
                line("raise bad.inside(slot) from None")
            with line.block("except IndexError:"):
                line(f"raise d.missing(slot, row[{self._positions()}[slot]]) from None")
            line("position = d.position")
            line("d.position = position + 1")
            spec = self.functions.constant("SPEC", self.spec)
            line("results = []")
            where = "offset + d.base, position, d.locate"
            line(f"op = Op({spec}, {operands}, {attributes}, results, None, {where})")
            if self.spec.regions:
                line(f"op.regions = d.regions({self.names['regions']})")
            self._results(line, types)
            line("return op")

    # Results --------------------------------------------------------------------------------

    def _types(self, line: Lines) -> list[str] | None:
        """Write the look-up of result types; returns a name for each, None if the row counts."""
        numbers = self.names["result_types"]
        line("slot = 'result_types'")
        node = self._field("result_types").node
        if not isinstance(node, Repeat):
            with line.block("try:"):
                line(f"types = [linked[n] for n in {numbers}]")
            with line.block("except KeyError:"):
                line(f"types = d.types({numbers})")
            return None
        types = [line.fresh("type") for _ in range(node.count)]
        if types:
            self.type = types[0]
            looked_up = ", ".join(f"linked[{numbers}[{i}]]" for i in range(node.count))
            with line.block("try:"):
                line(f"{', '.join(types)} = {looked_up}")
            with line.block("except KeyError:"):
                line(f"{', '.join(types)}, = d.types({numbers})")
        return types

    def _results(self, line: Lines, types: list[str] | None) -> None:
        """Write the numbering of the results; values of nested ops are no longer visible then."""
        if types is None:  # the row has a count, which may be wrong
            line("number = len(values)")
            with line.block("for index, type in enumerate(types):"):
                line("value = Value(type, op, index, number + index)")
                line("results.append(value)")
                line("values.append(value)")
            return
        for index, type in enumerate(types):
            line(f"value = Value({type}, op, {index}, len(values))")
            line("results.append(value)")
            line("values.append(value)")

    def _positions(self) -> str:
        """Return the name of a table: field -> its index in the row."""
        key = f"FIELDS_{identifier(self.spec.mnemonic)}"
        indices = {field.name: index for index, field in enumerate(self.fields, 2)}
        self.functions.names.setdefault(key, indices)
        return key

    # Operands -------------------------------------------------------------------------------

    def _operands(self, line: Lines) -> str:
        if not is_segmented(self.spec) and variable(self.spec):
            line("slot = 'all_operands'")
            spec = self.functions.constant("SPEC", self.spec)
            line(f"operands = d.divide({spec}, {self.names['all_operands']})")
            return "operands"
        operands = {}
        for slot in self.spec.operands:
            name = self.names[slot.name]
            line(f"slot = {slot.name!r}")
            if slot.arity == "many":
                absent = self._absent(slot.name)
                line(f"{name} = ()" if absent else f"{name} = tuple([values[n] for n in {name}])")
            elif slot.arity == "one":
                line(f"{name} = values[{name}]")
            else:
                with line.block(f"if {name} is not None:"):
                    line(f"{name} = values[{name}]")
            operands[slot.name] = name
        return display(operands)

    def _absent(self, name: str) -> bool:
        return self._field(name).node is None

    def _field(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)

    # Attributes -----------------------------------------------------------------------------

    def _attributes(self, line: Lines) -> str:
        attributes = {}
        for slot in self.spec.attributes:
            attributes[slot.name] = self._attribute(line, slot, self.names[slot.name])
        return display(attributes)

    def _attribute(self, line: Lines, slot: Attribute, name: str) -> str:
        field = self._field(slot.name)
        if field.node is None and isinstance(field.default, Each):
            one = f"({field.default.value!r},)"
            return f"{one} * len({self.names[field.default.slot]})"
        if slot.node is None:
            return name
        line(f"slot = {slot.name!r}")
        value = self._value(slot.node, name)
        if slot.optional or field.node is None:
            value = f"None if {name} is None else {value}"
        line(f"{name} = {value}")
        return name

    def _value(self, node: Construct, name: str) -> str:
        """Return the expression for the value of an attribute slot whose layout is `node`."""
        if isinstance(node, EnumValue):
            cases = {case.value: case.name for case in node.enum.cases}
            table = f"CASES_{node.enum.name}"
            self.functions.names.setdefault(table, cases)
            return f"{table}[{name}]"
        for layout_node, expression in LOOKUPS:
            if node is layout_node:
                return expression.format(name, type=self.type)
        if isinstance(node, Bool):
            return f"bool({name})"
        if isinstance(node, VarInt):
            return f"int({name})"
        raise TypeError(f"{self.spec.mnemonic}: no value for {node}")


LOOKUPS = (
    (ATTRIBUTE, "tables.attribute({})"),
    (ATTRIBUTE_LIST, "decode_list({}, tables)"),
    (DICTIONARY, "decode_hints({}, tables)"),
    (STRING_INDEX, "tables.strings.at({})"),
    (TYPE_INDEX, "tables.types.at({})"),
    (CONSTANT_INDEX, "tables.constant({}, {type})"),
    (BOOL_LIST, "tuple(map(bool, {}))"),
    (INT_LIST, "tuple({})"),
)
"""Layout of an attribute slot -> the expression for its value; `type` is the result's type."""
