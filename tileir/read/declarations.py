"""Functions without bodies, which are in public preview: extern ones, and what implements them.

They stand among the kernels of the function table. A module has them in `Bytecode.declarations`,
each with its `index` there; they are read as a whole and cannot be changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tileir.expressions import ConstParam, Expression, ScratchRequest
from tileir.formats.enums import SYNCHRONIZATION
from tileir.formats.functions import IMPLEMENTATION, PRIVATE
from tileir.ir.locations import CallSite, SourceLocation
from tileir.types import FunctionType

from .bad_reference import BadReference
from .preview_attributes import decode_expression
from .tables import Tables, decode_attribute, decode_dictionary, decode_list

Position = SourceLocation | CallSite | None


@dataclass(frozen=True, slots=True)
class ExternFunction:
    """A function that kernels call and another language implements.

    `argument_attributes` has a dictionary for each parameter.
    """

    name: str
    type: FunctionType
    private: bool
    argument_attributes: tuple
    const_params: tuple[ConstParam, ...]
    location: Position = None
    index: int = 0


@dataclass(frozen=True, slots=True)
class Implementation:
    """An implementation of the extern function `implements`, by the symbol `name` of a library.

    What is None is not there, which is not the same as empty. `arch` has names of architectures;
    `synchronization` is "none", "warp", "warpgroup" or "cta".
    """

    name: str
    type: FunctionType
    private: bool
    implements: str
    const_params: tuple[ConstParam, ...] | None = None
    const_args: tuple[Expression, ...] | None = None
    argument_attributes: tuple | None = None
    result_attributes: tuple | None = None
    scratch: ScratchRequest | None = None
    config: dict | None = None
    arch: tuple | None = None
    frontend_abi: dict | None = None
    synchronization: str | None = None
    location: Position = None
    index: int = 0


Declaration = ExternFunction | Implementation

FIELDS = {
    "const_params": "const_params",
    "const_args": "const_args",
    "arg_attrs": "argument_attributes",
    "res_attrs": "result_attributes",
    "arch": "arch",
}
"""Lists of the record of an implementation -> the fields of `Implementation`."""


def declaration(record: Mapping, index: int, tables: Tables, location: Position) -> Declaration:
    """Return a declaration from its record in the function table; BadReference if it has none."""
    name = tables.strings.at(record["name"], ".name")
    type = tables.types.at(record["signature"], ".signature")
    if not name:
        problem = "a function without a name"
        raise BadReference("string", record["name"], 0, path=".name", problem=problem)
    if not isinstance(type, FunctionType):
        problem = f"{type} is not a signature"
        raise BadReference("type", record["signature"], 0, path=".signature", problem=problem)
    private = bool(record["flags"] & PRIVATE)
    if record["flags"] & IMPLEMENTATION:
        try:
            parts = _implementation(record["implementation"], name, type, tables)
        except BadReference as bad:
            raise bad.inside("implementation") from None
        return Implementation(name, type, private, **parts, location=location, index=index)
    lists = {
        field: _list(record[field], field, tables)
        for field in ("argument_attributes", "const_params")
    }
    return ExternFunction(name, type, private, **lists, location=location, index=index)


def _list(row: tuple, field: str, tables: Tables) -> tuple:
    try:
        decoded = decode_attribute(row, tables)
    except BadReference as bad:
        raise bad.inside(field) from None
    if not isinstance(decoded, tuple):
        problem = f"the {field} are not an array"
        raise BadReference("attribute", row[0], 0, path=f".{field}.tag", problem=problem)
    return decoded


def _implementation(
    record: Mapping, name: str, type: FunctionType, tables: Tables
) -> dict[str, Any]:
    """Return the fields of an implementation; its record says name and signature once more."""
    for field, known, found in (
        ("sym_name", name, tables.strings.at(record["sym_name"], ".sym_name")),
        ("function_type", type, tables.types.at(record["function_type"], ".function_type")),
    ):
        if found != known:
            problem = f"{found}, where the function table has {known}"
            raise BadReference("string", record[field], 0, path=f".{field}", problem=problem)
    implements = tables.strings.at(record["implements"], ".implements")
    parts: dict[str, Any] = {"implements": implements}
    for field, part in FIELDS.items():
        if record[field] is not None:
            try:
                parts[part] = decode_list(record[field], tables)
            except BadReference as bad:
                raise bad.inside(field) from None
    for field, part in (("config", "config"), ("frontendABI", "frontend_abi")):
        if record[field] is not None:
            parts[part] = _dictionary(record[field], field, tables)
    if record["scratch_smem"] is not None:
        parts["scratch"] = ScratchRequest(*_scratch(record["scratch_smem"], tables))
    if record["synchronization"] is not None:
        parts["synchronization"] = SYNCHRONIZATION.by_value[record["synchronization"]].name
    return parts


def _dictionary(entries: Sequence[tuple], field: str, tables: Tables) -> dict[str, object]:
    try:
        return decode_dictionary(entries, tables)
    except BadReference as bad:
        raise bad.inside(field) from None


def _scratch(rows: Sequence[tuple], tables: Tables) -> list[Any]:
    try:
        return [decode_expression(row, tables.strings, tables.types) for row in rows]
    except BadReference as bad:
        raise bad.inside("scratch_smem") from None
