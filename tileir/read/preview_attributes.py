"""Attributes in public preview: their rows become the classes of `tileir.expressions`.

Types have some of them, so this must not wait for the type table to be complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, cast

from construct import Construct

from tileir.attributes import EnumAttribute
from tileir.expressions import EXPRESSIONS, PREVIEW_ATTRIBUTES, Layout, problem_of
from tileir.formats.attributes import ATTRIBUTE, STRING_INDEX
from tileir.formats.leaves import EnumValue
from tileir.formats.nodes import Counted
from tileir.formats.specialised.rows import pack
from tileir.formats.types import TYPE_INDEX
from tileir.formats.version import PREVIEW

from .bad_reference import BadReference
from .strings import Strings


class Types(Protocol):
    """A type table, as far as this needs it."""

    def at(self, index: int, path: str = "") -> Any: ...


KINDS = {kind.__name__: kind for kind in PREVIEW_ATTRIBUTES}
"""Name of an arm of ATTRIBUTE -> the class that has the same fields."""


def row_of(attribute: Any) -> tuple:
    """Return the row of an attribute of a type, which the reference codec may give as a record."""
    row: Any = pack(ATTRIBUTE, attribute, PREVIEW) if isinstance(attribute, Mapping) else attribute
    return row


def decode_preview(row: tuple, strings: Strings, types: Types) -> Any:
    """Decode the row of an attribute in public preview."""
    arm = ATTRIBUTE.arms[row[0]]
    fields = [(field.name, field.subcon) for field in arm.fields.subcons]
    first = fields[0][1] if fields else None
    if isinstance(first, EnumValue):
        return EnumAttribute(first.enum.name, first.enum.by_value[row[1]].name)
    decoded = {}
    for (name, node), value in zip(fields, row[1:], strict=True):
        try:
            decoded[name] = _field(node, value, strings, types)
        except BadReference as bad:
            raise bad.inside(name) from None
    made = KINDS[arm.name](**decoded)
    wrong = problem_of(made)
    if wrong:
        raise BadReference("attribute", row[0], 0, path=".tag", problem=wrong)
    return made


def _field(node: Construct, value: Any, strings: Strings, types: Types) -> Any:
    if node is ATTRIBUTE:
        return decode_expression(value, strings, types)
    if isinstance(node, Counted):
        return tuple(decode_expression(item, strings, types) for item in value)
    if node is STRING_INDEX:
        return strings.at(value)
    if node is TYPE_INDEX:
        return types.at(value)
    return int(value)


def decode_expression(row: tuple, strings: Strings, types: Types) -> Any:
    """Decode the row of an expression; BadReference for any other attribute."""
    return _expected(EXPRESSIONS, "an expression", row, strings, types)


def decode_layout(row: tuple, strings: Strings, types: Types) -> Layout:
    """Decode the row of a layout; BadReference for any other attribute."""
    return _expected((Layout,), "a layout", row, strings, types)


def _expected(kinds: tuple[type, ...], what: str, row: tuple, strings: Strings, types: Types):
    arm = ATTRIBUTE.arms[row[0]]
    if KINDS.get(arm.name) not in kinds:
        raise BadReference("attribute", row[0], 0, path=".tag", problem=f"{arm.name} is not {what}")
    return decode_preview(row, strings, types)


def types_of(row: tuple) -> Iterator[int]:
    """Yield the indices of types in the row of an attribute and in those inside of it."""
    waiting = [row]
    while waiting:
        one = waiting.pop()
        for field, value in zip(ATTRIBUTE.arms[one[0]].fields.subcons, one[1:], strict=False):
            if field.subcon is TYPE_INDEX:
                yield value
            elif field.subcon is ATTRIBUTE:
                waiting.append(value)
            elif isinstance(field.subcon, Counted) and field.subcon.subcon is ATTRIBUTE:
                waiting += cast("list[tuple]", value)
