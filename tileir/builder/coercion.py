"""The conversion of attribute values that callers write to the form of the IR."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from construct import Construct

from tileir.attributes import Hints, IntegerAttribute
from tileir.errors import BuildError
from tileir.formats.attributes import ATTRIBUTE, ATTRIBUTE_LIST, BOOL_LIST, DICTIONARY, INT_LIST
from tileir.formats.types import TYPE_INDEX
from tileir.ir.constants import Constant, to_constant
from tileir.messages.flags import flag
from tileir.types import Scalar, Tile, Type

from .type_spelling import legal_type, value_type


def constant_of(value: Any, type: Type | None) -> Constant:
    """Return a constant made from a Constant, an array, or numbers and their type."""
    if not isinstance(value, Constant):
        if type is not None and not isinstance(type, Tile):
            raise BuildError(f"{type} is no type of a constant")
        return to_constant(value, type)
    value_type(value.type)
    if type is not None and value.type != type:
        raise BuildError(f"a constant of {value.type!r} where the type is {type}")
    return value


def filled(stated: Type | str, value: object) -> Type:
    """Return the type stated for numbers; an element type alone gets the shape of the array."""
    type = legal_type(stated)
    shape = getattr(value, "shape", ())
    return legal_type(Tile(type, shape)) if isinstance(type, Scalar) else type


def attribute_of(value: object) -> Any:
    """Return the attribute for a plain value: an int becomes an i32; dicts and lists may nest."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        if not -(1 << 31) <= value < 1 << 31:
            raise BuildError(f"{value} is no i32; say number(value, type)")
        return IntegerAttribute(Scalar("i32"), value & 0xFFFFFFFF)
    if isinstance(value, Mapping):
        return {key: attribute_of(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return tuple(map(attribute_of, value))
    if isinstance(value, float):
        raise BuildError(f"{value} needs a type; say number(value, type)")
    return value


def build_flag(name: str, value: object) -> bool:
    """Return a flag; BuildError for what is neither true nor false."""
    try:
        return flag(name, value)
    except TypeError as error:
        raise BuildError(str(error)) from None


def coerced(node: Construct | None, value: Any) -> Any:
    """Return the value of an attribute slot in the form of the IR; wrong ones are refused later."""
    if node is None:
        return build_flag("it", value)
    if node is DICTIONARY and isinstance(value, Mapping):
        return Hints(attribute_of(value))
    if node is ATTRIBUTE or node is ATTRIBUTE_LIST:
        return attribute_of(value)
    if (node is BOOL_LIST or node is INT_LIST) and isinstance(value, list):
        return tuple(value)
    return value_type(value) if node is TYPE_INDEX else value
