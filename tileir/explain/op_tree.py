"""A module as JSON: kernels, parameters and ops, with the names of values that the text has."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice, repeat
from typing import Literal

from tileir import attributes as attr
from tileir.bytecode import Bytecode
from tileir.expressions import PREVIEW_ATTRIBUTES, full
from tileir.formats.recursion import deep_recursion
from tileir.ir import Block, Op, Region, Value
from tileir.ir.constants import Constant
from tileir.read.declarations import Declaration, Implementation
from tileir.read.function import Function, Global
from tileir.text.printer.declarations import print_declaration
from tileir.text.printer.disassembly import print_kernel
from tileir.text.printer.functions import FunctionPrinter
from tileir.text.printer.pieces import BoundedText, Pieces
from tileir.text.printer.values import extent
from tileir.verifier.module import check

JSON_SCHEMA = 1

LAYOUT = """\
  schema      1; another number when a key goes or means something else
  version     of the bytecode: "13.4"
  preview     true, in files that announce public-preview content
  unknown     [{offset, message}], in files of newer versions than are
              known, which are not whole here
  producer    what wrote it, or null
  globals     [{name, type, value, alignment, private, constant}]
  declarations  [{name, kind, implements, text}] of functions without
              bodies, in files that have some
  functions   [{name, parameters, hints, location, ops}]; opaque, too, if not
              all is known: {offset, size, message}, what follows the ops
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
    """Return a module, or one kernel of it, as a line of JSON; `first` are keys behind "schema".

    Errors are those of `tileir.disassemble`. Text may hold lone surrogates, which
    ``"backslashreplace"`` encodes as JSON's own escapes.
    """
    functions = bytecode.functions if function is None else [bytecode.function(function)]
    head = {
        "schema": JSON_SCHEMA,
        **first,
        "version": str(bytecode.version.plain),
        **({"preview": True} if bytecode.version.preview else {}),
        **({"unknown": _unknown(bytecode)} if bytecode.newer else {}),
        "producer": bytecode.producer,
    }
    out = BoundedText(bytecode)
    with deep_recursion(bytecode.limits):
        with _list_in(out, _begun(head), "globals", "]") as item:
            for variable in bytecode.globals:
                out.reserve(extent(variable.value))
                item()
                out.append(_spell(_global(variable)))
        if bytecode.declarations:
            with _list_in(out, ", ", "declarations", "]") as item:
                for declared in bytecode.declarations:
                    item()
                    out.append(_spell(_declaration(declared, bytecode)))
        with _list_in(out, ", ", "functions") as item:
            for kernel in functions:
                item()
                _Tree(bytecode, out).function(kernel)
    return str(out)


def _spell(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _begun(head: dict[str, object]) -> str:
    """Return an object as JSON without its end, for more keys."""
    return f"{_spell(head)[:-1]}, "


def _unknown(bytecode: Bytecode) -> list[dict[str, object]]:
    return [{"offset": one.offset, "message": one.message} for one in bytecode.touch().unknown]


def _declaration(declared: Declaration, bytecode: Bytecode) -> dict[str, object]:
    """Return a function without a body; its text has everything."""
    implements = declared.implements if isinstance(declared, Implementation) else None
    text = BoundedText(bytecode)
    print_declaration(declared, text, None)
    return {
        "name": declared.name,
        "kind": "extern" if implements is None else "implementation",
        "implements": implements,
        "text": str(text).strip(),
    }


@contextmanager
def _list_in(out: Pieces, begun: str, key: str, end: str = "]}") -> Iterator[Callable[[], None]]:
    """Write what has begun of an object, and a key with a list, whose items are written inside.

    What is yielded is called before each of them. Nothing is joined before the end, so a deep tree
    costs no more than a wide one.
    """
    separators = chain(("",), repeat(", "))
    out.append(f'{begun}"{key}": [')
    yield lambda: out.append(next(separators))
    out.append(end)


LONG = (Constant, tuple, dict, attr.Hints, attr.DenseElements)
"""Attributes of which one may be longer than all the rest."""


class _Tree:
    """The ops of one kernel."""

    def __init__(self, bytecode: Bytecode, out: BoundedText) -> None:
        self._bytecode = bytecode
        self._out = out
        self._printer = FunctionPrinter(BoundedText(bytecode, keep=False), {}, None)

    def function(self, function: Function) -> None:
        print_kernel(self._printer, self._bytecode, function)  # names the values
        stated = function.argument_attributes
        self._out.reserve(extent((function.hints, stated)))
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
        end = getattr(function, "opaque", None)
        if end is not None:
            opaque = {"offset": end.offset, "size": len(end.data), "message": end.message}
            head["opaque"] = opaque
        try:
            self._ops(head, function.body.block)
        except KeyError:  # a value that the text does not show, so that it has no name
            check(self._bytecode, [function])
            raise

    def _ops(self, head: dict[str, object], block: Block) -> None:
        with _list_in(self._out, _begun(head), "ops") as item:
            for op in block.ops:
                item()
                self._op(op)

    def _op(self, op: Op) -> None:
        for value in op.attributes.values():
            if isinstance(value, LONG):
                self._out.reserve(extent(value))
        head = {
            "name": op.name,
            "results": [self._value(value) for value in op.results],
            "operands": {slot: self._names(value) for slot, value in op.operands.items()},
            "attributes": _dictionary(op.attributes),
            "offset": op.offset,
            "location": op.location_text or None,
        }
        if not op.regions:
            self._out.append(f'{_begun(head)}"regions": []}}')
            return
        with _list_in(self._out, _begun(head), "regions") as item:
            for region in op.regions:
                item()
                self._region(region)

    def _region(self, region: Region) -> None:
        if not region.blocks:
            self._out.append("null")
            return
        self._ops(
            {"arguments": [self._value(value) for value in region.block.arguments]}, region.block
        )

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
    return full(value) if isinstance(value, PREVIEW_ATTRIBUTES) else str(value)


def _constant(value: Constant) -> dict[str, object]:
    stated = {"type": str(value.type)}
    if value.is_splat:
        return {**stated, "value": _number(value.value(), value.bits())}
    return {**stated, "values": _numbers(value)}


PACKED: dict[str, Literal["b", "h", "i", "q"]] = {"i8": "b", "i16": "h", "i32": "i", "i64": "q"}
"""Element type -> the code under which Python has the numbers of a whole constant at once."""


def _numbers(value: Constant) -> Sequence[object]:
    """Return all numbers of a constant."""
    element, size = value.type.element.name, value.type.size
    if element in PACKED and sys.byteorder == "little":
        return memoryview(value.data).cast(PACKED[element]).tolist()
    if element == "i1":
        bits = (bool(byte >> bit & 1) for byte in value.data for bit in range(8))
        return list(islice(bits, size))
    return [_number(value.value(i), value.bits(i)) for i in range(size)]


def _number(value: float | int | bool | None, bits: int) -> object:
    if value is None:
        return f"0x{bits:x}"
    return value if isinstance(value, int) or math.isfinite(value) else str(value)
