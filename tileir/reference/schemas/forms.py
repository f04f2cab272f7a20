"""The words in which schemas are written: JSON Schema, draft 2020-12, as Python's dicts.

What is a dataclass in the product gets its schema from its annotations (`of_class`), so that its
fields are listed in one place.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ANYTHING: Schema = {}
TRUTH: Schema = {"type": "boolean"}
NUMBER: Schema = {"type": "number"}
INTEGER: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
TEXT: Schema = {"type": "string"}
NOTHING: Schema = {"type": "null"}


SEVERITY: Schema = {"enum": ["error", "warning"]}


def said(schema: Schema, description: str) -> Schema:
    """Return a schema with a sentence for people."""
    return {**schema, "description": description}


def maybe(schema: Schema) -> Schema:
    """Return the schema of a value that may be null."""
    if isinstance(schema.get("type"), str) and "enum" not in schema and "const" not in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return any_of(schema, NOTHING)


def any_of(*schemas: Schema) -> Schema:
    """Return the schema of a value that has one of these."""
    return {"anyOf": list(schemas)}


def choice(*values: object) -> Schema:
    """Return the schema of one of these values."""
    return {"enum": list(values)}


def every(item: Schema, least: int = 0, most: int | None = None) -> Schema:
    """Return the schema of an array."""
    schema: Schema = {"type": "array", "items": item}
    if least:
        schema["minItems"] = least
    return schema if most is None else {**schema, "maxItems": most}


def exactly(count: int, item: Schema) -> Schema:
    """Return the schema of an array of so many items."""
    return every(item, count, count)


def by_name(value: Schema) -> Schema:
    """Return the schema of an object whose keys are names."""
    return {"type": "object", "additionalProperties": value}


def record(keys: Mapping[str, Schema], optional: Sequence[str] = ()) -> Schema:
    """Return the schema of an object with these keys; the `optional` ones may be absent."""
    needed = [key for key in keys if key not in optional]
    return {"type": "object", "properties": dict(keys), "required": needed}


def versioned(number: int, keys: Mapping[str, Schema], optional: Sequence[str] = ()) -> Schema:
    """Return the schema of an object that states the number of its form under `schema`."""
    return record({"schema": {"const": number}, **keys}, optional)


def either(**outputs: Schema) -> Schema:
    """Return the schema of one of several outputs, each called by when it is printed."""
    return any_of(*({"title": name.replace("_", " "), **each} for name, each in outputs.items()))


def of_class(cls: type, *properties: str) -> Schema:
    """Return the schema of what `dataclasses.asdict` makes of a dataclass, and some properties."""
    hints = typing.get_type_hints(cls)
    keys = {field.name: of_type(hints[field.name]) for field in dataclasses.fields(cls)}
    for name in properties:
        getter = getattr(cls, name).fget
        keys[name] = of_type(typing.get_type_hints(getter)["return"])
    return record(keys)


_PLAIN: Mapping[Any, Schema] = {
    bool: TRUTH, int: INTEGER, float: NUMBER, str: TEXT, type(None): NOTHING, Any: ANYTHING
}  # fmt: skip


def of_type(hint: Any) -> Schema:
    """Return the schema of values with this annotation. TypeError for one that has none."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if dataclasses.is_dataclass(hint):
        return of_class(typing.cast("type", hint))
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        rest = [part for part in parts if part is not type(None)]
        schemas = [of_type(part) for part in rest]
        whole = schemas[0] if len(schemas) == 1 else any_of(*schemas)
        return maybe(whole) if len(rest) < len(parts) else whole
    if origin is tuple and parts[1:] != (...,):
        same = {str(of_type(part)): of_type(part) for part in parts}
        item = next(iter(same.values())) if len(same) == 1 else any_of(*same.values())
        return exactly(len(parts), item)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return by_name(of_type(parts[1]))
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return every(of_type(parts[0]))
    raise TypeError(f"{hint} has no form in JSON")
