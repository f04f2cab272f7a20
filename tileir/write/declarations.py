"""Functions without bodies as records: the inverse of `read.declarations`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tileir.errors import BuildError
from tileir.formats.attributes import ATTRIBUTE
from tileir.formats.cursor import Slice
from tileir.formats.enums import SYNCHRONIZATION
from tileir.formats.functions import IMPLEMENTATION, PRIVATE
from tileir.formats.specialised.rows import pack
from tileir.formats.version import PREVIEW
from tileir.read.declarations import FIELDS, Declaration, Implementation

from .attributes import Record, encode_attribute
from .tables import OutputTables
from .type_table import case_number


def declaration_record(declared: Declaration, tables: OutputTables) -> Record:
    """Return the record of a declaration in the function table, without its location."""
    if tables.version < PREVIEW:
        raise BuildError(f"a function without a body needs {PREVIEW}, writing {tables.version}")
    record: Record = {
        "name": tables.string(declared.name),
        "signature": tables.types.index(declared.type),
        "flags": PRIVATE * declared.private,
        "hints": None,
        "argument_attributes": None,
        "implementation": None,
        "body": Slice(0, b""),
        "const_params": None,
    }
    if isinstance(declared, Implementation):
        record["flags"] |= IMPLEMENTATION
        record["implementation"] = _implementation(declared, tables)
    else:
        record["argument_attributes"] = _row(tuple(declared.argument_attributes), tables)
        record["const_params"] = _row(tuple(declared.const_params), tables)
    return record


def _row(value: object, tables: OutputTables) -> Any:
    return pack(ATTRIBUTE, encode_attribute(value, tables), tables.version)


def _rows(values: Iterable[object] | None, tables: OutputTables) -> list | None:
    return None if values is None else [_row(value, tables) for value in values]


def _implementation(declared: Implementation, tables: OutputTables) -> Record:
    """Return the record of what an implementation implements, and how."""
    scratch = declared.scratch
    request = None if scratch is None else _rows((scratch.size, scratch.alignment), tables)
    return {
        "flags": None,
        "sym_name": tables.string(declared.name),
        "implements": tables.string(declared.implements),
        "function_type": tables.types.index(declared.type),
        **{field: _rows(getattr(declared, part), tables) for field, part in FIELDS.items()},
        "scratch_smem": None if request is None else tuple(request),
        "config": _entries(declared.config, tables),
        "frontendABI": _entries(declared.frontend_abi, tables),
        "synchronization": case_number(SYNCHRONIZATION, declared.synchronization, tables.version),
        "regions": ([],),
    }


def _entries(values: Mapping[str, object] | None, tables: OutputTables) -> list | None:
    if values is None:
        return None
    return [(tables.string(key), _row(value, tables)) for key, value in values.items()]
