"""Attributes in public preview as records: the inverse of `read.preview_attributes`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tileir.errors import BuildError
from tileir.expressions import EXPRESSIONS
from tileir.formats.attributes import ATTRIBUTE, STRING_INDEX
from tileir.formats.nodes import Counted
from tileir.formats.types import TYPE_INDEX

Record = dict[str, Any]


def encode_preview(value: Any, string: Callable[[str], int], type: Callable[[Any], int]) -> Record:
    """Return the record of an attribute; `string` and `type` give the indices of what it names."""
    record: Record = {"variant": value.__class__.__name__}
    for field in ATTRIBUTE.by_name[record["variant"]].fields.subcons:
        part, node = getattr(value, field.name), field.subcon
        if node is ATTRIBUTE:
            record[field.name] = _expression(part, string, type)
        elif isinstance(node, Counted):
            record[field.name] = [_expression(item, string, type) for item in part]
        elif node is STRING_INDEX:
            record[field.name] = string(part)
        else:
            record[field.name] = type(part) if node is TYPE_INDEX else part
    return record


def _expression(value: Any, string: Callable[[str], int], type: Callable[[Any], int]) -> Record:
    if not isinstance(value, EXPRESSIONS):
        raise BuildError(f"expected an expression, found {value!r}")
    return encode_preview(value, string, type)
