"""The records of a manifest as a Parquet file: a row for each job, for tools that read tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from tileir.batches.records import Record
from tileir.command_line.files import output_file
from tileir.formats.forks import not_forking
from tileir.messages.missing_packages import needing

_ROWS = 10_000
"""Rows that are written at once, and in memory."""

_AS_JSON = ("options", "result", "files")
"""Columns that are texts in JSON, as each verb has other keys."""

COLUMNS: Mapping[str, str] = {
    "file": "string",
    "verb": "string",
    "target": "string",
    "options": "string",
    "key": "string",
    "ok": "bool_",
    "code": "int32",
    "failure": "string",
    "message": "string",
    "result": "string",
    "files": "string",
    "warnings": "strings",
    "seconds": "float64",
}
"""Key of a record -> the type of its column."""


def write(path: str, records: Iterable[Record]) -> None:
    """Write a file with records, in bounded memory; MissingPackageError without pyarrow."""
    with needing(("pyarrow",), "--parquet"), not_forking:
        import pyarrow as arrow
        from pyarrow.parquet import ParquetWriter
    types = {name: getattr(arrow, kind)() for name, kind in COLUMNS.items() if kind != "strings"}
    types["warnings"] = arrow.list_(arrow.string())
    schema = arrow.schema([(name, types[name]) for name in COLUMNS])
    rows = map(_row, records)
    with output_file(path) as file, ParquetWriter(file, schema, compression="zstd") as out:
        while some := list(islice(rows, _ROWS)):
            out.write_table(arrow.Table.from_pylist(some, schema=schema))


def _row(record: Record) -> dict[str, Any]:
    row = {name: record[name] for name in COLUMNS}
    for name in _AS_JSON:
        row[name] = None if row[name] is None else json.dumps(row[name], separators=(",", ":"))
    return {name: _printed(value) for name, value in row.items()}


def _printed(value: Any) -> Any:
    """Return a value without lone surrogates, which UTF-8 has no bytes for."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return list(map(_printed, value)) if isinstance(value, list) else value
