"""The text of attributes, constants, strings and symbols."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tileir import attributes as attr
from tileir.expressions import PREVIEW_ATTRIBUTES, full, parts_of, qualified
from tileir.formats.attributes import (
    ATTRIBUTE,
    ATTRIBUTE_LIST,
    BOOL_LIST,
    CONSTANT_INDEX,
    DICTIONARY,
    INT_LIST,
    STRING_INDEX,
)
from tileir.formats.enums import ENUMS
from tileir.formats.leaves import Bool, EnumValue
from tileir.formats.ops.assembly import enum_word
from tileir.formats.ops.spec import Attribute
from tileir.ir.constants import Constant, element_size
from tileir.messages.quoting import quoted
from tileir.types import Scalar, parts_of_type

from .numbers import float_text

BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_.$]*")
"""Names that need no quotes."""

PREVIEW_ENUMS = frozenset(enum.name for enum in ENUMS if enum.since.preview)
"""Names of enums whose attributes are in public preview, and are spelled so."""

MAX_LISTED = 100
"""The most elements of a constant that are listed; more are printed as one string of bytes."""


def symbol(name: str) -> str:
    """Return a reference to a global or kernel."""
    return f"@{name}" if BARE.fullmatch(name) else f"@{quoted(name)}"


def element(type: Scalar, bits: int) -> str:
    """Return a number without its type, from its bit pattern."""
    if type.is_float:
        return float_text(type.name, bits, type.bits)
    if type.bits == 1:
        return "true" if bits else "false"
    return str(bits - (1 << type.bits) if bits >> (type.bits - 1) else bits)


def number(value: attr.IntegerAttribute | attr.FloatAttribute, elided: bool = False) -> str:
    """Return a number with its type; `elided` leaves out 64-bit types of decimal numbers."""
    text, type = element(value.type, value.bits), value.type
    if type.name == "i1" or (elided and type.bits == 64 and not text.startswith("0x")):
        return text
    return f"{text} : {type}"


def attribute(value: object, elided: bool = False) -> str:
    """Return an attribute in its generic form; `elided`, as in lists, is that of `number`."""
    if isinstance(value, attr.IntegerAttribute | attr.FloatAttribute):
        return number(value, elided)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return dictionary(value)
    if isinstance(value, tuple):
        return f"[{', '.join(attribute(item, elided=True) for item in value)}]"
    if isinstance(value, attr.Hints):
        return f"#cuda_tile.optimization_hints{hints(value)}"
    if isinstance(value, attr.TypeAttribute):
        return qualified(value.type)
    if isinstance(value, attr.DenseElements):
        return f"dense<{dense_elements(value.constant)}> : !cuda_tile.{value.constant.type}"
    if isinstance(value, PREVIEW_ATTRIBUTES):
        return full(value)
    if isinstance(value, attr.EnumAttribute) and value.enum in PREVIEW_ENUMS:
        return f"#cuda_tile<preview${enum_word(value.enum)}<{value.name}>>"
    if isinstance(value, attr.EnumAttribute):
        return f"#cuda_tile.{enum_word(value.enum)}<{value.name}>"
    return f"#cuda_tile.{value}"


def extent(value: object) -> int:
    """Return how many characters the text of an attribute has at least: of names and constants.

    Its parts may share long ones, so that there can be far more of them than bytes.
    """
    total, waiting = 0, [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            total += len(one)
        elif isinstance(one, attr.Hints):
            waiting.append(one.entries)
        elif isinstance(one, dict):
            waiting += one.keys()
            waiting += one.values()
        elif isinstance(one, tuple | list):
            waiting += one
        elif isinstance(one, attr.DenseElements):
            total += len(one.constant.data)
        elif isinstance(one, Constant):
            total += len(one.data)
        elif isinstance(one, PREVIEW_ATTRIBUTES):
            waiting += [part for part in parts_of(one) if isinstance(part, str)]
        elif isinstance(one, attr.TypeAttribute):
            waiting += [part for part in parts_of_type(one.type) if isinstance(part, str)]
    return total


def dictionary(values: dict[str, object]) -> str:
    """Return a dictionary, sorted by name."""
    entries = (f"{_key(name)} = {attribute(value)}" for name, value in _sorted(values))
    return f"{{{', '.join(entries)}}}"


def hints(value: attr.Hints) -> str:
    """Return the hints for each architecture: keys as they are, numbers without their type."""
    architectures = (f"{name} = {_hints_of(entries)}" for name, entries in _sorted(value.entries))
    return f"<{', '.join(architectures)}>"


def _hints_of(entries: object) -> str:
    if not isinstance(entries, dict):
        return attribute(entries)

    def spell(value: object) -> str:
        if isinstance(value, attr.IntegerAttribute | attr.FloatAttribute):
            return element(value.type, value.bits)
        return attribute(value)

    inner = (f"{name} = {spell(value)}" for name, value in _sorted(entries))
    return f"{{{', '.join(inner)}}}"


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else quoted(name)


def _sorted(entries: dict[str, object]) -> list[tuple[str, object]]:
    return sorted(entries.items(), key=lambda entry: entry[0].encode("utf-8", "surrogateescape"))


def constant(value: Constant) -> str:
    """Return a constant with its element type: ``<f32: [1.000000e+00, 2.000000e+00]>``."""
    return f"<{value.type.element}: {dense_elements(value)}>"


def dense_elements(value: Constant) -> str:
    """Return one element if all are the same, else nested lists, or bytes if there are many."""
    type = value.type.element
    if value.uniform:
        return element(type, value.bits())
    if value.type.size > MAX_LISTED:
        return f'"0x{_expanded(value).hex().upper()}"'
    spelled = [element(type, value.bits(index)) for index in range(value.type.size)]
    for size in reversed(value.type.shape):
        spelled = [
            f"[{', '.join(spelled[start : start + size])}]"
            for start in range(0, len(spelled), size)
        ]
    return spelled[0]


def _expanded(value: Constant) -> bytes:
    """Return the elements, each in whole bytes, as the disassembler has them in memory."""
    type = value.type.element
    if type.name == "i1":
        return bytes(value.bits(index) for index in range(value.type.size))
    return bytes(value.data[: value.type.size * element_size(type)])


def speller(slot: Attribute) -> Callable[[Any], str]:
    """Return the function that spells the attribute in a slot."""
    node = slot.node
    if node is None:
        return lambda value: slot.name
    if node in _SPELLERS:
        return _SPELLERS[node]
    if isinstance(node, EnumValue):
        return str
    if isinstance(node, Bool):
        return lambda value: "true" if value else "false"
    return lambda value: str(int(value))


_SPELLERS = {
    STRING_INDEX: quoted,
    CONSTANT_INDEX: constant,
    DICTIONARY: hints,
    ATTRIBUTE: str,
    ATTRIBUTE_LIST: attribute,
    BOOL_LIST: attribute,
    INT_LIST: lambda values: f"[{', '.join(map(str, values))}]",
}

NESTED = (DICTIONARY, ATTRIBUTE, ATTRIBUTE_LIST)
"""Layouts of attributes that hold others, so that the text of one may be very long."""
