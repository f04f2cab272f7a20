"""A module as JSON: kernels, parameters and ops, with the names of values that the text has."""

from __future__ import annotations

import json
import math

from tileir import attributes as attr
from tileir.bytecode import Bytecode
from tileir.formats.recursion import deep_recursion
from tileir.ir import Block, Op, Region, Value
from tileir.ir.constants import Constant
from tileir.read.function import Function, Global
from tileir.text.printer.disassembly import print_kernel
from tileir.text.printer.functions import FunctionPrinter

JSON_SCHEMA = 1

LAYOUT = """\
  schema      1; another number when a key goes or means something else
  version     of the bytecode: "13.4"
  producer    what wrote it, or null
  globals     [{name, type, value, alignment, private, constant}]
  functions   [{name, parameters, hints, location, ops}]
  parameters  [{name, type, attributes}]
  ops         [{name, results, operands, attributes, offset, location, regions}]
  results     [{name, type}]
  operands    by slot: a name such as "%5#1", a list where the slot takes several, or null
  attributes  by slot: text, true, false, a number, a list, an object, or null
  location    "file:line:column", or null
  regions     [{arguments: [{name, type}], ops}]; null for one that is absent
A number that has a type of its own is {type, value}; so is a constant that has the same number
everywhere, others are {type, values}, row by row. Text are "nan", "inf" and "-inf", and the bits,
"0x3f", of element types whose encoding nobody has published.
"""
"""The keys of a module's object, as ``tileir dis --help`` lists them."""


def op_tree(bytecode: Bytecode, function: str | None = None, **first: object) -> str:
    """Return a module, or one kernel of it, as a line of JSON; `first` are keys before `LAYOUT`'s.

    Errors are those of `tileir.disassemble`. Text may hold lone surrogates, which
    ``"backslashreplace"`` encodes as JSON's own escapes.
    """
    functions = bytecode.functions if function is None else [bytecode.function(function)]
    head = {
        **first,
        "schema": JSON_SCHEMA,
        "version": str(bytecode.version),
        "producer": bytecode.producer,
        "globals": [_global(variable) for variable in bytecode.globals],
    }
    with deep_recursion(bytecode.limits):
        kernels = [_Tree(bytecode).function(kernel) for kernel in functions]
    return _with_list(head, "functions", kernels)


def _spell(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _with_list(head: dict[str, object], key: str, items: list[str]) -> str:
    """Return an object as JSON, whose last key is a list of items that are JSON already."""
    return f'{_spell(head)[:-1]}, "{key}": [{", ".join(items)}]}}'


class _Tree:
    """The ops of one kernel."""

    def __init__(self, bytecode: Bytecode) -> None:
        self._bytecode = bytecode
        self._printer = FunctionPrinter([], {}, None)

    def function(self, function: Function) -> str:
        print_kernel(self._printer, self._bytecode, function)  # names the values
        stated = function.argument_attributes
        parameters = [
            {**self._value(value), "attributes": _dictionary(stated[i]) if i < len(stated) else {}}
            for i, value in enumerate(function.body.block.arguments)
        ]
        head = {
            "name": function.name,
            "parameters": parameters,
            "hints": attribute(function.hints),
            "location": None if function.location is None else str(function.location),
        }
        return _with_list(head, "ops", self._ops(function.body.block))

    def _ops(self, block: Block) -> list[str]:
        return [self._op(op) for op in block.ops]

    def _op(self, op: Op) -> str:
        head = {
            "name": op.name,
            "results": [self._value(value) for value in op.results],
            "operands": {slot: self._names(value) for slot, value in op.operands.items()},
            "attributes": _dictionary(op.attributes),
            "offset": op.offset,
            "location": op.location_text or None,
        }
        return _with_list(head, "regions", [self._region(region) for region in op.regions])

    def _region(self, region: Region) -> str:
        if not region.blocks:
            return "null"
        head: dict[str, object] = {
            "arguments": [self._value(value) for value in region.block.arguments]
        }
        return _with_list(head, "ops", self._ops(region.block))

    def _value(self, value: Value) -> dict[str, str]:
        return {"name": self._printer.name(value), "type": self._printer.type(value)}

    def _names(self, operand: Value | tuple[Value, ...] | None) -> str | list[str] | None:
        if operand is None:
            return None
        if isinstance(operand, tuple):
            return [self._printer.name(value) for value in operand]
        return self._printer.name(operand)


def _global(variable: Global) -> dict[str, object]:
    return {
        "name": variable.name,
        "type": str(variable.type),
        "value": attribute(variable.value),
        "alignment": variable.alignment,
        "private": variable.private,
        "constant": variable.constant,
    }


def _dictionary(values: dict[str, object]) -> dict[str, object]:
    return {name: attribute(value) for name, value in values.items()}


def attribute(value: object) -> object:
    """Return an attribute, a constant or a part of one, in JSON's types."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, tuple):
        return [attribute(item) for item in value]
    if isinstance(value, dict):
        return _dictionary(value)
    if isinstance(value, attr.Hints):
        return _dictionary(value.entries)
    if isinstance(value, attr.IntegerAttribute | attr.FloatAttribute):
        return {"type": str(value.type), "value": _number(value.value, value.bits)}
    if isinstance(value, attr.TypeAttribute):
        return {"type": str(value.type)}
    if isinstance(value, attr.DenseElements):
        return attribute(value.constant)
    if isinstance(value, Constant):
        return _constant(value)
    return str(value)


def _constant(value: Constant) -> dict[str, object]:
    stated = {"type": str(value.type)}
    if value.is_splat:
        return {**stated, "value": _number(value.value(), value.bits())}
    numbers = range(value.type.size)
    return {**stated, "values": [_number(value.value(i), value.bits(i)) for i in numbers]}


def _number(value: float | int | bool | None, bits: int) -> object:
    if value is None:
        return f"0x{bits:x}"
    return value if isinstance(value, int) or math.isfinite(value) else str(value)
