"""Attributes, constants, strings and symbols as text."""

from __future__ import annotations

import re
from collections.abc import Callable

from tileir import attributes as attr
from tileir.constants import Constant, element_size
from tileir.formats.attributes import (
    ATTRIBUTE,
    ATTRIBUTE_LIST,
    BOOL_LIST,
    CONSTANT_INDEX,
    DICTIONARY,
    INT_LIST,
    STRING_INDEX,
)
from tileir.formats.leaves import Bool, EnumValue
from tileir.formats.ops.spec import Attribute
from tileir.types import Scalar

from .numbers import float_text

BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_.$]*")
"""A name that needs no quotes."""

MAX_LISTED = 100
"""Elements of a constant that are listed; more are printed as one string of bytes."""


def quoted(text: str) -> str:
    """A string literal: what is not printable ASCII is written as bytes in hexadecimal."""
    return f'"{escaped(text)}"'


def escaped(text: str) -> str:
    """The inside of a string literal."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return text
    out = []
    for byte in text.encode("utf-8", "surrogateescape"):
        if byte == 0x5C:
            out.append("\\\\")
        elif byte == 0x22 or not 0x20 <= byte < 0x7F:
            out.append(f"\\{byte:02X}")
        else:
            out.append(chr(byte))
    return "".join(out)


def symbol(name: str) -> str:
    """A reference to a global or kernel."""
    return f"@{name}" if BARE.fullmatch(name) else f"@{quoted(name)}"


def key(name: str) -> str:
    """The name of an entry of a dictionary."""
    return name if BARE.fullmatch(name) else quoted(name)


def element(type: Scalar, bits: int) -> str:
    """A number by itself, from its bit pattern."""
    if type.is_float:
        return float_text(type.name, bits, type.bits)
    if type.bits == 1:
        return "true" if bits else "false"
    return str(bits - (1 << type.bits) if bits >> (type.bits - 1) else bits)


def number(value: attr.IntegerAttribute | attr.FloatAttribute) -> str:
    """A number with its type, unless the text alone says it."""
    text, type = element(value.type, value.bits), value.type
    implied = ("f64", "i64", "i1") if not text.startswith("0x") else ()
    return text if type.name in implied else f"{text} : {type}"


def attribute(value: object) -> str:
    """Any attribute where any may stand."""
    if isinstance(value, attr.IntegerAttribute | attr.FloatAttribute):
        return number(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return f"{{{entries(value, attribute)}}}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(attribute, value))}]"
    if isinstance(value, attr.Hints):
        return f"#cuda_tile.optimization_hints{hints(value)}"
    if isinstance(value, attr.TypeAttribute):
        return f"!cuda_tile.{value}"
    if isinstance(value, attr.DenseElements):
        return f"dense<{dense_elements(value.constant)}> : !cuda_tile.{value.constant.type}"
    if isinstance(value, attr.EnumAttribute):
        return f"#cuda_tile.{value.name}"
    return f"#cuda_tile.{value}"


def entries(values: dict[str, object], spell: Callable[[object], str]) -> str:
    """The entries of a dictionary, in the order of their names."""
    return ", ".join(
        f"{key(name)} = {spell(value)}" for name, value in sorted(values.items(), key=_by_bytes)
    )


def _by_bytes(entry: tuple[str, object]) -> bytes:
    return entry[0].encode("utf-8", "surrogateescape")


def hints(value: attr.Hints) -> str:
    """Hints for each architecture; the types of numbers are not said."""

    def inner(entry: object) -> str:
        if isinstance(entry, attr.IntegerAttribute | attr.FloatAttribute):
            return element(entry.type, entry.bits)
        if isinstance(entry, dict):
            return f"{{{entries(entry, inner)}}}"
        return attribute(entry)

    return f"<{entries(value.entries, inner)}>"


def constant(value: Constant) -> str:
    """A dense constant with its element type: ``<f32: [1.000000e+00, 2.000000e+00]>``."""
    return f"<{value.type.element}: {dense_elements(value)}>"


def dense_elements(value: Constant) -> str:
    """One element that stands for all, nested lists, or the bytes where they are many."""
    type = value.type.element
    if uniform(value):
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


def uniform(value: Constant) -> bool:
    """Whether all elements are stored alike: then one is printed, also where all are stored."""
    if value.is_splat:
        return True
    if value.type.element.name == "i1":
        return len({value.bits(index) for index in range(value.type.size)}) == 1
    size = element_size(value.type.element)
    return value.data[size:] == value.data[:-size]


def _expanded(value: Constant) -> bytes:
    """The elements, whole bytes each, as in memory of the disassembler."""
    type = value.type.element
    if type.name == "i1":
        return bytes(value.bits(index) for index in range(value.type.size))
    return bytes(value.data[: value.type.size * element_size(type)])


def speller(slot: Attribute) -> Callable[[object], str]:
    """How the attribute in that slot is written."""
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
