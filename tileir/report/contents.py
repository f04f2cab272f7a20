"""The tables of a file: types, strings, constants, debug records, and how often each is used."""

from __future__ import annotations

import re
from typing import Any

from .columns import Columns, Pool

ENTRIES = {
    "types": (re.compile(r"type\[(\d+)\]\.tag"), "type", 0),
    "strings": (re.compile(r"string\[(\d+)\]"), "string", 0),
    "constants": (re.compile(r"constant\[(\d+)\]"), "constant", 0),
    "debug": (re.compile(r"debug\.records\[(\d+)\]\.tag"), "debug record", 1),
}
"""Table -> the path of the field that has an entry's text, the kind of fields that name an entry,
and the number of the first entry."""


def tables(columns: Columns, pool: Pool, strings: int = 0) -> dict[str, dict[str, list[int]]]:
    """Return the tables by name, each in columns: the field, the text and the uses of an entry.

    There are so many `strings`, if that is known. The empty one has no bytes, and so no field.
    """
    fields, texts = columns.fields, pool.texts
    found: dict[str, dict[str, list[Any]]] = {
        name: {"field": [], "text": [], "uses": []} for name in ENTRIES
    }
    by_start = {"type": "types", "stri": "strings", "cons": "constants", "debu": "debug"}
    heads = [texts[index] + texts[name] for index, name in _pairs(fields)]
    for field, path in enumerate(heads):
        table = by_start.get(path[:4])
        if table is None:
            continue
        pattern, kind, first = ENTRIES[table]
        match = pattern.fullmatch(path)
        if match is None:
            continue
        rows, number = found[table], int(match[1])
        meaning = texts[fields["meaning"][field]]
        text = meaning if table in ("strings", "constants") else meaning.partition(" ")[2]
        while len(rows["field"]) < number:
            _add(rows, *_without_field(table, len(rows["field"]), columns, pool))
        uses = columns.uses[kind][number + first]
        _add(rows, field, pool.index(text), uses)
    while len(found["strings"]["field"]) < strings:
        number = len(found["strings"]["field"])
        _add(found["strings"], *_without_field("strings", number, columns, pool))
    return found


def _without_field(table: str, number: int, columns: Columns, pool: Pool) -> tuple[int, int, int]:
    """Return the row of an entry that has no field: an empty string, or what could not be read."""
    if table == "strings":
        return -1, pool.index('""'), columns.uses["string"][number]
    return -1, pool.index(""), 0


def _pairs(fields: dict[str, list[Any]]) -> list[tuple[int, int]]:
    return list(zip(fields["head"], fields["name"], strict=True))


def _add(rows: dict[str, list[Any]], *row: int) -> None:
    for column, value in zip(rows.values(), row, strict=True):
        column.append(value)
