"""What commands print as JSON: a table of keys for each, from the schemas of ``tileir schema``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tileir.reference.schemas.catalogue import SCHEMAS, schema_of

from .markdown import cell, prose, table

HEAD = ("key", "value", "")
SHOWN = {
    *("$schema", "$defs", "$ref", "title", "description", "type", "const", "enum", "anyOf"),
    *("properties", "required", "additionalProperties"),
    *("items", "prefixItems", "minItems", "maxItems", "minimum"),
}
"""Keywords of JSON Schema that a row has words for; another one is an error of this page."""

Schema = dict[str, Any]
Row = tuple[str, str, str]


def schemas() -> str:
    """Return a section for each command that prints JSON: what it is, and its keys."""
    return "\n".join(part for name in SCHEMAS for part in _command(name, schema_of(name)))


def _command(name: str, schema: Schema) -> Iterator[str]:
    yield f"(schema-{name})=\n## {schema['title']}\n\n{prose(schema['description'])}"
    # Without a title, the alternatives are no outputs of their own, but kinds of one value.
    outputs = [each for each in schema.get("anyOf", []) if "title" in each]
    for output in outputs or [schema]:
        title = cell(output["title"]).capitalize()
        yield f"**{title}**\n" if outputs else ""
        yield _table(output)
    for kind, definition in schema.get("$defs", {}).items():
        yield f"**{kind}**\n"
        yield _table(definition)


def _table(schema: Schema) -> str:
    found = dict.fromkeys(rows(schema))  # alternatives may have a key in common
    return table(HEAD, ((f"`{key}`", *rest) for key, *rest in found if key))


def rows(schema: Schema, path: str = "", absent: bool = False) -> Iterator[Row]:
    """Yield path, kind and meaning of a value and of all inside it.

    ``a[].b`` is the key `b` of each item of the array `a`, and ``a.*`` the value of any key of `a`.
    """
    if unknown := schema.keys() - SHOWN:
        raise ValueError(f"{path}: no words for {', '.join(sorted(unknown))} of JSON Schema")
    about = schema.get("description", "")
    yield path, kind(schema), "; ".join(filter(None, ["may be absent" if absent else "", about]))
    yield from _inside(schema, path)


def _inside(schema: Schema, path: str) -> Iterator[Row]:
    for key, value in schema.get("properties", {}).items():
        yield from rows(value, f"{path}.{key}" if path else key, key not in schema["required"])
    if other := schema.get("additionalProperties"):
        yield from rows(other, f"{path}.*" if path else "*")
    if item := schema.get("items"):
        yield from _inside(item, f"{path}[]")
    for each in schema.get("anyOf", []):
        yield from _inside(each, path)


def kind(schema: Schema) -> str:
    """Return what values may be: their types, or the values themselves."""
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(each)}`" for each in schema["enum"])
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(kind, schema["anyOf"])))
    types = schema.get("type", "any")
    types = [types] if isinstance(types, str) else types
    return " or ".join(_array(schema) if each == "array" else each for each in types)


def _array(schema: Schema) -> str:
    if "prefixItems" in schema:
        return "array: " + "; ".join(map(kind, schema["prefixItems"]))
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    several = f"{least} to {most} " if most else f"at least {least} " if least else ""
    count = f"{least} " if least and least == most else several
    return f"array of {count}{kind(schema.get('items', {}))}"
